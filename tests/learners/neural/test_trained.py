"""A network that is kept: what belongs together, and what a changed file may not hold."""

from __future__ import annotations

import numpy as np
import pytest

from assay import MLPClassifier
from tests.learners.model_files import reopened

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))
Y = np.arange(30) % 2


@pytest.fixture
def model():
    told = {"random_state": 0, "max_iter": 3, "tol": 10.0, "n_iter_no_change": 1}
    return MLPClassifier((4,), **told).fit(X, Y)


def test_weights_are_views_of_one_vector(model):
    assert [part.shape for part in model.coefs_] == [(3, 4), (4, 1)]
    assert [part.shape for part in model.intercepts_] == [(4,), (1,)]
    model.coefs_[0][0, 0] = 7.0
    assert model.parameters_[0] == 7.0
    assert (model.n_layers_, model.n_outputs_, model.out_activation_) == (3, 1, "logistic")


def test_what_is_whole_is_taken(model):
    reopened(model)
    reopened(MLPClassifier())


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("layers_", (3, 5, 1), "its weights do not fit its layers"),
        ("layers_", (3, 4, 3), "its weights do not fit its layers"),
        ("n_features_in_", 4, "its weights do not fit its layers"),
        ("moments_", np.zeros((2, 3)), "is of another kind or size"),
        ("moments_", np.zeros((2, 21), "f4"), "its weights do not fit its layers"),
        ("training_errors_", 31, "is of another kind or size"),
        ("feature_names_in_", np.array(["a"]), "feature_names_in_ is of another kind or size"),
        ("alpha", -1.0, "alpha must be a finite number, zero or more, but is -1.0."),
    ],
)
def test_what_does_not_belong_together_is_refused(model, name, value, sentence):
    setattr(model, name, value)
    with pytest.raises(ValueError, match=sentence):
        reopened(model)


def test_a_part_that_is_missing(model):
    del model.stalled_
    with pytest.raises(ValueError, match="it has no stalled_"):
        reopened(model)


def test_going_on_changes_nothing_that_was_handed_out(model):
    before = model.parameters_
    kept = before.copy()
    model.partial_fit(X, Y)
    assert before.tobytes() == kept.tobytes()
    assert model.parameters_ is not before
