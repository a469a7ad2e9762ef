import re

import numpy as np
import pytest

from assay import MarginPerceptron, Perceptron, WeightedMajority, Winnow, certify, figures, play
from assay.certificates.issue.stream import certify_stream
from assay.errors import BadParameter
from assay.record.online import OnlineRecord
from assay.report.figures.mistakes import error_over_rounds, mistakes_curve
from tests.report.figures.samples import check_themes, named, two_clouds


@pytest.fixture(scope="module")
def perceptron():
    X, y = two_clouds(rows=40, apart=0.9)
    return Perceptron(trace=True, max_iter=200).fit(X, y)


def at(trace, x):
    """The height of a step curve."""
    return np.asarray(trace.y)[np.searchsorted(np.asarray(trace.x), x, side="right") - 1]


def test_the_steps_are_those_of_the_run(perceptron):
    record = perceptron.record_
    curve = mistakes_curve(record, perceptron.guarantees()).data[0]
    assert curve.y[-1] == record.mistakes
    assert curve.x[-1] == record.rounds
    after = [at(curve, r + 1) for r in record.trace["round"]]
    assert after == list(range(1, record.mistakes + 1))


def test_bounds_are_the_promised_numbers_and_never_below_the_run(perceptron):
    promised = [g for g in perceptron.guarantees() if g.kind == "mistakes"]
    assert promised
    figure = mistakes_curve(perceptron.record_, promised)
    for guarantee, trace in zip(promised, figure.data[1:], strict=True):
        assert set(trace.y) == {guarantee.value}
        assert (np.asarray(figure.data[0].y) <= guarantee.value).all()


def test_a_record_and_what_was_missed_give_the_same_curve():
    X = (np.random.default_rng(0).random((200, 12)) < 0.3).astype(int)
    y = X[:, 1] | X[:, 4]
    played = play(Winnow(trace=True), X, y, trace=True)
    told, record = mistakes_curve(played.missed), played.learner.record_
    kept = mistakes_curve(record).data[0]
    for moment in (1, 7, 50, 200):
        assert at(kept, moment) == at(told.data[0], moment) == played.missed[:moment].sum()


def test_a_policy_stands_above_its_best_expert_and_below_its_bound():
    rng = np.random.default_rng(1)
    advice = (rng.random((150, 4)) < [0.1, 0.3, 0.4, 0.5]).astype(int)
    policy = WeightedMajority(trace=True)
    policy.play(advice, np.zeros(150, dtype=int))
    figure = mistakes_curve(policy.record_, policy.guarantees())
    made, best, bound = figure.data[:3]
    assert made.y[-1] == policy.record_.mistakes
    assert best.y[-1] == policy.record_.best_loss
    assert (np.asarray(bound.y) >= np.asarray(made.y)[np.asarray(bound.x) - 1]).all()
    assert bound.y[-1] == policy.guarantees()[0].value


def test_a_bound_far_above_makes_the_axis_logarithmic(perceptron):
    from assay.guarantees.mistakes import mistake_guarantee

    inputs = {"radius": 1.0, "margin": 0.001}
    far = mistake_guarantee("perceptron-margin-mistakes", inputs, 1, of="mistakes", assumptions=())
    assert mistakes_curve([True, False], [far]).layout.yaxis.type == "log"
    assert mistakes_curve(perceptron.record_).layout.yaxis.type == "linear"


def test_the_error_so_far_ends_where_the_certificate_of_the_stream_does():
    missed = np.random.default_rng(0).random(400) < 0.1
    figure = error_over_rounds(missed, delta=0.05)
    [seen], [bound] = named(figure, "observed"), named(figure, "progressive-anytime")
    certificate = certify_stream(rows=400, errors=int(missed.sum()), delta=0.05)
    assert seen.y[-1] == pytest.approx(certificate.observed)
    assert bound.y[-1] == pytest.approx(certificate.error)
    assert (np.asarray(bound.y) >= np.asarray(seen.y)).all()


def test_claims_about_other_things_are_left_out(perceptron):
    figure = mistakes_curve(perceptron.record_, certify(errors=1, rows=100))
    assert [trace.name for trace in figure.data] == ["mistakes"]
    assert figure.layout.title.text == "Mistakes so far"


def test_both_themes(perceptron):
    check_themes(
        lambda theme: figures.mistakes_curve(
            perceptron.record_, perceptron.guarantees(), theme=theme
        )
    )
    check_themes(lambda theme: figures.error_over_rounds([True, False, False], theme=theme))


def test_a_run_without_its_rounds_is_refused():
    sentence = "mistakes_curve needs the rounds one by one: fit or play with trace=True."
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        mistakes_curve(OnlineRecord(rounds=5, mistakes=1))


def test_updates_that_may_be_no_mistakes_are_not_counted_as_such():
    X, y = two_clouds(rows=10, apart=0.9)
    record = MarginPerceptron(trace=True, margin=0.3, max_iter=3, shuffle=False).fit(X, y).record_
    assert record.updates > record.mistakes
    with pytest.raises(BadParameter, match="does not tell which updates were mistakes"):
        mistakes_curve(record)


@pytest.mark.parametrize("wrong", [[], [0, 2], [[True]]])
def test_what_does_not_tell_mistakes_is_refused(wrong):
    sentence = (
        "mistakes must be told round by round, as a sequence of True and False that is not empty."
    )
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        mistakes_curve(wrong)


def test_a_learner_is_drawn_as_its_record_under_its_own_promises(perceptron):
    own = mistakes_curve(perceptron).to_json()
    assert own == mistakes_curve(perceptron.record_, perceptron.guarantees()).to_json()
    sentence = "This figure needs rounds that were played, but this Winnow has played none."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        mistakes_curve(Winnow(trace=True))
