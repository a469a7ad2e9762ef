"""Holm's steps: worked cases, the definition, closed testing, the promise, and twins that break it."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.tail.binomial import lower_rate
from assay.theory.tail.holm import holm_steps, step_down, step_share
from tests.refusals import INSIDE_UNIT, NOT_INSIDE_UNIT, assert_refuses_all, refuses
from tests.soundness import assert_sound, assert_unsound

p_values = st.lists(st.integers(0, 100), min_size=1, max_size=6).map(
    lambda whole: [Fraction(k, 400) for k in whole]
)


def by_definition(p, delta):
    ordered = sorted(p)
    steps = (j for j, value in enumerate(ordered) if value > delta / (len(p) - j))
    return next(steps, len(p))


def by_closed_testing(p, delta):
    """Rejected where every set of hypotheses that holds it is rejected by the union bound."""
    places = range(len(p))
    sets = [s for size in places for s in combinations(places, size + 1)]
    kept = [s for s in sets if all(p[i] > delta / len(s) for i in s)]
    return {i for i in places if not any(i in s for s in kept)}


@settings(max_examples=200)
@given(p_values, st.fractions(Fraction(1, 100), Fraction(1, 2)))
def test_the_steps_are_the_definition_and_the_closure_of_the_union_bound(p, delta):
    rejected = step_down(len(p), lambda i, level: p[i] <= level, delta)
    assert len(rejected) == holm_steps(p, delta) == by_definition(p, delta)
    assert set(rejected) == by_closed_testing(p, delta)


@settings(max_examples=60)
@given(p_values, st.randoms())
def test_the_order_in_which_they_are_given_makes_no_difference(p, random):
    again = list(p)
    random.shuffle(again)
    assert holm_steps(again, "0.05") == holm_steps(p, "0.05")


def test_worked_cases():
    assert holm_steps([0.01, 0.02, 0.04], 0.05) == 3
    assert holm_steps([0.01, 0.03, 0.04], 0.05) == 1
    assert holm_steps([0.017, 0.017, 0.017], 0.05) == 0
    # Met with equality, in decimals that no double is.
    assert holm_steps(["0.01", "0.0125", "0.1", "0.1", "0.1"], "0.05") == 2
    assert step_down(2, lambda i, level: level >= Fraction(1, 40), "0.05", declared=5) == []
    assert [step_share(Fraction(1, 20), 3, j) for j in range(3)] == [
        Fraction(1, 60),
        Fraction(1, 40),
        Fraction(1, 20),
    ]


# The bounds that hold at once with the steps, for counts, and the twins that break them.

GATE = Fraction(1, 2)


def promised(counts, rows, delta):
    """What the page on Holm's steps says may be promised of several rates."""
    bound = [lambda level, k=k: Fraction(lower_rate(k, rows, level)) for k in counts]
    many = len(counts)
    rejected = step_down(many, lambda i, level: bound[i](level) >= GATE, delta)
    if len(rejected) == many:
        return [max(GATE, one(delta / many)) for one in bound]
    rest = step_share(delta, many, len(rejected))
    return [GATE if i in rejected else one(rest) for i, one in enumerate(bound)]


def without_steps(counts, rows, delta):
    """Broken: every one at the full delta."""
    return [Fraction(lower_rate(k, rows, delta)) for k in counts]


def numbers_of_the_steps(counts, rows, delta):
    """Broken: what was rejected claims the number of its step, and not the gate alone."""
    bound = [lambda level, k=k: Fraction(lower_rate(k, rows, level)) for k in counts]
    many = len(counts)
    rejected = step_down(many, lambda i, level: bound[i](level) >= GATE, delta)
    last = step_share(delta, many, max(len(rejected) - 1, 0))
    rest = step_share(delta, many, len(rejected)) if len(rejected) < many else last
    return [one(last if i in rejected else rest) for i, one in enumerate(bound)]


def broken(bounds, trials, rates, seed, rows=60, delta=Fraction(1, 5)):
    rng = np.random.default_rng(seed)
    drawn = rng.binomial(rows, rates, (trials, len(rates)))
    different, many = np.unique(np.sort(drawn, axis=1), axis=0, return_counts=True)
    assert len(set(rates)) == 1, "rates must be equal where counts are sorted"
    wrong = (
        any(low > Fraction(rates[0]) for low in bounds([int(k) for k in row], rows, delta))
        for row in different
    )
    return sum(int(m) for bad, m in zip(wrong, many, strict=True) if bad)


@pytest.mark.parametrize("rate", [0.45, 0.5, 0.55, 0.75])
def test_all_bounds_hold_at_once(rate):
    assert_sound(broken(promised, 2000, [rate] * 3, 1), 2000, 0.2)


def test_the_twins_are_caught():
    assert_unsound(broken(without_steps, 2000, [0.5] * 3, 2), 2000, 0.2)
    # All far above the gate: every one is rejected, and the last step claims its number at the full delta.
    assert_unsound(broken(numbers_of_the_steps, 2000, [0.75] * 3, 3), 2000, 0.2)


@pytest.mark.guarantees
@pytest.mark.parametrize("rate", [0.3, 0.45, 0.5, 0.55, 0.65, 0.75, 0.9])
def test_all_bounds_hold_at_once_at_length(rate):
    assert_sound(broken(promised, 40_000, [rate] * 3, 4), 40_000, 0.2)


def test_refuses_what_is_not_covered():
    good = {"p_values": [0.1, 0.2], "delta": 0.05}
    assert_refuses_all(holm_steps, good, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    with refuses("p_values must be at least one number, but is []."):
        holm_steps([], 0.05)
    with refuses("p_values[1] must be a number between 0 and 1, but is 1.5."):
        holm_steps([0.1, 1.5], 0.05)
