import math
import re
from fractions import Fraction
from itertools import product

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.boosting.bootstrap import bootstrap_out_of_bag


def test_known_values():
    for m, value in ((10, 0.348678), (100, 0.366032), (1000, 0.367695)):
        assert bootstrap_out_of_bag(m) == pytest.approx(value, rel=1e-5)
    assert bootstrap_out_of_bag(10**9) == pytest.approx(0.367879, rel=1e-5)
    assert bootstrap_out_of_bag(1) == 0.0
    assert bootstrap_out_of_bag(1, draws=0) == bootstrap_out_of_bag(7, draws=0) == 1.0


@pytest.mark.parametrize(("m", "n"), [(1, 2), (2, 3), (3, 3), (4, 2), (3, 5)])
def test_every_bag(m, n):
    bags = list(product(range(m), repeat=n))
    missed = Fraction(sum(0 not in bag for bag in bags), len(bags))
    assert bootstrap_out_of_bag(m, n) == pytest.approx(float(missed), rel=1e-15)
    assert Fraction(bootstrap_out_of_bag(m, n)) >= missed
    distinct = Fraction(sum(len(set(bag)) for bag in bags), len(bags) * m)
    assert distinct == 1 - missed


def test_drawing_without_replacement_would_be_another_number():
    without = Fraction(3 - 2, 3)
    assert bootstrap_out_of_bag(3, 2) != pytest.approx(float(without), rel=1e-3)


@given(st.integers(2, 10**7), st.integers(0, 10**7))
def test_never_below_the_exact_value(m, n):
    with mpmath.workdps(60):
        value = mpmath.power(1 - mpmath.mpf(1) / m, n)
        limit = mpmath.exp(-1)
    assert value * (1 - mpmath.mpf(10) ** -40) <= bootstrap_out_of_bag(m, n)
    assert bootstrap_out_of_bag(m, n) <= value * (1 + 1e-11) + 1e-300
    assert bootstrap_out_of_bag(m) <= limit * (1 + 1e-14)


@given(st.integers(2, 4000), st.integers(0, 4000))
def test_monotone(m, n):
    assert bootstrap_out_of_bag(m, n) >= bootstrap_out_of_bag(m, n + 1)
    assert bootstrap_out_of_bag(m, n) <= bootstrap_out_of_bag(m + 1, n)
    assert bootstrap_out_of_bag(m) <= bootstrap_out_of_bag(m + 1)


@pytest.mark.parametrize("bad", [0, -1, 1.5, math.nan, math.inf, True])
def test_rows_refused(bad):
    sentence = f"rows must be a whole number of at least 1, but is {bad!r}."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        bootstrap_out_of_bag(bad)


@pytest.mark.parametrize("bad", [-1, 1.5, math.nan, math.inf, True])
def test_draws_refused(bad):
    sentence = f"draws must be a whole number of at least 0, but is {bad!r}."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        bootstrap_out_of_bag(10, bad)
