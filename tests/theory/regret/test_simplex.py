"""Relative entropy on the simplex: closed forms, another implementation, what follows it, and refusals."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import Hedge
from assay.theory.regret.simplex import simplex_relative_entropy as distance
from tests.refusals import refuses

weights = st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any)
full = st.lists(st.integers(1, 9), min_size=3, max_size=3)


def test_closed_forms():
    assert distance([1, 0, 0], [1, 1, 1]) == pytest.approx(math.log(3), rel=1e-15)
    assert distance([1, 1], [1, 3]) == pytest.approx(math.log(2) - math.log(3) / 2, rel=1e-14)
    assert distance([1 / 3] * 3, [2, 2, 2]) == 0.0
    assert distance([1, 1], [1, 0]) == math.inf
    assert distance([1, 0], [1, 1]) == pytest.approx(math.log(2))


@settings(max_examples=50)
@given(weights, full)
def test_never_below_the_true_number(u, v):
    exact = mpmath.fsum(
        mpmath.mpf(a) / sum(u) * mpmath.log(mpmath.mpf(a) * sum(v) / (b * sum(u)))
        for a, b in zip(u, v, strict=True)
        if a
    )
    assert distance(u, v) >= exact * (1 - mpmath.mpf(10) ** -14) - mpmath.mpf(10) ** -15
    assert distance(u, v) == pytest.approx(float(exact), rel=1e-12, abs=1e-15)
    assert 0 <= distance(u, [1, 1, 1]) <= math.nextafter(math.log(3), 9)


def test_hedge_moves_by_it():
    """What is lost beyond an expert is what the distance to it fell by, and a term of second order."""
    rng = np.random.default_rng(0)
    for _ in range(5):
        losses = rng.random((40, 4))
        policy = Hedge(learning_rate=0.5)
        policy.play(losses)
        best = np.eye(4)[losses.sum(axis=0).argmin()]
        before, after = distance(best, np.ones(4)), distance(best, policy.weights_)
        squares = policy.record_.squared_losses
        regret = policy.record_.loss - losses.sum(axis=0).min()
        assert regret <= (before - after) / 0.5 + 0.25 * squares + 1e-9


def test_refusals():
    with refuses("against must be 2 numbers, as many as of, but is [1]."):
        distance([1, 1], [1])
    with refuses("of must be a finite number, zero or more, but is -1."):
        distance([-1, 2], [1, 1])
    with refuses("of must be numbers of which one is above zero, but is [0, 0]."):
        distance([0, 0], [1, 1])
    with refuses("against must be a list of at least one number, but is 'ab'."):
        distance([1], "ab")
