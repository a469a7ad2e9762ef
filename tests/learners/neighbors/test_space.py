"""Rows as they are compared: directions, radii, sizes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from assay import KNeighborsRegressor, RadiusNeighborsRegressor
from assay.errors import BadData


def rule(X, k=1, **parameters):
    return KNeighborsRegressor(k, **parameters).fit(X, np.zeros(X.shape[0]))


def mahalanobis(X, VI):
    return rule(np.asarray(X), metric="mahalanobis", metric_params={"VI": np.asarray(VI)})


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
@settings(max_examples=40)
@given(st.one_of(st.floats(1e-100, 1e149), st.floats(1e-3, 3), st.integers(1, 50).map(float)))
def test_within_the_radius_is_what_has_a_distance_up_to_it(metric, radius):
    steps = [radius]
    for _ in range(4):
        steps = [math.nextafter(steps[0], 0), *steps, math.nextafter(steps[-1], math.inf)]
    X = np.array(steps)[:, None]
    far, near = rule(X, 9, metric=metric).kneighbors([[0.0]])
    model = RadiusNeighborsRegressor(radius, metric=metric).fit(X, np.zeros(9))
    [rows] = model.radius_neighbors([[0.0]], return_distance=False)
    assert set(rows.tolist()) == set(near[far <= radius].tolist())
    assert 4 in rows  # the radius itself


def test_cosines_do_not_depend_on_lengths():
    rng = np.random.default_rng(0)
    X, Q = rng.normal(size=(20, 5)), rng.normal(size=(4, 5))
    long = X * 2.0 ** rng.integers(-30, 30, (20, 1))
    for form in (np.asarray, sparse.csr_matrix):
        one, other = (
            rule(form(rows), 20, metric="cosine").kneighbors(form(Q)) for rows in (X, long)
        )
        assert one[0].tobytes() == other[0].tobytes()
        assert one[1].tolist() == other[1].tolist()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-170, 1e-160, 1e-120])
def test_short_rows_have_a_direction(form, size):
    """Though their squares are zero."""
    rows = np.array([[3.0, 0.0], [0.0, 2.0], [1.0, 1.0], [0.0, 0.0]])
    far, near = rule(form(rows), 4, metric="cosine").kneighbors(form(rows))
    for kept, asked in ((rows, size * rows), (size * rows, rows)):
        distances, others = rule(form(kept), 4, metric="cosine").kneighbors(form(asked))
        np.testing.assert_allclose(distances, far, atol=1e-15)
        assert others[:2].tolist() == near[:2].tolist()
    assert far[0].tolist() != far[3].tolist() == [1.0] * 4
    # Rows divided by their length as it is computed would have none.
    assert (np.square(size * rows).sum(axis=1) == 0).all() == (size < 1e-162)


def test_sizes_of_features_do_not_make_a_matrix_singular():
    sizes = np.diag([1e-9, 1.0, 1e9])
    VI = sizes @ (np.eye(3) + 0.5) @ sizes
    X = np.random.default_rng(0).normal(size=(4, 3)) @ np.diag([1e9, 1.0, 1e-9])
    gap = X[1] - X[0]
    [[_, far]], [[first, _]] = mahalanobis(X[:2], VI).kneighbors(X[:1], 2)
    assert first == 0
    assert far == pytest.approx(math.sqrt(gap @ VI @ gap))


@pytest.mark.parametrize(
    "VI",
    [
        np.ones((2, 2)),
        np.diag([1.0, -1.0]),
        np.array([[1.0, 1.0], [1.0, 1.0 + 1e-14]]),
        np.eye(2) * 1e-300,  # whose entries lose digits
    ],
)
def test_a_matrix_that_rounding_would_decide_about(VI):
    mahalanobis(np.eye(2), np.eye(2) * 1e-280)
    with pytest.raises(BadData, match=r"^The matrix of the Mahalanobis distance is not positive"):
        mahalanobis(np.eye(2), VI)


def test_numbers_whose_squares_overflow():
    sentence = (
        r"^X holds numbers beyond 1e\+150, whose distances could overflow\. Scale the features\.$"
    )
    for X in (np.array([[1e200]]), sparse.csr_matrix([[-1e200]])):
        with pytest.raises(BadData, match=sentence):
            rule(X)
    model = rule(np.array([[1e150], [-1e150]]))
    with pytest.raises(BadData, match="could overflow"):
        model.predict([[1e151]])
    with pytest.raises(BadData, match="could overflow"):
        mahalanobis([[1e10], [0.0]], [[1e290]])


def test_columns_that_stand_twice_are_added_up():
    X = sparse.csr_matrix((np.array([1.0, 2.0, 5.0]), [1, 1, 0], [0, 3]), shape=(1, 2))
    assert rule(X, metric="manhattan").kneighbors([[0.0, 0.0]])[0].tolist() == [[8.0]]
    assert X.nnz == 3


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
def test_rows_of_another_width_never_reach_a_loop(metric, form):
    sentence = "X has 5 features, but KNeighborsRegressor is expecting 3 features as input"
    model = rule(form(np.eye(3)), metric=metric)
    for ask in (model.predict, model.kneighbors):
        with pytest.raises(ValueError, match=f"^{sentence}"):
            ask(form(np.eye(5)))
