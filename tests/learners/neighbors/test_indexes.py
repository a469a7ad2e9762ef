"""Every way to search gives what sorting all distances gives: the same rows, the same bits, in every metric."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from assay import KNeighborsClassifier, KNeighborsRegressor, RadiusNeighborsRegressor
from assay.learners.neighbors import kd_search
from tests.naive.neighbors import exact_ranked, nearest, value

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


WAYS = [
    {"algorithm": "kd_tree", "leaf_size": 8},
    {"algorithm": "kd_tree", "leaf_size": 32},
    {"algorithm": "brute"},
]


def every_way(X, metric, VI=None, **more):
    """The parameters of every search of these rows."""
    given = {"metric": metric, "metric_params": None if VI is None else {"VI": VI}, **more}
    return [given | way for way in (WAYS[2:] if sparse.issparse(X) else WAYS)]


def lengths_of(values, metric):
    return values if metric == "manhattan" else np.sqrt(values)


def assert_nearest(X, Q, k, metric, VI=None):
    """Every search has the neighbours of the definition, and the same bits of their distances."""
    far, near = nearest(thick(Q), thick(X), k, KINDS[metric], VI)
    far = lengths_of(far, metric)
    for way in every_way(X, metric, VI):
        distances, rows = KNeighborsRegressor(k, **way).fit(X, np.zeros(X.shape[0])).kneighbors(Q)
        np.testing.assert_array_equal(rows, near)
        assert distances.tobytes() == far.tobytes()
    return far


def assert_within(X, Q, radius, metric, VI=None):
    """Every search has the rows of the definition within a radius."""
    circle = [
        [
            r
            for r, x in enumerate(thick(X))
            if lengths_of(value(q, x, KINDS[metric], VI), metric) <= radius
        ]
        for q in thick(Q)
    ]
    for way in every_way(X, metric, VI):
        model = RadiusNeighborsRegressor(radius, **way).fit(X, np.zeros(X.shape[0]))
        rows = model.radius_neighbors(Q, return_distance=False)
        assert [r.tolist() for r in rows] == circle


def thick(X):
    return X.toarray() if sparse.issparse(X) else X


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@settings(max_examples=20)
@given(SAMPLES, st.integers(2, 90), st.integers(1, 9), st.integers(0, 99), st.integers(0, 10**6))
def test_the_nearest_are_those_of_sorting_all(metric, kind, n, d, k, seed):
    X, Q = sample(kind, n, 7, d, seed)
    k = 1 + k % n
    for form in (np.asarray, sparse.csr_matrix):
        far = assert_nearest(form(X), form(Q), k, metric)
        assert_within(form(X), form(Q), float(np.median(far)), metric)


def matrix(d, seed, spread=1.0):
    rng = np.random.default_rng(seed)
    turn, _ = np.linalg.qr(rng.normal(size=(d, d)))
    VI = turn @ np.diag(10.0 ** rng.uniform(-spread, spread, d)) @ turn.T
    return (VI + VI.T) / 2


@settings(max_examples=20)
@given(SAMPLES, st.integers(2, 60), st.integers(1, 6), st.integers(0, 99), st.integers(0, 10**6))
def test_the_nearest_by_a_form(kind, n, d, k, seed):
    X, Q = sample(kind, n, 5, d, seed)
    VI = matrix(d, seed, spread=2.0)
    far = assert_nearest(X, Q, 1 + k % n, "mahalanobis", VI)
    assert_within(X, Q, float(np.median(far)), "mahalanobis", VI)


@pytest.mark.parametrize("kind", ["normal", "grid", "far"])
def test_the_order_is_that_of_exact_arithmetic(kind):
    """Not only that of the rounded distances: on a grid no rounding happens, elsewhere distances differ by more."""
    X, Q = sample(kind, 60, 6, 3, 1)
    truth = [exact_ranked(q, X) for q in Q]
    for way in every_way(X, "euclidean"):
        model = KNeighborsRegressor(60, **way).fit(X, np.zeros(60))
        assert model.kneighbors(Q, return_distance=False).tolist() == truth


def expanded(Q, X, kind=np.float64):
    """Squared distances as s s - 2 s x + x x, as others compute them."""
    Q, X = Q.astype(kind), X.astype(kind)
    return np.square(Q).sum(axis=1)[:, None] - 2 * Q @ X.T + np.square(X).sum(axis=1)


def test_products_alone_would_not_do():
    """The same rows by products come in another order."""
    for kind in ("far", "twins"):
        X, Q = sample(kind, 60, 6, 3, 1)
        order = np.argsort(expanded(Q, X), axis=1, kind="stable")
        assert order.tolist() != [exact_ranked(q, X) for q in Q]


def careless(screen, forget):
    """The same screen with less of what it allows for rounding."""

    class Careless(type(screen)):
        def examples(self, space, Q):
            return forget(*super().examples(space, Q))

        def stretch(self, space):
            return 1.0

    parts = dict(vars(screen))
    return Careless(**parts | {"own": forget(None, None, parts["own"], 0.0)[2]})


def test_single_precision_alone_would_lose_neighbours():
    # All rows are about as far from the examples, up to what single precision can tell.
    rng = np.random.default_rng(3)
    X, Q = rng.normal(size=(400, 32)), 1e-7 * rng.normal(size=(40, 32))
    X *= (1 + 1e-8 * rng.random((400, 1))) / np.linalg.norm(X, axis=1, keepdims=True)
    assert_nearest(X, Q, 3, "euclidean")
    # The same search without its allowance for rounding loses some.
    model = KNeighborsRegressor(3, algorithm="brute").fit(X, np.zeros(400))
    sound, index = model.kneighbors(Q)[1], model._search
    index._screen = careless(
        type(index._screen).of(index.space, np.float32),
        lambda left, half, allowance, slack: (left, half, 0 * allowance, 0 * slack),
    )
    assert (model.kneighbors(Q)[1] != sound).any()
    # The three that single precision puts first, from which a search without an allowance would choose.
    first = np.sort(np.argsort(expanded(Q, X, np.float32), axis=1)[:, :3], axis=1)
    assert (first != np.sort(nearest(Q, X, 3)[1], axis=1)).any()


def test_whitened_coordinates_alone_would_lose_neighbours():
    X, Q = sample("twins", 300, 20, 4, 0)
    VI = matrix(4, 0, spread=2.0)
    assert_nearest(X, Q, 3, "mahalanobis", VI)
    # The same search without its slack loses some.
    tree = {"algorithm": "kd_tree", "leaf_size": 8, "metric": "mahalanobis"}
    model = KNeighborsRegressor(3, **tree, metric_params={"VI": VI}).fit(X, np.zeros(300))
    sound, space = model.kneighbors(Q)[1], model._search.space
    space.whitening = replace(space.whitening, stretch=1.0, slack=0.0)
    model._index = type(model._search)(space, 8)
    assert (model.kneighbors(Q)[1] != sound).any()
    W = np.linalg.cholesky(VI)
    white = nearest(Q @ W, X @ W, 3)[1].tolist()
    assert white != nearest(Q, X, 3, "form", VI)[1].tolist()


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "mahalanobis", "cosine"])
def test_any_number_of_threads_gives_the_same_bits(metric):
    X, Q = sample("grid", 300, 1500, 4, 0)
    VI = matrix(4, 1) if metric == "mahalanobis" else None
    for one, three in zip(
        every_way(X, metric, VI, n_jobs=1), every_way(X, metric, VI, n_jobs=3), strict=True
    ):
        y = np.zeros(300)
        answers = [KNeighborsRegressor(5, **way).fit(X, y).kneighbors(Q) for way in (one, three)]
        for a, b in zip(*answers, strict=True):
            assert a.tobytes() == b.tobytes()
        answers = [
            RadiusNeighborsRegressor(0.5, **way).fit(X, y).radius_neighbors(Q)
            for way in (one, three)
        ]
        for a, b in zip(*answers, strict=True):
            assert np.concatenate(a).tobytes() == np.concatenate(b).tobytes()


def test_long_lists_are_heaps():
    X, Q = sample("grid", 300, 4, 2, 5)
    assert_nearest(X, Q, 150, "euclidean")


def blocks(X, Q, k):
    """How many blocks of its tree a rule looks at for these examples."""
    model = KNeighborsClassifier(k, algorithm="kd_tree", leaf_size=32)
    model.fit(X, np.arange(len(X)) % 2)
    searches = [kd_search(model, q) for q in Q]
    assert [list(s.rows) for s in searches] == model.kneighbors(Q)[1].tolist()
    return sum(s.scanned for s in searches), model.kneighbors(Q)[1].tolist()


def test_equal_rows_do_not_make_the_tree_look_at_all_of_them():
    X = np.ones((4000, 3))
    X[2000:] = 2.0
    many, rows = blocks(X, X[[0, -1]], 5)
    assert rows == [[0, 1, 2, 3, 4], [2000, 2001, 2002, 2003, 2004]]
    assert many < 40


def test_a_tree_passes_over_most_of_the_rows():
    rng = np.random.default_rng(0)
    X, Q = rng.random((4000, 2)), rng.random((10, 2))
    assert blocks(X, Q, 3)[0] / len(Q) < 6


def test_groups_far_apart_whose_members_single_precision_cannot_tell_apart():
    X, _ = sample("normal", 400, 1, 3, 0)
    apart = 1e-2 * X + 1e4 * np.random.default_rng(0).integers(0, 4, (400, 1))
    assert_nearest(apart, apart[:10], 3, "euclidean")
    # They are looked at in double precision, others are not.
    for rows, precision in ((apart, np.float64), (X, np.float32)):
        model = KNeighborsRegressor(3, algorithm="brute").fit(rows, np.zeros(400))
        assert model._search._screen.dtype == precision


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "mahalanobis"])
@pytest.mark.parametrize("size", [1e-130, 1e-6, 1e9, 1e40])
def test_examples_far_outside_and_rows_of_any_size(metric, size):
    rng = np.random.default_rng(0)
    X = min(size, 1e9) * rng.normal(size=(80, 3))
    Q = np.vstack([X[:3], size * 1e60 * rng.normal(size=(3, 3)), rng.normal(size=(3, 3))])
    assert_nearest(X, Q, 4, metric, matrix(3, 0) if metric == "mahalanobis" else None)


TINY = [10.0**-e for e in (320, 165, 162, 161, 160, 158, 155, 150)]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "mahalanobis"])
def test_rows_whose_squares_lose_digits(metric):
    rng, lost = np.random.default_rng(2), 0
    VI = np.eye(1) if metric == "mahalanobis" else None
    for size in TINY:
        X = size * rng.integers(-5, 6, (130, 1)) * rng.normal()
        far = assert_nearest(X, X[:6], 2, metric, VI)
        assert_within(X, X[:6], float(np.median(far)), metric, VI)
        if metric == "euclidean":
            model = KNeighborsRegressor(2, algorithm="brute").fit(X, np.zeros(130))
            sound, index = model.kneighbors(X[:6])[1], model._search
            double = type(index._screen).of(index.space, np.float64)
            floor = double.scale * 2.0**-530
            index._screen = careless(double, lambda a, b, c, d, floor=floor: (a, b, c, d - floor))
            lost += (model.kneighbors(X[:6])[1] != sound).any()
    # Without an allowance for them the screen loses neighbours.
    assert lost > 0 or metric != "euclidean"
