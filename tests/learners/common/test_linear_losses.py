"""Losses of the gradient learners: scikit-learn's names, the textbooks' names, and refusals."""

from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier as Classifier
from sklearn.linear_model import SGDRegressor as Regressor

from assay import OnlineGradientDescent, SGDClassifier, SGDRegressor
from tests.refusals import refuses

X = np.random.default_rng(0).normal(size=(20, 2))
Y = np.where(X[:, 0] > 0, 1, -1)
SLOW = {"learning_rate": "constant", "eta0": 0.01}


@pytest.mark.parametrize("pair", [("log_loss", "logistic"), ("squared_error", "squared")])
@pytest.mark.parametrize("learner", [OnlineGradientDescent, partial(SGDClassifier, **SLOW)])
def test_scikit_learns_names_and_the_textbooks_mean_the_same(learner, pair):
    one, other = (learner(loss=name).partial_fit(X, Y, classes=[-1, 1]) for name in pair)
    assert one.coef_.tobytes() == other.coef_.tobytes()


def test_every_loss_of_scikit_learn_is_known():
    for ours, theirs, more in (
        (SGDClassifier, Classifier, {"classes": [-1, 1]}),
        (SGDRegressor, Regressor, {}),
    ):
        for loss in theirs.loss_functions:
            assert np.isfinite(ours(loss=loss, **SLOW).partial_fit(X, Y, **more).coef_).all()


def test_refusals():
    known = (
        "hinge, perceptron, log_loss, logistic, squared_error, squared, exponential, "
        "epsilon_insensitive"
    )
    for loss in ("modified_huber", 1):
        with refuses(f"loss must be one of {known}, but is {loss!r}."):
            OnlineGradientDescent(loss=loss).fit(X, Y)
    with refuses(
        "loss must be one of squared_error, squared, huber, epsilon_insensitive, "
        "squared_epsilon_insensitive, but is 'log_loss'."
    ):
        SGDRegressor("log_loss").fit(X, Y)
