from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from assay.errors import BadData, BadParameter
from assay.files import read_table
from tests.data.reading import feed, refuses, until_refused

DATA = Path(__file__).parents[1] / "examples" / "data"
HEART = DATA / "heart_scale.svmlight"


def test_every_format():
    heart = read_table(HEART)
    assert repr(heart) == "Examples(270 rows, 13 sparse features, target 'label')"
    elec = read_table(str(DATA / "elec2.parquet"), target="target")
    assert repr(elec) == "Examples(45312 rows, 6 features, target 'target')"
    chunks = read_table(HEART, chunk_rows=100)
    assert [len(chunk) for chunk in chunks] == [100, 100, 70]


@pytest.mark.parametrize("name", ["a9a", "a9a.t", "x.svm", "x.LIBSVM", "x.svmlight.gz", "plain.gz"])
def test_names_of_libsvm_files(name, tmp_path):
    path = tmp_path / name
    text = HEART.read_bytes()
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    assert (read_table(path).X != read_table(HEART).X).nnz == 0


@pytest.mark.parametrize("name", ["large.svm", "large.svm.gz"])
def test_a_file_worth_compiling_for(name, tmp_path):
    rng = np.random.default_rng(0)
    X = sparse.random_array((4000, 500), density=0.03, rng=rng, format="csr")
    plain = tmp_path / "plain.svm"
    dump_svmlight_file(X, rng.integers(0, 2, 4000), str(plain))
    path = tmp_path / name
    text = plain.read_bytes()
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    expected, y = load_svmlight_file(str(plain), n_features=500)
    for zero_based in ("auto", True):
        examples = read_table(path, features=500, zero_based=zero_based)
        assert np.array_equal(examples.X.data, expected.data)
        assert np.array_equal(examples.X.indices, expected.indices)
        assert np.array_equal(examples.y, y)
    chunks = list(read_table(path, chunk_rows=999, features=500, zero_based=True))
    assert np.array_equal(np.concatenate([chunk.X.data for chunk in chunks]), expected.data)


def test_patterns_and_lists(tmp_path):
    for name, value in (("b.csv", 2), ("a.csv", 1), ("c.csv", 3)):
        (tmp_path / name).write_text(f"x,y\n{value},0\n")
    assert read_table(f"{tmp_path}/*.csv", target="y").X.tolist() == [[1], [2], [3]]
    listed = [tmp_path / "c.csv", f"{tmp_path}/[ab].csv"]
    assert read_table(listed, target="y").X.tolist() == [[3], [1], [2]]
    odd = tmp_path / "[x].csv"
    odd.write_text("x,y\n9,0\n")
    assert read_table(odd, target="y").X.tolist() == [[9]]
    with refuses(f"No file matches '{tmp_path}/*.tsv'. Check the pattern."):
        read_table(f"{tmp_path}/*.tsv")
    with refuses("path must be at least one file, but is [].", BadParameter):
        read_table([])


def test_many_files_with_a_broken_one_in_chunks(tmp_path):
    for k in range(4):
        rows = "".join(f"{k},{j}\n" for j in range(10))
        (tmp_path / f"{k}.csv").write_text("x,y\n" + rows)
    (tmp_path / "2.csv").write_text("x,y\n2,0\n2,1\nmany,2\n")
    found, said = until_refused(read_table(f"{tmp_path}/*.csv", target="y", chunk_rows=8))
    assert [len(chunk) for chunk in found] == [8, 8, 6]
    assert [chunk.first_row for chunk in found] == [1, 9, 17]
    assert said == (
        f"{tmp_path / '2.csv'} holds 'many' in column 'x', row 3, where a number is needed. "
        "If the column holds categories, name it in categories."
    )


def test_declared_formats(tmp_path, monkeypatch):
    path = tmp_path / "t.txt"
    path.write_text("a,y\n1,2\n")
    assert read_table(path, format="csv", target="y").X.tolist() == [[1]]
    feed(monkeypatch, b"1 1:2\n")
    assert read_table("-", format="libsvm").X.toarray().tolist() == [[2]]
    feed(monkeypatch, b"a,y\n1,2\n")
    assert read_table("-", target="y").X.tolist() == [[1]]


def test_bad_requests(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,2\n")
    with refuses("chunk_rows must be at least 1, if given, but is 0.", BadParameter):
        read_table(path, chunk_rows=0)
    with refuses(
        "format must be one of ['csv', 'tsv', 'jsonl', 'parquet', 'feather', 'xlsx', 'libsvm'], but is 'xml'.",
        BadParameter,
    ):
        read_table(path, format="xml")
    with refuses("zero_based is for libsvm text; leave it out.", BadParameter):
        read_table(path, zero_based=True)
    with refuses("The features of a table are its columns; leave out features=...", BadParameter):
        read_table(path, features=3)
    with refuses("Some of the files are libsvm text and some are tables. Read them apart."):
        read_table([path, HEART])
    for options in ({"target": "y"}, {"columns": ["a"]}, {"categories": ["a"]}, {"numbers": ["a"]}):
        with refuses(
            "libsvm text has no column names: the label comes first, and all features are numbers. "
            "Leave out target, columns, categories and numbers.",
            BadParameter,
        ):
            read_table(HEART, **options)
    with refuses("Standard input (-) cannot be read together with other files.", BadParameter):
        read_table(["-", path])
    odd = tmp_path / "t.ods"
    odd.write_bytes(b"PK\x03\x04")
    with refuses(
        f"{odd} is of no format known here. Use CSV (.csv, .csv.gz), TSV (.tsv), Parquet (.parquet), "
        "Feather (.feather, .arrow), Excel (.xlsx) or libsvm text (.svm, .libsvm, .svmlight), named so; or say "
        "format=..."
    ):
        read_table(odd)
    with pytest.raises(BadData, match="does not exist"):
        read_table(tmp_path / "none")


def test_small_files_need_no_compiler():
    code = (
        "import sys; from assay.files import read_table; "
        f"read_table({str(HEART)!r}); print('numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
