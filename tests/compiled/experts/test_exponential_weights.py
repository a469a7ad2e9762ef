import math

import numpy as np
import pytest

from assay.compiled.experts.exponential_weights import (
    accumulate,
    add_up,
    draw,
    inner,
    least_of,
    moments,
    outside,
    uniform,
    weigh,
)


def test_weights_are_relative_to_the_best_and_never_vanish_for_it():
    totals, weights = np.array([1e7, 1e7 + 2, math.inf]), np.empty(3)
    whole = weigh(totals, 1e7, 0.5, weights)
    assert weights == pytest.approx([1, math.exp(-1), 0], rel=1e-15)
    assert whole == pytest.approx(1 + math.exp(-1))


@pytest.mark.parametrize("size", [1, 2, 7, 8, 9, 16, 33])
def test_least_and_inner(size):
    numbers = np.random.default_rng(size).normal(size=size)
    assert least_of(numbers) == numbers.min()
    assert inner(numbers, numbers) == pytest.approx(float(numbers @ numbers), rel=1e-14)


def test_outside_counts_what_is_no_loss():
    row = np.array([0.0, -0.0, 1.0, 1.0 + 1e-12, -1e-300, math.nan, math.inf, -math.inf])
    assert outside(row, 1.0) == 5
    assert outside(row, math.inf) == 3


def test_sums_keep_what_plain_sums_lose():
    values = np.full(10**6, 0.1)
    sums = np.zeros(2)
    accumulate(values, sums, 0)
    assert sums.sum() == 0.1 * 10**6
    assert abs(math.fsum(values) - float(np.cumsum(values)[-1])) > 1e-7  # plain ones lose it
    parts = np.zeros(2)
    for part in np.array_split(values, 17):
        accumulate(part, parts, 0)
    assert parts.tobytes() == sums.tobytes()


def test_totals_keep_what_plain_sums_lose():
    rows = np.random.default_rng(0).random((20_000, 3)) * [1e-3, 1.0, 1e5]
    rows[0] = [1e6, 0.1, 1e-9]
    totals, carries = np.zeros(3), np.zeros((1, 3))
    for row in rows:
        add_up(row, totals, carries[0])
    exact = [math.fsum(column) for column in rows.T]
    assert totals == pytest.approx(exact, rel=2**-51, abs=0)
    assert rows.cumsum(axis=0)[-1] != pytest.approx(exact, rel=2**-51, abs=0)  # plain ones
    add_up(np.array([math.inf, 1.0, -math.inf]), totals, carries[0])
    add_up(np.ones(3), totals, carries[0])
    assert totals[[0, 2]].tolist() == [math.inf, -math.inf]
    assert np.isfinite(carries).all()


def test_moments():
    assert moments(np.array([1.0, 3.0]), np.array([0.5, 0.25])) == (1.25, 2.75)


def test_draws_follow_the_weights_and_repeat():
    weights = np.array([0.0, 1.0, 3.0, 0.0])
    numbers = [uniform(np.uint64(7), t) for t in range(4000)]
    assert numbers == [uniform(np.uint64(7), t) for t in range(4000)]
    assert numbers[:5] != [uniform(np.uint64(8), t) for t in range(5)]
    assert all(0 <= u < 1 for u in numbers)
    assert np.mean(numbers) == pytest.approx(0.5, abs=0.02)
    chosen = [draw(weights, u) for u in numbers]
    assert set(chosen) == {1, 2}
    assert np.mean(np.equal(chosen, 2)) == pytest.approx(0.75, abs=0.03)
    assert draw(weights, 0.0) == 1
    assert draw(weights, 1 - 2**-53) == 2
