from __future__ import annotations

import gzip
import io
import re
import sys
import threading

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.data.table import open_table
from assay.errors import BadData, BadParameter, UnknownName

TABLE = pa.table(
    {
        "label": ["ham", "spam", "ham"],
        "guess": ["ham", "ham", "ham"],
        "score": [0.5, 0.25, 1.0],
        "id": [1, 2, 3],
        "ok": [True, False, True],
    }
)


def refuses(sentence, kind=BadData):
    return pytest.raises(kind, match=f"^{re.escape(sentence)}$")


def write(table, path):
    """The table in whatever format the name asks for."""
    name = path.name
    if name.endswith((".parquet", ".pq", ".bin")):
        pq.write_table(table, path)
    elif name.endswith(".feather"):
        pa.feather.write_feather(table, path)
    elif name.endswith(".arrows.ipc"):
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table)
    elif name.endswith((".arrow", ".ipc")):
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    else:
        separator = "\t" if ".tsv" in name else ","
        with pa.output_stream(path, compression="detect") as file:
            options = pa.csv.WriteOptions(delimiter=separator)
            pa.csv.write_csv(table, file, options)
    return path


FORMATS = ["t.csv", "t.CSV", "t.csv.gz", "t.csv.bz2", "t.csv.zst", "t.tsv", "t.tsv.gz",
           "t.parquet", "t.pq", "t.bin", "t.feather", "t.arrow", "t.ipc", "t.arrows.ipc"]  # fmt: skip


def read(path, columns, batch_rows=2**20):
    batches = list(open_table(path).scan(columns, batch_rows))
    assert all(batch.schema.names == list(columns) for batch in batches)
    assert all(0 < batch.num_rows <= batch_rows for batch in batches)
    return {
        name: [value for batch in batches for value in batch.column(i).to_pylist()]
        for i, name in enumerate(columns)
    }


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_reads_alike(name, tmp_path):
    path = write(TABLE, tmp_path / name)
    table = open_table(str(path))
    assert table.columns == ("label", "guess", "score", "id", "ok")
    assert table.name == str(path)
    counted = not (".csv" in name.lower() or ".tsv" in name or name == "t.arrows.ipc")
    assert table.rows == (3 if counted else None)
    columns = ["id", "label", "ok"]
    expected = TABLE.select(columns).to_pydict()
    assert read(path, columns) == expected
    assert read(path, columns, batch_rows=2) == expected
    # A table can be read again.
    assert read(path, columns) == expected


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-9, 9), st.sampled_from(["a", "bé", "c,d", 'e"f', "g\nh"])),
             min_size=1, max_size=40),
    st.integers(1, 50),
    st.integers(1, 20),
    st.sampled_from(["t.csv", "t.csv.gz", "t.parquet", "t.feather", "t.arrow"]),
)  # fmt: skip
def test_batches_join_to_the_table(tmp_path_factory, rows, batch_rows, group, name):
    numbers, text = map(list, zip(*rows, strict=True))
    table = pa.table({"number": numbers, "text": text})
    path = tmp_path_factory.mktemp("tables") / name
    if name.endswith("parquet"):
        pq.write_table(table, path, row_group_size=group)
    else:
        write(table, path)
    expected = {"text": text, "number": numbers}
    assert read(path, ["text", "number"], batch_rows) == expected


def test_text_of_parquet_arrives_coded(tmp_path):
    path = write(TABLE, tmp_path / "t.parquet")
    [batch] = open_table(path).scan(["label", "id"])
    assert pa.types.is_dictionary(batch.schema.types[0])
    assert pa.types.is_int64(batch.schema.types[1])


def test_a_column_may_be_asked_for_twice(tmp_path):
    path = write(TABLE, tmp_path / "t.parquet")
    [batch] = open_table(path).scan(["id", "id"])
    assert batch.column(0).to_pylist() == batch.column(1).to_pylist() == [1, 2, 3]


def test_columns_whose_names_have_dots_are_told_apart(tmp_path):
    path = write(pa.table({"a": [1], "a.b": [2]}), tmp_path / "t.parquet")
    assert read(path, ["a.b"]) == {"a.b": [2]}
    assert read(path, ["a"]) == {"a": [1]}


def test_reading_ahead_ends_with_the_reader(tmp_path):
    path = write(pa.table({"x": np.arange(10_000)}), tmp_path / "t.parquet")
    before = threading.active_count()
    scan = open_table(path).scan(["x"], batch_rows=10)
    next(scan)
    scan.close()
    assert threading.active_count() <= before + 1  # Arrow may keep one of its own


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,x\n2,y\n")))
    table = open_table("-")
    assert (table.name, table.columns, table.rows) == ("standard input", ("a", "b"), None)
    [batch] = table.scan(["b", "a"])
    assert batch.to_pydict() == {"b": ["x", "y"], "a": [1, 2]}
    with refuses("Standard input can be read only once. Save it to a file first."):
        list(table.scan(["a"]))


def test_long_standard_input(monkeypatch):
    text = b"a,b\n" + b"1,x\n" * 2**19
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert sum(batch.num_rows for batch in open_table("-").scan(["a"])) == 2**19


def test_bad_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with refuses("standard input is empty."):
        open_table("-")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n1,2\n3\n")))
    with refuses(
        "standard input has 1 field in row 2, but 2 columns. "
        "Complete the row, and quote cells that hold a separator."
    ):
        list(open_table("-").scan(["a"]))


