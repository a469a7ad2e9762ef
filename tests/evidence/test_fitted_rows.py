import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from assay.evidence.fitted_rows import FittedRows, heads, label_heads, next_due, places


def kept(X, y):
    return FittedRows(len(y), len(y), heads(X, y))


X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.random.default_rng(1).integers(0, 2, 40)


def test_seen_whatever_the_form():
    own = kept(X, Y)
    fresh = np.random.default_rng(2).normal(size=(40, 3))
    for form in (
        np.asarray,
        np.float32,
        sparse.csr_matrix,
        pd.DataFrame,
        np.asfortranarray,
        np.ndarray.tolist,
    ):
        assert own.seen(form(X[::-1])).all()
        assert not own.seen(form(fresh)).any()
    assert own.seen(X, Y).all()
    assert not own.seen(X, 1 - Y).any()
    assert own.seen(X, Y.astype(bool)).all()


def test_the_sample_in_whatever_order_and_no_other():
    own, order = kept(X, Y), np.random.default_rng(3).permutation(40)
    assert own.other_than(X[order], Y[order]) == ""
    assert own.other_than(X, Y[::-1]) != ""
    assert (
        own.other_than(X[:20], Y[:20]) == "20 of the 40 rows that were learned are not among them"
    )
    assert own.other_than(X[:30], Y[:30]) == "they are 30 rows, and 40 were learned"
    twice = np.vstack([X, X]), np.r_[Y, Y]
    assert own.other_than(*twice) == "they are 80 rows, and 40 were learned"
    swapped = np.r_[np.arange(39), 0]
    assert (
        own.other_than(X[swapped], Y[swapped])
        == "1 of the 40 rows that were learned are not among them"
    )
    doubled = kept(np.vstack([X[:1], X[:1], X[1:3]]), np.r_[Y[:1], Y[:1], Y[1:3]])
    other = np.vstack([X[:1], X[1:2], X[1:3]]), np.r_[Y[:1], Y[1:2], Y[1:3]]
    assert (
        doubled.other_than(*other) == "some rows are not among them as often as they were learned"
    )
    # Two passes over the same rows, one by one.
    assert kept(*twice).other_than(X, Y) == ""


def test_a_sample_of_rows_says_so():
    some = places(1000, 100)
    rows = np.random.default_rng(4).normal(size=(1000, 2))
    own = FittedRows(1000, 1000, heads(rows[some], np.zeros(100)))
    assert own.compared == "a sample of 100 of the 1000 rows that were learned was compared"
    assert not own.whole
    assert own.seen(rows).sum() == 100
    assert (
        own.other_than(rows + 1, np.zeros(1000))
        == "100 of the 100 rows compared that were learned are not among them"
    )


@given(st.integers(1, 5000), st.integers(1, 300))
def test_places_are_spread_over_all_rows(rows, most):
    found = places(rows, most)
    assert len(found) == min(rows, most)
    assert (np.diff(found) > 0).all()
    assert found.min() >= 0
    assert found.max() < rows
    if rows > most:
        edges = np.arange(most + 1) * rows // most
        assert ((found >= edges[:-1]) & (found < edges[1:])).all()


def test_no_rule_of_thumb_passes_the_places_by():
    found = places(2000, 1000)
    for step in (2, 3, 5, 10):
        share = np.bincount(found % step, minlength=step) / len(found)
        assert (abs(share - 1 / step) < 0.06).all()


def test_one_after_another():
    due, found = 0, []
    while due < 15_000:
        found.append(due)
        due = next_due(due)
    assert found[:16] == list(range(16))
    assert 120 < len(found) < 180
    assert max(np.diff(found)) <= 2 * 512 + 1
    count = 0
    while due < 10**9:
        due, count = next_due(due), count + 1
    assert count < 30_000


def test_labels():
    words = label_heads(["ham", "spam", "ham"])
    assert words[0] == words[2] != words[1]
    assert (label_heads(np.array([1, 2])) == label_heads([1.0, 2.0])).all()
    assert (label_heads(np.array([1, 2], dtype=object)) == label_heads([1, 2])).all()
    assert (label_heads(np.array([[1], [2]])) == label_heads([1, 2])).all()
    several = label_heads(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert several[0] != several[1]


def test_texts_are_rows():
    own = kept(["ab", "c"], [0, 1])
    assert own.seen(np.array(["c", "d"], dtype=object)).tolist() == [True, False]


def test_growing_one_by_one():
    own = FittedRows(0, 0, np.zeros((0, 2), np.uint64))
    for number in range(200):
        own.rows += 1
        own.keep(number, 2 * number)
    again = pickle.loads(pickle.dumps(own))
    assert again.digests.tolist() == own.digests.tolist() == [[n, 2 * n] for n in range(200)]
    one, other = (
        own.with_rows(201, 210, own.digests[:1] + 1),
        own.with_rows(201, 210, own.digests[:1] + 2),
    )
    assert (one.digests[-1].tolist(), other.digests[-1].tolist()) == ([1, 1], [2, 2])
    one.keep(5, 5)
    assert other.digests[200:].tolist() == [[2, 2]]
    shared = FittedRows(own.rows, own.due, own.digests)
    shared.keep(7, 7)
    own.keep(8, 8)
    assert shared.digests[-1].tolist() == [7, 7]
    assert own.digests[-1].tolist() == [8, 8]


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, bool, np.float16])
def test_whole_numbers(dtype):
    cells = np.array([[0, 1], [1, 1]], dtype=dtype)
    assert (heads(cells) == heads(cells.astype(float))).all()
