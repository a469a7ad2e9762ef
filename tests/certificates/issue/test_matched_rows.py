"""Rows of several files joined by their names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.certificates.issue.matched_rows import matched, names_of
from assay.errors import BadData
from tests.refusals import refuses


def files(*keys):
    return [
        names_of(f"{name}.csv", ["id"], [list(k)]) for name, k in zip("abcd", keys, strict=False)
    ]


@given(st.sets(st.integers(0, 50), min_size=1), st.randoms())
def test_every_file_is_brought_into_the_order_of_the_first(ids, random):
    first, second = list(ids), list(ids)
    random.shuffle(second)
    joined = matched(files(first, second))
    one, other = (place.tolist() for place in joined.places)
    assert one == list(range(len(first)))
    assert [second[i] for i in other] == first
    assert (joined.known, joined.notes) == ((), ())


@given(*[st.sets(st.integers(0, 12), min_size=1)] * 3)
def test_rows_that_some_lack_are_left_out_and_counted(a, b, c):
    common = a & b & c
    if not common:
        with pytest.raises(BadData, match="The files have no row in common"):
            matched(files(a, b, c), "drop")
        return
    joined = matched(files(a, b, c), "drop")
    for listed, places in zip((a, b, c), joined.places, strict=True):
        assert {list(listed)[i] for i in places.tolist()} == common
    assert bool(joined.notes) == (len(a | b | c) > len(common))
    for known in joined.known:
        assert (known.id, known.status) == ("rows-in-every-file", "assumed")


def test_numbers_and_their_text_are_one_name():
    assert names_of("a", ["id", "epoch"], [[1, 2.0], ["1", 1]]).keys == [("1", "1"), ("2", "1")]


def test_refusals():
    with refuses(
        "b.csv lacks 1 row of the 3 of a.csv, such as 'id' '3'. To compare the 2 that every file holds, say "
        "unmatched='drop'.",
        BadData,
    ):
        matched(files([1, 2, 3], [2, 1]))
    with refuses(
        "a.csv lacks 2 rows of the 4 of b.csv, such as 'id' '7'. To compare the 2 that every file holds, say "
        "unmatched='drop'.",
        BadData,
    ):
        matched(files([1, 2], [2, 7, 8, 1]))
    with refuses(
        "b.csv has 'id' '1' in row 1 and in row 3, so it does not say which row is which. Name columns that tell rows "
        "apart.",
        BadData,
    ):
        matched(files([1, 2], [1, 2, 1]))
    with refuses(
        "The files have no row in common: no 'id' of a.csv is in the others ('1' in a.csv and 'q1' in b.csv).",
        BadData,
    ):
        matched(files([1], ["q1"]))
    with refuses("a.csv holds no value in column 'id', row 2.", BadData):
        names_of("a.csv", ["id"], [[1, None]])
    with refuses("a.csv holds no rows.", BadData):
        matched(files([], [1]))
    with pytest.raises(ValueError, match="unmatched must be 'refuse' or 'drop'"):
        matched(files([1], [1]), "keep")
