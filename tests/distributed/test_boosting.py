"""Gradient boosting over blocks: the trees of one machine, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from assay import HistGradientBoostingClassifier, HistGradientBoostingRegressor, load
from assay.distributed import cut as cutting
from assay.distributed import fit
from assay.errors import BadData, BadParameter
from tests.distributed.samples import PARTITIONS, classified, content, cut, measured


@pytest.fixture(autouse=True)
def blocks_of_a_stretch(monkeypatch):
    """The fewest rows of a block: losses are summed over stretches of so many, on one machine too."""
    monkeypatch.setattr(cutting, "_FEWEST", 1024)
    monkeypatch.setattr(cutting, "_MOST", 1024)


def with_gaps(classes):
    X, y = classified(3500, classes=classes)
    X = X.round(1)
    X[::9, 1] = np.nan
    return X, y


def counted():
    X, y = measured(3500)
    return X, np.abs(np.round(y)) + 1.0


TERMS = {"max_iter": 4, "early_stopping": False, "random_state": 0}
CASES = {
    "two classes": (HistGradientBoostingClassifier(**TERMS), lambda: with_gaps(2)),
    "three classes": (
        HistGradientBoostingClassifier(**TERMS, max_leaf_nodes=None, max_depth=4),
        lambda: with_gaps(3),
    ),
    "small leaves": (
        HistGradientBoostingClassifier(**TERMS, min_samples_leaf=2, max_leaf_nodes=80),
        lambda: with_gaps(2),
    ),
    "features drawn": (
        HistGradientBoostingClassifier(**TERMS, max_features=0.5, l2_regularization=1.0),
        lambda: with_gaps(2),
    ),
    "rising": (
        HistGradientBoostingClassifier(**TERMS, monotonic_cst=[1, 0, -1, 0, 0]),
        lambda: classified(3500, classes=2),
    ),
    "apart": (
        HistGradientBoostingClassifier(**TERMS, interaction_cst="no_interactions"),
        lambda: with_gaps(2),
    ),
    "squares": (HistGradientBoostingRegressor(**TERMS), counted),
    "poisson": (HistGradientBoostingRegressor(**TERMS, loss="poisson"), counted),
    "gamma": (HistGradientBoostingRegressor(**TERMS, loss="gamma"), counted),
}
named = pytest.mark.parametrize("name", CASES)


def learned(model, folder):
    """The model file without digests of rows, which blocks do not keep."""
    vars(model).pop("fitted_rows_", None)
    return content(model, folder)


@named
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_what_one_machine_learns(name, weighted, tmp_path):
    model, sample = CASES[name]
    X, y = sample()
    weights = np.random.default_rng(0).integers(1, 4, size=len(y)) * 1.0 if weighted else None
    ordinary = clone(model).fit(X, y, sample_weight=weights)
    blocks = fit(clone(model), cut(X, 5), cut(y, 3), sample_weight=weights)
    assert learned(blocks, tmp_path) == learned(ordinary, tmp_path)


@pytest.mark.parametrize("name", ["two classes", "squares"])
def test_any_workers_give_the_same_model(name, client, tmp_path):
    model, sample = CASES[name]
    X, y = sample()
    expected = learned(fit(clone(model), X, y), tmp_path)
    again = fit(clone(model), cut(X, 5), cut(y, 2), client=client)
    assert learned(again, tmp_path) == expected
    rows = np.nan_to_num(X[:50])
    assert np.array_equal(load(tmp_path / "model.assay").predict(rows), again.predict(rows))


@pytest.mark.guarantees
@named
def test_any_workers_and_partitions_give_the_same_model(name, client, tmp_path):
    model, sample = CASES[name]
    X, y = sample()
    expected = learned(clone(model).fit(X, y), tmp_path)
    for partitions in PARTITIONS:
        for where in (None, client):
            again = fit(clone(model), cut(X, partitions), cut(y, 3), client=where)
            assert learned(again, tmp_path) == expected


def test_class_weights_are_those_of_one_machine():
    X, y = with_gaps(3)
    terms = {**TERMS, "class_weight": "balanced"}
    ordinary = HistGradientBoostingClassifier(**terms).fit(X, y)
    blocks = fit(HistGradientBoostingClassifier(**terms), X, y)
    assert np.array_equal(blocks.predict(X), ordinary.predict(X))
    np.testing.assert_allclose(blocks.losses_, ordinary.losses_, rtol=1e-12)


def test_what_cannot_be_had_from_blocks_is_refused():
    X, y = classified()
    with pytest.raises(
        BadParameter, match=r"early_stopping must be 'auto' or False, but is True\."
    ):
        fit(HistGradientBoostingClassifier(early_stopping=True), X, y)
    with pytest.raises(BadParameter, match=r"categorical_features must be 'from_dtype' or None"):
        fit(HistGradientBoostingClassifier(categorical_features=[0]), X, y)
    with pytest.raises(BadData, match=r"sample_weight must be above zero for all rows"):
        fit(HistGradientBoostingClassifier(), X, y, sample_weight=np.zeros(len(y)))
    X, y = measured()
    with pytest.raises(BadParameter, match=r"loss must be one of 'squared_error', 'poisson'"):
        fit(HistGradientBoostingRegressor(loss="absolute_error"), X, y)
    y = np.abs(y)
    y[501] = -1.0
    with pytest.raises(BadData, match=r"holds -1 in row 501\."):
        fit(HistGradientBoostingRegressor(loss="gamma"), X, y)
