"""Errors of predicted numbers: nothing is rounded in the model's favour."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadData
from assay.evidence.quantities import Quantities, digest_numbers, read_quantities

numbers = st.one_of(
    st.floats(-1e6, 1e6), st.sampled_from([0.1, 0.2, 0.3, 1e-17, 1.0, 1e16, -0.1, 2.0**-60])
)
pairs = st.lists(st.tuples(numbers, numbers), min_size=1, max_size=12)


def exact(seen):
    return sorted(
        abs(Fraction(float(y)) - Fraction(float(p)))
        for y, p in zip(seen.truth, seen.predicted, strict=True)
    )


@settings(max_examples=100)
@given(pairs, st.data())
def test_ranks_and_counts_are_those_of_fractions(rows, data):
    seen = Quantities(*map(np.array, zip(*rows, strict=True)))
    scores = exact(seen)
    rank = data.draw(st.integers(1, len(rows)))
    shown = Fraction(seen.score(rank))
    assert shown >= scores[rank - 1]
    assert shown - scores[rank - 1] <= 2 * Fraction(np.spacing(float(shown)))
    limit = data.draw(st.sampled_from([*scores, Fraction(1, 10), Fraction("0.30000000000000004")]))
    assert int(seen.beyond(limit).sum()) == sum(score > limit for score in scores)


@settings(max_examples=100)
@given(pairs, st.booleans())
def test_losses_are_never_below_those_of_fractions(rows, squared):
    seen = Quantities(*map(np.array, zip(*rows, strict=True)))
    low, high = Fraction(-(10**17)), Fraction("100000000000000000.1")
    losses = seen.losses(low, high, squared=squared)
    for y, p, loss in zip(seen.truth, seen.predicted, losses, strict=True):
        off = abs(Fraction(float(y)) - Fraction(float(p))) / (high - low)
        assert Fraction(float(loss)) >= (off**2 if squared else off)


def test_many_ties_are_decided_too():
    seen = Quantities(np.full(20_001, 0.3), np.full(20_001, 0.1))
    assert Fraction(seen.score(20_001)) >= Fraction(0.3) - Fraction(0.1)


def test_a_number_outside_the_range_is_refused():
    seen = Quantities(np.array([0.0, 0.3]), np.zeros(2))
    assert seen.losses(Fraction(0), Fraction("0.3"), squared=False).max() <= 1
    with pytest.raises(BadData, match=r"must lie in the declared range, but row 2 holds 0\.3"):
        seen.losses(Fraction(0), Fraction("0.29999"), squared=False)


@pytest.mark.parametrize(
    ("truth", "sentence"),
    [
        ([1.0, None], "row 2"),
        ([1.0, np.inf], "truth holds inf in row 2"),
        (["a", "b"], "truth holds text, not numbers"),
        ([2**53, 1], "too large to be a double"),
        ([1.0], "must have the same number of rows"),
    ],
)
def test_what_cannot_be_read_is_refused(truth, sentence):
    with pytest.raises(BadData, match=sentence):
        read_quantities([(truth, [1.0, 2.0])])


def test_zero_has_one_name():
    assert digest_numbers(np.array([0.0, 0.5])) == digest_numbers(np.array([-0.0, 0.5]))
    assert digest_numbers(np.array([0.25, 0.5])) != digest_numbers(np.array([0.5, 0.25]))
