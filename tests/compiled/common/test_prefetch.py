"""Asking for what comes next reads nothing: no result changes, and the end of a block is no harm."""

import numpy as np
import pytest

from assay.compiled.common.prefetch import AHEAD, LINE, prefetch_ahead, prefetch_row, rows_ahead
from assay.compiled.linear.perceptron import perceptron_pass
from tests.naive.perceptron import perceptron


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [0, 1, 7, 8, 9, 50, 2000])
def test_any_row_may_be_looked_ahead_of(dtype, width):
    row = np.ones(width, dtype)
    assert prefetch_ahead(row) is None
    assert prefetch_row(row) is None
    assert (row == 1).all()


def test_a_block_that_ends_before_the_distance_is_played_to_its_end():
    rows = AHEAD // LINE // 8
    rng = np.random.default_rng(0)
    X, y = rng.integers(-3, 4, (rows, 5)).astype(float), rng.choice([-1.0, 1.0], rows)
    weights, bias, missed = np.zeros(5), np.zeros(1), np.empty(rows, np.int64)
    mistakes, played = perceptron_pass(X, y, missed[:0], weights, bias, 1.0, 1.0, missed)
    assert played == rows
    naive = perceptron([[*x, 1.0] for x in X.tolist()], y.tolist())
    assert ([*weights, bias[0]], mistakes) == (naive.w, naive.mistakes)


def test_the_distance_in_rows():
    assert rows_ahead(np.zeros((9, 3))) == 1 + AHEAD // 24
    assert rows_ahead(np.zeros((9, 3), np.float32)) == 1 + AHEAD // 12
    assert rows_ahead(np.zeros((9, 5000))) == 1
    assert rows_ahead(np.zeros((9, 0))) == 1 + AHEAD
