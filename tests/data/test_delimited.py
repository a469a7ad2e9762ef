from __future__ import annotations

import gzip

import numpy as np
import pytest

from assay.data import delimited
from assay.data.table import open_table
from assay.errors import BadData
from tests.data.reading import feed, refuses


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


def cells(path, columns):
    """All rows as they stand, and the refusal that ends them."""
    rows = []
    try:
        for batch in open_table(path).cells(columns):
            rows += [tuple(row.values()) for row in batch.to_pylist()]
    except BadData as problem:
        return rows, str(problem)
    return rows, None


def test_cells_are_text_as_it_stands(csv):
    path = csv(b'\xef\xbb\xbfa,b,"c,d"\r\n1,x,"say ""z"""\r\n\r\n 2,,"p\nq"\r\n3,NA,')
    expected = [("1", "x", 'say "z"'), (" 2", None, "p\nq"), ("3", "NA", None)]
    assert cells(path, ["a", "b", "c,d"]) == (expected, None)
    assert cells(path, ["c,d", "a"])[0] == [(row[2], row[0]) for row in expected]


@pytest.mark.parametrize("block", [20, 57, 100, 2**22])
@pytest.mark.parametrize("row", [b"3", b"3,4,5"])
@pytest.mark.parametrize("before", [1, 50, 51, 500])
def test_cells_before_a_row_of_the_wrong_length(csv, block, row, before, monkeypatch):
    monkeypatch.setattr(delimited, "_BLOCK", block)
    path = csv(b'a,b\n"x\ny",2\n' + b"1,2\n" * (before - 1) + row + b"\n1,2\n" * 5)
    fields = "1 field" if row == b"3" else "3 fields"
    rows, said = cells(path, ["a"])
    assert rows == [("x\ny",)] + [("1",)] * (before - 1)
    assert said == (
        f"{path} has {fields} in row {before + 1}, but 2 columns. "
        "Complete the row, and quote cells that hold a separator."
    )


@pytest.mark.parametrize("block", [20, 100, 2**22])
def test_cells_before_other_bytes(csv, block, monkeypatch):
    monkeypatch.setattr(delimited, "_BLOCK", block)
    path = csv(b"a,b\n" + b"1,x\n" * 99 + b"1,caf\xe9\n1\n\xff,y\n")
    rows, said = cells(path, ["b", "a"])
    assert rows == [("x", "1")] * 99
    assert said == (
        f"{path} is not UTF-8 text. Column 'b', row 100 holds other bytes; save the file as UTF-8."
    )


def test_a_row_longer_than_a_piece_of_a_block(csv):
    long = b"y" * 2**21
    assert cells(csv(b"a,b\n1," + long + b"\n2,z\n"), ["b"]) == ([(long.decode(),), ("z",)], None)


def test_cells_of_a_row_without_end(csv):
    path = csv(b'a,b\n1,2\n3,"x\n' + b"1,2\n" * 3_000_000)
    rows, said = cells(path, ["a"])
    assert rows == [("1",)]
    assert said == (
        f"{path} has a row of more than 4 MB. Look for a quotation mark that is never closed."
    )


def test_cells_of_a_file_cut_short(tmp_path):
    rng = np.random.default_rng(0)
    text = b"a,b\n" + b"".join(b"%d,%d\n" % tuple(row) for row in rng.integers(0, 9**9, (10**6, 2)))
    whole = gzip.compress(text, 1)
    path = tmp_path / "t.csv.gz"
    path.write_bytes(whole[: 2 * len(whole) // 3])
    rows, said = cells(path, ["a"])
    assert len(rows) > 100_000
    assert said == (
        f"{path} cannot be unpacked or read to its end: it is cut short or damaged. "
        "Copy or write it again."
    )


def test_standard_input_as_it_comes(monkeypatch):
    pipe = feed(monkeypatch, b"\na,", b"b\n", b"1,2\n3,", b"4\n", b"5\n")
    batches = open_table("-").cells(["b", "a"])
    assert pipe.given == 3
    assert next(batches).to_pylist() == [{"b": "2", "a": "1"}]
    assert pipe.given == 3
    assert next(batches).to_pylist() == [{"b": "4", "a": "3"}]
    with refuses(
        "standard input has 1 field in row 3, but 2 columns. "
        "Complete the row, and quote cells that hold a separator."
    ):
        next(batches)


def test_a_header_of_several_lines_as_it_comes(monkeypatch):
    feed(monkeypatch, b'"a\n', b'b","c\n', b'd"\n1,2\n')
    table = open_table("-")
    assert table.columns == ("a\nb", "c\nd")
    assert next(table.cells(["c\nd"])).to_pylist() == [{"c\nd": "2"}]
