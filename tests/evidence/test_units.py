"""Counting units: the definition, every kind of column, refusals."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadData
from assay.evidence.units import unit_codes, unit_counts
from tests.refusals import refuses


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abcdef")), min_size=1, max_size=60))
def test_every_unit_is_counted_once(rows):
    wrong, unit = zip(*rows, strict=True)
    errors, sizes = Counter(u for w, u in rows if w), Counter(unit)
    kinds = Counter((errors[u], sizes[u]) for u in sizes)
    assert unit_counts(wrong, unit) == tuple(sorted((e, r, n) for (e, r), n in kinds.items()))


@pytest.mark.parametrize(
    "unit",
    [
        ["x", "x", "y"],
        [7, 7, 8],
        np.array([7.5, 7.5, 8.0]),
        np.array([[7], [7], [8]]),
        np.array([True, True, False]),
        pa.array(["x", "x", "y"]).dictionary_encode(),
        pa.chunked_array([["x"], ["x", "y"]]),
    ],
)
def test_any_column_names_units(unit):
    assert unit_counts([1, 0, 0], unit) == ((0, 1, 1), (1, 2, 1))


@pytest.mark.parametrize("unit", [["x", None, "y"], ["x", "", "y"], np.array([1.0, np.nan, 2.0])])
def test_a_row_without_a_unit_is_refused(unit):
    sentence = "unit has no value in row 2; every row needs one. Fill it in, or leave the row out."
    with pytest.raises(BadData) as refusal:
        unit_codes(unit)
    assert str(refusal.value) == sentence


def test_refuses_what_does_not_fit():
    with refuses("unit must be one name for each of 3 rows, but is 2."):
        unit_counts([True, False, True], ["x", "y"])
    with refuses("unit must be given for at least one row, but is 'empty'."):
        unit_counts([], [])
