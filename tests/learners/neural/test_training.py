"""Training: batches, what is set aside, and when it stops."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from assay import MLPClassifier
from tests.naive.network import objective

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
CODES = (X[:, 0] > 0).astype(np.int64)


def test_a_pass_shows_every_row_once():
    """At steps of nearly nothing its loss is the mean over all rows, whatever their order and batches."""
    how = {"solver": "sgd", "momentum": 0.0, "alpha": 0.0, "learning_rate_init": 1e-15}
    model = MLPClassifier(4, batch_size=8, random_state=0, **how).partial_fit(
        X, CODES, classes=[0, 1]
    )
    mean = objective(X, CODES, np.ones(40), model.coefs_, model.intercepts_, "relu", 0.0)
    assert model.loss_curve_ == [pytest.approx(mean, rel=1e-9)]
    assert model.t_ == 40
    steady = MLPClassifier(4, batch_size=8, random_state=0, shuffle=False).partial_fit(
        X, CODES, classes=[0, 1]
    )
    other = MLPClassifier(4, batch_size=8, random_state=0).partial_fit(X, CODES, classes=[0, 1])
    assert steady.coefs_[0].tolist() != other.coefs_[0].tolist()


def test_what_is_set_aside_is_not_learned():
    model = MLPClassifier(
        4, early_stopping=True, validation_fraction=0.25, max_iter=300, random_state=0
    )
    model.fit(X, CODES)
    assert model.t_ == 30 * model.n_iter_
    assert model.best_validation_score_ == max(model.validation_scores_)


def test_the_weights_are_those_of_the_best_score():
    fell, coins = 0, RNG.permutation(CODES)
    how = {"early_stopping": True, "validation_fraction": 0.5, "learning_rate_init": 0.5}
    for seed in range(6):
        # Without a hidden layer one draw of four weights comes before that of the rows.
        model = MLPClassifier((), random_state=seed, **how).fit(X, coins)
        rng = np.random.RandomState(seed)
        rng.uniform(size=4)
        _, aside = train_test_split(np.arange(40), random_state=rng, test_size=0.5, stratify=coins)
        scores = model.validation_scores_
        assert model.score(X[aside], coins[aside]) == max(scores)
        fell += scores[-1] < max(scores)  # it went on from there, and came back
    assert fell


def test_it_stops_when_the_loss_no_longer_falls():
    model = MLPClassifier(4, tol=10.0, n_iter_no_change=3).fit(X, CODES)
    # The first loss is below infinity by more than any tolerance.
    assert model.n_iter_ == 5


def test_a_score_of_zero_speaks_for_the_second_class_and_a_tie_for_the_first():
    model = MLPClassifier(()).partial_fit(X, CODES, classes=[0, 1])
    model.coefs_[0][...], model.intercepts_[0][...] = 0.0, 0.0
    assert model.predict(X[:2]).tolist() == [1, 1]
    model = MLPClassifier(()).partial_fit(X, CODES, classes=[0, 1, 2])
    model.coefs_[0][...], model.intercepts_[0][...] = 0.0, [1.0, 2.0, 2.0]
    assert model.predict(X[:2]).tolist() == [1, 1]
