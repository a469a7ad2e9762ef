from __future__ import annotations

import numpy as np
import pytest

from assay.compiled.linear.block_sums import block_scores, pulled_by, weighted_products
from tests.naive import block_sums as naive


@pytest.mark.parametrize("rows", [1, 3, 4, 9])
@pytest.mark.parametrize("width", [1, 7])
def test_whole_numbers_give_the_twin_bit_by_bit(rows, width):
    # Such numbers are exact, so the order of sums does not matter.
    rng = np.random.default_rng(rows * 10 + width)
    X, V, W, weights, free = (
        rng.integers(-4, 5, size=shape).astype(float)
        for shape in ((rows, width), (rows, 2), (3, width), rows, 3)
    )
    products, pulled, scores = np.zeros((width, width)), np.zeros((2, width)), np.zeros((rows, 3))
    weighted_products(X, weights, products)
    pulled_by(X, V, pulled)
    block_scores(X, W, free, scores)
    assert np.array_equal(products, np.tril(naive.weighted_products(X, weights)))
    assert pulled.tolist() == naive.pulled_by(X, V)
    assert scores.tolist() == naive.block_scores(X, W, free)


def test_sums_are_added_to_what_is_there():
    X = np.ones((5, 2))
    products, pulled = np.full((2, 2), 10.0), np.full((1, 2), 20.0)
    weighted_products(X, np.full(5, 2.0), products)
    pulled_by(X, np.ones((5, 1)), pulled)
    assert products.tolist() == [[20.0, 10.0], [20.0, 20.0]]
    assert pulled.tolist() == [[25.0, 25.0]]


def test_the_bits_do_not_depend_on_where_the_rows_lie():
    rng = np.random.default_rng(0)
    wide = rng.normal(size=(50 * 9 + 1,))
    X = wide[1:].reshape(50, 9)
    sums = []
    for rows in (X, X.copy()):
        products = np.zeros((9, 9))
        weighted_products(rows, np.ones(50), products)
        sums.append(products.tobytes())
    assert sums[0] == sums[1]
