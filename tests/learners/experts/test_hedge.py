import math
import re

import numpy as np
import pytest
from sklearn.base import clone

from assay import Hedge
from assay.errors import BadData, BadParameter
from assay.theory import tuning
from assay.theory.regret.hedge import hedge_regret
from tests.expert_games import BLOCKS, alternating, losses
from tests.naive.hedge import hedge
from tests.naive.weighted_average import divergence


def played(table, **parameters):
    policy = Hedge(**parameters)
    policy.play(table)
    return policy


def assert_kept(policy, against="best"):
    for made in policy.guarantees(against=against):
        assert made.holds or made.quantifier == "expectation", str(made)


# Golden traces


def test_one_step_of_two_experts():
    policy = Hedge(learning_rate=0.5)
    policy.update([1.0, 0.0])
    assert policy.predict() == pytest.approx([0.377541, 0.622459], abs=1e-6)


def test_two_rounds():
    rate = tuning.hedge_rate(2, 2, form="textbook")
    policy = played([[1, 0], [1, 0]], learning_rate=rate)
    assert policy.record_.loss == pytest.approx(0.803105, abs=1e-6)


def test_rates():
    assert tuning.hedge_rate(100, 10, form="textbook") == pytest.approx(0.214597, abs=1e-6)
    policy = played(np.zeros((100, 10)), rounds=100)
    made = policy.guarantees()[0]
    assert made.value == pytest.approx(21.459660 / 2, rel=1e-6)
    assert float(made.inputs["learning_rate"]) == pytest.approx(2 * 0.214597, abs=1e-6)


def test_alternating_losses_and_the_misprinted_rate():
    right = played(alternating(100), learning_rate=tuning.hedge_rate(100, 2, form="textbook"))
    wrong = played(alternating(100), learning_rate=math.sqrt(2 * 100 * math.log(2)))
    assert right.record_.regret == pytest.approx(1.706624, abs=1e-6)
    assert wrong.record_.regret == pytest.approx(49.476020, abs=1e-6)
    promised = hedge_regret(100, 2, form="textbook")
    assert right.record_.regret <= promised < wrong.record_.regret
    # At the rate that was really used the promise stands.
    assert_kept(right)
    assert_kept(wrong)


# The twin


@pytest.mark.parametrize("rate", [0.01, 0.06, 0.5, 11.0])
@pytest.mark.parametrize("seed", range(8))
def test_like_the_naive_twin(seed, rate):
    table = losses(seed)
    policy, twin = played(table, learning_rate=rate), hedge(table.tolist(), rate)
    record = policy.record_
    assert record.loss == pytest.approx(twin.loss, rel=1e-12, abs=1e-15)
    assert record.squared_losses == pytest.approx(twin.squared_losses, rel=1e-12, abs=1e-15)
    assert record.expert_losses == pytest.approx(twin.expert_losses)
    assert policy.predict() == pytest.approx(twin.weights[-1], rel=1e-11, abs=1e-300)
    assert record.regret == pytest.approx(twin.regret, abs=1e-11)


def test_receipts_follow_the_proof_round_by_round():
    table = losses(3)
    policy = played(table, learning_rate=0.7, trace=True)
    trace, twin = policy.record_.trace, hedge(table.tolist(), 0.7)
    k, totals = table.shape[1], np.cumsum(table, axis=0)
    for t in range(len(table)):
        best = int(np.argmin(totals[t]))
        u = [float(i == best) for i in range(k)]
        assert trace["best"][t] == totals[t, best]
        assert trace["divergence"][t] == pytest.approx(divergence(u, twin.weights[t + 1]), abs=1e-9)
        excess = trace["loss"][t] - trace["best"][t]
        fall = math.log(k) - trace["divergence"][t]
        assert excess <= fall / 0.7 + 0.35 * trace["squared_losses"][t] + 1e-9


