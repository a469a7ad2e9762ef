"""Rows as they are compared: directions, whitened coordinates, radii, sizes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from assay.errors import BadData
from assay.learners.neighbors.space import LARGEST_CELL, Space, whitening


@settings(max_examples=100)
@given(st.one_of(st.floats(0, 1e150), st.floats(0, 3), st.integers(0, 50).map(float)))
def test_the_limit_is_the_last_number_within_the_radius(radius):
    space = Space("euclidean", np.zeros((1, 1)))
    limit = space.limit(radius)
    assert math.sqrt(limit) <= radius
    assert math.sqrt(math.nextafter(limit, math.inf)) > radius
    assert Space("manhattan", np.zeros((1, 1))).limit(radius) == radius
    assert 0.5 * Space("cosine", np.ones((1, 1))).limit(radius) == radius


def test_rows_and_examples_of_a_cosine_have_length_one():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 5)) * 10.0 ** rng.integers(-9, 9, (20, 1))
    space = Space("cosine", X)
    np.testing.assert_allclose(np.linalg.norm(space.rows, axis=1), 1.0, rtol=1e-15)
    thin = Space("cosine", sparse.csr_matrix(X))
    np.testing.assert_array_equal(thin.rows.toarray(), space.rows)
    examples, none = space.examples(X[:3])
    np.testing.assert_array_equal(examples, space.rows[:3])
    assert none is None


@pytest.mark.parametrize("form", [np.array, sparse.csr_matrix])
def test_rows_without_a_direction_get_one_of_their_own(form):
    X = form([[3.0, 4.0], [0.0, 0.0], [0.0, 2.0]])
    space = Space("cosine", X)
    rows = space.rows.toarray() if sparse.issparse(space.rows) else space.rows
    assert rows.tolist() == [[0.6, 0.8, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    examples, directionless = space.examples(X)
    assert examples.shape == (3, 3)
    assert directionless.tolist() == [False, True, False]


def test_whitened_coordinates_have_the_distances_of_the_form():
    rng = np.random.default_rng(1)
    A = rng.normal(size=(4, 4))
    VI = A @ A.T + np.eye(4)
    X = rng.normal(size=(10, 4))
    space = Space("mahalanobis", X, (VI + VI.T) / 2)
    W = space.whitening.coordinates(X)
    gap = X[3] - X[7]
    assert np.square(W[3] - W[7]).sum() == pytest.approx(gap @ VI @ gap, rel=1e-12)
    assert 1 < space.whitening.stretch < 1 + 1e-10


def test_sizes_of_features_do_not_make_a_matrix_singular():
    sizes = np.diag([1e-9, 1.0, 1e9])
    whitening(sizes @ (np.eye(3) + 0.5) @ sizes, np.zeros(3))


@pytest.mark.parametrize(
    "VI", [np.ones((2, 2)), np.diag([1.0, -1.0]), np.array([[1.0, 1.0], [1.0, 1.0 + 1e-14]])]
)
def test_a_matrix_that_rounding_would_decide_about(VI):
    with pytest.raises(BadData, match=r"^The matrix of the Mahalanobis distance is not positive"):
        whitening(VI, np.zeros(2))


def test_numbers_whose_squares_overflow():
    for X in (np.array([[1e200]]), sparse.csr_matrix([[-1e200]])):
        with pytest.raises(
            BadData,
            match=r"^X holds numbers beyond 1e\+150, whose distances could overflow\. Scale the features\.$",
        ):
            Space("euclidean", X)
    space = Space("euclidean", np.array([[LARGEST_CELL], [-LARGEST_CELL]]))
    with pytest.raises(BadData, match="could overflow"):
        space.examples(np.array([[1e151]]))
    with pytest.raises(BadData, match="could overflow"):
        Space("mahalanobis", np.array([[1e10], [0.0]]), np.array([[1e290]]))


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-170, 1e-160, 1e-120])
def test_short_rows_have_a_direction(form, size, monkeypatch):
    rows = np.array([[3.0, 0.0], [0.0, 2.0], [1.0, 1.0], [0.0, 0.0]])
    space = Space("cosine", form(rows))
    unit, empty = space.examples(form(size * rows))
    assert empty.tolist() == [False, False, False, True]
    long, _ = space.examples(form(rows))
    for one, other in ((unit, long), (Space("cosine", form(size * rows)).rows, space.rows)):
        np.testing.assert_allclose(
            *(np.asarray(sparse.csr_matrix(m).todense()) for m in (one, other))
        )
    monkeypatch.setattr("assay.learners.neighbors.space._LEAST_SQUARE", 0.0)
    if size < 1e-162:  # as it was: their squares are zero
        assert space.examples(form(size * rows))[1].all()


def test_rows_of_another_width_never_reach_a_loop():
    for metric in ("euclidean", "manhattan", "cosine"):
        for form in (np.asarray, sparse.csr_matrix):
            with pytest.raises(BadData, match=r"^X must have 3 features, but has 5\.$"):
                Space(metric, form(np.eye(3))).examples(form(np.eye(5)))


def test_a_matrix_of_entries_that_lose_digits():
    whitening(np.eye(2) * 1e-280, np.zeros(2))
    with pytest.raises(BadData, match=r"^The matrix of the Mahalanobis distance is not positive"):
        whitening(np.eye(2) * 1e-300, np.zeros(2))


def test_dense_and_sparse_are_turned_into_each_other():
    X = np.array([[1.0, 0.0], [0.0, 2.0]])
    thin = Space("euclidean", sparse.csr_matrix(X))
    assert sparse.issparse(thin.examples(X)[0])
    np.testing.assert_array_equal(Space("euclidean", X).examples(sparse.csr_matrix(X))[0], X)


def test_columns_that_stand_twice_are_added_up():
    X = sparse.csr_matrix((np.array([1.0, 2.0, 5.0]), [1, 1, 0], [0, 3]), shape=(1, 2))
    assert Space("manhattan", X).rows.toarray().tolist() == [[5.0, 3.0]]
    assert X.nnz == 3
