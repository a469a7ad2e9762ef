from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.data.libsvm_lines import MOST_INDEX, BadLine, LineReader, parse_plainly
from tests.naive.libsvm import libsvm


@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"+1 1:0.5 7:-3", (1.0, [1, 7], [0.5, -3.0])),
        (b"-1", (-1.0, [], [])),
        (b"  2.5\t3:1e-2 \r", (2.5, [3], [0.01])),
        (b"1 qid:12 1:2 # 3:4", (1.0, [1], [2.0])),
        (b"1 0:1 2147483646:1", (1.0, [0, MOST_INDEX], [1.0, 1.0])),
        (b"1 1:0.1#x", (1.0, [1], [0.1])),
        (b"", None),
        (b" \t\r", None),
        (b"# 1 1:1", None),
    ],
)
def test_good_lines(line, found):
    assert LineReader()(line) == found


NEEDED = ", where an index and a value, such as 3:0.5, are needed"
NUMBER = ", where a number is needed"
LARGEST = ", which is beyond the largest number that can be held"


@pytest.mark.parametrize(
    ("line", "column", "what", "why"),
    [
        (b"x 1:1", 1, "'x'", ", where a label, which is a number, is needed"),
        (b"nan 1:1", 1, "'nan'", ", where a label, which is a number, is needed"),
        (b"1:1 2:1", 1, "'1:1'", ", where a label, which is a number, is needed"),
        (b"1,2 1:1", 1, "'1,2'", ", where one label is needed; several for one row cannot be read"),
        (b"-1e999 1:1", 1, "'-1e999'", LARGEST),
        (b"1 2", 3, "'2'", NEEDED),
        (b"1  a:1", 4, "'a:1'", NEEDED),
        (b"1 -1:1", 3, "'-1:1'", NEEDED),
        (b"1 :1", 3, "':1'", NEEDED),
        (b"1 1:1 qid:3", 7, "'qid:3'", NEEDED),
        (b"1 qid:x 1:1", 3, "'qid:x'", NEEDED),
        (b"1 1:", 5, "''", NUMBER),
        (b"1 1:2:3", 5, "'2:3'", NUMBER),
        (b"1 1:1_0", 5, "'1_0'", NUMBER),
        (b"1 1:0x1", 5, "'0x1'", NUMBER),
        (b"1 1:\xff", 5, r"'\\xff'", NUMBER),
        (b"1 1:" + b"y" * 50, 5, "'" + "y" * 40 + "...'", NUMBER),
        (b"1 1:1 22:1e999", 10, "'1e999'", LARGEST),
        (b"1 1:inf", 5, "'inf'", LARGEST),
        (b"1 3:1 2:1", 7, "index 2", " after index 3; indices must rise from left to right"),
        (b"1 3:1 3:1", 7, "index 3", " after index 3; indices must rise from left to right"),
        (b"1 2147483647:1", 3, "index 2147483647", f", but the largest index allowed is {MOST_INDEX}"),
        (b"1 2:nan", 5, "no number (nan)", ""),
    ],
)  # fmt: skip
def test_bad_lines(line, column, what, why):
    with pytest.raises(BadLine) as caught:
        LineReader()(line)
    assert (caught.value.column, caught.value.what, caught.value.why) == (column, what, why)


def test_limits():
    with pytest.raises(BadLine) as caught:
        LineReader(least=1)(b"1 0:1")
    assert caught.value.why == ", but indices start at 1. If they start at 0, say zero_based=True"
    with pytest.raises(BadLine) as caught:
        LineReader(most=5)(b"1 6:1")
    assert caught.value.why == ", but the largest index allowed is 5"


def test_missing_values():
    _, _, [value] = LineReader(missing="nan")(b"1 1:NaN")
    assert math.isnan(value)
    assert LineReader(missing="zero")(b"1 1:nan") == (1.0, [1], [0.0])


@given(st.lists(st.tuples(
    st.floats(allow_nan=False, allow_infinity=False),
    st.dictionaries(st.integers(0, MOST_INDEX), st.floats(allow_nan=False, allow_infinity=False)),
)))  # fmt: skip
def test_parsed_plainly_like_the_naive_twin(rows):
    text = "".join(
        f"{label!r} " + " ".join(f"{i}:{v!r}" for i, v in sorted(cells.items())) + "\n"
        for label, cells in rows
    ).encode()
    found = parse_plainly(np.frombuffer(text, np.uint8), LineReader(), 0, MOST_INDEX)
    assert [part.tolist() for part in found[:4]] == [list(part) for part in libsvm(text)]
    assert found.refusal is None


def test_rows_end_at_the_first_refusal():
    text = np.frombuffer(b"1 1:1\n\n1 2:2\nbad\n1 3:3\n", np.uint8)
    found = parse_plainly(text, LineReader(), 0, MOST_INDEX)
    assert found.values.tolist() == [1, 2]
    assert found.refusal[0] == 13
