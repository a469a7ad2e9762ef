"""Sheets of Excel workbooks as tables."""

from __future__ import annotations

import datetime as dt
import sys
import zipfile

import openpyxl
import pytest

from assay import read_table
from assay.data.table import open_table
from assay.errors import MissingExtra, UnknownName
from tests.data.reading import refuses

NOON, SPAN = dt.datetime(2024, 1, 5, 12), dt.timedelta(hours=30, minutes=5)


def book(path, **sheets):
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


def cells(path, columns):
    (batch,) = open_table(path).cells(columns)
    return batch.to_pydict()


def test_cells_are_what_they_would_be_as_text(tmp_path):
    path = book(
        tmp_path / "t.xlsx",
        first=[
            [],
            ["n", "x", "day", "when", "clock", "span", "flag", "code", None, 2024],
            [1, 1.5, dt.datetime(2024, 1, 5), NOON, dt.time(9, 30), SPAN, True, "007", None, 1e300],
            [
                -2,
                None,
                dt.date(2024, 2, 29),
                None,
                None,
                dt.timedelta(seconds=90),
                False,
                "1,5",
                None,
                3,
            ],
            [3, "#N/A", None, None, None, None, None, 'a "b"\nc', None, None],
            [],
        ],
    )
    assert cells(path, list(open_table(path).columns)) == {
        "n": ["1", "-2", "3"],
        "x": ["1.5", None, None],
        "day": ["2024-01-05", "2024-02-29", None],
        "when": ["2024-01-05 12:00:00", None, None],
        "clock": ["09:30:00", None, None],
        "span": ["30:05:00", "0:01:30", None],
        "flag": ["true", "false", None],
        "code": ["007", "1,5", 'a "b"\nc'],
        "2024": ["1e+300", "3", None],
    }
    (batch,) = open_table(path).scan(["n", "x", "flag", "code"])
    assert batch.to_pydict() == {
        "n": [1, -2, 3],
        "x": [1.5, None, None],
        "flag": [True, False, None],
        "code": ["007", "1,5", 'a "b"\nc'],
    }


def test_sheets_are_named_behind_the_file(tmp_path):
    path = book(tmp_path / "t.xlsx", One=[["a"], [1]], Two=[["b"], [2]], Blank=[])
    assert cells(path, ["a"]) == {"a": ["1"]}
    assert cells(f"{path}#Two", ["b"]) == {"b": ["2"]}
    assert read_table(f"{path}#Two").X.tolist() == [[2]]
    with refuses(
        f"{path} has no sheet 'Tow'. Did you mean 'Two'? Its sheets are 'One', 'Two', 'Blank'.",
        UnknownName,
    ):
        open_table(f"{path}#Tow")
    with refuses(f"{path} holds nothing in sheet 'Blank'. Name another one, such as 't.xlsx#One'."):
        open_table(f"{path}#Blank")
    with refuses(f"{tmp_path / 'none.xlsx'} does not exist. Check the path."):
        open_table(tmp_path / "none.xlsx#One")


def test_numbers_that_are_text_are_numbers(tmp_path):
    path = book(
        tmp_path / "t.xlsx", s=[["a", "y"], ["1.5", "p"], [2, "q"], ["NA", "q"], [" 3 ", "p"]]
    )
    examples = read_table(path, target="y", missing="zero")
    assert examples.X.tolist() == [[1.5], [2.0], [0.0], [3.0]]


def test_bad_workbooks(tmp_path):
    path = tmp_path / "t.xlsx"
    sentence = (
        f"{path} cannot be read as an Excel workbook: it is damaged, protected by a password, or of another format. "
        "Save it again as .xlsx."
    )
    for text in (b"PK\x03\x04 something else", b"a,b\n1,2\n", b"\xd0\xcf\x11\xe0" + bytes(600)):
        path.write_bytes(text)
        with refuses(sentence):
            open_table(path)
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("nothing", "here")
    with refuses(sentence):
        open_table(path)
    book(path, s=[["a", "a"], [1, 2]])
    with refuses(f"{path} has two columns named 'a'. Rename or drop one of them."):
        open_table(path)
    book(path, s=[["a", "b"]])
    with refuses(f"{path} has a header but no rows."):
        open_table(path)
    path.write_bytes(b"")
    with refuses(f"{path} is empty."):
        open_table(path)


def test_without_its_extra(tmp_path, monkeypatch):
    path = book(tmp_path / "t.xlsx", s=[["a"], [1]])
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingExtra) as refused:
        open_table(path)
    assert str(refused.value) == (
        "Reading Excel workbooks needs python-calamine, which is not installed. Run: pip install 'assay-ml[excel]'"
    )


def test_many_rows_come_in_batches(tmp_path):
    path = book(tmp_path / "t.xlsx", s=[["a", "y"], *([i, i % 2] for i in range(500))])
    chunks = list(read_table(path, target="y", chunk_rows=64))
    assert [len(chunk) for chunk in chunks] == [64] * 7 + [52]
