import math
import re
from fractions import Fraction
from itertools import product

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from assay.errors import BadParameter
from assay.theory.boosting.crowd import crowd_majority_error

FORMS = ("exact", "refined", "hoeffding", "chernoff", "simplified")
odd = st.integers(0, 100).map(lambda t: 2 * t + 1)
edges = st.just(0.0) | st.floats(1e-6, 0.5)


def test_eleven_voters():
    found = {form: crowd_majority_error(11, 0.1, form) for form in FORMS}
    assert found == pytest.approx(
        {
            "exact": 0.246502,
            "chernoff": 0.823708,
            "simplified": 0.960789,
            "hoeffding": 0.802519,
            "refined": 0.627850,
        },
        rel=1e-5,
    )


def test_the_sum_must_start_at_zero():
    """Leaving out "all voters wrong" gives .246460 here, and no error at all for a single voter."""
    p = Fraction(6, 10)
    started_late = sum(math.comb(11, i) * p**i * (1 - p) ** (11 - i) for i in range(1, 6))
    assert float(started_late) == pytest.approx(0.246460, rel=1e-5)
    assert started_late < crowd_majority_error(11, 0.1)
    assert crowd_majority_error(1, 0.1) == 0.4


@pytest.mark.parametrize("n", [1, 3, 5, 7])
@pytest.mark.parametrize("edge", [Fraction(0), Fraction(1, 10), Fraction(1, 3), Fraction(1, 2)])
def test_every_outcome_of_a_small_crowd(n, edge):
    p = Fraction(1, 2) + edge
    wrong = Fraction(0)
    for votes in product((0, 1), repeat=n):
        if 2 * sum(votes) < n:
            wrong += p ** sum(votes) * (1 - p) ** (n - sum(votes))
    found = crowd_majority_error(n, edge)
    assert Fraction(found) >= wrong
    assert found == pytest.approx(float(wrong), rel=1e-15)
    for form in FORMS:
        assert crowd_majority_error(n, edge, form) >= wrong


@settings(max_examples=50)
@given(odd, edges)
def test_the_order_of_the_forms(n, edge):
    found = {form: crowd_majority_error(n, edge, form) for form in FORMS}
    assert found["exact"] == pytest.approx(binom.cdf(n // 2, n, 0.5 + edge), rel=1e-9, abs=1e-300)
    slack = 1 + 1e-12
    for form in FORMS:
        assert found["exact"] <= found[form] * slack
        assert form == "exact" or found["refined"] <= found[form] * slack
    assert found["hoeffding"] <= found["simplified"] * slack


@settings(max_examples=50)
@given(odd, edges)
def test_never_below_the_exact_value(n, edge):
    with mpmath.workdps(60):
        g, t = mpmath.mpf(repr(edge)), n // 2
        p = mpmath.mpf(1) / 2 + g
        mean = n * p
        exact = {
            "exact": mpmath.fsum(
                mpmath.binomial(n, i) * p**i * (1 - p) ** (n - i) for i in range(t + 1)
            ),
            "refined": mpmath.exp(-2 * (n * g + 0.5) ** 2 / n),
            "hoeffding": mpmath.exp(-2 * n * g**2),
            "chernoff": mpmath.exp(-((mean - t) ** 2) / (2 * mean)),
            "simplified": mpmath.exp(-4 * g**2 * t / 5),
        }
    for form, value in exact.items():
        assert value * (1 - mpmath.mpf(10) ** -40) <= crowd_majority_error(n, edge, form)
        assert crowd_majority_error(n, edge, form) <= value * (1 + 1e-12) + 1e-300


def test_too_eager_an_exponent_is_rejected():
    """Twice Hoeffding's exponent falls below the exact error: the bounds above are not idle."""
    n, edge = 101, 0.1
    assert math.exp(-4 * n * edge**2) < crowd_majority_error(n, edge)
    assert math.exp(-2 * n * edge**2) >= crowd_majority_error(n, edge)


@settings(max_examples=50)
@given(odd, st.floats(1e-6, 0.25))
def test_monotone(n, edge):
    for form in FORMS:
        here = crowd_majority_error(n, edge, form)
        assert here >= crowd_majority_error(n, 2 * edge, form)
        # Two more voters help, but the half vote and Chernoff's mean are worth less in a larger crowd.
        if form in ("exact", "hoeffding", "simplified"):
            assert crowd_majority_error(n + 2, edge, form) <= here * (1 + 1e-12)


def test_a_large_crowd_is_exact_too():
    found = crowd_majority_error(2001, 0.05)
    assert found == pytest.approx(binom.cdf(1000, 2001, 0.55), rel=1e-9)


@pytest.mark.parametrize(
    ("voters", "edge", "form", "sentence"),
    [
        (0, 0.1, "exact", "voters must be a whole number of at least 1, but is 0."),
        (-3, 0.1, "exact", "voters must be a whole number of at least 1, but is -3."),
        (True, 0.1, "exact", "voters must be a whole number of at least 1, but is True."),
        (math.nan, 0.1, "exact", "voters must be a whole number of at least 1, but is nan."),
        (4, 0.1, "exact", "voters must be an odd number, so that no vote is tied, but is 4."),
        (3, -0.1, "exact", "edge must be a finite number, zero or more, but is -0.1."),
        (3, math.nan, "exact", "edge must be a finite number, zero or more, but is nan."),
        (3, math.inf, "exact", "edge must be a finite number, zero or more, but is inf."),
        (3, True, "exact", "edge must be a finite number, zero or more, but is True."),
        (3, 0.6, "exact", "edge must be at most 1/2, but is 0.6."),
        (
            3,
            0.1,
            "sharp",
            "form must be one of 'exact', 'refined', 'hoeffding', 'chernoff', 'simplified', "
            "but is 'sharp'.",
        ),
    ],
)
def test_refusals(voters, edge, form, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        crowd_majority_error(voters, edge, form)
