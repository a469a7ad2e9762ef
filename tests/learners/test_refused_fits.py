"""A fit that is refused, on rows of another width, leaves every learner as it was."""

from __future__ import annotations

import functools
import inspect
import warnings

import numpy as np
import pytest
from sklearn.utils.validation import has_fit_parameter

from tests.learners.model_files import SAMPLES, X, fresh, targets

NARROW, WIDE = X[:60, :4], X[:60]


def bad_cell(y):
    """The last number of all is none."""
    wide = WIDE.copy()
    wide[-1, -1] = np.inf
    return wide, y, {}


def bad_target(y):
    """The last target is no number, or labels are measured."""
    measured = np.linspace(0.0, 1.0, len(y))
    return WIDE, np.append(y[:-1], np.nan) if y.dtype.kind == "f" else measured, {}


def bad_weights(y):
    """One weight is no number: seen by some learners only when rows and targets were found good."""
    return WIDE, y, {"sample_weight": np.append(np.ones(len(y) - 1), np.nan)}


WEIGHTED = [name for name in SAMPLES if has_fit_parameter(fresh(name), "sample_weight")]
CASES = [(name, spoil) for name in SAMPLES for spoil in (bad_cell, bad_target)]
CASES += [(name, bad_weights) for name in WEIGHTED]


def learn(fit, rows, y, how):
    return fit(rows, y, **how)


def fitted(name):
    y = targets(name)[: len(NARROW)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that a search stopped early
        return fresh(name).fit(NARROW, y), y


@pytest.mark.parametrize(("name", "spoil"), CASES)
def test_a_refused_fit_of_another_width_changes_nothing(name, spoil):
    model, y = fitted(name)
    held, answers = dict(vars(model)), model.predict(NARROW)
    with pytest.raises(ValueError, match=r"^\w+ .* \w") as refusal:
        learn(model.fit, *spoil(y))
    assert "was learned" not in str(refusal.value)
    assert vars(model).keys() == held.keys()
    assert all(vars(model)[key] is value for key, value in held.items())
    np.testing.assert_array_equal(model.predict(NARROW), answers)
    with pytest.raises(ValueError, match=r"^X has 6 features, but \w+ is expecting 4 features"):
        model.predict(WIDE)


@pytest.mark.parametrize(
    ("name", "spoil"),
    [("perceptron", bad_cell), ("decision-stump", bad_target), ("linear-regression", bad_weights)],
)
def test_without_that_rule_a_learner_takes_the_other_width_for_its_own(name, spoil):
    model, y = fitted(name)
    careless = inspect.unwrap(type(model).fit)
    with pytest.raises(ValueError, match=r"\w"):
        learn(functools.partial(careless, model), *spoil(y))
    assert model.n_features_in_ == 6
