"""Learners whose fit takes the rows in random orders: sorted rows cost nothing, and the run can be played again."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from assay import KernelPerceptron, MarginPerceptron, OnlineGradientDescent, Perceptron, load, save
from assay.errors import BadData
from assay.kernels import Gaussian
from tests.instances import noisy

SHUFFLING = [
    Perceptron(),
    MarginPerceptron(),
    OnlineGradientDescent(max_norm=100.0),
    KernelPerceptron(Gaussian(0.1)),
]


@pytest.mark.parametrize("model", SHUFFLING, ids=lambda model: type(model).__name__)
def test_rows_that_are_sorted_by_class_cost_no_accuracy(model):
    X, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    train, test = np.sort(order[:100]), order[100:]  # the set itself is sorted by class
    X = (X - X[train].mean(axis=0)) / X[train].std(axis=0)
    mixed = clone(model).fit(X[order[:100]], y[order[:100]])
    fitted = clone(model).fit(X[train], y[train])
    assert fitted.score(X[test], y[test]) >= max(0.75, mixed.score(X[test], y[test]) - 0.1)
    again = clone(model).fit(X[train], y[train])
    assert np.array_equal(fitted.decision_function(X), again.decision_function(X))


@pytest.mark.parametrize("model", SHUFFLING, ids=lambda model: type(model).__name__)
def test_a_shuffled_fit_copies_no_rows_and_saves_its_seed(model, tmp_path):
    X, y, _ = noisy(0)
    fitted = clone(model).set_params(random_state=5, max_iter=3).fit(X, y)
    save(fitted, tmp_path / "model.assay")
    loaded = load(tmp_path / "model.assay")
    assert loaded.order_seed_ == fitted.order_seed_
    assert loaded.set_params(shuffle=False).fit(X, y).get_params()["shuffle"] is False
    assert not hasattr(loaded, "order_seed_")
    in_order = clone(model).set_params(shuffle=False, max_iter=1).fit(X, y)
    shown = clone(model).partial_fit(X, y, classes=np.unique(y))
    assert np.array_equal(in_order.decision_function(X), shown.decision_function(X))


def test_a_bad_row_is_named_by_its_own_place():
    X, y, _ = noisy(0)
    X[17, 1] = np.nan
    for model in (*SHUFFLING, Perceptron(trace=True)):
        with pytest.raises(BadData, match="Input X contains NaN or infinity: row 17, column 1"):
            clone(model).fit(X, y)
    warm = Perceptron(warm_start=True).fit(np.nan_to_num(X), y)
    with pytest.raises(BadData, match=r"The rows that were played before it were learned\.$"):
        warm.fit(X, y)
