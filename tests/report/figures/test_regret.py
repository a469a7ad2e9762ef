import math
import re

import numpy as np
import pytest

from assay import EXP3, EXP3IX, UCB1, AdaHedge, FixedShare, Hedge, WeightedAverage, figures
from assay.errors import BadParameter
from assay.record.experts import ExpertRecord
from assay.report.figures.regret import loss_curve, regret_curve, regret_of
from tests.report.figures.samples import check_themes, named

ROUNDS = 200
LOSSES = np.random.default_rng(0).random((ROUNDS, 4)) * [0.6, 0.8, 0.9, 1.0]


def played(policy, losses=LOSSES):
    policy.play(losses)
    return policy


@pytest.mark.parametrize(
    "policy",
    [
        Hedge(trace=True),
        Hedge(trace=True, rounds=ROUNDS),
        AdaHedge(trace=True),
        FixedShare(trace=True, switches=2, rounds=ROUNDS),
    ],
)
def test_no_bound_passes_below_the_regret(policy):
    run = played(policy)
    figure = regret_curve(run.record_, run.guarantees())
    regret = regret_of(run.record_)
    assert np.array_equal(figure.data[0].y, regret)
    assert len(figure.data) > 1
    for bound in figure.data[1:]:
        assert (np.asarray(bound.y) >= regret[np.asarray(bound.x) - 1] - 1e-9).all()
        assert bound.x[-1] == ROUNDS


def test_the_misprinted_rate_breaks_the_bound_that_the_right_one_keeps():
    alternating = np.zeros((100, 2))
    alternating[::2, 0] = alternating[1::2, 1] = 1
    alternating[0] = 0.5, 0
    right = played(Hedge(trace=True, rounds=100), alternating)
    wrong = played(Hedge(trace=True, learning_rate=math.sqrt(200 * math.log(2))), alternating)
    figure = regret_curve(
        {"right": right.record_, "misprinted": wrong.record_}, {"right": right.guarantees()}
    )
    [bad], [bound] = named(figure, "misprinted"), named(figure, "hedge-regret")
    assert bad.y[-1] == pytest.approx(49.5, abs=0.1)
    assert bad.y[-1] > bound.y[-1] > named(figure, "right")[0].y[-1]
    assert bound.y[-1] == next(g.value for g in right.guarantees() if g.theorem == "hedge-regret")


def test_a_policy_that_follows_a_sequence_is_compared_with_one():
    run = played(FixedShare(trace=True, switches=2, rounds=ROUNDS))
    record = run.record_
    assert regret_of(record)[-1] == pytest.approx(record.loss - record.sequence_loss)
    figure = regret_curve(record, run.guarantees())
    told = [g for g in run.guarantees() if "sequence" in g.of]
    assert [trace.y[-1] for trace in figure.data[1:]] == [g.value for g in told]


def test_bandits_are_drawn_as_their_bounds_speak_of_them():
    fixed = played(EXP3(arms=4, rounds=ROUNDS, trace=True, random_state=0))
    figure = regret_curve(fixed.record_, fixed.guarantees())
    assert figure.data[0].y[-1] == pytest.approx(fixed.record_.expected_regret)
    # The receipt is about estimated losses, not about these.
    assert [trace.name for trace in figure.data] == ["regret", "exp3-regret"]
    sure = played(EXP3IX(arms=4, trace=True, random_state=0))
    figure = regret_curve(sure.record_, sure.guarantees())
    assert figure.data[0].y[-1] == pytest.approx(sure.record_.regret)
    assert figure.data[1].y[-1] == sure.guarantees()[0].value


def test_the_loss_lies_between_the_best_and_the_bound():
    for run in (
        played(Hedge(trace=True)),
        played(EXP3(arms=4, trace=True, random_state=0)),
        played(UCB1(arms=4, trace=True)),
    ):
        figure = loss_curve(run.record_, run.guarantees())
        [best], [policy] = named(figure, "best so far"), named(figure, "policy")
        bound = figure.data[-1]
        assert policy.y[-1] - best.y[-1] == pytest.approx(regret_of(run.record_)[-1])
        reached = np.asarray(best.y)[np.asarray(bound.x) - 1]
        assert (np.asarray(bound.y) >= reached).all()


def test_experts_stand_in_the_background_of_their_losses():
    record = played(Hedge(trace=True)).record_
    figure = loss_curve(record)
    assert [trace.y[-1] for trace in named(figure, "expert")] == record.expert_losses.tolist()


def test_a_constant_bound_is_drawn_over_the_whole_run():
    policy = WeightedAverage(trace=True)
    policy.play(LOSSES[:, :3], LOSSES[:, 3])
    bound = regret_curve(policy.record_, policy.guarantees()).data[1]
    assert bound.name == "wa-square-regret"
    assert set(bound.y) == {policy.guarantees()[0].value}


def test_both_themes():
    run = played(Hedge(trace=True))
    check_themes(lambda theme: figures.regret_curve(run.record_, run.guarantees(), theme=theme))
    check_themes(lambda theme: figures.loss_curve(run.record_, run.guarantees(), theme=theme))


def test_refusals():
    untraced = ExpertRecord(3, 1.0, np.array([1.0]))
    for draw in (regret_curve, loss_curve):
        with pytest.raises(
            BadParameter,
            match=re.escape("This figure needs the rounds one by one: play with trace=True."),
        ):
            draw(untraced)
    with pytest.raises(
        BadParameter, match=re.escape("runs must hold at least one run, but is empty.")
    ):
        regret_curve({})
    run = played(Hedge(trace=True))
    sentence = "bounds names the run 'other', but runs does not hold it."
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        regret_curve({"Hedge": run.record_}, {"other": run.guarantees()})


def test_a_bandit_that_saw_its_own_losses_only_has_no_known_regret():
    policy = EXP3(arms=2, trace=True, random_state=0)
    arm, _ = policy.choose()
    policy.update(arm, 0.5)
    with pytest.raises(BadParameter, match="known only where the losses of all arms are"):
        regret_curve(policy.record_)
    with pytest.raises(BadParameter, match="known only where the losses of all arms are"):
        loss_curve(policy.record_)


def test_a_policy_is_drawn_as_its_record_under_its_own_promises():
    run = played(Hedge(trace=True))
    for draw in (regret_curve, loss_curve):
        assert draw(run).to_json() == draw(run.record_, run.guarantees()).to_json()
        assert len(draw(run, ()).data) < len(draw(run).data)  # none when none are wanted
    two = {"Hedge": run, "AdaHedge": played(AdaHedge(trace=True))}
    assert {trace.name for trace in regret_curve(two).data} >= {
        "Hedge",
        "AdaHedge",
        "hedge-regret",
        "adahedge-regret",
    }


def test_no_own_promise_of_any_policy_passes_below_its_regret():
    for policy in (
        EXP3(arms=4, random_state=0, rounds=ROUNDS, trace=True),
        EXP3IX(arms=4, rounds=ROUNDS, random_state=0, trace=True),
        FixedShare(trace=True, rounds=ROUNDS),
    ):
        figure = regret_curve(played(policy))
        seen = dict(zip(figure.data[0].x, figure.data[0].y, strict=True))
        assert len(figure.data) > 1
        for bound in figure.data[1:]:
            assert bound.y[-1] >= seen[bound.x[-1]]


def test_a_policy_that_never_played_is_refused():
    sentence = "This figure needs rounds that were played, but this Hedge has played none."
    for draw in (regret_curve, loss_curve):
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            draw(Hedge(trace=True))
    sentence = "This figure needs the rounds one by one: play with trace=True."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        regret_curve(played(Hedge()))
