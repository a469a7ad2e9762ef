"""Every way to search gives what sorting all distances gives: the same rows, the same bits, in every metric."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from assay.learners.neighbors.scan_index import ScanIndex
from assay.learners.neighbors.screen_index import ScreenIndex, empty_lists
from assay.learners.neighbors.space import Space
from assay.learners.neighbors.sparse_index import SparseIndex
from assay.learners.neighbors.tree_index import TreeIndex, pieces
from tests.naive.neighbors import exact_ranked, nearest, within

KINDS = {"euclidean": "squares", "manhattan": "absolutes", "mahalanobis": "form"}


def sample(kind, n, m, d, seed):
    """Rows and examples of one kind, some of the examples being rows."""
    rng = np.random.default_rng(seed)
    if kind == "normal":
        X, Q = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    elif kind == "single":
        X, Q = rng.normal(size=(n, d)).astype(np.float32), rng.normal(size=(m, d))
    elif kind == "grid":
        X, Q = (rng.integers(0, 3, (size, d)).astype(float) for size in (n, m))
    elif kind == "far":
        X, Q = (1e8 + 1e-3 * rng.normal(size=(size, d)) for size in (n, m))
    elif kind == "twins":
        # Groups a million apart whose members differ in the ninth digit after the point.
        centers = 1e6 * rng.normal(size=(4, d))
        X, Q = (
            centers[rng.integers(0, 4, size)] + 1e-9 * rng.normal(size=(size, d)) for size in (n, m)
        )
    elif kind == "sizes":
        X, Q = (
            rng.normal(size=(size, d)) * 10.0 ** rng.integers(-8, 8, (size, 1)) for size in (n, m)
        )
    else:
        X, Q = np.ones((n, d)), np.ones((m, d))
    Q[: m // 3] = X[rng.integers(0, n, m // 3)]
    return X, Q


SAMPLES = st.sampled_from(["normal", "single", "grid", "far", "twins", "sizes", "constant"])


def indexes(space, k):
    if space.sparse:
        return [SparseIndex(space)]
    trees = [TreeIndex(space, 8), TreeIndex(space, 32)]
    if space.name == "manhattan":
        return [*trees, ScanIndex(space)]
    return [*trees, ScreenIndex(space, k)]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@settings(max_examples=25)
@given(SAMPLES, st.integers(2, 90), st.integers(1, 9), st.integers(0, 99), st.integers(0, 10**6))
def test_the_nearest_are_those_of_sorting_all(metric, kind, n, d, k, seed):
    X, Q = sample(kind, n, 7, d, seed)
    k = 1 + k % n
    far, near = nearest(Q, X, k, KINDS[metric])
    limit = float(np.median(far))
    circle = within(Q, X, limit, KINDS[metric])
    thick, thin = Space(metric, X), Space(metric, sparse.csr_matrix(X))
    for space, asked in ((thick, Q), (thin, sparse.csr_matrix(Q))):
        examples, _ = space.examples(asked)
        for index in indexes(space, k):
            values, rows = index.nearest(examples, k)
            np.testing.assert_array_equal(rows, near)
            assert values.tobytes() == far.tobytes()
            many, _, rows = index.within(examples, limit)
            assert [r.tolist() for r in np.split(rows, np.cumsum(many)[:-1])] == circle


def matrix(d, seed, spread=1.0):
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(d, d)))
    VI = turn @ np.diag(10.0 ** rng.uniform(-spread, spread, d)) @ turn.T
    return (VI + VI.T) / 2


@settings(max_examples=25)
@given(SAMPLES, st.integers(2, 60), st.integers(1, 6), st.integers(0, 99), st.integers(0, 10**6))
def test_the_nearest_by_a_form(kind, n, d, k, seed):
    X, Q = sample(kind, n, 5, d, seed)
    k, VI = 1 + k % n, matrix(d, seed, spread=2.0)
    far, near = nearest(Q, X, k, "form", VI)
    limit = float(np.median(far))
    circle = within(Q, X, limit, "form", VI)
    space = Space("mahalanobis", X, VI)
    examples, _ = space.examples(Q)
    for index in indexes(space, k):
        values, rows = index.nearest(examples, k)
        np.testing.assert_array_equal(rows, near)
        assert values.tobytes() == far.tobytes()
        many, _, rows = index.within(examples, limit)
        assert [r.tolist() for r in np.split(rows, np.cumsum(many)[:-1])] == circle


@pytest.mark.parametrize("kind", ["normal", "grid", "far"])
def test_the_order_is_that_of_exact_arithmetic(kind):
    """Not only that of the rounded distances: on a grid no rounding happens, elsewhere distances differ by more."""
    X, Q = sample(kind, 60, 6, 3, 1)
    truth = [exact_ranked(q, X) for q in Q]
    space = Space("euclidean", X)
    for index in indexes(space, 60):
        assert index.nearest(Q, 60)[1].tolist() == truth


def test_products_alone_would_not_do():
    """The same rows by s s - 2 s x + x x, as others compute them, come in another order."""
    for kind in ("far", "twins"):
        X, Q = sample(kind, 60, 6, 3, 1)
        lengths = np.square(X).sum(axis=1)
        expanded = np.square(Q).sum(axis=1)[:, None] - 2 * Q @ X.T + lengths
        found = np.argsort(expanded, axis=1, kind="stable")
        assert found.tolist() != [exact_ranked(q, X) for q in Q]


def test_without_its_allowance_the_screen_loses_neighbours():
    # All rows are about as far from the examples, up to what single precision can tell.
    rng = np.random.default_rng(3)
    X, Q = rng.normal(size=(400, 32)), 1e-7 * rng.normal(size=(40, 32))
    X *= (1 + 1e-8 * rng.random((400, 1))) / np.linalg.norm(X, axis=1, keepdims=True)
    space = Space("euclidean", X)
    index = ScreenIndex(space, 3)
    sound = index.nearest(Q, 3)[1]
    np.testing.assert_array_equal(sound, TreeIndex(space, 8).nearest(Q, 3)[1])
    single = type(index._screen).of(space, np.float32)
    examples = type(single).examples

    class Careless(type(single)):
        def examples(self, space, Q):
            left, half, allowance, slack = examples(self, space, Q)
            return left, half, 0 * allowance, 0 * slack

        def stretch(self, space):
            return 1.0

    index._screen = Careless(single.sides, 0 * single.own, single.center, single.scale, np.float32)
    far, near = empty_lists(len(Q), 3)
    index._piece(Q, 0, len(Q), far, near)
    assert (near != sound).any()


def test_without_its_slack_a_whitened_tree_loses_neighbours():
    X, Q = sample("twins", 300, 60, 4, 0)
    VI = matrix(4, 0, spread=2.0)
    space = Space("mahalanobis", X, VI)
    truth = nearest(Q, X, 3, "form", VI)[1]
    np.testing.assert_array_equal(TreeIndex(space, 8).nearest(Q, 3)[1], truth)
    space.whitening = replace(space.whitening, stretch=1.0, slack=0.0)
    assert (TreeIndex(space, 8).nearest(Q, 3)[1] != truth).any()


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "mahalanobis", "cosine"])
def test_any_number_of_threads_gives_the_same_bits(metric):
    X, Q = sample("grid", 300, 1500, 4, 0)
    VI = matrix(4, 1) if metric == "mahalanobis" else None
    space = Space(metric, X, VI)
    examples, _ = space.examples(Q)
    for index in indexes(space, 5):
        one, three = index.nearest(examples, 5, 1), index.nearest(examples, 5, 3)
        assert one[0].tobytes() == three[0].tobytes()
        assert one[1].tobytes() == three[1].tobytes()
        for a, b in zip(
            index.within(examples, 1.0, 1), index.within(examples, 1.0, 3), strict=True
        ):
            assert a.tobytes() == b.tobytes()


def test_long_lists_are_heaps():
    X, Q = sample("grid", 300, 4, 2, 5)
    far, near = nearest(Q, X, 150)
    space = Space("euclidean", X)
    for index in indexes(space, 150):
        values, rows = index.nearest(Q, 150)
        np.testing.assert_array_equal(rows, near)
        np.testing.assert_array_equal(values, far)


def test_equal_rows_do_not_make_the_tree_look_at_all_of_them():
    X = np.ones((20_000, 3))
    X[10_000:] = 2.0
    _, rows, _, blocks = TreeIndex(Space("euclidean", X), 32).counted(X[[0, -1]], 5)
    assert rows.tolist() == [[0, 1, 2, 3, 4], [10_000, 10_001, 10_002, 10_003, 10_004]]
    assert blocks < 40


def test_a_tree_passes_over_most_of_the_rows():
    rng = np.random.default_rng(0)
    X, Q = rng.random((20_000, 2)), rng.random((100, 2))
    _, _, _, blocks = TreeIndex(Space("euclidean", X), 32).counted(Q, 3)
    assert blocks / len(Q) < 5


def test_single_precision_is_given_up_where_it_tells_nothing_apart():
    X, _ = sample("normal", 2000, 1, 3, 0)
    apart = 1e-2 * X + 1e4 * np.random.default_rng(0).integers(0, 4, (2000, 1))
    assert ScreenIndex(Space("euclidean", apart), 3)._screen.dtype == np.float64
    assert ScreenIndex(Space("euclidean", X), 3)._screen.dtype == np.float32


def test_pieces_cover_everything_once():
    for many, workers, largest in itertools.product((0, 1, 255, 5000), (1, 2, 7), (16, 4096)):
        ends = pieces(many, workers, largest)
        assert [i for a, b in ends for i in range(a, b)] == list(range(many))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "mahalanobis"])
@pytest.mark.parametrize("size", [1e-130, 1e-6, 1e9, 1e40])
def test_examples_far_outside_and_rows_of_any_size(metric, size):
    rng = np.random.default_rng(0)
    X = min(size, 1e9) * rng.normal(size=(80, 3))
    Q = np.vstack([X[:3], size * 1e60 * rng.normal(size=(3, 3)), rng.normal(size=(3, 3))])
    VI = matrix(3, 0) if metric == "mahalanobis" else None
    far, near = nearest(Q, X, 4, KINDS[metric], VI)
    space = Space(metric, X, VI)
    examples, _ = space.examples(Q)
    for index in indexes(space, 4):
        values, rows = index.nearest(examples, 4)
        np.testing.assert_array_equal(rows, near)
        assert values.tobytes() == far.tobytes()


TINY = [10.0**-e for e in (320, 165, 162, 161, 160, 158, 155, 150)]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "mahalanobis"])
def test_rows_whose_squares_lose_digits(metric, monkeypatch):
    rng, lost = np.random.default_rng(2), 0
    VI = np.eye(1) if metric == "mahalanobis" else None
    for size in TINY:
        X = size * rng.integers(-5, 6, (130, 1)) * rng.normal()
        far, near = nearest(X[:6], X, 2, KINDS[metric], VI)
        limit = float(np.median(far))
        circle = within(X[:6], X, limit, KINDS[metric], VI)
        space = Space(metric, X, VI)
        for index in indexes(space, 2):
            np.testing.assert_array_equal(index.nearest(X[:6], 2)[1], near)
            many, _, rows = index.within(X[:6], limit)
            assert [r.tolist() for r in np.split(rows, np.cumsum(many)[:-1])] == circle
        if metric == "euclidean":
            with monkeypatch.context() as patch:
                patch.setattr("assay.learners.neighbors.screen_index.FLOOR", 0.0)
                lost += (ScreenIndex(space, 2).nearest(X[:6], 2)[1] != near).any()
    # Without an allowance for them the screen loses neighbours.
    assert lost > 0 or metric != "euclidean"
