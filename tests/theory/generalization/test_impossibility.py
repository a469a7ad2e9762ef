"""No free lunch: every labelling and every sample of small worlds, and learners that memorize."""

import itertools
import math
import random
import re
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.generalization.impossibility import (
    no_free_lunch,
    no_free_lunch_large,
    unseen_point,
)
from tests.soundness import assert_sound, assert_unsound

# A learner maps a sample, a tuple of (point, label), to a label for every point.


def memorizer(sample, points: int) -> tuple[int, ...]:
    """Repeat what was seen; say 1 elsewhere."""
    seen = dict(sample)
    return tuple(seen.get(x, 1) for x in range(points))


def arbitrary(seed: int):
    """A learner that answers every sample with some labelling, whether it fits or not."""

    def learner(sample, points: int) -> tuple[int, ...]:
        rng = random.Random(f"{seed} {sorted(sample)}")
        return tuple(rng.randrange(2) for _ in range(points))

    return learner


def errors_by_target(learner, points: int, m: int) -> list[list[Fraction]]:
    """For every labelling of the points, the learner's error on every sample of m."""
    table = []
    for target in itertools.product((0, 1), repeat=points):
        errors = []
        for drawn in itertools.product(range(points), repeat=m):
            said = learner(tuple((x, target[x]) for x in drawn), points)
            wrong = sum(a != b for a, b in zip(said, target, strict=True))
            errors.append(Fraction(wrong, points))
        table.append(errors)
    return table


def mean(values) -> Fraction:
    values = list(values)
    return sum(values, Fraction(0)) / len(values)


WORLDS = [(2, 1), (3, 1), (4, 2), (3, 3)]
LEARNERS = [memorizer, *map(arbitrary, range(5))]


# The expected error.


def test_a_quarter_and_more():
    assert no_free_lunch(rows=1, points=2) == 0.25
    assert no_free_lunch(rows=2, points=4) == 0.28125
    assert no_free_lunch(rows=10, points=20) == pytest.approx(0.299368, rel=3e-6)
    assert no_free_lunch(rows=0, points=1) == 0.5
    assert no_free_lunch(rows=3, points=1) == 0.0


@pytest.mark.parametrize(("points", "m"), WORLDS)
def test_some_target_is_missed_by_every_learner(points, m):
    promised = Fraction(no_free_lunch(m, points))
    for learner in LEARNERS:
        assert max(mean(errors) for errors in errors_by_target(learner, points, m)) >= promised


@pytest.mark.parametrize(("points", "m"), WORLDS)
def test_a_memorizing_learner_meets_the_average(points, m):
    average = mean(mean(errors) for errors in errors_by_target(memorizer, points, m))
    assert average == Fraction(1, 2) * (1 - Fraction(1, points)) ** m
    assert float(average) == pytest.approx(no_free_lunch(m, points), rel=1e-15)


def test_one_example_less_would_claim_too_much():
    average = mean(mean(errors) for errors in errors_by_target(memorizer, 4, 2))
    assert average < no_free_lunch(rows=1, points=4)


@pytest.mark.parametrize(("points", "m"), [(2, 1), (3, 1), (4, 2)])
@pytest.mark.parametrize("above", [Fraction(0), Fraction(1, 8), Fraction(1, 4)])
def test_some_target_is_missed_badly_and_often(points, m, above):
    promised = Fraction(no_free_lunch(m, points, above))
    for learner in LEARNERS:
        table = errors_by_target(learner, points, m)
        assert max(mean(Fraction(e > above) for e in errors) for errors in table) >= promised


def test_an_eighth_one_time_in_seven_while_half_the_points_are_unseen():
    for m in (1, 2, 10, 1000, 10**6):
        assert no_free_lunch(m, 2 * m, above="1/8") >= 1 / 7 * (1 - 1e-15)
    assert no_free_lunch(rows=9, points=2, above="1/8") < 0


