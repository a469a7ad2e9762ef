"""Fifty kinds of bad table: each is answered by one sentence on standard error and exit code 2."""

from __future__ import annotations

import gzip

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.runner import run

ROWS = 60


def lines(row=None, many=ROWS, head="a,b,y"):
    row = row or (lambda i: f"{i * 7 % 31},{i % 5},{'pq'[i * 7 % 31 > 14]}")
    return "\n".join([head, *map(row, range(many))]) + "\n"


def label(i):
    return "pq"[i * 7 % 31 > 14]


def day(i):
    return f"2024-02-{i % 28 + 1}"


def parquet(**columns):
    def write(path):
        pq.write_table(pa.table({"b": [i % 7 for i in range(ROWS)], **columns}), path)

    return write


def cut_short(path):
    parquet(y=list("pq") * 30)(path)
    path.write_bytes(path.read_bytes()[:-20])


def no_rows(path):
    pq.write_table(pa.table({"a": pa.array([], pa.int64()), "y": pa.array([], pa.string())}), path)


def folder(path):
    path.mkdir()


def files(**texts):
    """A folder of files, each named by its first letter and what it is."""

    def write(path):
        path.mkdir()
        for name, text in texts.items():
            file = path / name.replace("_", ".")
            text(file) if callable(text) else file.write_text(text)

    return write


def workbook(*rows):
    def write(path):
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        book.save(path)

    return write


