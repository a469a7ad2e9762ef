import math
import re
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.boosting.majority_boost import (
    boosting_example_potential,
    boosting_minimax,
    boosting_rounds,
    boosting_sample_size,
    boosting_training_error,
    boosting_weight_potential,
)
from tests.naive.majority_boost import independent_votes, majority_boost

edges = st.floats(1e-3, 0.499)
odd = st.integers(0, 500).map(lambda n: 2 * n + 1)


def test_rounds_until_nothing_is_wrong():
    assert boosting_example_potential(1, 0.1) == 1.5
    for n, edge, textbook, sharp in ((100, 0.1, 231, 227), (10, 0.25, 19, 17), (1000, 0.2, 87, 81)):
        assert boosting_rounds(n, edge, form="textbook") == textbook
        assert boosting_rounds(n, edge) == sharp


def test_sample_size_for_twenty_bits():
    inputs = {"bits": 20, "accuracy": 0.1, "delta": 0.05, "edge": 0.25}
    assert boosting_sample_size(**inputs, form="textbook") == 10428
    assert boosting_rounds(10428, 0.25, form="textbook") == 75
    assert boosting_sample_size(**inputs) < 10428


# --- the promise, against weak learners that help as little as they may ---


def greedy_adversary(edge, order):
    """Wrong on as much weight as the edge allows, taking examples in the given order of misses."""

    def weak(weights):
        budget = sum(weights) * (1 - 2 * edge) / 2
        right = [True] * len(weights)
        for i in sorted(range(len(weights)), key=lambda i: (order * weights[i], i)):
            if weights[i] <= budget:
                budget -= weights[i]
                right[i] = False
        return right

    return weak


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("edge", [Fraction(1, 10), Fraction(1, 5), Fraction(2, 5)])
@pytest.mark.parametrize("n", [2, 7, 20])
def test_adversaries_stay_below(n, edge, order):
    for rounds in (1, 3, 9, 21):
        run = majority_boost(greedy_adversary(edge, order), n, rounds, edge)
        assert run.wrong <= boosting_training_error(n, rounds, edge)
        assert run.wrong <= boosting_training_error(n, rounds, edge, form="textbook")
        for t, weights in enumerate(run.weights):
            assert sum(weights) <= boosting_weight_potential(n, t, edge)
        for misses, weight in zip(run.misses, run.weights[-1], strict=True):
            assert weight >= boosting_example_potential(misses, edge)


@settings(max_examples=40)
@given(st.integers(1, 8), st.sampled_from([Fraction(1, 8), Fraction(1, 4)]), st.randoms())
def test_random_weak_learners_stay_below(n, edge, random):
    def weak(weights):
        right = [random.random() < 0.6 for _ in weights]
        for i in sorted(range(n), key=lambda _: random.random()):
            if sum(w for w, r in zip(weights, right, strict=True) if r) * 2 < (1 + 2 * edge) * sum(
                weights
            ):
                right[i] = True
        return right

    run = majority_boost(weak, n, 11, edge)
    assert run.wrong <= boosting_training_error(n, 11, edge)
    assert sum(run.weights[-1]) <= boosting_weight_potential(n, 11, edge)


def worst_wrong(n, rounds, edge):
    """The most examples any weak learner with this edge can leave wrong: all of them are tried."""
    subsets = list(product([True, False], repeat=n))

    def weak_with(plan):
        steps = iter(plan)
        return lambda weights: next(steps)

    worst = 0
    for plan in product(subsets, repeat=rounds):
        try:
            worst = max(worst, majority_boost(weak_with(plan), n, rounds, edge).wrong)
        except AssertionError:  # this plan is not a weak learner's
            continue
    return worst


def test_every_weak_learner_on_three_examples():
    for edge in (Fraction(1, 20), Fraction(1, 8), Fraction(1, 3)):
        assert worst_wrong(3, 3, edge) <= boosting_training_error(3, 3, edge)
    assert worst_wrong(3, 3, Fraction(1, 20)) > 0


def test_independent_votes_stay_below_and_reject_a_missing_square_root():
    votes = iter(independent_votes(sides=10, wrong_sides=1, rounds=5))
    run = majority_boost(lambda weights: next(votes), 10**5, 5, Fraction(2, 5))
    assert run.wrong == 856  # 10^5 P[Binomial(5, 1/10) >= 3]
    without_root = 10**5 * 0.36**5
    assert without_root < run.wrong <= boosting_training_error(10**5, 5, 0.4)
    # The hypotheses keep their edge to the end exactly, so the total weight meets its bound.
    assert float(sum(run.weights[-1])) == boosting_weight_potential(10**5, 5, 0.4)


