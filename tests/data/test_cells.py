from __future__ import annotations

import decimal
import math
import re
from datetime import datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.data.cells import (
    BadCell,
    Place,
    as_words,
    codes,
    kind_of_cells,
    kind_of_labels,
    kind_of_type,
    labels,
    numbers,
    rows_before_bad,
    truths,
)
from assay.errors import BadData

HERE = Place("t.csv", "x", done=10)


def refuses(sentence):
    return pytest.raises(BadData, match=f"^{re.escape(sentence)}$")


@given(st.lists(st.floats(allow_infinity=False), min_size=1, max_size=20))
def test_numbers_come_back_from_their_text(values):
    assert np.array_equal(
        numbers(pa.array([repr(v) for v in values]), HERE), np.array(values), equal_nan=True
    )


@pytest.mark.parametrize(
    "array",
    [
        pa.array([1, None, 0], pa.int8()),
        pa.array([1, None, 0], pa.uint64()),
        pa.array([1.0, None, 0.0], pa.float32()),
        pa.array([1.0, math.nan, 0.0]),
        pa.array([True, None, False]),
        pa.array(["1", None, "0"]),
        pa.array([" 1 ", "?", "0.0"]),
        pa.array(["1e0", "NA", "-0"]),
        pa.array([1, None, 0]).dictionary_encode(),
        pa.array(["1", None, "0"], pa.large_string()),
        pa.array([decimal.Decimal(1), None, decimal.Decimal(0)]),
    ],
)
def test_numbers_of_every_type(array):
    assert np.array_equal(numbers(array, HERE), [1, math.nan, 0], equal_nan=True)
    assert np.array_equal(truths(array, HERE), [1, math.nan, 0], equal_nan=True)


def test_columns_of_nothing():
    assert np.isnan(numbers(pa.nulls(2), HERE)).all()


def test_numbers_that_are_none():
    array = pa.array(["1", "NA", "2.5", "many", "3", "more"])
    with refuses(
        "t.csv holds 'many' in column 'x', row 14, where a number is needed. "
        "If the column holds categories, name it in categories."
    ) as caught:
        numbers(array, HERE)
    assert isinstance(caught.value, BadCell)
    assert caught.value.row == 3
    for text in ("inf", "-inf"):
        value = f"t.csv holds {text} in column 'x', row 12, which is not a finite number."
        with refuses(value):
            numbers(pa.array(["1", text]), HERE)
        with refuses(value):
            numbers(pa.array([1.0, float(text)]), HERE)


@given(st.integers(0, 199))
def test_the_first_bad_cell_is_found(place):
    cells = ["1"] * 200
    cells[place] = cells[-1] = "bad"
    with pytest.raises(BadCell) as caught:
        numbers(pa.array(cells), HERE)
    assert caught.value.row == place


def test_types_that_are_no_features():
    with refuses(
        "t.csv holds values of type timestamp[us] in column 'x'; features are numbers, truth values "
        "or text. Convert the column, or leave it out."
    ):
        numbers(pa.array([datetime(2026, 1, 1)]), HERE)


def test_truth_values():
    words = ["true", "False", " TRUE", "1", "NA"]
    assert truths(pa.array(words), HERE).tolist()[:4] == [1, 0, 1, 1]
    yes, no = ["yes", "Y", "T", "oN", "1"], ["No", "n", "f", "OFF", "0"]
    assert truths(pa.array([*yes, *no]), HERE).tolist() == [1] * 5 + [0] * 5
    with refuses("t.csv holds 'maybe' in column 'x', row 12, where true or false is needed."):
        truths(pa.array(["true", "maybe"]), HERE)
    with refuses("t.csv holds 2 in column 'x', row 12, where true or false, 1 or 0 is needed."):
        truths(pa.array([1, 2]), HERE)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "-2"], "whole"),
        (["1", "2.5"], "number"),
        (["1", "NA", ""], "whole"),
        (["1e3"], "number"),
        (["true", "False", None], "truth"),
        (["true", "1", "FALSE", "0"], "truth"),
        (["true", "2"], "text"),
        (["yes", "no"], "text"),
        (["0x1f", "0x20"], "text"),
        (["12 %", "3.5%", "-"], "number"),
        (["$1,200.50", "-$3", "$ 4"], "number"),
        (["1'234", "12 345", "7"], "number"),
        (["(40)", "5 €"], "number"),
        (["1,5", "1,234"], "text"),
        (["1234,567"], "text"),
        (["5 kg", "6 kg"], "text"),
        (["12 %", "many"], "text"),
        (["a", "1"], "text"),
        (["a", "1", "2"], "whole"),
        (["a", "1", "2.5"], "number"),
        (["a", "1", None, "NA"], "text"),
        (["NA", None, ""], None),
        (["nan"], None),
    ],
)
def test_what_cells_stand_for(cells, kind):
    assert kind_of_cells(pa.array(cells, pa.string())) == kind


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (pa.string(), "text"),
        (pa.dictionary(pa.int32(), pa.string()), "text"),
        (pa.dictionary(pa.int32(), pa.int64()), "whole"),
        (pa.bool_(), "truth"),
        (pa.uint8(), "whole"),
        (pa.float32(), "number"),
        (pa.decimal128(5, 2), "number"),
        (pa.timestamp("s"), None),
        (pa.null(), None),
    ],
)
def test_what_types_hold(kind, name):
    assert kind_of_type(kind) == name


