"""A sample that is refused changes nothing, and a learner without that rule would answer from beyond its rows."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest

from assay import (
    BernoulliNB,
    GaussianNB,
    KNeighborsClassifier,
    KNeighborsRegressor,
    MLPClassifier,
    RadiusNeighborsClassifier,
    RadiusNeighborsRegressor,
)
from assay.errors import BadData
from assay.learners.common import all_or_nothing, forget

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 5)), np.arange(40) % 2
MEASURED, HUGE = (X, np.linspace(0, 1, 40)), (X * 1e200, Y)
CASES = [
    (KNeighborsClassifier(), MEASURED),
    (KNeighborsClassifier(metric="mahalanobis"), HUGE),
    (KNeighborsRegressor(), HUGE),
    (RadiusNeighborsClassifier(9.0), MEASURED),
    (RadiusNeighborsClassifier(9.0), HUGE),
    (RadiusNeighborsRegressor(9.0), HUGE),
    (GaussianNB(), MEASURED),
    (GaussianNB(), HUGE),
    (BernoulliNB(), MEASURED),
    (BernoulliNB(binarize=None), (X, Y)),
    (MLPClassifier(3, solver="lbfgs", max_iter=500, tol=1.0, random_state=0), MEASURED),
]


@pytest.mark.parametrize(("model", "refused"), CASES)
def test_a_refused_sample_changes_nothing(model, refused):
    narrow = np.sign(np.maximum(X[:, :3], 0))
    model.fit(narrow, Y)
    before, answers = pickle.dumps(vars(model)), model.predict(narrow)
    with pytest.raises(BadData):
        model.fit(*refused)
    assert pickle.dumps(vars(model)) == before
    np.testing.assert_array_equal(model.predict(narrow), answers)
    with pytest.raises(ValueError, match="3 features"):
        model.predict(X)


def test_without_it_a_learner_takes_rows_that_are_wider_than_its_own():
    model = GaussianNB().fit(X[:, :3], Y)
    careless = inspect.unwrap(GaussianNB.fit)
    with pytest.raises(BadData):
        careless(model, *MEASURED)
    assert model.n_features_in_ == 5


def test_a_first_chunk_that_is_refused_leaves_nothing():
    model = GaussianNB()
    with pytest.raises(BadData):
        model.partial_fit(*HUGE, classes=[0, 1])
    assert vars(model) == vars(GaussianNB())


def test_an_interrupt_is_a_refusal_too():
    class Learner:
        old_ = 1

        @all_or_nothing
        def fit(self):
            """Learn."""
            forget(self)
            self.new_ = 2
            raise KeyboardInterrupt

    learner = Learner()
    learner.old_ = 3
    with pytest.raises(KeyboardInterrupt):
        learner.fit()
    assert vars(learner) == {"old_": 3}
    assert Learner.fit.__doc__ == "Learn."
