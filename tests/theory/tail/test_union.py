"""The union bound, and shares of a failure probability that never add up to too much."""

import math
import re
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.tail.union import split, union_bound

deltas = st.one_of(
    st.floats(1e-300, 0.999999),
    st.fractions(Fraction(1, 10**6), Fraction(999_999, 10**6)).filter(lambda x: 0 < x < 1),
    st.decimals("1e-400", "0.9", allow_nan=False).map(str),
)
weights = st.lists(st.one_of(st.integers(1, 10**9), st.floats(1e-9, 1e9)), min_size=1, max_size=20)


def as_fraction(value) -> Fraction:
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


# The union bound.


def events(seed: int) -> np.ndarray:
    """Random events on forty equally likely points, as rows of flags."""
    rng = np.random.default_rng(seed)
    return rng.random((rng.integers(1, 6), 40)) < rng.random()


def breaks(bound) -> int:
    broken = 0
    for seed in range(300):
        flags = events(seed)
        some = Fraction(int(flags.any(axis=0).sum()), 40)
        broken += some > Fraction(bound([Fraction(int(row.sum()), 40) for row in flags]))
    return broken


def test_never_broken():
    assert breaks(union_bound) == 0


def test_the_largest_probability_is_not_enough():
    assert breaks(max) > 0


def test_met_by_disjoint_events():
    assert union_bound([0.25, 0.5, 0.25]) == 1.0
    assert union_bound([0.01] * 5) == 0.05
    assert union_bound([]) == 0.0
    assert union_bound([0.75, 0.75]) == 1.5


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), max_size=8), st.floats(0, 1))
def test_exact_and_growing(parts, more):
    total = sum((Fraction(repr(p)) for p in parts), Fraction(0))
    ours = union_bound(parts)
    assert Fraction(ours) >= total
    assert ours == pytest.approx(float(total), rel=1e-15)
    assert union_bound([*parts, more]) >= ours


@pytest.mark.parametrize(
    ("given_", "sentence"),
    [
        ([0.1, 1.5], "probabilities[1] must be a number between 0 and 1, but is 1.5."),
        ([math.nan], "probabilities[0] must be a number between 0 and 1, but is nan."),
        ([True], "probabilities[0] must be a number between 0 and 1, but is True."),
        (0.1, "probabilities must be a sequence of numbers, but is 0.1."),
        ("0.1", "probabilities must be a sequence of numbers, but is '0.1'."),
    ],
)
def test_refusals_of_the_bound(given_, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        union_bound(given_)


# Splitting.


def test_shares_as_people_write_them():
    assert split(0.05, 1) == ["0.05"]
    assert split("0.05", 2) == ["0.025", "0.025"]
    assert split(0.05, [3, 1, 1]) == ["0.03", "0.01", "0.01"]
    assert split(0.5, 3) == ["0.16666666666666666"] * 3
    assert split("1e-400", 4) == ["2.5e-401"] * 4


def check(shares: list[str], delta, parts: list) -> None:
    """Shares add up to at most delta, and each is its exact part up to the rounding."""
    whole = as_fraction(delta)
    exact = [Fraction(share) for share in shares]
    assert sum(exact) <= whole
    total = sum(as_fraction(weight) for weight in parts)
    for share, weight in zip(exact, parts, strict=True):
        due = whole * as_fraction(weight) / total
        assert 0 < share <= due
        assert due - share <= due / 10**15


@settings(max_examples=100)
@given(deltas, st.integers(1, 200))
def test_equal_shares(delta, parts):
    shares = split(delta, parts)
    assert len(set(shares)) == 1
    check(shares, delta, [1] * parts)


@settings(max_examples=100)
@given(deltas, weights)
def test_weighted_shares(delta, parts):
    check(split(delta, parts), delta, parts)


@given(deltas, weights)
def test_at_most_seventeen_digits(delta, parts):
    for share in split(delta, parts):
        assert re.fullmatch(r"\d+(\.\d+)?(e-\d+)?", share)
        digits = share.partition("e")[0].replace(".", "").lstrip("0")
        assert len(digits) <= 17


def test_rounding_to_nearest_would_overspend():
    nearest = [str(Context(prec=17, rounding=ROUND_HALF_EVEN).divide(Decimal("0.05"), 3))] * 3
    assert nearest[0] == "0.016666666666666667"
    with pytest.raises(AssertionError):
        check(nearest, 0.05, [1] * 3)


@pytest.mark.parametrize(
    ("delta", "parts", "sentence"),
    [
        (0, 2, "delta must be a number strictly between 0 and 1, but is 0."),
        (1, 2, "delta must be a number strictly between 0 and 1, but is 1."),
        (math.nan, 2, "delta must be a number strictly between 0 and 1, but is nan."),
        (0.05, 0, "parts must be a whole number of at least 1, but is 0."),
        (0.05, True, "parts must be a whole number of at least 1, but is True."),
        (0.05, 2.5, "parts must be a whole number of at least 1, but is 2.5."),
        (0.05, [], "parts must be at least one weight, but is []."),
        (0.05, [1, 0], "parts[1] must be a finite number above zero, but is 0."),
        (0.05, [math.inf], "parts[0] must be a finite number above zero, but is inf."),
    ],
)
def test_refusals_of_a_split(delta, parts, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        split(delta, parts)
