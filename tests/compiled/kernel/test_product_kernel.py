from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.compiled.kernel.product_kernel import product_kernel_pass, product_scores, product_sign
from tests.naive.kernel_perceptron import all_products, kernel_perceptron


def row_words(X):
    """Each row in as many words as it needs: bit j is the value of column j."""
    padded = np.zeros((len(X), -(-X.shape[1] // 64) * 64), dtype=bool)
    padded[:, : X.shape[1]] = X
    return np.packbits(padded, axis=1, bitorder="little").view("<u8").astype(np.uint64)


@given(st.integers(0, 2**32 - 1), st.integers(1, 150))
def test_one_pass_is_the_twins(seed, d):
    rng = np.random.default_rng(seed)
    X, y = rng.random((40, d)) < 0.5, rng.choice([-1, 1], size=40)
    twin = kernel_perceptron(all_products, X.astype(int).tolist(), y.tolist())
    bits = row_words(X)
    support, signs = np.zeros((40, bits.shape[1]), np.uint64), np.zeros(40, np.int64)
    share, missed = np.zeros(64 * bits.shape[1] + 1, np.int64), np.empty(40, np.int64)
    mistakes, played = product_kernel_pass(bits, y.astype(float), support, signs, 0, share, missed)
    assert (mistakes, played) == (twin.mistakes, 40)
    assert np.array_equal(support[:mistakes], bits[missed[:mistakes]])
    assert signs[:mistakes].tolist() == [label for _, label in twin.support]


def test_it_stops_where_the_support_is_full():
    bits = row_words(np.ones((6, 3), dtype=bool))
    support, signs, share = (
        np.zeros((1, 1), np.uint64),
        np.zeros(1, np.int64),
        np.zeros(65, np.int64),
    )
    missed = np.empty(6, np.int64)
    y = np.array([-1.0, -1, 1, -1, -1, -1])
    assert product_kernel_pass(bits, y, support, signs, 0, share, missed) == (1, 2)


@given(st.integers(0, 2**32 - 1), st.integers(1, 200), st.integers(0, 60))
def test_the_sign_is_that_of_the_exact_sum(seed, d, held):
    rng = np.random.default_rng(seed)
    X = rng.random((60, d)) < rng.random()
    signs = rng.choice([-1, 1], size=60)
    x = rng.random(d) < 0.8
    exact = sum(
        int(s) * 2 ** int((x & z).sum()) for z, s in zip(X[:held], signs[:held], strict=True)
    )
    bits = row_words(X)
    share = np.zeros(64 * bits.shape[1] + 1, np.int64)
    found = product_sign(row_words(x[None])[0], bits, signs.astype(np.int64), held, share)
    assert found == (exact > 0) - (exact < 0)
    scores = np.empty(1)
    product_scores(row_words(x[None]), bits, signs.astype(np.int64), held, d, share, scores)
    assert np.sign(scores[0]) == found
    assert scores[0] == pytest.approx(exact / 2**d, rel=1e-9, abs=1e-200)


def test_a_difference_of_one_among_two_to_the_thousand_is_seen():
    d = 1000
    X = np.zeros((3, d), dtype=bool)
    X[:2] = True  # they cancel, but for the third, which shares nothing
    signs = np.array([1, -1, -1])
    bits = row_words(X)
    share = np.zeros(64 * bits.shape[1] + 1, np.int64)
    x = row_words(np.ones((1, d), dtype=bool))
    assert product_sign(x[0], bits, signs, 2, share) == 0
    assert product_sign(x[0], bits, signs, 3, share) == -1
    assert (1 - 2.0**1000) + 2.0**1000 == 0  # doubles would not see it
