"""Any other distance, several columns of labels, and weights without bounds: against scikit-learn's own answers."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import neighbors as peers
from sklearn.metrics import DistanceMetric, pairwise_distances

from assay import (
    KNeighborsClassifier,
    KNeighborsRegressor,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
    load,
    save,
)
from assay.errors import BadData, BadParameter

RNG = np.random.default_rng(0)
X, Q = RNG.normal(size=(60, 4)), RNG.normal(size=(15, 4))
Y = np.where(X[:, 0] > 0, "yes", "no")
Z = X[:, 0] * 3
TWO = np.column_stack([Y, np.array(["a", "b", "c"])[np.digitize(X[:, 1], [-1, 1])]])


@pytest.mark.parametrize(
    "how",
    [
        {"p": 3},
        {"p": 1.5},
        {"p": np.inf},
        {"metric": "chebyshev"},
        {"metric": "canberra"},
        {"metric": "minkowski", "metric_params": {"w": np.array([1.0, 2, 3, 4])}},
        {"metric": "seuclidean", "metric_params": {"V": np.array([1.0, 2, 3, 4])}},
        {"metric": lambda a, b: float(np.abs(a - b).max())},
    ],
)
def test_the_same_neighbours_as_scikit_learn(how):
    ours = KNeighborsClassifier(4, **how).fit(X, Y)
    # scikit-learn writes into the parameters that it is given.
    how = {
        **how,
        **({"metric_params": dict(how["metric_params"])} if "metric_params" in how else {}),
    }
    theirs = peers.KNeighborsClassifier(4, algorithm="brute", **how).fit(X, Y)
    for asked in (Q, None):
        for one, other in zip(ours.kneighbors(asked), theirs.kneighbors(asked), strict=True):
            np.testing.assert_allclose(one, other)
    assert (ours.predict(Q) == theirs.predict(Q)).all()
    if "metric_params" in how:
        how["metric_params"].pop("p", None)
    near = RadiusNeighborsRegressor(2.0, **how).fit(X, Z).radius_neighbors(Q)
    peer = peers.RadiusNeighborsRegressor(2.0, algorithm="brute", **how).fit(X, Z)
    for mine, other in zip(near[1], peer.radius_neighbors(Q)[1], strict=True):
        assert set(mine.tolist()) == set(other.tolist())


def test_zeros_and_ones_and_objects():
    bits = X > 0
    ours = KNeighborsClassifier(3, metric="hamming").fit(bits, Y)
    far = pairwise_distances(bits.astype(float), metric="hamming")
    np.testing.assert_allclose(ours.kneighbors(bits)[0], np.sort(far, axis=1)[:, :3])
    made = DistanceMetric.get_metric("manhattan")
    one = KNeighborsRegressor(3, metric=made).fit(X, Z)
    np.testing.assert_allclose(one.predict(Q), KNeighborsRegressor(3, p=1).fit(X, Z).predict(Q))


def test_distances_computed_beforehand():
    far, asked = pairwise_distances(X), pairwise_distances(Q, X)
    plain = KNeighborsClassifier(5).fit(X, Y)
    given = KNeighborsClassifier(5, metric="precomputed").fit(far, Y)
    assert (given.predict(asked) == plain.predict(Q)).all()
    assert (given.kneighbors()[1] == plain.kneighbors()[1]).all()
    graph = peers.NearestNeighbors(n_neighbors=20).fit(X).kneighbors_graph(Q, mode="distance")
    assert (given.predict(graph) == plain.predict(Q)).all()
    few = peers.NearestNeighbors(n_neighbors=3).fit(X).kneighbors_graph(Q, mode="distance")
    with pytest.raises(BadData, match=r"^5 neighbors are required for each row, but row 0 of"):
        given.predict(few)
    with pytest.raises(BadData, match=r"^X must be a square matrix of distances"):
        KNeighborsClassifier(metric="precomputed").fit(X, Y)
    with pytest.raises(BadData, match=r"^X must hold distances where metric='precomputed'"):
        given.predict(-asked)
    assert given.__sklearn_tags__().input_tags.pairwise


def test_what_is_promised_of_other_distances():
    """Distances that somebody made may be made of the rows; a norm is one whatever its power."""
    far = pairwise_distances(X)
    given = KNeighborsClassifier(3, metric="precomputed").fit(far, Y)
    assert given.record_.made_from_rows.startswith("distances were computed beforehand")
    assert not any(one.applies for one in given.guarantees())
    power = KNeighborsClassifier(3, p=3).fit(X, Y)
    assert (power.record_.no_norm, power.record_.made_from_rows) == ("", "")
    odd = KNeighborsClassifier(3, metric="canberra").fit(X, Y)
    assert odd.record_.no_norm == "the distance is not known to be a norm's"
    spread = KNeighborsClassifier(3, metric="seuclidean", metric_params={"V": np.ones(4)})
    assert spread.fit(X, Y).record_.made_from_rows == ""
    own = KNeighborsClassifier(3, metric=lambda a, b: 0.0).fit(X, Y)
    assert own.record_.any_function


def test_files(tmp_path):
    for how in ({"p": 3}, {"metric": "chebyshev"}, {"metric": "hamming"}):
        model = KNeighborsClassifier(3, **how).fit(X, TWO)
        save(model, tmp_path / "near.assay")
        assert (load(tmp_path / "near.assay").predict(Q) == model.predict(Q)).all()
    with pytest.raises(BadParameter, match="function"):
        save(KNeighborsClassifier(metric=lambda a, b: 0.0).fit(X, Y), tmp_path / "near.assay")


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_several_columns_of_labels(weights):
    ours = KNeighborsClassifier(4, weights=weights).fit(X, TWO)
    theirs = peers.KNeighborsClassifier(4, weights=weights).fit(X, TWO)
    assert (ours.predict(Q) == theirs.predict(Q)).all()
    for one, other in zip(ours.predict_proba(Q), theirs.predict_proba(Q), strict=True):
        np.testing.assert_allclose(one, other)
    assert [labels.tolist() for labels in ours.classes_] == [["no", "yes"], ["a", "b", "c"]]
    assert ours.guarantees() == []
    near = RadiusNeighborsClassifier(2.5, weights=weights, outlier_label=["no", "c"]).fit(X, TWO)
    peer = peers.RadiusNeighborsClassifier(2.5, weights=weights, outlier_label=["no", "c"])
    far = np.vstack([Q, 99 * np.ones(4)])
    assert (near.predict(far) == peer.fit(X, TWO).predict(far)).all()
    assert near.predict(far)[-1].tolist() == ["no", "c"]


def test_weights_without_bounds_count_alone():
    """A function that divides by the distance: where that is zero, the neighbour decides by itself."""

    def squared(distances):
        with np.errstate(divide="ignore"):
            return 1 / distances**2

    model = KNeighborsRegressor(5, weights=squared).fit(X, Z)
    np.testing.assert_array_equal(model.predict(X), Z)


def test_other_ways_to_search_are_taken():
    for algorithm in ("ball_tree", "kd_tree", "brute"):
        model = KNeighborsClassifier(3, algorithm=algorithm).fit(X, Y)
        assert (model.kneighbors(Q)[1] == KNeighborsClassifier(3).fit(X, Y).kneighbors(Q)[1]).all()
    rows = sparse.csr_array(np.where(X > 0.5, X, 0.0))
    wide = KNeighborsClassifier(3, p=3).fit(rows.toarray(), Y)
    assert wide.predict(Q).shape == (15,)