@pytest.mark.parametrize("name", ["t.parquet", "t.feather"])
def test_cells_of_typed_tables_are_what_they_are(name, tmp_path):
    table = open_table(write(TABLE, tmp_path / name))
    assert not table.untyped
    assert not table.live
    [batch] = table.cells(["ok", "score"])
    assert batch.to_pydict() == TABLE.select(["ok", "score"]).to_pydict()


def test_formats_may_be_declared(tmp_path, monkeypatch):
    path = tmp_path / "t.data"
    path.write_text("a\tb\n1\t2\n")
    assert open_table(path, "tsv").columns == ("a", "b")
    assert open_table(path, "csv").columns == ("a", "b")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\tb\n1\t2\n")))
    assert open_table("-", "tsv").columns == ("a", "b")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"PAR1")))
    with refuses("Standard input cannot be read as parquet. Save it to a file first."):
        open_table("-", "parquet")
    with refuses(
        "format must be one of 'csv', 'tsv', 'jsonl', 'parquet', 'feather', 'xlsx', but is 'xml'.",
        BadParameter,
    ):
        open_table(path, "xml")


def test_files_that_are_not_there(tmp_path):
    path = tmp_path / "none.csv"
    with refuses(f"{path} does not exist. Check the path."):
        open_table(path)
    with refuses(f"{tmp_path} is a directory without a file in it."):
        open_table(tmp_path)
    with refuses(f"{tmp_path / 'a.csv' / 'b.csv'} does not exist. Check the path."):
        open_table(tmp_path / "a.csv" / "b.csv")
    file = tmp_path / "file.csv"
    file.write_text("a\n1\n")
    with refuses(f"{file / 'b.csv'} cannot be read: Not a directory."):
        open_table(file / "b.csv")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.feather", "t.csv.gz", "t"])
def test_empty_files(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(b"")
    with refuses(f"{path} is empty."):
        open_table(path)


@pytest.mark.parametrize("name", ["t.parquet", "t.feather", "t.arrow"])
def test_tables_without_rows(name, tmp_path):
    path = write(TABLE.slice(0, 0), tmp_path / name)
    with refuses(f"{path} has columns but no rows."):
        open_table(path)


def test_a_stream_without_rows(tmp_path):
    path = write(TABLE.slice(0, 0), tmp_path / "t.arrows.ipc")
    with refuses(f"{path} holds no rows."):
        list(open_table(path).scan(["id"]))


@pytest.mark.parametrize("name", ["t.ods", "t", "t.txt", "t.gz"])
def test_unknown_formats(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(b"PK\x03\x04 something else")
    with refuses(
        f"{path} is of no format known here. Use CSV (.csv, .csv.gz), TSV (.tsv), JSON lines (.jsonl), "
        "Parquet (.parquet), Feather (.feather, .arrow) or Excel (.xlsx), named so."
    ):
        open_table(path)


def test_unknown_columns(tmp_path):
    path = write(TABLE, tmp_path / "t.csv")
    listed = "Its columns are 'label', 'guess', 'score', 'id', 'ok'."
    with refuses(f"{path} has no column 'lable'. Did you mean 'label'? {listed}", UnknownName):
        open_table(path).scan(["id", "lable"])
    with refuses(f"{path} has no column 'truth'. {listed}", UnknownName):
        open_table(path).scan(["truth"])
    wide = write(pa.table({f"c{j}": [1] for j in range(23)}), tmp_path / "wide.parquet")
    shown = ", ".join(f"'c{j}'" for j in range(20))
    with refuses(f"{wide} has no column 'x'. Its columns are {shown} and 3 more.", UnknownName):
        open_table(wide).scan(["x"])


@pytest.mark.parametrize("sign", [";", "\t", "|"])
def test_other_separators_are_noticed(tmp_path, sign):
    path = tmp_path / "t.csv"
    path.write_text("label;guess\n1,5;2\n1,25;3\n".replace(";", sign))
    table = open_table(path)
    (batch,) = table.scan(["label", "guess"], numbers=["label"])
    assert batch.to_pydict() == {"label": [1.5, 1.25], "guess": [2, 3]}
    (cells,) = table.cells(["label"])
    assert cells["label"].to_pylist() == ["1.5", "1.25"]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.feather"])
def test_a_name_used_twice(name, tmp_path):
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    path = tmp_path / name
    if name.endswith("feather"):
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    else:
        write(table, path)
    with refuses(f"{path} has two columns named 'a'. Rename or drop one of them."):
        open_table(path)


def test_bad_requests(tmp_path):
    table = open_table(write(TABLE, tmp_path / "t.csv"))
    with refuses("columns must be at least one column name, but is [].", BadParameter):
        table.scan([])
    with refuses("batch_rows must be at least 1, but is 0.", BadParameter):
        table.scan(["id"], batch_rows=0)


def test_a_compressed_file_that_is_none(tmp_path):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(b"label,guess\n1,1\n")
    sentence = (
        f"{path} cannot be unpacked or read to its end: it is cut short or damaged. "
        "Copy or write it again."
    )
    with refuses(sentence):
        open_table(path)
    whole = gzip.compress(b"label,guess\n" + np.random.default_rng(0).bytes(2**21).hex().encode())
    path.write_bytes(whole[: len(whole) // 8])
    with refuses(sentence):
        list(open_table(path).scan(["label"]))
