"""Least-squares boosting: the product is what is left, on any sample; a product of 1 - rho is not."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.boosting.l2boost import l2boost_training_loss


def played(seed, rows, rounds, signs):
    """Rounds on random hypotheses: correlations, the mean squares before and after, and the share of wrong signs."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(rows) < 0.5, -1.0, 1.0) if signs else rng.normal(size=rows)
    f, rho = np.zeros(rows), []
    for _ in range(rounds):
        h = np.where(rng.random(rows) < 0.5, -1.0, 1.0) if signs else rng.normal(size=rows)
        r = y - f
        if float(r @ r) < 1e-20 * rows:
            break
        along = float(r @ h)
        h, along = (h, along) if along >= 0 else (-h, -along)
        rho.append(min(1.0, along / math.sqrt(float(r @ r) * float(h @ h))))
        f = f + along / float(h @ h) * h
    return rho, float(np.mean(y**2)), float(np.mean((y - f) ** 2)), float(np.mean(y * f <= 0))


@given(st.integers(0, 10**6), st.integers(6, 30), st.integers(1, 6), st.booleans())
def test_what_is_left_is_the_product(seed, rows, rounds, signs):
    rho, start, left, wrong = played(seed, rows, rounds, signs)
    bound = l2boost_training_loss(rho, start)
    assert left == pytest.approx(bound, rel=1e-9, abs=1e-12)
    assert bound <= l2boost_training_loss(rho, start, form="textbook")
    if signs:
        assert wrong <= bound + 1e-9


def test_a_product_without_squares_is_caught():
    broken = 0
    for seed in range(50):
        rho, start, left, _ = played(seed, 12, 4, signs=True)
        broken += left > start * math.prod(1 - r for r in rho) + 1e-9
    assert broken == 50


def test_by_hand():
    assert l2boost_training_loss([0.5]) == 0.75
    assert l2boost_training_loss(["0.5", "0.5"], 2) == 1.125
    assert l2boost_training_loss([1.0], 3) == 0.0
    assert l2boost_training_loss([0.0]) == 1.0
    # The rounding is upward: exactly 1 - 0.1^2 is no double.
    assert l2boost_training_loss(["0.1"]) >= 0.99
    assert l2boost_training_loss(["0.1"], form="textbook") >= math.exp(-0.01)


@pytest.mark.parametrize(
    ("given_", "what"),
    [
        (([],), "correlations must be a sequence of at least one number"),
        (([1.5],), "correlations"),
        (([0.5], -1), "start"),
        (([0.5], 1, "loose"), "form"),
    ],
)
def test_refusals(given_, what):
    with pytest.raises(BadParameter, match=what):
        l2boost_training_loss(*given_)