def test_an_expert_far_behind_comes_back():
    """Ten thousand rounds of losses of a thousand: a weight would be gone, a total is not."""
    table = np.zeros((10_000, 3))
    table[:, 0] = 1000.0
    policy = played(table, learning_rate=1.0, largest_loss=1000.0)
    assert policy.predict() == pytest.approx([0, 0.5, 0.5])
    back = np.zeros((10_001, 3))
    back[:, 1:] = 1000.0
    policy.play(back)
    assert policy.predict() == pytest.approx([1, 0, 0])


# Promises


@pytest.mark.parametrize("block", BLOCKS)
def test_no_promise_breaks(block):
    """Four policies on each of five hundred games, random and made up by opponents."""
    for seed in range(25 * block, 25 * block + 25):
        table, against = losses(seed), "each" if seed % 10 == 0 else "best"
        rate = float(np.random.default_rng(seed).uniform(0.01, 5))
        for parameters in ({"rounds": len(table)}, {}, {"learning_rate": rate}):
            assert_kept(played(table, **parameters), against)
        assert_kept(played(7 * table, largest_loss=7, rounds=len(table)), against)


def breaks(promised):
    """Whether a bound breaks in any of the games in which the right one does not."""
    return any(
        played(losses(seed), learning_rate=rate).record_.regret
        > promised(*losses(seed).shape, rate) + 1e-9
        for seed in range(200)
        for rate in (0.3, 1.0, 4.0)
    )


def test_broken_bounds_are_caught():
    assert not breaks(hedge_regret)
    assert breaks(lambda t, k, rate: math.log(k) / rate)  # without the second term
    assert breaks(lambda t, k, rate: rate * t / 8)  # without the first
    assert breaks(lambda t, k, rate: hedge_regret(t, k, rate) / 2)
    assert breaks(lambda t, k, rate: hedge_regret(t, k, 1 / rate) / 1.5)


def test_the_sampled_form_is_compared_with_nothing_and_has_the_same_mean():
    table = losses(0)
    runs = [played(table, rounds=len(table), sample=True, random_state=s) for s in range(400)]
    drawn = np.array([run.record_.drawn_loss for run in runs])
    assert len({run.record_.loss for run in runs}) == 1
    error = 5 * drawn.std() / math.sqrt(len(drawn))
    assert drawn.mean() == pytest.approx(runs[0].record_.loss, abs=error)
    last = runs[0].guarantees()[-1]
    assert (last.quantifier, last.holds) == ("expectation", None)


@pytest.mark.guarantees
def test_expected_regret_over_many_seeds():
    table = alternating(200)
    runs = [played(table, rounds=200, sample=True, random_state=s) for s in range(5000)]
    drawn = np.array([run.record_.drawn_loss for run in runs]) - table.sum(axis=0).min()
    promised = runs[0].guarantees()[0].value
    upper = drawn.mean() + 5 * drawn.std() / math.sqrt(len(drawn))
    assert upper <= promised
    assert drawn.mean() > 0.2 * promised  # a bound of a fifth would have been caught


# How it is used


def test_whole_in_parts_and_one_by_one_are_the_same_to_the_bit():
    table = np.random.default_rng(0).random((200, 9))
    for parameters in ({"rounds": 10**5}, {"rounds": 200}, {}):
        given = parameters | {"sample": True, "random_state": 3}
        whole = Hedge(**given)
        means = whole.play(table)
        parts, single = Hedge(**given), Hedge(**given)
        some = np.concatenate([parts.play(table[s : s + 17]) for s in range(0, 200, 17)])
        for row in table:
            before = single.predict(experts=9).tolist()
            assert single.predict(experts=9).tolist() == before
            assert single.choose(experts=9) == single.choose(experts=9)
            single.update(row)
        assert some.tobytes() == means.tobytes()
        for other in (parts, single):
            for name in ("totals_", "carries_", "weights_", "sums_"):
                assert getattr(other, name).tobytes() == getattr(whole, name).tobytes()


