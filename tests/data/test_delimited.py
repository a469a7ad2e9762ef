from __future__ import annotations

import re

import pytest

from assay.data import delimited
from assay.data.table import open_table
from assay.errors import BadData


def refuses(sentence):
    return pytest.raises(BadData, match=f"^{re.escape(sentence)}$")


@pytest.fixture
def csv(tmp_path):
    """Write some bytes to a CSV file and name it."""

    def written(text, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(text)
        return path

    return written


def read(path, columns, **options):
    rows = []
    for batch in open_table(path).scan(columns, **options):
        rows += [tuple(row.values()) for row in batch.to_pylist()]
    return rows


def test_quotes_line_ends_blank_lines_and_marks(csv):
    assert read(csv(b'\xef\xbb\xbfa,"b,c"\r\n1,"x\ny"\r\n\r\n2,"say ""z"""\r\n'), ["b,c", "a"]) == [
        ("x\ny", 1),
        ('say "z"', 2),
    ]
    assert read(csv(b"\n\na,b\n1,2"), ["b"]) == [(2,)]
    assert read(csv(b"a,b\r1,2\r3,4\r"), ["b"]) == [(2,), (4,)]
    assert read(csv("größe\nklein\n".encode()), ["größe"]) == [("klein",)]


def test_an_empty_cell_is_missing_in_text_too(csv):
    path = csv(b"a,b,c\nham,1,NA\n,,None\nspam,2,x\n")
    assert read(path, ["a", "b", "c"]) == [("ham", 1, "NA"), (None, None, "None"), ("spam", 2, "x")]


def test_columns_not_asked_for_are_not_looked_at(csv):
    path = csv(b"a,b\n1,\xff\n2,\xfe\n")
    assert read(path, ["a"]) == [(1,), (2,)]


def test_a_table_of_one_column_and_no_newline_at_the_end(csv):
    assert read(csv(b"a\nx"), ["a"]) == [("x",)]


@pytest.mark.parametrize("text", [b"a,b\n", b"a,b", b"a,b\n\n\r\n"])
def test_a_header_alone(csv, text):
    path = csv(text)
    with refuses(f"{path} has a header but no rows."):
        open_table(path)


def test_blank_lines_alone(csv):
    path = csv(b"\n\n\n")
    with refuses(f"{path} holds only blank lines."):
        open_table(path)


def test_one_endless_line(csv):
    path = csv(b"x" * (2**20 + 5))
    with refuses(f"{path} has no readable header: field larger than field limit (131072)."):
        open_table(path)
    path = csv(b"x," * 2**20)
    with refuses(f"{path} has a first line of about 1 MB or more. Is it a table?"):
        open_table(path)


@pytest.mark.parametrize(("row", "fields"), [(b"3", "1 field"), (b"3,4,5", "3 fields")])
@pytest.mark.parametrize("before", [0, 1, 2_000_000])
def test_rows_of_the_wrong_length(csv, row, fields, before):
    path = csv(b"a,b\n" + b"1,2\n" * before + row + b"\n1,2\n")
    with refuses(
        f"{path} has {fields} in row {before + 1}, but 2 columns. "
        "Complete the row, and quote cells that hold a separator."
    ):
        read(path, ["a"])


@pytest.mark.parametrize(
    ("usual", "odd", "held"),
    [
        (b"1", b"spam", "whole numbers"),
        (b"1", b"0.5", "whole numbers"),
        (b"0.5", b"spam", "numbers"),
        (b"true", b"maybe", "truth values"),
        (b"", b"spam", "nothing"),
        (b"2026-01-01", b"spam", "values of type date32[day]"),
    ],
)
def test_values_that_stop_fitting(csv, usual, odd, held, monkeypatch):
    monkeypatch.setattr(delimited, "_BLOCK", 1000)
    path = csv(b"a,b\n" + (b"x," + usual + b"\n") * 999 + b"x," + odd + b"\n")
    with refuses(
        f"{path} holds {odd.decode()!r} in column 'b', row 1000, but the rows before hold {held}. "
        "Write the whole column one way."
    ):
        read(path, ["b"])


def test_numbers_that_begin_like_whole_ones(csv, monkeypatch):
    monkeypatch.setattr(delimited, "_BLOCK", 1000)
    path = csv(b"a,loss\n" + b"x,0\n" * 999 + b"x,0.5\n")
    assert read(path, ["loss"], numbers=["loss"])[-2:] == [(0.0,), (0.5,)]
    path = csv(b"a,loss\n1,0\n1,none at all\n")
    with refuses(f"{path} holds 'none at all' in column 'loss', row 2, where a number is needed."):
        read(path, ["loss"], numbers=["loss"])


@pytest.mark.parametrize("before", [0, 999])
def test_text_that_is_not_utf8(csv, before, monkeypatch):
    monkeypatch.setattr(delimited, "_BLOCK", 1000)
    path = csv(b"a,b\n" + b"1,\n1,x\n" + b"1,x\n" * before + b"1,caf\xe9\n1,x\n")
    with refuses(
        f"{path} is not UTF-8 text. Column 'b', row {before + 3} holds other bytes; "
        "save the file as UTF-8."
    ):
        read(path, ["b"])


def test_other_encodings(csv):
    path = csv(b"caf\xe9,b\n1,2\n")
    with refuses(
        f"{path} is not UTF-8 text. The header holds other bytes; save the file as UTF-8."
    ):
        open_table(path)
    path = csv("a,b\n1,2\n".encode("utf-16"))
    with refuses(f"{path} is UTF-16 text. Save it as UTF-8."):
        open_table(path)
    path = csv(b"PK\x03\x04\0\0\0")
    with refuses(f"{path} is not text, and so not CSV. Check its format and name."):
        open_table(path)


def test_a_quotation_mark_that_is_never_closed(csv):
    path = csv(b'a,b\n1,"x\n' + b"1,2\n" * 3_000_000)
    with refuses(
        f"{path} has a row of more than 4 MB. Look for a quotation mark that is never closed."
    ):
        read(path, ["a"])