def test_a_sure_miss_would_claim_too_much():
    """A learner that has seen a point knows it: no target is missed in every sample."""
    table = errors_by_target(memorizer, 2, 1)
    assert max(mean(Fraction(e > Fraction(1, 2)) for e in errors) for errors in table) < 1


@settings(max_examples=50)
@given(st.integers(0, 10**5), st.integers(1, 10**6))
def test_never_above_the_formula(m, points):
    with mpmath.workdps(60):
        exact = (1 - mpmath.mpf(1) / points) ** m / 2
        ours = no_free_lunch(m, points)
        assert exact * (1 - mpmath.mpf("1e-8")) - 5e-324 <= ours <= exact


@given(st.integers(0, 10**4), st.integers(1, 10**4))
def test_monotone(m, points):
    assert no_free_lunch(m + 1, points) <= no_free_lunch(m, points)
    assert no_free_lunch(m, points) <= no_free_lunch(m, points + 1)
    assert no_free_lunch(m, points, above=0.2) <= no_free_lunch(m, points, above=0.1)


# The large form.


def misses(points: int, m: int, error: Fraction) -> Fraction:
    """P[Bin(N - m, 1/2) >= error N], term by term."""
    unseen, need = points - m, math.ceil(error * points)
    return Fraction(sum(math.comb(unseen, k) for k in range(need, unseen + 1)), 2**unseen)


def test_a_hundred_and_ten_points():
    assert no_free_lunch_large(rows=10, error=0.4, probability=0.9) == 110
    assert misses(110, 10, Fraction(2, 5)) >= Fraction(9, 10)
    assert all(misses(n, 10, Fraction(2, 5)) < Fraction(9, 10) for n in range(11, 110))


@settings(max_examples=50, deadline=None)
@given(
    st.integers(0, 20),
    st.fractions(Fraction(1, 100), Fraction(44, 100), max_denominator=100),
    st.fractions(Fraction(1, 100), Fraction(98, 100), max_denominator=100),
)
def test_the_first_number_of_points(m, error, probability):
    points = m + 1
    while misses(points, m, error) < probability:
        points += 1
    assert no_free_lunch_large(m, error, probability) == points
    enough = no_free_lunch_large(m, error, probability, form="hoeffding")
    assert enough >= points
    assert misses(enough, m, error) >= probability


def memorizer_fails(points: int, m: int, error: float, trials: int) -> int:
    """Games in which the memorizer errs on fewer points than promised, all labels fair coins."""
    rng = np.random.default_rng(75)
    wrong = rng.random((trials, points)) < 0.5
    drawn = rng.integers(0, points, size=(trials, m))
    wrong[np.arange(trials)[:, None], drawn] = False
    return int((wrong.mean(axis=1) < error - 1e-12).sum())


