"""Finite classes: the failure probability worked out for independent hypotheses, the worst kind."""

import math
import re
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.generalization.finite_class import (
    agnostic_erm_finite,
    disjunction_pac,
    occam_finite_class,
    occam_finite_class_rows,
    representative_sample_erm,
    uniform_convergence_finite,
    uniform_convergence_finite_rows,
)
from assay.theory.registry import find_theorem
from tests.soundness import assert_sound, assert_unsound

sizes = st.one_of(st.integers(1, 10**6), st.integers(1, 400).map(lambda bits: 2**bits))
rows = st.integers(1, 10**7)
deltas = st.floats(1e-12, 0.999)
errors = st.floats(0.001, 0.9)


# Golden numbers.


def test_a_thousand_consistent_hypotheses():
    textbook = occam_finite_class(1000, rows=500, delta=0.05, form="textbook")
    assert textbook == pytest.approx(0.0198070, rel=3e-6)
    assert occam_finite_class(1000, rows=500, delta=0.05) == pytest.approx(0.0196121, rel=3e-6)
    assert occam_finite_class_rows(1000, error=0.1, delta=0.05, form="textbook") == 100
    assert find_theorem("occam-finite-class").rows(class_size=1000, error=0.1, delta=0.05) == 94


def test_disjunctions_of_ten_features():
    assert disjunction_pac(features=10, error=0.1, delta=0.05) == 100
    assert disjunction_pac(10, 0.1, 0.05) == occam_finite_class_rows(2**10, 0.1, 0.05, "textbook")


def test_a_thousand_hypotheses_at_once():
    assert uniform_convergence_finite_rows(1000, slack=0.1, delta=0.05) == 530
    slack = uniform_convergence_finite(1000, rows=500, delta=0.05)
    assert slack == pytest.approx(0.102940, rel=1e-6)
    one = uniform_convergence_finite(1000, rows=1000, delta=0.05, sides=1)
    assert 0.05 + one == pytest.approx(0.120368627784461, rel=1e-12)


def test_the_best_of_a_thousand():
    assert agnostic_erm_finite(1000, excess=0.1, delta=0.05) == 2120


def test_a_representative_sample():
    assert representative_sample_erm(slack=0.125) == 0.25


# Rounded outward, monotone, inverse.


@settings(max_examples=50)
@given(sizes, rows, deltas)
def test_never_below_the_formula(size, m, delta):
    with mpmath.workdps(60):
        logs = mpmath.log(size) - mpmath.log(mpmath.mpf(repr(delta)))
        loose = 1 + mpmath.mpf("1e-12")
        textbook = occam_finite_class(size, m, delta, "textbook")
        assert logs / m <= textbook <= logs / m * loose
        sharp = -mpmath.expm1(-logs / m)
        assert sharp <= occam_finite_class(size, m, delta) <= min(sharp + 1e-12, textbook)
        two = mpmath.sqrt((logs + mpmath.log(2)) / (2 * m))
        assert two <= uniform_convergence_finite(size, m, delta) <= two * loose
        one = mpmath.sqrt(logs / (2 * m))
        assert one <= uniform_convergence_finite(size, m, delta, sides=1) <= one * loose


@settings(max_examples=50)
@given(sizes, st.integers(1, 10**6), st.floats(0.001, 0.5), st.floats(0.001, 0.4))
def test_monotone(size, m, delta, step):
    for bound in (occam_finite_class, uniform_convergence_finite):
        assert bound(size, m, delta) <= bound(size + 1, m, delta)
        assert bound(size, m + 1, delta) <= bound(size, m, delta)
        assert bound(size, m, delta + step) <= bound(size, m, delta)
    for enough in (occam_finite_class_rows, uniform_convergence_finite_rows, agnostic_erm_finite):
        assert enough(size, step, delta) <= enough(size + 1, step, delta)
        assert enough(size, step + 0.1, delta) <= enough(size, step, delta)
        assert enough(size, step, delta + step) <= enough(size, step, delta)
    assert disjunction_pac(m, step, delta) <= disjunction_pac(m + 1, step, delta)
    assert disjunction_pac(m, step + 0.1, delta) <= disjunction_pac(m, step, delta)


@settings(max_examples=50)
@given(sizes, errors, deltas, st.sampled_from(["sharp", "textbook"]))
def test_rows_are_enough_and_one_less_is_not(size, error, delta, form):
    m = occam_finite_class_rows(size, error, delta, form)
    assert occam_finite_class(size, m, delta, form) <= error * (1 + 1e-12)
    assert m == 1 or occam_finite_class(size, m - 1, delta, form) > error * (1 - 1e-12)
    m = uniform_convergence_finite_rows(size, error, delta)
    assert uniform_convergence_finite(size, m, delta) <= error * (1 + 1e-12)
    assert m == 1 or uniform_convergence_finite(size, m - 1, delta) > error * (1 - 1e-12)