def test_without_the_edge_doubled_the_weight_bound_is_rejected():
    votes = iter(independent_votes(sides=4, wrong_sides=1, rounds=3))
    run = majority_boost(lambda weights: next(votes), 64, 3, Fraction(1, 4))
    assert sum(run.weights[-1]) > 64 * (1 + 0.25) ** 3


# --- the numbers ---


@given(st.integers(1, 10**9), odd, edges)
def test_never_below_the_exact_value(n, t, edge):
    with mpmath.workdps(60):
        g = mpmath.mpf(repr(edge))
        sharp = mpmath.floor(n * mpmath.power(1 - 4 * g**2, mpmath.mpf(t) / 2))
        textbook = mpmath.floor(n * mpmath.exp(-2 * t * g**2))
        weight = n * (1 + 2 * g) ** t
        example = ((0.5 + g) / (0.5 - g)) ** t
    assert sharp <= boosting_training_error(n, t, edge) <= sharp * (1 + 1e-9) + 1
    assert textbook <= boosting_training_error(n, t, edge, form="textbook")
    assert weight <= boosting_weight_potential(n, t, edge)
    assert boosting_example_potential(t, edge) <= example


@given(st.integers(1, 10**9), edges)
def test_rounds_are_odd_enough_and_not_too_many(n, edge):
    with mpmath.workdps(60):
        g = mpmath.mpf(repr(edge))
        sharp = 2 * mpmath.log(n) / -mpmath.log(1 - 4 * g**2)
        textbook = mpmath.log(n) / (2 * g**2)
    for form, threshold in (("sharp", sharp), ("textbook", textbook)):
        t = boosting_rounds(n, edge, form)
        assert t % 2 == 1
        assert threshold < t <= threshold * (1 + 1e-12) + 2
        assert boosting_training_error(n, t, edge, form) in (0, 1)
    assert boosting_rounds(n, edge) <= boosting_rounds(n, edge, "textbook")


@pytest.mark.parametrize("n", [2, 10, 100, 1000])
@pytest.mark.parametrize("edge", [0.1, 0.25, 0.4])
def test_the_rounds_promise_no_error_and_two_fewer_do_not(n, edge):
    t = boosting_rounds(n, edge)
    assert boosting_training_error(n, t, edge) == 0
    assert t == 1 or boosting_training_error(n, t - 2, edge) >= 1


@given(st.integers(1, 10**6), odd, st.floats(1e-3, 0.24))
def test_monotone(n, t, edge):
    for form in ("sharp", "textbook"):
        here = boosting_training_error(n, t, edge, form)
        assert here <= boosting_training_error(n + 1, t, edge, form)
        assert here >= boosting_training_error(n, t + 2, edge, form)
        assert here >= boosting_training_error(n, t, 2 * edge, form)
        assert boosting_rounds(n, edge, form) <= boosting_rounds(n + 1, edge, form)
        assert boosting_rounds(n, edge, form) >= boosting_rounds(n, 2 * edge, form)
    assert boosting_training_error(n, t, edge) <= boosting_training_error(n, t, edge, "textbook")
    assert boosting_weight_potential(n, t, edge) <= boosting_weight_potential(n, t + 1, edge)
    assert boosting_example_potential(t, edge) <= boosting_example_potential(t + 1, edge)


def satisfied(n, bits, eps, delta, edge, form):
    right = (bits * boosting_rounds(n, edge, form) * math.log(2) - math.log(delta)) / eps
    return n >= right


@pytest.mark.parametrize("form", ["sharp", "textbook"])
@pytest.mark.parametrize(
    ("bits", "eps", "delta", "edge"), [(1, 0.3, 0.1, 0.4), (3, 0.5, 0.2, 0.3), (2, 0.2, 0.01, 0.45)]
)
def test_sample_size_is_the_smallest(bits, eps, delta, edge, form):
    found = boosting_sample_size(bits, eps, delta, edge, form)
    first = next(n for n in range(1, found + 1) if satisfied(n, bits, eps, delta, edge, form))
    assert found == first
    # One bit fewer (a class of 2^b members taken for "at most b bits") is not enough.
    fewer = boosting_sample_size(bits, eps, delta, edge, form)
    assert not satisfied(fewer, bits + 1, eps, delta, edge, form)


@settings(max_examples=30)
@given(st.integers(1, 64), st.floats(0.05, 0.4), st.floats(0.01, 0.4), st.floats(0.1, 0.24))
def test_sample_size_is_monotone(bits, eps, delta, edge):
    here = boosting_sample_size(bits, eps, delta, edge)
    assert here <= boosting_sample_size(bits + 1, eps, delta, edge)
    assert here >= boosting_sample_size(bits, 2 * eps, delta, edge)
    assert here >= boosting_sample_size(bits, eps, 2 * delta, edge)
    assert here >= boosting_sample_size(bits, eps, delta, 2 * edge)
    assert here <= boosting_sample_size(bits, eps, delta, edge, form="textbook")


