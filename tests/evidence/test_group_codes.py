"""Columns that divide rows into groups, of every kind and in pieces."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadData
from assay.evidence import columns
from assay.evidence.columns import read_column
from assay.evidence.group_codes import group_codes
from tests.refusals import refuses

LEVELS = st.one_of(
    st.lists(st.one_of(st.none(), st.sampled_from(["f", "m", "", "x y", "ü"])), max_size=30),
    st.lists(st.one_of(st.none(), st.booleans()), max_size=30),
    st.lists(st.one_of(st.none(), st.integers(-4, 4)), max_size=30),
    st.lists(st.one_of(st.none(), st.sampled_from([0.5, 1.0, -2.0, 0.25])), max_size=30),
)


def levels_of(column, name="g"):
    coded = group_codes([name], [column])
    assert len(set(coded.levels)) == len(coded.levels)
    return [coded.levels[code][0] for code in coded.codes]


def same(value):
    return None if value == "" else value


@given(LEVELS)
def test_each_row_has_its_level(values):
    expected = list(map(same, values))
    assert levels_of(values) == expected
    for column in (pa.array(values), pd.Series(values, dtype=object), pl.Series(values)):
        assert levels_of(column) == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "pa", None)  # as where pyarrow is not installed
        assert levels_of(values) == expected
    if values and None not in values:
        assert levels_of(np.array(values)) == expected


@given(LEVELS, st.data())
def test_crossed_columns_are_pairs(values, data):
    other = data.draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    coded = group_codes(["g", "h"], [values, other])
    pairs = [coded.levels[code] for code in coded.codes]
    assert pairs == list(zip(map(same, values), other, strict=True))
    keep = np.array([n > 0 for n in other], dtype=bool)
    kept = coded.where(keep)
    assert [kept.levels[code] for code in kept.codes] == [
        p for p, k in zip(pairs, keep, strict=True) if k
    ]
    assert {kept.levels[code] for code in kept.codes} == set(kept.levels)


@pytest.mark.parametrize(
    ("column", "levels"),
    [
        (pd.Series(["f", None, "m"], dtype="category"), ["f", None, "m"]),
        (pd.Series(["f", None, "m"], dtype="string"), ["f", None, "m"]),
        (pa.array(["f", "m", "f"]).dictionary_encode(), ["f", "m", "f"]),
        (pd.Series([1, None, 2], dtype="Int64"), [1, None, 2]),
        (np.array([1.0, np.nan, 2.0]), [1, None, 2]),
        (np.array([0.5, np.nan, 1.0], dtype=np.float32), [0.5, None, 1]),
        (np.ma.masked_array([1, 2, 3], [False, True, False]), [1, None, 3]),
        (pd.Series([None, None], dtype=object), [None, None]),
        (np.array([np.nan, np.nan]), [None, None]),
        (np.array([-0.0, 0.0, 0.5]), [0, 0, 0.5]),
        (np.array([2**60, 2**60 + 1]), [2**60, 2**60 + 1]),
    ],
)
def test_odd_columns(column, levels):
    found = levels_of(column)
    assert found == levels
    assert list(map(type, found)) == list(map(type, levels))


def test_quantities_and_names_are_refused():
    few = "which are no groups: bin them first, such as ages into bands."
    for numbers in (np.arange(51), np.arange(51) / 7, np.arange(10**6) / 3):
        with refuses(f"age holds numbers of more than 50 different values, {few}", BadData):
            group_codes(["age"], [numbers])
    assert len(group_codes(["age"], [np.arange(50)]).levels) == 50
    names = "so many are names. Bin them first, or leave the column out."
    with refuses(f"id would make more than 500 groups; {names}", BadData):
        group_codes(["id"], [[f"p{i}" for i in range(501)]])
    crossed = np.arange(1200)
    with refuses(f"a and b would make more than 500 groups; {names}", BadData):
        group_codes(["a", "b"], [crossed % 40, crossed // 40])
    with refuses(
        "essay holds a text of 201 characters, which names no group; the longest may have 200.",
        BadData,
    ):
        group_codes(["essay"], [["x" * 201, "y"]])
    with refuses("x holds an infinite number, which is of no group. Leave it out.", BadData):
        group_codes(["x"], [[0.5, float("inf")]])
    with pytest.raises(BadData, match=r"day holds values of type .* Turn the column into text"):
        group_codes(["day"], [[datetime.date(2020, 1, 1)]])
    with refuses(
        "a has 2 rows, but b has 3; groups need one value of each for every row.", BadData
    ):
        group_codes(["a", "b"], [[1, 2], [1, 2, 3]])


def test_an_arrow_column_is_read_as_it_is():
    column = read_column(["f", "m", None], "g")
    assert levels_of(column) == ["f", "m", None]
