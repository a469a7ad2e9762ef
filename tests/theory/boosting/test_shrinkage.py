"""Boosting by shares of the best step: what is left is the product, or less; twins that promise more are caught."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.boosting.l2boost import l2boost_training_loss
from assay.theory.boosting.shrinkage import convex_boosting_loss, shrunken_l2boost_loss


def squares(seed, rate, rounds=4, rows=12):
    rng = np.random.default_rng(seed)
    r = rng.normal(size=rows)
    start, rho = float(np.mean(r**2)), []
    for _ in range(rounds):
        h = rng.normal(size=rows)
        rho.append(min(1.0, abs(float(r @ h)) / math.sqrt(float(r @ r) * float(h @ h))))
        r = r - rate * float(r @ h) / float(h @ h) * h
    return rho, start, float(np.mean(r**2))


def medians(seed, rate, rounds=4, rows=21):
    rng = np.random.default_rng(seed)
    r = rng.normal(size=rows)
    start, drops = float(np.abs(r).mean()), []
    for _ in range(rounds):
        side = rng.random(rows) < 0.5
        h = np.zeros(rows)
        for part in (side, ~side):
            if part.any():
                h[part] = np.sort(r[part])[(part.sum() - 1) // 2]
        before = float(np.abs(r).mean())
        drops.append(max(0.0, 1 - float(np.abs(r - h).mean()) / before))
        r = r - rate * h
    return drops, start, float(np.abs(r).mean())


@given(st.integers(0, 10**6), st.floats(0.01, 1.0))
def test_of_squares_the_product_is_left(seed, rate):
    rho, start, left = squares(seed, rate)
    bound = shrunken_l2boost_loss(rho, rate, start)
    assert left == pytest.approx(bound, rel=1e-9)
    assert bound <= math.nextafter(start, math.inf)


@given(st.integers(0, 10**6), st.floats(0.01, 1.0))
def test_of_absolute_errors_no_more_than_the_product_is_left(seed, rate):
    drops, start, left = medians(seed, rate)
    assert left <= convex_boosting_loss(drops, rate, start) * (1 + 1e-9)


def test_twins_that_promise_more_are_caught():
    greedy, whole = 0, 0
    for seed in range(50):
        rho, start, left = squares(seed, 0.5)
        greedy += left > start * math.prod(1 - 2 * 0.5 * r * r for r in rho) * (1 + 1e-9)
        drops, start, left = medians(seed, 0.1)
        whole += left > start * math.prod(1 - d for d in drops) * (1 + 1e-9)
    assert greedy == 50
    assert whole > 40


def test_by_hand():
    assert shrunken_l2boost_loss([1.0], 1, 3) == 0.0
    assert shrunken_l2boost_loss(["0.5"], "0.5", 4) == 3.25
    assert shrunken_l2boost_loss(["0.3", "0.2"], 1, 2) == l2boost_training_loss(["0.3", "0.2"], 2)
    assert convex_boosting_loss(["0.5"], "0.5", 4) == 3.0
    assert convex_boosting_loss([0, 0], 1, 4) == 4.0


@pytest.mark.parametrize("bound", [shrunken_l2boost_loss, convex_boosting_loss])
@pytest.mark.parametrize(
    "asked", [([], 0.5, 1), ([0.5], 0, 1), ([0.5], 1.5, 1), ([1.5], 0.5, 1), ([0.5], 0.5, -1)]
)
def test_refusals(bound, asked):
    with pytest.raises(BadParameter):
        bound(*asked)