WORDS = ["b", None, "c", "a"]


@pytest.mark.parametrize(
    "array",
    [
        pa.array(WORDS),
        pa.array(WORDS, pa.large_string()),
        pa.array(WORDS, pa.string_view()),
        pa.array(WORDS).dictionary_encode(),
        pa.array(WORDS, pa.large_string()).dictionary_encode(),
    ],
)
def test_codes(array):
    assert codes(array, pa.array(["a", "b"]), HERE).tolist() == [1, -1, -2, 0]


def test_codes_of_numbers_and_truth_values():
    assert codes(pa.array([4, None, 2]), pa.array(["2", "4"]), HERE).tolist() == [1, -1, 0]
    assert codes(pa.array([4.0, 2.0]), pa.array(["2", "4"]), HERE).tolist() == [1, 0]
    assert codes(pa.array([True, False]), pa.array(["true"]), HERE).tolist() == [0, -2]
    nothing = pa.DictionaryArray.from_arrays(pa.array([None], pa.int8()), pa.array([], pa.string()))
    assert codes(nothing, pa.array(["a"]), HERE).tolist() == [-1]
    with refuses(
        "t.csv holds 2.5 in column 'x', row 12, which is no category: categories are text, whole "
        "numbers or truth values."
    ):
        as_words(pa.array([1.0, 2.5]), HERE)


@pytest.mark.parametrize(
    ("array", "kind", "expected"),
    [
        (pa.array(["1", "2"]), "whole", [1, 2]),
        (pa.array([1, 2], pa.uint8()), "whole", [1, 2]),
        (pa.array([1.0, 2.0]), "whole", [1, 2]),
        (pa.array(["0.5", "2"]), "number", [0.5, 2.0]),
        (pa.array([True, False]), "truth", [True, False]),
        (pa.array(["true", "False"]), "truth", [True, False]),
        (pa.array(["a", "b"]), "text", ["a", "b"]),
        (pa.array(["a", "b"]).dictionary_encode(), "text", ["a", "b"]),
        (pa.array([1, 2]), "text", ["1", "2"]),
    ],
)
def test_labels(array, kind, expected):
    found = labels(array, kind, HERE)
    assert found.tolist() == expected
    assert all(type(a) is type(b) for a, b in zip(found.tolist(), expected, strict=True))


@pytest.mark.parametrize(
    ("array", "kind"),
    [
        (pa.array(["1", None]), "whole"),
        (pa.array([1, None]), "whole"),
        (pa.array(["0.5", "NA"]), "number"),
        (pa.array([0.5, math.nan]), "number"),
        (pa.array([True, None]), "truth"),
        (pa.array(["a", None]), "text"),
        (pa.array(["a", None]).dictionary_encode(), "text"),
    ],
)
def test_missing_labels(array, kind):
    with refuses(
        "t.csv holds no label in column 'x', row 12. Every row needs one; take the row out."
    ):
        labels(array, kind, HERE)


@pytest.mark.parametrize(
    ("array", "shown"),
    [
        (pa.array(["1", "2.5"]), "'2.5'"),
        (pa.array([1, 2.5]), "2.5"),
        (pa.array([1, 1e300]), "1e+300"),
    ],
)
def test_labels_that_stop_being_whole(array, shown):
    with refuses(
        f"t.csv holds {shown} in column 'x', row 12, but the rows before hold whole numbers. "
        "Write the whole column one way."
    ):
        labels(array, "whole", HERE)


def test_rows_before_a_bad_one_come_first_and_nothing_stays_open():
    closed = []

    def read():
        try:
            for cells in (["1", "2"], ["3", "4", "x", "5"], ["6"]):
                yield pa.record_batch({"x": cells})
        finally:
            closed.append(True)

    rows = []

    def play():
        for piece in rows_before_bad(
            read, lambda batch, done: numbers(batch.column(0), Place("t.csv", "x", done))
        ):
            rows.extend(piece)

    with pytest.raises(BadCell, match="'x' in column 'x', row 5") as caught:
        play()
    assert rows == [1, 2, 3, 4]
    assert closed, f"kept open by {caught.value!r}"


def test_numbers_as_people_write_them():
    words = [
        "$1,234.50",
        "12 %",
        "(40)",
        "($1,000)",
        "1'234'567",
        "12\u00a0345",
        "-3 €",
        "+7",
        "5",
        "NA",
        "#DIV/0!",
    ]
    expected = [1234.5, 0.12, -40, -1000, 1234567, 12345, -3, 7, 5]
    values = numbers(pa.array(words), HERE)
    assert values[:9].tolist() == expected
    assert np.isnan(values[9:]).all()
    with refuses(
        "t.csv holds '1,23' in column 'x', row 12, where a number is needed. "
        "If the column holds categories, name it in categories."
    ):
        numbers(pa.array(["1,234", "1,23"]), HERE)


def test_labels_are_names_however_they_look():
    for words, kind in ((["5 %", "10 %"], "text"), (["true", "1"], "text"), (["T", "F"], "text")):
        assert kind_of_labels(pa.array(words)) == kind
