"""Means of the nearest: scikit-learn's answers, several numbers at once, files."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import neighbors
from sklearn.datasets import load_diabetes

from assay import KNeighborsRegressor, load, save
from assay.errors import BadData
from tests.learners.model_files import reopened
from tests.scikit_checks import assert_checks_pass_but_those_named

X, Y = load_diabetes(return_X_y=True)
LEARN, JUDGE = slice(0, 300), slice(300, None)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"n_neighbors": 1},
        {"weights": "distance", "p": 1},
        {"weights": lambda d: 1 / (1 + d), "algorithm": "brute", "n_neighbors": 9},
        {"weights": None, "algorithm": "kd_tree"},
    ],
)
@pytest.mark.parametrize("targets", [Y, np.column_stack([Y, -Y, Y**2])], ids=["one", "three"])
def test_as_scikit_learn(parameters, targets):
    ours = KNeighborsRegressor(**parameters).fit(X[LEARN], targets[LEARN])
    theirs = neighbors.KNeighborsRegressor(**parameters).fit(X[LEARN], targets[LEARN])
    np.testing.assert_allclose(ours.predict(X[JUDGE]), theirs.predict(X[JUDGE]), rtol=1e-9)
    np.testing.assert_allclose(ours.predict(None), theirs.predict(None), rtol=1e-9)
    assert ours.score(X[JUDGE], targets[JUDGE]) == pytest.approx(
        theirs.score(X[JUDGE], targets[JUDGE])
    )


def test_a_row_that_is_an_example_is_its_own_mean_by_distance():
    model = KNeighborsRegressor(weights="distance").fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), Y)


def test_all_neighbours_give_the_mean_of_all():
    model = KNeighborsRegressor(len(Y)).fit(X, Y)
    np.testing.assert_allclose(model.predict(X[:3]), Y.mean())


def test_weights_that_are_all_zero():
    model = KNeighborsRegressor(weights=np.zeros_like).fit(X, Y)
    with pytest.raises(BadData, match=r"^weights gives no weight to any neighbour of row 0\.$"):
        model.predict(X)


@pytest.mark.parametrize("targets", [Y, np.column_stack([Y, -Y])], ids=["one", "two"])
def test_files(targets, tmp_path):
    model = KNeighborsRegressor(3, metric="manhattan").fit(X, targets)
    save(model, tmp_path / "a")
    assert load(tmp_path / "a").predict(X).tobytes() == model.predict(X).tobytes()


def test_numbers_that_do_not_belong():
    for targets in (Y[:-1].copy(), np.empty((len(Y), 0)), Y.astype(np.float32)):
        model = KNeighborsRegressor().fit(X, Y)
        model.targets_ = targets
        with pytest.raises(ValueError, match="targets_ is of another kind or size"):
            reopened(model)
    del model.targets_
    with pytest.raises(ValueError, match="it has no targets_"):
        reopened(model)


def test_the_theorem_has_no_number():
    [promise] = KNeighborsRegressor().fit(X, Y).guarantees()
    assert (promise.theorem, promise.promised, promise.holds) == ("knn-consistency", None, None)


def test_checks_of_scikit_learn():
    assert_checks_pass_but_those_named(KNeighborsRegressor())