@given(sizes, errors, deltas)
def test_the_best_needs_a_sample_that_is_representative_to_half_the_excess(size, excess, delta):
    half = Fraction(repr(excess)) / 2
    assert agnostic_erm_finite(size, excess, delta) == uniform_convergence_finite_rows(
        size, half, delta
    )


# Refusals.


@pytest.mark.parametrize("delta", [0, 1, -0.1, math.nan, math.inf, True, "half", None])
def test_delta_is_inside_the_unit_interval(delta):
    sentence = f"delta must be a number strictly between 0 and 1, but is {delta!r}."
    for function, inputs in (
        (occam_finite_class, (10, 10)),
        (occam_finite_class_rows, (10, 0.1)),
        (disjunction_pac, (10, 0.1)),
        (uniform_convergence_finite, (10, 10)),
        (uniform_convergence_finite_rows, (10, 0.1)),
        (agnostic_erm_finite, (10, 0.1)),
    ):
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            function(*inputs, delta)


WHOLE = "a whole number of at least 1"
INSIDE = "a number strictly between 0 and 1"


@pytest.mark.parametrize(
    ("function", "inputs", "sentence"),
    [
        (occam_finite_class, (0, 10, 0.05), f"class_size must be {WHOLE}, but is 0."),
        (occam_finite_class, (math.inf, 10, 0.05), f"class_size must be {WHOLE}, but is inf."),
        (occam_finite_class, (10, True, 0.05), f"rows must be {WHOLE}, but is True."),
        (
            occam_finite_class,
            (9, 9, 0.05, "best"),
            "form must be 'sharp' or 'textbook', but is 'best'.",
        ),
        (occam_finite_class_rows, (9, 0, 0.05), f"error must be {INSIDE}, but is 0."),
        (occam_finite_class_rows, (9, 1, 0.05), f"error must be {INSIDE}, but is 1."),
        (disjunction_pac, (0, 0.1, 0.05), f"features must be {WHOLE}, but is 0."),
        (disjunction_pac, (5, math.nan, 0.05), f"error must be {INSIDE}, but is nan."),
        (uniform_convergence_finite, (9, 0, 0.05), f"rows must be {WHOLE}, but is 0."),
        (uniform_convergence_finite, (9, 9, 0.05, 0), "sides must be 1 or 2, but is 0."),
        (uniform_convergence_finite_rows, (9, -1, 0.05), f"slack must be {INSIDE}, but is -1."),
        (agnostic_erm_finite, (9, 2, 0.05), f"excess must be {INSIDE}, but is 2."),
        (agnostic_erm_finite, (2.5, 0.1, 0.05), f"class_size must be {WHOLE}, but is 2.5."),
        (
            representative_sample_erm,
            (-1,),
            "slack must be a finite number, zero or more, but is -1.",
        ),
        (
            representative_sample_erm,
            (math.nan,),
            "slack must be a finite number, zero or more, but is nan.",
        ),
    ],
)
def test_refusals(function, inputs, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        function(*inputs)


# The promise is never broken. Hypotheses that err independently make the union bound nearly tight,
# and their failure probability has a closed form.


def some_bad_one_survives(size: int, error: float, m: int) -> mpmath.mpf:
    """How likely some hypothesis of that error is consistent with m examples."""
    with mpmath.workdps(40):
        one = (1 - mpmath.mpf(error)) ** m
        return -mpmath.expm1(size * mpmath.log1p(-one))


CASES = [(h, m, d) for h in (1, 10, 1000, 2**40) for m in (50, 300) for d in (0.01, 0.05, 0.3)]


@pytest.mark.parametrize("form", ["sharp", "textbook"])
def test_occam_fails_with_probability_at_most_delta(form):
    for size, m, delta in CASES:
        error = occam_finite_class(size, m, delta, form)
        if error < 1:
            assert some_bad_one_survives(size, error, m) <= delta


def test_occam_is_tight_for_one_hypothesis_and_nearly_for_many():
    assert some_bad_one_survives(1, occam_finite_class(1, 50, 0.05), 50) > 0.05 * (1 - 1e-9)
    assert some_bad_one_survives(1000, occam_finite_class(1000, 50, 0.05), 50) > 0.048


def test_occam_without_the_size_of_the_class_fails_more_often():
    for size, m, delta in CASES:
        if size > 1:
            broken = occam_finite_class(1, m, delta)
            assert some_bad_one_survives(size, broken, m) > delta


@pytest.mark.parametrize("form", ["sharp", "textbook"])
def test_rows_fail_with_probability_at_most_delta(form):
    for size in (1, 10, 1000):
        m = occam_finite_class_rows(size, 0.1, 0.05, form)
        assert some_bad_one_survives(size, 0.1, m) <= 0.05
        assert some_bad_one_survives(size, 0.1, m // 2) > 0.05


def disjunction_failures(d: int, m: int, error: float, trials: int, seed: int) -> int:
    """Samples after which the learner keeps too much of a target without literals.

    One feature is set in each example and every label is negative, so that the learner drops
    exactly the features it saw; what it kept is its error.
    """
    rng = np.random.default_rng(seed)
    unseen = np.ones((trials, d), dtype=bool)
    drawn = rng.integers(0, d, size=(trials, m))
    unseen[np.arange(trials)[:, None], drawn] = False
    return int((unseen.sum(axis=1) / d >= error - 1e-12).sum())


def test_the_disjunction_learner_is_good_after_that_many_examples():
    # Monte Carlo, false alarm 1e-6.
    d, error, delta, trials = 10, 0.1, 0.05, 4000
    m = disjunction_pac(d, error, delta)
    assert_sound(disjunction_failures(d, m, error, trials, seed=44), trials, delta)
    # Without the d ln 2 the bound would ask for 30 examples.
    few = math.ceil(math.log(1 / delta) / error)
    assert_unsound(disjunction_failures(d, few, error, trials, seed=44), trials, delta)


def some_strays(size: int, m: int, slack: float, sides: int) -> float:
    """How likely some of the independent coins of bias 1/2 strays by more than the slack."""
    s = Fraction(slack)
    far = [k for k in range(m + 1) if Fraction(1, 2) - Fraction(k, m) > s]
    one = Fraction(sides * sum(math.comb(m, k) for k in far), 2**m)
    return -math.expm1(size * math.log1p(-float(one)))


@pytest.mark.parametrize("sides", [1, 2])
def test_uniform_convergence_fails_with_probability_at_most_delta(sides):
    for size in (1, 10, 1000):
        for m in (20, 201):
            for delta in (0.05, 0.3):
                slack = uniform_convergence_finite(size, m, delta, sides)
                assert some_strays(size, m, slack, sides) <= delta
                if size == 1000:
                    broken = uniform_convergence_finite(1, m, delta, sides)
                    assert some_strays(size, m, broken, sides) > delta


def erm_failures(size: int, m: int, excess: float, trials: int, seed: int) -> int:
    """Samples on which a hypothesis wins that is worse than the best by more than the excess."""
    rng = np.random.default_rng(seed)
    rates = np.full(size, 0.5)
    rates[-1] = 0.5 - 1.1 * excess  # the first of equals wins, so the good one comes last
    wins = rng.binomial(m, rates, size=(trials, size)).argmin(axis=1)
    return int((wins != size - 1).sum())


def test_the_best_on_the_sample_is_nearly_the_best():
    # Monte Carlo, false alarm 1e-6.
    size, excess, delta, trials = 20, 0.1, 0.05, 4000
    m = agnostic_erm_finite(size, excess, delta)
    assert_sound(erm_failures(size, m, excess, trials, seed=52), trials, delta)
    # With epsilon in the place of its square, as if the class were realizable.
    few = math.ceil(math.log(2 * size / delta) / excess)
    assert_unsound(erm_failures(size, few, excess, trials, seed=52), trials, delta)


def excess_of_winner(true: list[Fraction], seen: list[Fraction]) -> Fraction:
    return true[min(range(len(true)), key=seen.__getitem__)] - min(true)


tables = st.lists(
    st.tuples(st.fractions(0, 1, max_denominator=50), st.fractions(-1, 1, max_denominator=50)),
    min_size=1,
    max_size=6,
)


@settings(max_examples=100)
@given(tables, st.fractions(0, Fraction(1, 2), max_denominator=50))
def test_the_winner_on_a_representative_sample(table, slack):
    true = [error for error, _ in table]
    seen = [error + slack * tilt for error, tilt in table]
    assert excess_of_winner(true, seen) <= Fraction(representative_sample_erm(slack))


def test_the_excess_can_be_twice_the_slack_and_so_not_once():
    true, seen = [Fraction(1, 2), Fraction(1, 4)], [Fraction(3, 8), Fraction(3, 8)]
    assert excess_of_winner(true, seen) == representative_sample_erm(0.125) > 0.125
