"""Means within a radius: scikit-learn's answers, rows that are alone."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import neighbors
from sklearn.datasets import load_diabetes

from assay import RadiusNeighborsRegressor, load, save
from tests.scikit_checks import assert_checks_pass_but_those_named

X, Y = load_diabetes(return_X_y=True)
LEARN, JUDGE = slice(0, 300), slice(300, None)


@pytest.mark.parametrize(
    "parameters",
    [
        {"radius": 0.09},
        {"radius": 0.09, "weights": "distance"},
        {"radius": 0.2, "p": 1, "algorithm": "brute"},
        {"radius": 0.09, "weights": lambda lists: [np.exp(-d) for d in lists]},
    ],
)
@pytest.mark.parametrize("targets", [Y, np.column_stack([Y, -Y])], ids=["one", "two"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_as_scikit_learn(parameters, targets):
    def weigh(lists):
        found = np.empty(len(lists), dtype=object)
        found[:] = [np.exp(-d) for d in lists]
        return found

    told = dict(parameters) | ({"weights": weigh} if callable(parameters.get("weights")) else {})
    ours = RadiusNeighborsRegressor(**parameters).fit(X[LEARN], targets[LEARN])
    theirs = neighbors.RadiusNeighborsRegressor(**told).fit(X[LEARN], targets[LEARN])
    wanted = theirs.predict(X[JUDGE])
    found = ours.predict(X[JUDGE])
    np.testing.assert_allclose(found, wanted, rtol=1e-9)
    assert 0 < np.isnan(found).mean() < 0.5


def test_rows_that_are_alone():
    model = RadiusNeighborsRegressor(0.1).fit(X, Y)
    with pytest.warns(
        UserWarning,
        match=r"^1 rows of X have no neighbour within 0\.1, and are predicted as NaN\.$",
    ):
        found = model.predict(np.vstack([X[:1], X[:1] + 9]))
    assert np.isnan(found).tolist() == [False, True]
    assert model.guarantees() == []


def test_files(tmp_path):
    model = RadiusNeighborsRegressor(0.5).fit(X, Y)
    save(model, tmp_path / "a")
    assert load(tmp_path / "a").predict(X).tobytes() == model.predict(X).tobytes()


def test_checks_of_scikit_learn():
    assert_checks_pass_but_those_named(RadiusNeighborsRegressor())
