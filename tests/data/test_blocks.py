from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.data.blocks import end_of_line, end_of_record, whole_rows
from assay.errors import BadData


def naive_end(text: str, separator: str = ",") -> int:
    """Sign by sign: behind the last line end outside of quotes."""
    end, quoted, fresh, i = 0, False, True, 0
    while i < len(text):
        sign = text[i]
        if quoted:
            if sign == '"' and text[i + 1 : i + 2] == '"':
                i += 1
            elif sign == '"':
                quoted = False
        elif sign == '"' and fresh:
            quoted = True
        elif sign in "\r\n":
            end = i + 1
        fresh = not quoted and sign in (separator, "\r", "\n")
        i += 1
    return end


@settings(max_examples=500)
@given(st.text(alphabet='a,"\n\r', max_size=30))
@example('5" pipe\n"a\nb"\n')
@example('"a""\nb"\n"c')
@example('"a"b"\nc"\n')
@example('"a"",\n')
def test_the_end_of_rows_is_found_as_sign_by_sign(text):
    assert end_of_record(",")(text.encode()) == naive_end(text)


def test_another_separator():
    assert end_of_record("\t")(b'1\t"a\nb"\n2,"c\n') == 13


def test_lines():
    assert end_of_line(b"a\nb\nc") == 4
    assert end_of_line(b"abc") == 0


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "b,c", 'd"e', "f\ng", ""]), min_size=2, max_size=2),
        min_size=1, max_size=20,
    ),
    st.integers(1, 60),
)  # fmt: skip
def test_blocks_join_to_the_text_and_hold_whole_rows(rows, size):
    file = io.StringIO(newline="")
    csv.writer(file).writerows(rows)
    text = file.getvalue().encode()
    blocks = list(whole_rows(io.BytesIO(text).read, end_of_record(","), size))
    assert b"".join(blocks) == text
    read = [row for block in blocks for row in csv.reader(io.StringIO(block.decode(), newline=""))]
    assert [row for row in read if row] == rows


def test_pieces_are_handed_over_as_they_come():
    pieces = iter([b"a\nb", b"\nc\n", b"d", b""])
    blocks = whole_rows(lambda size: next(pieces), end_of_line)
    assert list(blocks) == [b"a\n", b"b\nc\n", b"d"]


def test_a_row_without_end():
    with pytest.raises(BadData, match=r"^too long$"):
        list(whole_rows(io.BytesIO(b"x" * 100).read, end_of_line, 10, lambda: BadData("too long")))
    assert list(whole_rows(io.BytesIO(b"x" * 100).read, end_of_line, 10)) == [b"x" * 100]
