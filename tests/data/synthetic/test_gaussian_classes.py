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
    data = gaussian_classes(3, features, bayes_error=error, seed=seed)
    assert norm.cdf(-np.linalg.norm(data.center)) == pytest.approx(error, rel=1e-9)
    assert data.bayes_error == error


@pytest.mark.parametrize("error", [0.05, 0.3])
def test_the_best_rule_errs_as_often_as_it_should(error):
    rows = 20_000
    data = gaussian_classes(rows, 4, bayes_error=error, seed=2)
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
