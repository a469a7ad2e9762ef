from __future__ import annotations

from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.theory.mistake.disjunction import (
    literal_disjunction_mistakes,
    online_disjunction_lower,
    online_disjunction_mistakes,
)
from tests.naive.disjunction import literals, monotone
from tests.naive.halving import halving
from tests.naive.perceptron import dot, perceptron
from tests.naive.winnow import winnow
from tests.refusals import COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE, assert_refuses_all

BOUNDS = (online_disjunction_mistakes, online_disjunction_lower, literal_disjunction_mistakes)


def test_bounds_of_twenty_features():
    assert [bound(features=20) for bound in BOUNDS] == [20, 20, 21]


@given(st.integers(1, 10**12))
def test_upper_and_lower_bound_meet(d):
    assert online_disjunction_lower(d) == online_disjunction_mistakes(d) == d
    assert literal_disjunction_mistakes(d) == d + 1


# The promise


def test_trace_of_the_literals_of_two_features():
    assert literals([(1, 0)], [-1]).left == {(0, 0), (1, 1)}
    assert literals([(1, 0)], [1]).left == {(0, 0), (0, 1), (1, 0), (1, 1)}


def says(literal_set, x):
    return 1 if any(x[i] == value for i, value in literal_set) else -1


def worst_case(d, start, targets):
    """The most mistakes over all sequences, and whether a positive was ever missed.

    Elimination changes on mistakes only, so sequences of mistakes are all that matter.
    """
    cube = list(product((0, 1), repeat=d))

    @cache
    def most(hypothesis, left):
        best, missed = 0, False
        for x in cube:
            label = -says(hypothesis, x)
            agree = frozenset(t for t in left if says(t, x) == label)
            if agree:
                dropped = frozenset((i, value) for i, value in hypothesis if x[i] != value)
                more, positive = most(dropped, agree)
                best = max(best, 1 + more)
                missed = missed or positive or label == 1
        return best, missed

    return most(frozenset(start), frozenset(targets))


def subsets(items):
    return [
        frozenset(i for i, bit in zip(items, bits, strict=True) if bit)
        for bits in product((0, 1), repeat=len(items))
    ]


def monotone_worst_case(d):
    features = [(i, 1) for i in range(d)]
    return worst_case(d, features, subsets(features))


def literal_worst_case(d):
    both = [(i, value) for i in range(d) for value in (0, 1)]
    return worst_case(d, both, subsets(both))


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_worst_case_of_monotone_elimination_is_its_bound(d):
    assert monotone_worst_case(d) == (d, False)
    assert online_disjunction_mistakes(d) == d


@pytest.mark.parametrize("d", [1, 2, 3])
def test_worst_case_of_literal_elimination_is_its_bound(d):
    assert literal_worst_case(d) == (d + 1, False)
    assert literal_disjunction_mistakes(d) == d + 1


def test_bounds_less_one_are_rejected():
    assert monotone_worst_case(3)[0] > online_disjunction_mistakes(3) - 1
    assert literal_worst_case(3)[0] > online_disjunction_mistakes(3)


@st.composite
def disjunctions(draw, values=(0, 1)):
    d = draw(st.integers(1, 8))
    target = draw(st.sets(st.tuples(st.integers(0, d - 1), st.sampled_from(values))))
    X = draw(st.lists(st.tuples(*[st.integers(0, 1)] * d), min_size=1, max_size=40))
    return X, [says(target, x) for x in X]


@given(disjunctions(values=(1,)))
def test_random_monotone_disjunctions_never_break_the_bound(data):
    run = monotone(*data)
    assert run.mistakes <= online_disjunction_mistakes(len(data[0][0]))
    assert run.missed_positives == 0


@given(disjunctions())
def test_random_literal_disjunctions_never_break_the_bound(data):
    run = literals(*data)
    assert run.mistakes <= literal_disjunction_mistakes(len(data[0][0]))
    assert run.missed_positives == 0


def test_a_negated_literal_breaks_the_monotone_bound():
    # The assumption matters: x -> not x is no monotone disjunction, and mistakes never end.
    assert monotone([(0,)] * 5, [1] * 5).mistakes == 5 > online_disjunction_mistakes(1)


# The lower bound


def predictors(d):
    """Learners as functions from what they have seen to a prediction."""

    def elimination(X, y, x):
        left = monotone(X, y).left if X else range(d)
        return 1 if any(x[i] for i in left) else -1

    def multiplicative(X, y, x):
        w = winnow(X, y).w if X else [1.0] * d
        return 1 if dot(w, x) >= d else -1

    def linear(X, y, x):
        w = perceptron([[*z, 1] for z in X], y).w if X else [0] * (d + 1)
        return 1 if dot(w, [*x, 1]) >= 0 else -1

    def majority(X, y, x):
        targets = [lambda z, t=t: says(t, z) for t in subsets([(i, 1) for i in range(d)])]
        left = halving(targets, X, y).left
        return 1 if sum(h(x) for h in left) >= 0 else -1

    return [elimination, multiplicative, linear, majority, lambda X, y, x: -1]


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_adversary_forces_every_learner_to_the_lower_bound(d):
    for predict in predictors(d):
        X, y = [], []
        for i in range(d):
            x = tuple(int(i == j) for j in range(d))
            guess = predict(X, y, x)
            X.append(x)
            y.append(-guess)
        # Every round was a mistake, and a monotone disjunction explains all the labels.
        target = {(i, 1) for i in range(d) if y[i] == 1}
        assert [says(target, x) for x in X] == y
        assert len(X) == online_disjunction_lower(d)


def test_a_lower_bound_of_one_more_is_rejected():
    assert monotone_worst_case(4)[0] < online_disjunction_lower(4) + 1


# Refusals


@pytest.mark.parametrize("bound", BOUNDS)
def test_bad_inputs_are_refused(bound):
    bad = NOT_COUNTS_FROM_ONE
    assert_refuses_all(bound, {"features": 3}, "features", COUNT_FROM_ONE, bad)
