"""No loss is below the mistake it stands for."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.linear.surrogate import SURROGATES, surrogate_upper_bounds
from tests.refusals import (
    COUNT_FROM_ONE,
    NONNEGATIVE,
    NOT_COUNTS_FROM_ONE,
    NOT_NONNEGATIVE,
    assert_refuses_all,
    refuses,
)

LOSSES = {
    "hinge": lambda margin: np.maximum(0, 1 - margin),
    "exponential": lambda margin: np.exp(-margin),
    "square": lambda margin: (1 - margin) ** 2,
    "logistic": lambda margin: np.logaddexp(0, -margin),
}


@pytest.mark.parametrize("loss", SURROGATES)
def test_the_error_rate_is_never_above_the_promise(loss):
    broken = 0
    for seed in range(500):
        rng = np.random.default_rng(seed)
        rows = int(rng.integers(1, 30))
        margin = rng.standard_normal(rows) * 10.0 ** rng.integers(-3, 2)
        margin[rng.random(rows) < 0.2] = 0  # counts as a mistake for either label
        error, total = np.mean(margin <= 0), float(LOSSES[loss](margin).sum())
        assert error <= surrogate_upper_bounds(total, rows, loss) * (1 + 1e-12)
        broken += error > surrogate_upper_bounds(total, rows, loss) / 2
    assert broken > 0  # half of it would not do


def test_the_promise_is_met_where_every_score_is_zero():
    for loss in SURROGATES:
        total = float(LOSSES[loss](np.zeros(7)).sum())
        assert surrogate_upper_bounds(total, 7, loss) == pytest.approx(1.0, rel=1e-15)


def test_the_logistic_loss_needs_its_base():
    # In natural logarithms a score of zero costs ln 2 < 1, so the plain mean would be no bound.
    assert surrogate_upper_bounds(7 * np.log(2), 7) < 1


def test_softmax_gives_a_mistaken_class_at_most_one_half():
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((5000, 4))
    chance = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    error = np.mean(scores.argmax(axis=1) != 0)
    assert error <= surrogate_upper_bounds(float(-np.log(chance[:, 0]).sum()), 5000, "logistic")


@settings(max_examples=50)
@given(st.fractions(0, 10**6, max_denominator=10**6), st.integers(1, 10**9))
def test_never_below_the_exact_value(total, rows):
    assert Fraction(surrogate_upper_bounds(total, rows)) >= total / rows
    with mpmath.workdps(50):
        exact = mpmath.mpf(total.numerator) / total.denominator / rows / mpmath.log(2)
        assert surrogate_upper_bounds(total, rows, "logistic") >= exact
    assert surrogate_upper_bounds(total, rows + 1) <= surrogate_upper_bounds(total, rows)
    assert surrogate_upper_bounds(total + 1, rows) >= surrogate_upper_bounds(total, rows)


def test_refusals():
    good = {"total": 1, "rows": 1}
    function = surrogate_upper_bounds
    assert_refuses_all(function, good, "total", NONNEGATIVE, NOT_NONNEGATIVE)
    assert_refuses_all(function, good, "rows", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    for loss in ("log", None, 1, ["hinge"]):
        must = "'hinge', 'exponential', 'square' or 'logistic'"
        with refuses(f"loss must be {must}, but is {loss!r}."):
            function(1, 1, loss)
