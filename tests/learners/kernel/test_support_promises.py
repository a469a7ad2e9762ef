"""The rows that a kernel machine keeps: they alone give it again, and fewer of them do not."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from assay import SVC, KernelMachine
from assay.kernels import Gaussian, Linear


def sample(n=150, seed=0, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    scores = X @ np.random.default_rng(3).normal(size=(2, classes)) + 0.2 * rng.normal(
        size=(n, classes)
    )
    return X, scores.argmax(axis=1)


def kept(model, X, y):
    """The rows on or below the margin of a machine they belong to, from the scores of a fit to many digits."""
    tight = clone(model).set_params(tol=1e-9).fit(X, y)
    found, rows = tight._scores(X), np.zeros(len(y), dtype=bool)
    codes = np.searchsorted(tight.classes_, y)
    for column, (side, against) in enumerate(tight._sides()):
        here = np.ones(len(y), dtype=bool) if against is None else np.isin(codes, (side, against))
        signs = np.where(codes == side, 1.0, -1.0)
        rows |= here & (signs * found[:, column] <= 1 + 1e-6)
    return rows


MACHINES = [
    SVC(gamma=0.5),
    SVC(C=100.0, gamma=0.5, class_weight={0: 1.0, 1: 3.0}),
    SVC(kernel=0.5 * Linear() + Gaussian(1.0)),
]


@pytest.mark.parametrize("model", MACHINES, ids=str)
@pytest.mark.parametrize("several", [None, "ovo", "ovr"])
def test_few_more_rows_are_counted_than_are_kept(model, several):
    X, y = sample(classes=3 if several else 2)
    model = clone(model).set_params(multi_class=several or "ovo").fit(X, y)
    support = model._training_facts(X, y).support
    rows = kept(model, X, y)
    assert rows.sum() <= support <= rows.sum() + 4
    assert support < len(y)


@pytest.mark.parametrize("model", MACHINES, ids=str)
@pytest.mark.parametrize("several", [None, "ovo", "ovr"])
def test_the_kept_rows_alone_give_the_machine_again(model, several):
    X, y = sample(classes=3 if several else 2)
    model = clone(model).set_params(multi_class=several or "ovo", tol=1e-7).fit(X, y)
    rows = kept(model, X, y)
    again = clone(model).fit(X[rows], y[rows])
    np.testing.assert_allclose(again._scores(X), model._scores(X), atol=1e-4)
    assert kept(model, X[rows], y[rows]).all()
    # Without a third of them it is another machine.
    fewer = np.flatnonzero(rows)[::3]
    other = np.delete(np.arange(len(y)), fewer)
    assert np.abs(clone(model).fit(X[other], y[other])._scores(X) - model._scores(X)).max() > 0.01


@pytest.mark.parametrize("tol", [0.3, 1.0])
def test_a_loose_fit_counts_every_row_that_the_minimiser_keeps(tol):
    X, y = sample()
    model = SVC(C=10.0, gamma=0.5, tol=tol).fit(X, y)
    rows = kept(model, X, y)
    assert rows.sum() <= model._training_facts(X, y).support
    # Its own support vectors alone are fewer.
    assert len(model.support_) < rows.sum()


def test_without_free_rows_the_intercept_is_anywhere_and_all_rows_are_kept():
    """Both classes are as large and all rows at their bound, so that no b from -1 to 1 is better than another."""
    X, _ = sample()
    y = X[:, 0] > np.median(X[:, 0])
    tiny = SVC(C=1e-6, gamma=0.5).fit(X, y)
    assert tiny._training_facts(X, y).support == len(y)


@pytest.mark.parametrize("loss", ["squared_hinge", "modified_huber"])
@pytest.mark.parametrize("classes", [2, 3])
def test_smooth_machines_keep_what_is_below_the_margin(loss, classes):
    X, y = sample(classes=classes)
    model = KernelMachine(loss, 1 + Gaussian(0.5), alpha=0.05).fit(X, y)
    support = model._training_facts(X, y).support
    f = model.decision_function(X).reshape(len(y), -1)
    codes = (np.arange(classes) if classes > 2 else np.array([1]))[None]
    rows = (np.where(y[:, None] == codes, 1.0, -1.0) * f <= 1 + 1e-7).any(axis=1)
    assert rows.sum() <= support <= rows.sum() + 2
    again = clone(model).fit(X[rows], y[rows])
    np.testing.assert_allclose(again.decision_function(X).reshape(len(y), -1), f, atol=1e-5)