# --- the game ---


def test_three_hypotheses_each_wrong_once():
    game = boosting_minimax([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    assert game.low <= Fraction(2, 3) <= game.high
    assert game.high - game.low < 1e-15
    assert set(game.votes) == set(game.weights) == {Fraction(1, 3)}


@pytest.mark.parametrize(
    ("right", "value"),
    [
        ([[1]], 1),
        ([[0]], 0),
        ([[1, 0], [0, 1]], Fraction(1, 2)),
        ([[1, 0, 0], [0, 1, 1]], Fraction(1, 2)),
        ([[1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]], Fraction(2, 3)),
        (np.array([[True, False, True], [True, True, False]]), 1),
    ],
)
def test_known_games(right, value):
    game = boosting_minimax(right)
    assert game.low <= value <= game.high
    assert game.high - game.low < 1e-8


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(1, 6), st.randoms(use_true_random=False))
def test_the_strategies_prove_the_value(m, k, random):
    right = [[random.randint(0, 1) for _ in range(k)] for _ in range(m)]
    game = boosting_minimax(right)
    assert sum(game.votes) == sum(game.weights) == 1
    assert min(*game.votes, *game.weights) >= 0
    for row in right:
        assert sum(q * hit for q, hit in zip(game.votes, row, strict=True)) >= game.low
    for column in zip(*right, strict=True):
        assert sum(p * hit for p, hit in zip(game.weights, column, strict=True)) <= game.high
    assert 0 <= game.high - game.low < 1e-7


def test_equal_weights_do_not_solve_the_game():
    """The check above must be able to fail: uniform strategies leave a gap."""
    right = [[1, 1, 0], [1, 0, 0], [0, 1, 1]]
    low = min(Fraction(sum(row), 3) for row in right)
    high = max(Fraction(sum(column), 3) for column in zip(*right, strict=True))
    assert high - low > 0.3


# --- refusals ---

WHOLE = "a whole number of at least 1"
EDGE = "a finite number above zero"
UNIT = "a number strictly between 0 and 1"
FORM = "'sharp' or 'textbook'"
TABLE = "a table of zeros and ones, one row per example"
GOOD = {
    boosting_training_error: {"examples": 5, "rounds": 3, "edge": 0.1},
    boosting_rounds: {"examples": 5, "edge": 0.1},
    boosting_sample_size: {"bits": 2, "accuracy": 0.1, "delta": 0.1, "edge": 0.1},
    boosting_weight_potential: {"examples": 5, "rounds": 3, "edge": 0.1},
    boosting_example_potential: {"wrong": 3, "edge": 0.1},
    boosting_minimax: {},
}
NUMBERS = [0, -1, math.nan, math.inf, True]


@pytest.mark.parametrize(
    ("function", "name", "must", "values"),
    [
        (boosting_training_error, "examples", WHOLE, [0, -1, 1.5, math.nan, math.inf, True]),
        (boosting_training_error, "rounds", WHOLE, [0, -1, 1.5, math.nan, math.inf, True]),
        (boosting_training_error, "rounds", "an odd number, so that no vote is tied", [2, 100]),
        *((function, "edge", EDGE, NUMBERS) for function in list(GOOD)[:5]),
        *((function, "edge", "below 1/2", [0.5, 1]) for function in list(GOOD)[:5]),
        (boosting_training_error, "form", FORM, ["exact", None]),
        (boosting_rounds, "examples", WHOLE, [0, -1, 1.5, math.nan, math.inf, True]),
        (boosting_rounds, "form", FORM, ["exact"]),
        (boosting_sample_size, "bits", EDGE, NUMBERS),
        (boosting_sample_size, "accuracy", UNIT, [0, 1, -1, math.nan, True]),
        (boosting_sample_size, "delta", UNIT, [0, 1, -1, math.nan, True]),
        (boosting_sample_size, "form", FORM, ["exact"]),
        (boosting_weight_potential, "rounds", "a whole number of at least 0", [-1, 0.5, True]),
        (boosting_example_potential, "wrong", "a whole number of at least 0", [-1, 0.5, True]),
        (boosting_minimax, "right", TABLE, [3, [], [[]], [1, 0], [[2]], [[0.5]], [[math.nan]]]),
        (boosting_minimax, "right", f"{TABLE}, all of one length", [[[1], [0, 1]]]),
    ],
)
def test_refusals(function, name, must, values):
    for bad in values:
        sentence = f"{name} must be {must}, but is {bad!r}."
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            function(**GOOD[function] | {name: bad})
