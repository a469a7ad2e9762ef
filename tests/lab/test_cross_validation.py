"""Cross-validation against scikit-learn, leaving one out against refitting everything, refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import Ridge as Reference
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from assay import SVC, BasisRidge, Ridge, cross_validation
from assay.errors import BadData, BadParameter, UnknownName

RNG = np.random.default_rng(0)
X = RNG.normal(size=(24, 2))
Y = np.where(X[:, 0] + 0.8 * RNG.normal(size=24) > 0, "b", "a")


def test_leaving_one_out_of_a_machine_is_refitting_it_without_each_row():
    values = [0.05, 1.0, 20.0]
    choice = cross_validation(SVC(kernel="linear", tol=1e-8), X, Y, "C", values, folds="each")
    for step in choice.steps:
        machine = SVC(kernel="linear", tol=1e-8, C=step.value)
        wrong = [
            clone(machine).fit(np.delete(X, i, 0), np.delete(Y, i)).predict(X[[i]])[0] != Y[i]
            for i in range(len(Y))
        ]
        assert step.error == np.mean(wrong)
        assert (step.fits, choice.folds, step.by_fold) == (1, 24, ())
    assert choice.best.error == min(step.error for step in choice.steps)


def test_numbers_left_out_are_those_of_scikit_learn():
    y = X[:, 0] ** 2 + RNG.normal(size=24)
    choice = cross_validation(Ridge(), X, y, "alpha", [0.1, 10.0], folds="each")
    for step in choice.steps:
        again = cross_val_predict(Reference(alpha=step.value), X, y, cv=LeaveOneOut())
        assert step.error == pytest.approx(float(np.mean((again - y) ** 2)))
        assert step.fits == 24


def test_folds_are_the_same_for_all_values_and_every_row_is_in_one():
    x = np.linspace(-1, 1, 30)
    y = np.sin(4 * x) + 0.1 * RNG.normal(size=30)
    first = cross_validation(BasisRidge(), x[:, None], y, "degree", [1, 5, 5, 12], random_state=3)
    again = cross_validation(BasisRidge(), x[:, None], y, "degree", [5], random_state=3)
    assert first.steps[1] == first.steps[2] == again.steps[0]
    assert first.best.value == 5
    assert first.steps.index(first.simplest) <= first.steps.index(first.best)
    assert first.simplest.error <= first.best.error + first.best.spread
    assert str(first).count("least") == 1
    assert all(len(step.by_fold) == step.fits == 5 for step in first.steps)


def test_a_majority_is_always_wrong_about_the_row_left_out_of_a_balanced_sample():
    """An estimate of one, of an error of one half: it is no promise."""
    y = np.arange(10) % 2
    learner = DummyClassifier(strategy="most_frequent")
    assert (
        cross_validation(learner, X[:10], y, "strategy", ["most_frequent"], folds="each").best.error
        == 1
    )


@pytest.mark.parametrize(
    ("how", "error", "sentence"),
    [
        (
            {"folds": 1},
            BadParameter,
            "folds must be 'each', or a whole number from 2 to the number of rows 24, but is 1.",
        ),
        ({"values": []}, BadParameter, "values must be a list of at least one value, but is []."),
        ({"parameter": "price"}, UnknownName, "SVC has no parameter 'price'."),
    ],
)
def test_refusals(how, error, sentence):
    terms = {"parameter": "C", "values": [1.0]} | how
    with pytest.raises(error, match=f"^{re.escape(sentence)}$"):
        cross_validation(SVC(), X, Y, **terms)


def test_one_row_is_too_few():
    with pytest.raises(
        BadData, match=r"^Cross-validation takes at least 2 rows, but there are 1\.$"
    ):
        cross_validation(Ridge(), X[:1], [1.0], "alpha", [1.0])
