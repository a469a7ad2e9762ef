"""A learner beside the best rule: never better, near it with many rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeRegressor

from assay import BernoulliNB, GaussianNB, against_bayes
from assay.data.synthetic import JointTable, NoisyFunction, gaussian_classes
from assay.errors import BadParameter
from assay.play.trials import Population
from assay.theory.generalization.bayes import bayes_classifier_error

TABLE = JointTable([[3, 1], [2, 2], [1, 5]], labels=["no", "yes"])


def test_no_learner_beats_the_best_rule():
    for learner in (KNeighborsClassifier(1), BernoulliNB()):
        found = against_bayes(learner, TABLE, rows=20, trials=30, random_state=0)
        assert found.promised == bayes_classifier_error([[3, 1], [2, 2], [1, 5]])
        assert found.holds
        assert found.least_excess >= -1e-15
        assert found.error.value == pytest.approx(found.promised + found.excess.value)


def test_a_rule_that_saw_the_labels_it_is_judged_by_would():
    """Counted on drawn labels, as is often done, rote learning looks better than the best rule."""
    X, y = TABLE.sample(12, random_state=1)
    rote = KNeighborsClassifier(1).fit(X, y)
    assert (rote.predict(X) != y).mean() < TABLE.bayes_error
    everyone = Population.of(TABLE, 1, np.random.default_rng(0))
    assert everyone.error(rote.predict(everyone.X), TABLE.classes) >= TABLE.bayes_error


def test_many_rows_come_near():
    source = gaussian_classes(1, 3, bayes_error=0.15, random_state=0)
    few, many = (
        against_bayes(GaussianNB(), source, rows=m, trials=15, at=3000, random_state=0)
        for m in (10, 2000)
    )
    assert many.excess.value < 0.005 < few.excess.value
    assert many.promised == 0.15
    assert many.theorem == "bayes-classifier-error"
    assert str(many).splitlines()[1] == "  promised at least 0.15 by bayes-classifier-error"


def test_numbers():
    source = NoisyFunction(np.cos, noise=0.4)
    found = against_bayes(DecisionTreeRegressor(), source, rows=50, trials=10, random_state=0)
    assert found.promised == pytest.approx(0.16)
    assert found.theorem == "bayes-regressor"
    assert found.holds
    # A tree that repeats noisy numbers errs by the noise twice.
    assert found.error.value == pytest.approx(0.32, abs=0.05)
    wide = NoisyFunction(lambda X: X.sum(axis=1), noise=0.4, features=2)
    assert against_bayes(
        DecisionTreeRegressor(), wide, rows=50, trials=3, at=200, random_state=0
    ).holds


def test_refusals():
    with pytest.raises(BadParameter, match="but NoneType has no sample"):
        against_bayes(GaussianNB(), None, rows=5)
    with pytest.raises(
        BadParameter, match=r"^delta must be a number strictly between 0 and 1, but is 95\.$"
    ):
        against_bayes(GaussianNB(), TABLE, rows=5, delta=95)
