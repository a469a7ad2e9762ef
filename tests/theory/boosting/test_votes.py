import math
import re

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.boosting.adaboost import adaboost_training_error
from assay.theory.boosting.votes import boosting_vote_margins
from tests.naive.majority_boost import independent_votes
from tests.naive.samme import samme

ROUNDING = 1e-9
errors = st.floats(0.01, 0.99)
votes = st.floats(0, 5)
rounds = st.lists(st.tuples(errors, votes), min_size=1, max_size=12).filter(
    lambda run: any(vote for _, vote in run)
)


def exact(run, margin):
    with mpmath.workdps(60):
        product = mpmath.exp(
            mpmath.mpf(repr(margin)) * mpmath.fsum(mpmath.mpf(repr(a)) for _, a in run)
        )
        for e, a in run:
            e, a = mpmath.mpf(repr(e)), mpmath.mpf(repr(a))
            product *= (1 - e) * mpmath.exp(-a) + e * mpmath.exp(a)
        return product


def test_with_the_votes_of_adaboost_it_is_its_theorem():
    for run in ([0.3] * 3, [0.25, 1 / 6, 0.2], [0.49, 0.01]):
        said = [0.5 * math.log((1 - e) / e) for e in run]
        assert boosting_vote_margins(run, said) == pytest.approx(
            adaboost_training_error(run), rel=1e-9
        )


def test_margins_as_in_the_theorem_of_1998():
    """prod_t 2 sqrt(e^(1 - theta) (1 - e)^(1 + theta)), their Theorem 5."""
    run, theta = [0.1, 0.2, 0.3], 0.25
    said = [0.5 * math.log((1 - e) / e) for e in run]
    printed = math.prod(2 * math.sqrt(e ** (1 - theta) * (1 - e) ** (1 + theta)) for e in run)
    assert boosting_vote_margins(run, said, theta) == pytest.approx(printed, rel=1e-12)


@settings(max_examples=50)
@given(rounds, st.floats(-1, 1))
def test_never_below_the_exact_value_and_hardly_above(run, margin):
    bound, value = boosting_vote_margins(*zip(*run, strict=True), margin), exact(run, margin)
    assert value <= bound <= value * (1 + mpmath.mpf(10) ** -13)


@settings(max_examples=40)
@given(rounds, st.floats(-1, 0.9), st.integers(0, 11))
def test_monotone_in_the_errors_and_in_the_margin(run, margin, place):
    e, a = zip(*run, strict=True)
    here = boosting_vote_margins(e, a, margin)
    place %= len(e)
    worse = [*e[:place], min(1.0, e[place] + 0.01), *e[place + 1 :]]
    assert here <= boosting_vote_margins(worse, a, margin)
    assert here <= boosting_vote_margins(e, a, margin + 0.1)


def play(seed, rate):
    """SAMME over a table of hypotheses, of one to four classes; the shares with small margins."""
    rng = np.random.default_rng(seed)
    classes, m, k = int(rng.integers(2, 5)), int(rng.integers(4, 40)), 12
    labels = rng.integers(0, classes, m)
    right = rng.random((k, m)) < rng.uniform(0.4, 0.9)
    table = np.where(right, labels, (labels + rng.integers(1, classes, (k, m))) % classes)
    start = rng.exponential(size=m)

    def weak(w):
        wrong = (table != labels) @ np.array(w)
        best = int(wrong.argmin())
        return best, table[best].tolist()

    run = samme(weak, labels.tolist(), classes, 6, weights=start.tolist(), rate=rate)
    if not run.votes or run.errors[-1] == 0:
        return None
    ballots, total = np.array(run.ballots), sum(run.votes)
    own = ballots[np.arange(m), labels]
    margins = (2 * own - total) / total
    wrong = ballots.argmax(axis=1) != labels
    return run, start / start.sum(), margins, wrong


def broken_runs(bound, seeds=range(90)):
    found = 0
    for seed in seeds:
        played = play(seed, rate=(1.0, 0.3, 2.0)[seed % 3])
        if played is None:
            continue
        run, start, margins, wrong = played
        halves = [vote / 2 for vote in run.votes]
        broken = start[wrong].sum() > bound(run.errors, halves, 0) + ROUNDING
        for theta in (-0.5, 0.1, 0.6):
            share = start[margins <= theta].sum()
            broken |= share > bound(run.errors, halves, theta) + ROUNDING
        found += broken
    return found


def test_promise_holds_for_any_rate_any_weights_and_several_classes():
    assert broken_runs(boosting_vote_margins) == 0


def test_broken_twins_are_caught():
    def forgets_the_margin(e, a, theta):
        return boosting_vote_margins(e, a)

    def each_as_if_best(e, a, theta):
        """Takes the factor of the best vote where another one was cast."""
        return adaboost_training_error(e) * math.exp(theta * sum(a))

    for twin in (forgets_the_margin, each_as_if_best):
        assert broken_runs(twin) > 0


def test_independent_votes_come_close():
    """Five votes of error one tenth: the vote is wrong on .00856, and no bound may say less."""
    table = np.array(independent_votes(sides=10, wrong_sides=1, rounds=5))
    wrong = float(np.mean(table.sum(axis=0) <= 2))
    vote = 0.5 * math.log(9)
    assert wrong <= boosting_vote_margins([0.1] * 5, [vote] * 5) < 0.08


def test_many_rounds_are_quick():
    assert 0 < boosting_vote_margins([0.45] * 1000, [0.1] * 1000) < 0.01


@settings(max_examples=20)
@given(rounds)
def test_order_does_not_matter(run):
    forth, back = (boosting_vote_margins(*zip(*r, strict=True)) for r in (run, run[::-1]))
    assert forth == pytest.approx(back, rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([], []), "round_errors must be a sequence of at least one number, but is []."),
        ((0.3, [1]), "round_errors must be a sequence of numbers, but is 0.3."),
        (([0.3], "1"), "votes must be a sequence of numbers, but is '1'."),
        (([0.3], [1, 2]), "votes must be as many numbers as round_errors, 1, but is [1, 2]."),
        (([0.3], [0]), "votes must be a sequence with a number above zero, but is [0]."),
        (([0.3], [-1]), "votes[0] must be a finite number, zero or more, but is -1."),
        (([0.3], [math.inf]), "votes[0] must be a finite number, zero or more, but is inf."),
        (([1.5], [1]), "round_errors[0] must be a number between 0 and 1, but is 1.5."),
        (([True], [1]), "round_errors[0] must be a number between 0 and 1, but is True."),
        (([0.3], [1], 1.5), "margin must be between -1 and 1, but is 1.5."),
        (([0.3], [1], math.nan), "margin must be a finite number, but is nan."),
    ],
)
def test_refusals(arguments, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        boosting_vote_margins(*arguments)
