from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, norm

from assay.data.synthetic.gaussian_classes import gaussian_classes
from assay.errors import BadParameter
from tests.data.reading import refuses


@given(st.floats(1e-6, 0.499), st.integers(1, 10), st.integers(0, 50))
def test_the_means_are_as_far_apart_as_the_error_asks(error, features, seed):
    data = gaussian_classes(3, features, bayes_error=error, random_state=seed)
    assert norm.cdf(-np.linalg.norm(data.center)) == pytest.approx(error, rel=1e-9)
    assert data.bayes_error == error


@pytest.mark.parametrize("error", [0.05, 0.3])
def test_the_best_rule_errs_as_often_as_it_should(error):
    rows = 20_000
    data = gaussian_classes(rows, 4, bayes_error=error, random_state=2)
    errors = int((data.bayes_rule(data.X) != data.y).sum())
    assert 1e-6 < binom.cdf(errors, rows, error) < 1 - 1e-6
    # Another rule errs more often.
    other = np.where(data.X[:, 0] >= 0, 1.0, -1.0)
    assert (other != data.y).sum() > errors


@pytest.mark.parametrize("error", [0.0, 0.5, -1, math.nan, True, "0.1"])
def test_bad_errors(error):
    with refuses(
        f"bayes_error must be a number strictly between 0 and 0.5, but is {error!r}.", BadParameter
    ):
        gaussian_classes(5, 2, bayes_error=error)


def test_further_draws_follow_the_same_distribution():
    data = gaussian_classes(10, 4, bayes_error=0.15, random_state=2)
    X, y = data.sample(40_000, random_state=1)
    assert (data.bayes_rule(X) != y).mean() == pytest.approx(0.15, abs=0.01)
    assert (X * y[:, None]).mean(axis=0) == pytest.approx(data.center, abs=0.03)
    assert data.classes.tolist() == [-1.0, 1.0]


def test_probabilities_are_those_of_the_densities():
    data = gaussian_classes(1, 3, bayes_error=0.1, random_state=5)
    X, _ = data.sample(200, random_state=1)
    density = [np.exp(-0.5 * ((X - side * data.center) ** 2).sum(axis=1)) for side in (-1, 1)]
    wanted = np.column_stack(density) / np.sum(density, axis=0)[:, None]
    np.testing.assert_allclose(data.probabilities(X), wanted, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(data.mean(X), wanted[:, 1] - wanted[:, 0], atol=1e-12)
    np.testing.assert_allclose(data.variance(X), 4 * wanted[:, 0] * wanted[:, 1], atol=1e-12)
    many = data.outcomes(np.repeat(X[:1], 20_000, axis=0), random_state=2)
    assert (many == 1).mean() == pytest.approx(wanted[0, 1], abs=0.02)
    assert (1 - data.probabilities(X).max(axis=1)).mean() == pytest.approx(0.1, abs=0.04)
