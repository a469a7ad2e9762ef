"""Intervals, copies of learners, and points with their probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier

from assay.data.synthetic import JointTable, NoisyFunction, gaussian_classes
from assay.errors import BadParameter
from assay.play.trials import Population, estimate, fitted, require_source

RNG = np.random.default_rng(0)


def test_intervals_are_students():
    trials = RNG.normal(size=12)
    found = estimate(trials, 0.1)
    low, high = stats.t.interval(0.9, 11, trials.mean(), stats.sem(trials))
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.covers(found.value)
    assert not found.covers(high + 1e-9)


def test_copies_learn():
    learner = DecisionTreeClassifier()
    X, y = RNG.normal(size=(10, 2)), np.arange(10) % 2
    assert fitted(learner, X, y).predict(X).tolist() == y.tolist()
    assert not hasattr(learner, "classes_")
    assert fitted(learner, X, np.ones(10)).predict(X).tolist() == [1.0] * 10
    # A single number is no single class.
    assert isinstance(fitted(LinearRegression(), X, np.ones(10)), LinearRegression)


def test_errors_of_a_population():
    table = JointTable([[3, 1], [2, 2]])
    everyone = Population.of(table, 99, RNG)
    assert len(everyone.X) == 2
    assert everyone.error([0, 1], table.classes) == pytest.approx(3 / 8)
    assert everyone.error([1, 1], table.classes) == pytest.approx(5 / 8)
    line = NoisyFunction(lambda x: x, noise=0.5)
    everyone = Population.of(line, 99, RNG)
    assert everyone.error(np.zeros(len(everyone.X))) == pytest.approx(0.25 + 1 / 3)
    cloud = gaussian_classes(1, 2, bayes_error=0.2)
    assert len(Population.of(cloud, 99, RNG).X) == 99


def test_sources():
    require_source(gaussian_classes(1, 2), "sample", "mean")
    with pytest.raises(
        BadParameter,
        match=r"^source must have sample and best_polynomial, as those of assay\.data\.synthetic have, but JointTable "
        r"has no best_polynomial\.$",
    ):
        require_source(JointTable([[1, 1]]), "sample", "best_polynomial")