def test_played():
    # Monte Carlo, false alarm 1e-6.
    points = no_free_lunch_large(rows=10, error=0.4, probability=0.9)
    assert_sound(memorizer_fails(points, 10, 0.4, trials=4000), 4000, 0.1)
    assert_unsound(memorizer_fails(points // 2, 10, 0.4, trials=4000), 4000, 0.1)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.01, 0.48), st.floats(0.01, 0.98))
def test_large_form_is_monotone(m, error, probability):
    points = no_free_lunch_large(m, error, probability, "hoeffding")
    assert no_free_lunch_large(m + 1, error, probability, "hoeffding") >= points
    assert no_free_lunch_large(m, error + 0.01, probability, "hoeffding") >= points
    assert no_free_lunch_large(m, error, probability + 0.01, "hoeffding") >= points


# An unseen point.


def test_a_percent_in_a_hundred_draws():
    assert unseen_point(mass=0.01, rows=100) == pytest.approx(0.366032, rel=1e-6)
    loose = unseen_point(mass=0.01, rows=100, form="textbook")
    assert loose == pytest.approx(math.exp(-1), rel=1e-15)


def test_ends():
    assert unseen_point(0, 10**12) == unseen_point(0.5, 0) == 1.0
    assert unseen_point(1, 3) == 0.0
    assert unseen_point(0.5, 10**12) == 5e-324


@pytest.mark.parametrize(("points", "m"), [(2, 5), (4, 3), (5, 4)])
def test_counted_over_all_samples(points, m):
    samples = list(itertools.product(range(points), repeat=m))
    missed = Fraction(sum(0 not in drawn for drawn in samples), len(samples))
    mass = Fraction(1, points)
    assert missed == pytest.approx(unseen_point(mass, m), rel=1e-15)
    assert missed <= Fraction(unseen_point(mass, m)) <= Fraction(unseen_point(mass, m, "textbook"))
    # Twice the exponent would be broken.
    assert missed > Fraction(unseen_point(mass, 2 * m, "textbook"))


@settings(max_examples=50)
@given(st.floats(1e-9, 0.999), st.integers(0, 10**6))
def test_unseen_is_never_below_the_formula(mass, m):
    with mpmath.workdps(60):
        exact = (1 - mpmath.mpf(repr(mass))) ** m
        ours = unseen_point(mass, m)
        assert exact * (1 - mpmath.mpf("1e-40")) <= ours
        assert ours <= exact * (1 + mpmath.mpf("1e-8")) + 5e-324


@given(st.floats(0, 0.9), st.floats(0, 0.1), st.integers(0, 10**4))
def test_unseen_is_monotone(mass, step, m):
    for form in ("sharp", "textbook"):
        assert unseen_point(mass + step, m, form) <= unseen_point(mass, m, form)
        assert unseen_point(mass, m + 1, form) <= unseen_point(mass, m, form) * (1 + 1e-12)


# Refusals.

AT_LEAST = "a whole number of at least"
INSIDE = "a number strictly between 0 and 1"


@pytest.mark.parametrize(
    ("function", "inputs", "sentence"),
    [
        (no_free_lunch, (-1, 2), f"rows must be {AT_LEAST} 0, but is -1."),
        (no_free_lunch, (1, 0), f"points must be {AT_LEAST} 1, but is 0."),
        (no_free_lunch, (1, True), f"points must be {AT_LEAST} 1, but is True."),
        (no_free_lunch, (1, 2, 1), "above must be below 1, but is 1."),
        (no_free_lunch, (1, 2, math.nan), "above must be a number between 0 and 1, but is nan."),
        (no_free_lunch_large, (1.5, 0.1, 0.5), f"rows must be {AT_LEAST} 0, but is 1.5."),
        (no_free_lunch_large, (1, 0, 0.5), f"error must be {INSIDE}, but is 0."),
        (no_free_lunch_large, (1, 0.5, 0.5), "error must be below 1/2, but is 0.5."),
        (no_free_lunch_large, (1, math.nan, 0.5), f"error must be {INSIDE}, but is nan."),
        (no_free_lunch_large, (1, True, 0.5), f"error must be {INSIDE}, but is True."),
        (no_free_lunch_large, (1, 0.1, 1), f"probability must be {INSIDE}, but is 1."),
        (
            no_free_lunch_large,
            (1, 0.1, 0.5, "x"),
            "form must be 'first' or 'hoeffding', but is 'x'.",
        ),
        (
            no_free_lunch_large,
            (10**6, 0.4, 0.5),
            "form must be 'hoeffding' beyond 50000 points, but is 'first'.",
        ),
        (unseen_point, (1.5, 2), "mass must be a number between 0 and 1, but is 1.5."),
        (unseen_point, (math.inf, 2), "mass must be a number between 0 and 1, but is inf."),
        (unseen_point, (0.5, -1), f"rows must be {AT_LEAST} 0, but is -1."),
        (unseen_point, (0.5, 1, "x"), "form must be 'sharp' or 'textbook', but is 'x'."),
    ],
)
def test_refusals(function, inputs, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        function(*inputs)