def test_choose_is_what_play_draws():
    table = np.random.default_rng(1).random((50, 4))
    policy, total = Hedge(sample=True, random_state=1), 0.0
    for row in table:
        total += row[policy.choose(experts=4)]
        policy.update(row)
    assert policy.record_.drawn_loss == pytest.approx(total)


def test_clone_forgets_and_parameters_show():
    policy = played(np.zeros((3, 2)), rounds=3)
    again = clone(policy)
    assert repr(again) == "Hedge(rounds=3)"
    assert not hasattr(again, "rounds_")


def test_names_come_from_the_table():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"tortoise": [0.0, 0.0], "hare": [1.0, 0.5]})
    policy = played(frame, rounds=2)
    assert policy.record_.names == ("tortoise", "hare")
    assert policy.guarantees()[0].of == "regret against expert 'tortoise'"
    policy.update({"hare": 0.25, "tortoise": 1.0})
    assert policy.record_.expert_losses.tolist() == [1.0, 1.75]
    policy.update(frame.iloc[1])
    assert policy.guarantees(against="hare")[0].of == "regret against expert 'hare'"
    with pytest.raises(
        BadData, match=r"^losses names an expert 'fox', who was not there before\.$"
    ):
        policy.update({"fox": 0.25})


# Refusals


@pytest.mark.parametrize("bad", [1.5, -0.25, math.nan, math.inf])
@pytest.mark.parametrize("rounds", [10, 10**6])
def test_a_loss_out_of_range_is_refused_and_nothing_changes(bad, rounds):
    policy = played(np.full((5, 2), 0.5), rounds=rounds)
    state = policy.totals_.tobytes(), policy.sums_.tobytes(), policy.rounds_
    sentence = (
        f"The loss of expert 1 in round 6 must lie between 0 and 1, but is {bad:g}. Scale the losses, "
        "or declare largest_loss."
    )
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        policy.update([0.5, bad])
    assert (policy.totals_.tobytes(), policy.sums_.tobytes(), policy.rounds_) == state
    table = np.full((4, 2), 0.5)
    table[2, 0] = bad
    with pytest.raises(
        BadData, match=r"expert 0 in round 8 .* Everything before it was learned\.$"
    ):
        policy.play(table)
    assert policy.rounds_ == 7
    fresh = Hedge(rounds=rounds)
    with pytest.raises(BadData):
        fresh.update([bad])
    assert vars(fresh) == vars(Hedge(rounds=rounds))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"rounds": 0}, "rounds must be a whole number of at least 1, but is 0."),
        ({"learning_rate": 0.0}, "learning_rate must be a finite number above zero, but is 0.0."),
        ({"learning_rate": [1]}, "learning_rate must be a finite number above zero, but is [1]."),
        ({"largest_loss": -1}, "largest_loss must be a finite number above zero, but is -1."),
    ],
)
def test_parameters_out_of_range(parameters, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        Hedge(**parameters).play(np.zeros((2, 2)))


def test_other_refusals():
    policy = played(np.zeros((2, 2)))
    for call, sentence in (
        (lambda: policy.update([0.0]), "There must be 2 experts as before, but are 1."),
        (
            lambda: policy.play([0.0, 1.0]),
            "losses must be a table with a row for each round and a "
            "column for each expert, but has 1 dimension.",
        ),
        (
            lambda: policy.update([[0.0, 1.0]]),
            "losses of one round must be a vector or a dict, but has shape (1, 2).",
        ),
        (lambda: policy.update(["a", "b"]), "losses must hold numbers, but holds 'a'."),
        (
            lambda: policy.update([0.0, 1.0], 1),
            "outcome must be left out where losses are given, but is [1].",
        ),
        (lambda: Hedge().predict(), "experts must be given before the first round, but is None."),
        (
            lambda: policy.guarantees(against="x"),
            "against must be 'best', 'each', or an expert by number or name, but is 'x'.",
        ),
        (lambda: Hedge().play(np.empty((1, 0))), "There must be at least one expert."),
    ):
        with pytest.raises((BadData, BadParameter), match=f"^{re.escape(sentence)}$"):
            call()
