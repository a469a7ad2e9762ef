"""Rows and errors by group, in pieces of any size, and the units in each."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadData
from assay.evidence.evidence import Evidence, from_labels, from_pairs, from_units
from assay.evidence.groups import GroupTally, merge_groups, missing_noted
from tests.refusals import refuses

ROWS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.integers(0, 2),
        st.sampled_from(["f", "m", None]),
        st.sampled_from(["a", "b"]),
        st.integers(0, 4),
    ),
    min_size=1,
    max_size=60,
)


def columns(rows):
    return [list(column) for column in zip(*rows, strict=True)]


def pieces(rows, cuts):
    edges = sorted({0, len(rows), *(cut % len(rows) for cut in cuts)})
    return [rows[i:j] for i, j in itertools.pairwise(edges)]


def read(rows, cuts, *, unit=False):
    tally = GroupTally([("sex",), ("sex", "place")], keep=unit)

    def chunks():
        for part in pieces(rows, cuts):
            truth, guess, sex, place, units = columns(part)
            held = [[sex], [sex, place]]
            yield (truth, guess, units, held) if unit else (truth, guess, held)

    reader = from_units if unit else from_pairs
    return reader(chunks(), unseen="wrong", groups=tally)


@given(ROWS, st.lists(st.integers(0, 60), max_size=4))
def test_counts_are_those_of_a_loop(rows, cuts):
    by_sex, both = read(rows, cuts).groups
    for counted, key in ((by_sex, lambda r: (r[2],)), (both, lambda r: (r[2], r[3]))):
        all_rows, wrong = Counter(map(key, rows)), Counter(key(r) for r in rows if r[0] != r[1])
        assert dict(zip(counted.levels, counted.rows, strict=True)) == all_rows
        assert dict(zip(counted.levels, counted.errors, strict=True)) == {
            g: wrong[g] for g in all_rows
        }
    assert by_sex.levels == tuple(sorted(by_sex.levels, key=lambda g: (g[0] is None, g[0] or "")))


@given(ROWS, st.lists(st.integers(0, 60), max_size=4))
def test_units_are_those_of_a_loop(rows, cuts):
    [by_sex, _] = read(rows, cuts, unit=True).groups
    for group, kinds in zip(by_sex.levels, by_sex.units, strict=True):
        mine = [r for r in rows if r[2] == group[0]]
        sizes, wrong = Counter(r[4] for r in mine), Counter(r[4] for r in mine if r[0] != r[1])
        expected = Counter((wrong[unit], sizes[unit]) for unit in sizes)
        assert {(e, r): many for e, r, many in kinds} == expected


@given(ROWS, st.integers(1, 59))
def test_merged_as_if_counted_at_once(rows, cut):
    parts = [part for part in (rows[:cut], rows[cut:]) if part]
    merged = Evidence.merge(*(read(part, []) for part in parts))
    assert merged.groups == read(rows, []).groups
    by_units = [
        read([r for r in rows if r[4] % 2 == odd], [], unit=True)
        for odd in (0, 1)
        if any(r[4] % 2 == odd for r in rows)
    ]
    assert merge_groups([part.groups for part in by_units]) == read(rows, [], unit=True).groups


def test_what_does_not_fit_is_refused():
    labels = [0, 1, 1]
    for column, rows in ((["f", "m"], 2), (["f"] * 4, 4)):
        with refuses(
            f"sex must hold a value for every row of the truth, but has {rows} rows.", BadData
        ):
            from_labels(labels, labels, groups={"sex": column})
    tally = GroupTally([("sex",)])
    tally.take([[["f", "m"]]])
    with refuses(
        "sex holds text and, from row 3 on, numbers; write the whole column one way.", BadData
    ):
        tally.take([[[1, 2]]])
    with refuses(
        "sex holds text and, from row 3 on, truth values; write the whole column one way.", BadData
    ):
        tally.take([[[True]]])
    tally.take([[[None, None]]])


def test_many_groups_in_all_are_refused():
    columns = {f"c{i}": [f"{k:03}" for k in range(300)] for i in range(2)}
    labels = [0, 1] * 150
    with refuses(
        "c0 and c1 would make more than 500 groups; so many are names. Bin them first, or leave the column out.",
        BadData,
    ):
        from_labels(labels, labels, groups=columns)


def test_rows_without_a_value_are_told():
    made = from_labels([0, 1, 1], [0, 1, 1], groups={"sex": ["f", None, "m"]})
    assert made.notes == ("sex has no value in 1 row; it is a group of its own.",)
    assert missing_noted(from_labels([0, 1], [0, 1], groups={"sex": ["f", "m"]}).groups) == ()


def test_a_million_rows_are_counted_in_a_moment():
    draw = np.random.default_rng(0)
    truth, groups = draw.integers(0, 2, 10**6), draw.integers(0, 50, 10**6)
    guess = np.where(draw.random(10**6) < 0.1, 1 - truth, truth)
    [counted] = from_labels(truth, guess, groups=groups).groups
    assert counted.rows == tuple(np.bincount(groups).tolist())
    assert counted.errors == tuple(np.bincount(groups[truth != guess]).tolist())
