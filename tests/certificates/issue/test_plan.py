import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from assay import plan
from assay.certificates.issue.asked import errors_allowed
from assay.errors import BadParameter
from assay.theory.rounding import as_fraction
from assay.theory.tail.binomial import holdout_exact

GOLDEN = [
    # error, expected, power, rows, errors allowed, rows by Hoeffding
    (0.05, 0.02, 0.5, 124, 2, 1665),
    (0.05, 0.02, 0.9, 311, 9, 1665),
    (0.05, 0.04, 0.9, 3701, 163, 14979),
    (0.02, 0.01, 0.9, 1271, 17, 14979),
    (0.1, 0.05, 0.9, 239, 16, 600),
    (0.01, 0, 1, 299, 0, 14979),
    (0.05, 0, 0.9, 59, 0, 600),
]


@pytest.mark.parametrize(("error", "expected", "power", "rows", "allowed", "hoeffding"), GOLDEN)
def test_published_plans(error, expected, power, rows, allowed, hoeffding):
    found = plan(error, 0.05, expected=expected, power=power)
    assert (found.rows, found.errors_allowed) == (rows, allowed)
    assert found.textbook == ("validation-hoeffding", hoeffding)


def test_tiny_failure_probabilities():
    assert plan(0.001, 0.001).rows == 6905


@settings(max_examples=10)
@given(
    st.sampled_from([0.05, 0.1, 0.2, 0.3]),
    st.sampled_from([0.3, 0.6, 0.8]),
    st.sampled_from([0.5, 0.8, 0.95]),
    st.sampled_from([0.1, 0.05, 0.01]),
)
def test_no_smaller_holdout_would_do(error, ratio, power, delta):
    found = plan(error, delta, expected=error * ratio, power=power)
    assume(found.rows <= 800)

    def enough(rows):
        # The most errors with which the error can still be promised, by plain search.
        allowed = stats.binom.cdf(np.arange(rows), rows, error) <= delta
        return allowed[0] and stats.binom.cdf(allowed.sum() - 1, rows, error * ratio) >= power

    assert enough(found.rows)
    assert not any(enough(rows) for rows in range(1, found.rows))
    assert found.errors_allowed == errors_allowed(
        found.rows, as_fraction(error), as_fraction(delta)
    )
    assert holdout_exact(found.errors_allowed, found.rows, delta) <= error
    assert holdout_exact(found.errors_allowed + 1, found.rows, delta) > error


def test_training_rows_by_the_theorem_that_fits():
    rows = {
        plan(0.1, class_size=1000).theorem: plan(0.1, class_size=1000).textbook,
        plan(0.1, class_size=1000, agnostic=True).theorem: plan(
            0.1, class_size=1000, agnostic=True
        ).rows,
        plan(0.1, vc_dimension=3).theorem: plan(0.1, vc_dimension=3).rows,
    }
    assert rows == {
        "occam-finite-class": ("occam-finite-class", 100),
        "agnostic-erm-finite": 2120,
        "vc-occam-sauer": 680,
    }


def test_bits_are_a_class_of_two_to_the_bits():
    assert plan(0.1, bits=10).rows == plan(0.1, class_size=1024).rows


def test_agnostic_vc_halves_the_excess():
    uniform = plan(0.2, vc_dimension=2, agnostic=True)
    assert uniform.theorem == "vc-uniform-growth"
    assert uniform.rows == 19898  # uniform convergence within 0.1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"error": 0}, "error must be a number strictly between 0 and 1, but is 0."),
        ({"error": float("nan")}, "error must be a number strictly between 0 and 1, but is nan."),
        ({"error": 0.05, "delta": 1}, "delta must be a number strictly between 0 and 1, but is 1."),
        (
            {"error": 0.05, "expected": 0.05},
            "expected must be below the error 0.05 to be promised, but is 0.05.",
        ),
        (
            {"error": 0.05, "expected": 0.02, "power": 1},
            "power must be below one unless no error is expected, but is 1.0.",
        ),
        (
            {"error": 0.05, "bits": 3, "class_size": 8},
            "The class is given by one of class_size, bits, vc_dimension, not by class_size, bits.",
        ),
        (
            {"error": 0.05, "agnostic": True},
            "agnostic must be given with class_size, bits or vc_dimension, but is True.",
        ),
    ],
)
def test_refusals(arguments, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        plan(**arguments)
