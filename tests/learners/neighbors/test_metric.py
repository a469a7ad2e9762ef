"""Distances by name, and what they refuse."""

from __future__ import annotations

import re

import numpy as np
import pytest

from assay import KNeighborsRegressor
from assay.errors import BadData, BadParameter


def refuses(sentence, error=BadParameter):
    return pytest.raises(error, match=f"^{re.escape(sentence)}$")


def fitted(X=((0.0, 1.0), (2.0, 0.0)), **parameters):
    return KNeighborsRegressor(1, **parameters).fit(X, np.zeros(len(X)))


def metric_named(metric, p=2):
    if metric == "mahalanobis":
        return fitted(metric=metric, metric_params={"VI": np.eye(2)}).effective_metric_
    return fitted(metric=metric, p=p).effective_metric_


def require_metric_params(metric, given):
    fitted(metric=metric, metric_params=given)


def inverse_covariance(X, given):
    return fitted(X, metric="mahalanobis", metric_params=given).VI_


def test_names():
    assert [metric_named("minkowski", p) for p in (1, 2, 2.0, np.int64(1))] == [
        "manhattan",
        "euclidean",
        "euclidean",
        "manhattan",
    ]
    names = ("l1", "l2", "cityblock", "cosine", "mahalanobis")
    assert [metric_named(name) for name in names] == [
        "manhattan",
        "euclidean",
        "manhattan",
        "cosine",
        "mahalanobis",
    ]


@pytest.mark.parametrize("p", [0, None, "2", True, -1])
def test_no_powers(p):
    with refuses(f"p must be a number above zero, but is {p!r}."):
        metric_named("minkowski", p)


def test_other_distances():
    assert metric_named("minkowski", 3) == "minkowski"
    assert metric_named("minkowski", np.inf) == metric_named("infinity") == "chebyshev"
    assert metric_named(lambda a, b: abs(a - b).sum()) == "one of yours"
    for metric in ("chebyshev", "hamming", "precomputed"):
        assert metric_named(metric) == metric


@pytest.mark.parametrize("metric", [None, 2, "near"])
def test_no_metrics(metric):
    with pytest.raises(BadParameter, match=r"^metric must be a (name, or a )?function"):
        metric_named(metric)


def test_parameters_of_a_metric():
    require_metric_params("euclidean", None)
    require_metric_params("mahalanobis", {"VI": np.eye(2)})
    with refuses("metric_params must be a dict or None, but is 3."):
        require_metric_params("euclidean", 3)
    with refuses("euclidean has no parameter 'V': it has none."):
        require_metric_params("euclidean", {"V": 1})
    with refuses("mahalanobis has no parameter 'w': it has V or VI."):
        require_metric_params("mahalanobis", {"w": 1})
    with refuses("mahalanobis takes V or VI, not both."):
        require_metric_params("mahalanobis", {"V": 1, "VI": 1})


def test_the_matrix_is_the_inverse_of_the_covariance():
    rng = np.random.default_rng(0)
    sizes = np.array([1.0, 1e-6, 1e9])
    X = rng.normal(size=(50, 3)) * sizes
    V = np.cov(X, rowvar=False)
    found = inverse_covariance(X, None)
    np.testing.assert_allclose(found @ V * sizes[:, None] / sizes, np.eye(3), atol=1e-12)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(inverse_covariance(X, {"V": V}), found)
    np.testing.assert_array_equal(inverse_covariance(X, {"VI": found}), found)
    one = inverse_covariance(X[:, :1], None)
    assert one.shape == (1, 1)
    assert one[0, 0] == pytest.approx(1 / V[0, 0])


def test_matrices_that_are_none():
    X = np.random.default_rng(0).normal(size=(9, 2))
    with refuses(
        "The covariance of X needs at least two rows. Give V or VI in metric_params.", BadData
    ):
        inverse_covariance(X[:1], None)
    singular = (
        "has no inverse, so it gives no Mahalanobis distance. Leave out features that depend on others, or give "
        "VI in metric_params."
    )
    with refuses(f"The covariance of X {singular}", BadData):
        inverse_covariance(np.column_stack([X, np.ones(9)]), None)
    with refuses(f"V {singular}", BadData):
        inverse_covariance(X, {"V": np.zeros((2, 2))})
    for bad in ([[1.0, 2.0], [0.0, 1.0]], np.eye(3), "text", [[np.nan, 0], [0, 1]], [[1], [2, 3]]):
        must = "a symmetric matrix of finite numbers, 2 by 2"
        with refuses(f"metric_params['VI'] must be {must}, but is {bad!r}."):
            inverse_covariance(X, {"VI": bad})
