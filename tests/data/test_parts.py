"""Folders and patterns of files as one table."""

from __future__ import annotations

import datetime
import hashlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay import read_table
from assay.data.location import base_of, files_of, keys_of
from assay.data.table import open_table
from assay.evidence.digest import digest_files
from tests.data.reading import refuses


def csv(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def parquet(path, **columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


def held(path, columns, **terms):
    return pa.Table.from_batches(open_table(path).cells(columns, **terms)).to_pydict()


def test_a_folder_is_read_by_the_names_of_its_files(tmp_path):
    csv(tmp_path / "b.csv", "x,y\n2,q\n")
    csv(tmp_path / "a.csv", "y,x\np,1\n")
    csv(tmp_path / "sub" / "a.csv", "x,y\n3,r\n")
    csv(tmp_path / "_SUCCESS", "")
    csv(tmp_path / ".hidden" / "c.csv", "what,else\n")
    table = open_table(tmp_path)
    assert table.columns == ("y", "x")
    assert held(tmp_path, ["x", "y"]) == {"x": ["1", "2", "3"], "y": ["p", "q", "r"]}
    assert held(f"{tmp_path}/*.csv", ["x"]) == {"x": ["1", "2"]}
    assert held(f"{tmp_path}/**/a.csv", ["x"]) == {"x": ["1", "3"]}
    scanned = pa.Table.from_batches(table.scan(["x"])).to_pydict()
    assert scanned == {"x": [1, 2, 3]}


def test_parquet_knows_its_rows_and_passes_over_files_without_any(tmp_path):
    parquet(tmp_path / "0.parquet", x=pa.array([], pa.int64()), y=pa.array([], pa.string()))
    parquet(tmp_path / "1.parquet", x=[1, 2], y=["a", "b"])
    parquet(tmp_path / "2.parquet", y=["c"], x=[3])
    table = open_table(tmp_path)
    assert (table.rows, table.columns) == (3, ("x", "y"))
    assert held(tmp_path, ["y", "x"]) == {"y": ["a", "b", "c"], "x": [1, 2, 3]}
    (tmp_path / "1.parquet").unlink()
    (tmp_path / "2.parquet").unlink()
    with refuses(f"{tmp_path} holds no rows."):
        open_table(tmp_path)


def test_numbers_of_several_kinds_and_empty_columns_are_of_one_kind(tmp_path):
    whole, text = pa.array([1, 2], pa.int32()), pa.array(["a", None])
    parquet(tmp_path / "1.parquet", n=whole, t=text, e=pa.nulls(2))
    parquet(tmp_path / "2.parquet", n=[0.5], t=pa.nulls(1), e=["x"])
    parquet(tmp_path / "3.parquet", n=pa.nulls(1), t=["b"], e=pa.array(["y"], pa.large_string()))
    parquet(tmp_path / "4.parquet", n=[7], t=pa.array(["b"]).dictionary_encode(), e=pa.nulls(1))
    assert open_table(tmp_path).schema.field("n").type == pa.float64()
    assert held(tmp_path, ["n", "t", "e"]) == {
        "n": [1.0, 2.0, 0.5, None, 7.0],
        "t": ["a", None, None, "b", "b"],
        "e": [None, None, "x", "y", None],
    }


def test_other_columns_are_refused_with_file_and_column(tmp_path):
    first = csv(tmp_path / "a.csv", "x,y\n1,2\n")
    second = csv(tmp_path / "b.csv", "x,z\n1,2\n")
    same = "Files of one table have the same columns."
    with refuses(f"{second} has no column 'y', which {first} has. {same}"):
        open_table(tmp_path)
    csv(tmp_path / "b.csv", "x,y,z\n1,2,3\n")
    with refuses(f"{second} has a column 'z', which {first} has not. {same}"):
        open_table(tmp_path)


def test_other_kinds_are_refused_with_file_and_column(tmp_path):
    first, second = (
        parquet(tmp_path / "a.parquet", x=[1], y=["p"]),
        parquet(tmp_path / "b.parquet", x=[datetime.date(2024, 1, 1)], y=["q"]),
    )
    with refuses(
        f"{second} holds values of type date32[day] in column 'x', but {first} values of type int64. "
        "Write the column one way."
    ):
        open_table(tmp_path)
    first, second = (
        csv(tmp_path / "c" / "a.csv", "x\n1\n"),
        csv(tmp_path / "c" / "b.csv", "x\nred\n"),
    )
    with refuses(
        f"{second} seems to hold values of type string in column 'x', but {first} values of type int64. "
        "Write the column one way."
    ):
        list(open_table(tmp_path / "c").scan(["x"]))


def test_other_formats_are_refused(tmp_path):
    first = csv(tmp_path / "a.csv", "x\n1\n")
    second = parquet(tmp_path / "b.parquet", x=[1])
    with refuses(
        f"{second} and {first} are of different formats. Read them apart, by a pattern such as "
        f"'{tmp_path}/*.parquet'."
    ):
        open_table(tmp_path)
    second.unlink()
    note = csv(tmp_path / "README.md", "about")
    with refuses(
        f"{note} is of no format known here. Use CSV (.csv, .csv.gz), TSV (.tsv), JSON lines (.jsonl), "
        "Parquet (.parquet), Feather (.feather, .arrow) or Excel (.xlsx), named so."
    ):
        open_table(tmp_path)


def test_keys_in_the_names_of_folders_are_columns(tmp_path):
    parquet(tmp_path / "year=2024" / "city=New%20York" / "0.parquet", x=[1, 2])
    parquet(tmp_path / "year=2023" / "city=__HIVE_DEFAULT_PARTITION__" / "0.parquet", x=[3])
    assert open_table(tmp_path).columns == ("x", "year", "city")
    everything = {
        "x": [3, 1, 2],
        "year": [2023, 2024, 2024],
        "city": [None, "New York", "New York"],
    }
    assert held(tmp_path, ["x", "year", "city"]) == everything
    assert held(f"{tmp_path}/*/*/*.parquet", ["x", "year", "city"]) == everything
    assert held(tmp_path, ["city"]) == {"city": everything["city"]}
    odd = parquet(tmp_path / "1.parquet", x=[3])
    with refuses(f"{odd} lies in no folder named 'city=...', as other files do."):
        open_table(tmp_path)


def test_keys_beside_text_are_text(tmp_path):
    for month in ("01", "02"):
        csv(tmp_path / f"month={month}" / "part.csv", "x\n1\n")
    assert held(tmp_path, ["x", "month"]) == {"x": ["1", "1"], "month": ["01", "02"]}
    scanned = pa.Table.from_batches(open_table(tmp_path).scan(["month", "x"])).to_pydict()
    assert scanned == {"month": ["01", "02"], "x": [1, 1]}


def test_read_table_takes_them_whole_and_in_chunks(tmp_path):
    for k in range(3):
        csv(tmp_path / f"day={k}" / "part.csv", "x,y\n" + "1,p\n2,q\n" * 10)
    examples = read_table(tmp_path, target="y")
    assert examples.features == ("x", "day")
    assert examples.X[:, 1].tolist() == [0.0] * 20 + [1.0] * 20 + [2.0] * 20
    chunks = list(read_table(tmp_path, target="y", chunk_rows=7))
    assert sum(map(len, chunks)) == 60
    csv(tmp_path / "day=1" / "part.csv", "x,y\n1,p\nodd,q\n")
    with refuses(
        f"{tmp_path}/day=1/part.csv holds 'odd' in column 'x', row 2, where a number is needed. "
        "If the column holds categories, name it in categories."
    ):
        read_table(tmp_path, target="y")


def test_files_of_libsvm_text(tmp_path):
    (tmp_path / "b.svm").write_text("1 1:2\n")
    (tmp_path / "a.svm").write_text("0 2:1\n")
    for path in (tmp_path, f"{tmp_path}/*.svm"):
        assert read_table(path).y.tolist() == [0.0, 1.0]


def test_what_a_path_stands_for(tmp_path):
    with refuses(f"{tmp_path} is a directory without a file in it."):
        files_of(tmp_path)
    with refuses(f"No file matches '{tmp_path}/*.csv'. Check the pattern."):
        files_of(f"{tmp_path}/*.csv")
    odd = csv(tmp_path / "[x].csv", "x\n1\n")
    assert files_of(odd) == [odd]
    assert base_of(tmp_path) == tmp_path
    assert base_of(f"{tmp_path}/a=*/b/*.csv") == tmp_path
    assert keys_of(tmp_path / "a=1" / "b" / "c=2" / "x=y.csv", tmp_path) == {"a": "1", "c": "2"}


def test_the_digest_is_that_of_the_list_that_sha256sum_prints(tmp_path):
    files = [csv(tmp_path / "a.csv", "x\n1\n"), csv(tmp_path / "b" / "a.csv", "x\n2\n")]
    listed = "".join(
        f"{hashlib.sha256(text).hexdigest()}  {name}\n"
        for text, name in ((b"x\n1\n", "a.csv"), (b"x\n2\n", "b/a.csv"))
    )
    expected = "sha256:" + hashlib.sha256(listed.encode()).hexdigest()
    assert digest_files(files, tmp_path) == expected


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_a_key_that_is_a_column_too_is_refused(tmp_path, name):
    path = tmp_path / "x=1" / name
    (csv(path, "x\n1\n") if name == "a.csv" else parquet(path, x=[1]))
    with refuses(f"{path} has two columns named 'x'. Rename or drop one of them."):
        open_table(tmp_path)