Y = list("pq") * (ROWS // 2)
#: Name of the kind: file name, what is written, and options beyond the target.
BAD = {
    "absent file": ("t.csv", None, ()),
    "empty file": ("t.csv", "", ()),
    "blank lines": ("t.csv", "\n\n\n", ()),
    "header only": ("t.csv", "a,b,y\n", ()),
    "one row": ("t.csv", lines(many=1), ()),
    "two rows": ("t.csv", lines(many=2), ()),
    "same row over and over": ("t.csv", lines(lambda i: f"1,1,{label(i)}"), ()),
    "two columns of one name": ("t.csv", lines(head="a,a,y"), ()),
    "two columns named like the target": ("t.csv", lines(head="a,y,y"), ()),
    "no such target": ("t.csv", lines(head="a,b,z"), ()),
    "target alone": ("t.csv", "y\n" + "p\nq\n" * 30, ()),
    "one class": ("t.csv", lines(lambda i: f"{i * 7 % 31},{i % 5},p"), ()),
    "no label at all": ("t.csv", lines(lambda i: f"{i * 7 % 31},{i % 5},"), ()),
    "no label but NA": ("t.csv", lines(lambda i: f"{i * 7 % 31},{i % 5},NA"), ()),
    "nothing but gaps": ("t.csv", lines(lambda i: f",,{label(i)}"), ()),
    "nothing but NA": ("t.csv", lines(lambda i: f"NA,null,{label(i)}"), ()),
    "nothing but constants": ("t.csv", lines(lambda i: f"1,x,{label(i)}"), ("--overlap", "keep")),
    "word among numbers": ("t.csv", lines(lambda i: f"{'oops' if i == 43 else i % 9},1,{label(i)}"), ()),
    "infinity": ("t.csv", lines(lambda i: f"{'inf' if i == 7 else i % 9},1,{label(i)}"), ()),
    "number that overflows": ("t.csv", lines(lambda i: f"{'1e999' if i == 7 else i % 9},1,{label(i)}"), ()),
    "numbers whose squares overflow": ("t.csv", lines(lambda i: f"{i % 9}e300,1,{label(i)}"), ()),
    "no such day": ("t.csv", lines(lambda i: f"{'2024-02-30' if i == 9 else day(i)},1,{label(i)}"), ()),
    "word among dates": ("t.csv", lines(lambda i: f"{'soon' if i == 9 else day(i)},1,{label(i)}"), ()),
    "too few fields": ("t.csv", lines(lambda i: "1,2" if i == 2 else f"{i % 9},1,{label(i)}"), ()),
    "too many fields": ("t.csv", lines(lambda i: f"{i % 9},1,{label(i)}" + ",5" * (i == 30)), ()),
    "quotation mark never closed": ("t.csv", lines(lambda i: f'{chr(34) if i == 5 else ""}{i % 9},1,{label(i)}'), ()),
    "UTF-16": ("t.csv", lines().encode("utf-16"), ()),
    "Latin-1": ("t.csv", lines(lambda i: f"{'é' if i == 9 else 'e'},{i % 9},{label(i)}").encode("latin1"), ()),
    "Latin-1 header": ("t.csv", lines(head="é,b,y").encode("latin1"), ()),
    "bytes and no text": ("t.csv", bytes(range(256)) * 20, ()),
    "spreadsheet named csv": ("t.csv", b"PK\x03\x04" + bytes(200), ()),
    "web page named csv": ("t.csv", "<html>\n<body>\n<p>404</p>\n</body>\n</html>\n", ()),
    "JSON named csv": ("t.csv", '{"a": 1, "y": "p"}\n{"a": 2, "y": "q"}\n', ()),
    "gzip cut short": ("t.csv.gz", gzip.compress(lines(many=5000).encode())[:-40], ()),
    "text named gz": ("t.csv.gz", lines(), ()),
    "unknown ending": ("t.sas7bdat", lines().encode(), ()),
    "text named parquet": ("t.parquet", lines(), ()),
    "Parquet cut short": ("t.parquet", cut_short, ()),
    "Parquet of no rows": ("t.parquet", no_rows, ()),
    "lists": ("t.parquet", parquet(a=[[i % 3] for i in range(ROWS)], y=Y), ()),
    "records": ("t.parquet", parquet(a=[{"k": i % 3} for i in range(ROWS)], y=Y), ()),
    "bytes in a column": ("t.parquet", parquet(a=[bytes([i % 3]) for i in range(ROWS)], y=Y), ()),
    "lists as target": ("t.parquet", parquet(y=[[i % 2] for i in range(ROWS)]), ()),
    "dates as target": ("t.parquet", parquet(y=pa.array(range(ROWS), pa.date32())), ()),
    "infinity as label": ("t.parquet", parquet(y=np.where(np.arange(ROWS) % 2, np.inf, 0.0)), ()),
    "all-null target": ("t.parquet", parquet(y=pa.nulls(ROWS, pa.string())), ()),
    "null type target": ("t.parquet", parquet(y=pa.nulls(ROWS)), ()),
    "no such unit": ("t.csv", lines(), ("--unit", "patient")),
    "one unit": ("t.csv", lines(lambda i: f"{i % 9},1,{label(i)}"), ("--unit", "b")),
    "no such time": ("t.csv", lines(), ("--time", "when")),
    "words as time": ("t.csv", lines(lambda i: f"{i % 9},w{i},{label(i)}"), ("--time", "b")),
    "gap in time": ("t.csv", lines(lambda i: f"{i % 9},{'' if i == 4 else i},{label(i)}"), ("--time", "b")),
    "column known after that is none": ("t.csv", lines(), ("--known-after", "c")),
    "all columns known after": ("t.csv", lines(), ("--known-after", "a", "--known-after", "b")),
    "kept and left out": ("t.csv", lines(), ("--keep", "a", "--drop", "a")),
    "holdout file without a column": ("t.csv", lines(), ("--holdout-file", "other.csv")),
    "folder": ("t.csv", folder, ()),
    "folder of files with other columns": ("t", files(a_csv=lines(), b_csv=lines(head="a,c,y")), ()),
    "folder of files with more columns": ("t", files(a_csv=lines(), b_csv="a,b,c,y\n1,2,3,p\n"), ()),
    "folder of files with other kinds": (
        "t",
        files(a_parquet=parquet(y=Y), b_parquet=lambda path: pq.write_table(pa.table({"b": ["x"], "y": ["p"]}), path)),
        (),
    ),
    "folder of text and Parquet": ("t", files(a_csv=lines(head="c,b,y"), b_parquet=parquet(y=Y)), ()),
    "folder with a note": ("t", files(a_csv=lines(), z_md="# About"), ()),
    "folder with an empty file": ("t", files(a_csv=lines(), b_csv=""), ()),
    "pattern that matches nothing": ("t-*.csv", None, ()),
    "workbook cut short": ("t.xlsx", b"PK\x03\x04" + bytes(200), ()),
    "CSV named xlsx": ("t.xlsx", lines(), ()),
    "workbook without a row": ("t.xlsx", workbook(["a", "b", "y"]), ()),
    "workbook without a cell": ("t.xlsx", workbook(), ()),
    "no such sheet": ("t.xlsx#May", None, ()),
    "title above the header": ("t.xlsx", workbook(["Sales"], ["a", "b", "y"], [1, 2, "p"], [3, 4, "q"]), ()),
    "words for a column of numbers": ("t.csv", lines(lambda i: f"w{i % 9},1,{label(i)}"), ("--number", "a")),
    "fractions for categories": ("t.parquet", parquet(a=[i + 0.5 for i in range(ROWS)], y=Y), ("--category", "a")),
}  # fmt: skip


def test_there_are_fifty():
    assert len(BAD) >= 50


@pytest.mark.parametrize("learner", ["gaussian-nb", "auto"])
@pytest.mark.parametrize("kind", BAD)
def test_one_sentence_and_exit_two(kind, learner, tmp_path, monkeypatch):
    name, held, options = BAD[kind]
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    if callable(held):
        held(path)
    elif held is not None:
        path.write_bytes(held if isinstance(held, bytes) else held.encode())
    (tmp_path / "other.csv").write_text(lines(head="a,c,y"))
    before = sorted(tmp_path.iterdir())
    found = run("fit", name, "--target", "y", "--learner", learner, *options, "--out", "m.assay")
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith("assay: ")
    assert found.err.count("\n") == 1
    assert found.err.rstrip().endswith((".", "?"))
    assert "Traceback" not in found.err
    assert "pyarrow" not in found.err
    assert sorted(tmp_path.iterdir()) == before
