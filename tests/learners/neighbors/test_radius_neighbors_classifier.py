"""All neighbours within a radius: scikit-learn's answers, outliers, graphs, files."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn import neighbors
from sklearn.datasets import load_iris

from assay import RadiusNeighborsClassifier, load, save
from assay.errors import BadData, BadParameter
from tests.learners.model_files import reopened
from tests.naive.neighbors import within
from tests.scikit_checks import assert_checks_pass_but_those_named

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]
RNG = np.random.default_rng(0)
ASKED = X[::3] + 0.05 * RNG.normal(size=(50, 4))


def refuses(sentence, error=BadParameter):
    return pytest.raises(error, match=f"^{re.escape(sentence)}$")


@pytest.mark.parametrize(
    "parameters",
    [
        {"radius": 1.01},
        {"radius": 1.01, "weights": "distance"},
        {"radius": 1.7, "p": 1, "algorithm": "kd_tree"},
        {"radius": 1.7, "p": 1, "algorithm": "brute", "weights": "distance"},
        {"radius": 0.0017, "metric": "cosine", "outlier_label": "most_frequent"},
        {"radius": 0.5, "outlier_label": "nobody"},
        {"radius": 0.5, "outlier_label": "versicolor", "algorithm": "brute"},
        {"radius": 1.5, "metric": "mahalanobis", "metric_params": {"VI": np.diag([1.0, 2, 1, 3])}},
    ],
)
@pytest.mark.filterwarnings("ignore:.*utlier.label")
def test_as_scikit_learn(parameters):
    ours = RadiusNeighborsClassifier(**parameters).fit(X, NAMES)
    theirs = dict(parameters) | ({"algorithm": "brute"} if "metric" in parameters else {})
    peer = neighbors.RadiusNeighborsClassifier(**theirs).fit(X, NAMES)
    far, near = ours.radius_neighbors(ASKED, sort_results=True)
    their_far, their_near = peer.radius_neighbors(ASKED, sort_results=True)
    for a, b, c, d in zip(far, their_far, near, their_near, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)
        assert set(c.tolist()) == set(d.tolist())
    np.testing.assert_allclose(ours.predict_proba(ASKED), peer.predict_proba(ASKED), rtol=1e-7)
    np.testing.assert_array_equal(ours.predict(ASKED), peer.predict(ASKED))


def test_the_radius_itself_is_within():
    grid = np.array([[i, j] for i in range(5) for j in range(5)], dtype=float)
    labels = np.arange(25) % 2
    for algorithm in ("kd_tree", "brute"):
        for metric, kind, radius in (
            ("euclidean", "squares", 5.0),
            ("euclidean", "squares", np.sqrt(2)),
            ("manhattan", "absolutes", 3.0),
        ):
            model = RadiusNeighborsClassifier(radius, metric=metric, algorithm=algorithm)
            near = model.fit(grid, labels).radius_neighbors(grid, return_distance=False)
            limit = radius if metric == "manhattan" else np.round(radius**2, 9)
            assert [rows.tolist() for rows in near] == within(grid, grid, limit, kind)


@pytest.mark.parametrize("algorithm", ["kd_tree", "brute"])
def test_examples_are_not_their_own_neighbours(algorithm):
    rows = np.round(X, 0)
    model = RadiusNeighborsClassifier(1.0, algorithm=algorithm, outlier_label=0).fit(rows, Y)
    far, near = model.radius_neighbors()
    everyone = model.radius_neighbors(rows, return_distance=False)
    for i in range(150):
        assert near[i].tolist() == [r for r in everyone[i].tolist() if r != i]
        assert len(far[i]) == len(near[i])
    graph = model.radius_neighbors_graph(mode="distance")
    assert graph.nnz == sum(map(len, near))
    assert graph[0, near[0][0]] == far[0][0]
    ones = model.radius_neighbors_graph(rows, 0.0, sort_results=True)
    assert set(ones.data.tolist()) == {1.0}
    assert (ones.diagonal() == 1).all()


def test_sparse_rows_are_the_dense_ones():
    for metric, radius in (("euclidean", 1.0), ("manhattan", 1.5), ("cosine", 0.002)):
        told = {"metric": metric, "outlier_label": 1}
        thick = RadiusNeighborsClassifier(radius, **told).fit(X, Y)
        thin = RadiusNeighborsClassifier(radius, **told).fit(sparse.csr_matrix(X), Y)
        for a, b in zip(
            thick.radius_neighbors(ASKED, sort_results=True),
            thin.radius_neighbors(sparse.csr_matrix(ASKED), sort_results=True),
            strict=True,
        ):
            assert [part.tolist() for part in a] == [part.tolist() for part in b]


def test_cosines_without_a_direction_are_at_distance_one():
    rows = np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 1.0]])
    model = RadiusNeighborsClassifier(1.0, metric="cosine").fit(rows, [0, 1, 1])
    far, near = model.radius_neighbors([[0.0, 0.0], [2.0, 0.0]])
    assert near[0].tolist() == [0, 1, 2]
    assert far[0].tolist() == [1.0, 1.0, 1.0]
    assert 0 in near[1].tolist()
    assert len(model.radius_neighbors([[0.0, 0.0]], 0.5, return_distance=False)[0]) == 0


def test_outliers():
    lonely = np.array([[100.0] * 4, X[0]])
    model = RadiusNeighborsClassifier(1.0).fit(X, NAMES)
    with refuses(
        "Row 0 of X has no neighbour within 1.0. Choose a larger radius, or an outlier_label.",
        BadData,
    ):
        model.predict(lonely)
    named = RadiusNeighborsClassifier(1.0, outlier_label="a stranger from afar").fit(X, NAMES)
    assert named.predict(lonely).tolist() == ["a stranger from afar", "setosa"]
    with pytest.warns(UserWarning, match="'a stranger from afar' is no class of y"):
        assert named.predict_proba(lonely)[0].tolist() == [0.0, 0.0, 0.0]
    usual = RadiusNeighborsClassifier(1.0, outlier_label="most_frequent").fit(X[40:], Y[40:])
    assert usual.predict(lonely[:1]).tolist() == [1]
    assert usual.predict_proba(lonely[:1]).tolist() == [[0.0, 1.0, 0.0]]


def test_weights_that_are_all_zero():
    zero = RadiusNeighborsClassifier(
        1.0, weights=lambda lists: [0 * part for part in lists], outlier_label=0
    )
    with refuses("weights gives no weight to any neighbour of row 0.", BadData):
        zero.fit(X, Y).predict(X)


def test_files(tmp_path):
    for told in ({}, {"outlier_label": "most_frequent"}):
        model = RadiusNeighborsClassifier(2.0, **told).fit(X, NAMES)
        save(model, tmp_path / "a")
        again = load(tmp_path / "a")
        np.testing.assert_array_equal(again.predict_proba(ASKED), model.predict_proba(ASKED))
        assert again.outlier_label_ == model.outlier_label_
    del model.outlier_label_
    with pytest.raises(ValueError, match="it has no outlier_label_"):
        reopened(model)


@pytest.mark.parametrize("radius", [-1.0, np.nan, np.inf, "1", None, True])
def test_no_radius(radius):
    with refuses(f"radius must be a finite number, zero or more, but is {radius!r}."):
        RadiusNeighborsClassifier(radius).fit(X, Y)


@pytest.mark.parametrize("label", ["text", [1, 2], 0.5])
def test_no_label(label):
    with refuses(
        f"outlier_label must be None, 'most_frequent' or one label of the kind of 0, but is {label!r}."
    ):
        RadiusNeighborsClassifier(outlier_label=label).fit(X, Y)


def test_sorting_needs_distances():
    model = RadiusNeighborsClassifier().fit(X, Y)
    with refuses("return_distance must be True if sort_results is True.", BadData):
        model.radius_neighbors(X, return_distance=False, sort_results=True)
    assert model.guarantees() == []


def test_a_holdout_certifies_it():
    model = RadiusNeighborsClassifier(outlier_label=0).fit(X[::2], Y[::2])
    claim = model.certificate(X[1::2], Y[1::2], delta=0.05).claims[0]
    wrong = int((model.predict(X[1::2]) != Y[1::2]).sum())
    assert float(claim.observed) == pytest.approx(wrong / 75)


def test_checks_of_scikit_learn():
    assert_checks_pass_but_those_named(RadiusNeighborsClassifier())


@pytest.mark.parametrize("include_self", [True, False])
def test_scikit_learns_graphs_take_a_fitted_model(include_self):
    how = {"mode": "distance", "include_self": include_self}
    ours = neighbors.radius_neighbors_graph(RadiusNeighborsClassifier().fit(X, Y), 0.4, **how)
    peer = neighbors.RadiusNeighborsClassifier().fit(X, Y)
    assert abs(ours - neighbors.radius_neighbors_graph(peer, 0.4, **how)).max() < 1e-12
    assert ours.nnz > 150
