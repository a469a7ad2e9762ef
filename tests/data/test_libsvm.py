from __future__ import annotations

import bz2
import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from assay.compiled.text.libsvm import parse_text
from assay.data import libsvm
from assay.data.libsvm import looks_like_libsvm, read_libsvm
from assay.data.libsvm_lines import parse_plainly
from assay.errors import BadParameter
from tests.data.reading import feed, refuses, until_refused

HEART = Path(__file__).parents[2] / "examples" / "data" / "heart_scale.svmlight"
PARSERS = pytest.mark.parametrize("parse", [parse_plainly, parse_text], ids=["plain", "compiled"])


def assert_like_sklearn(examples, path, **options):
    X, y = load_svmlight_file(str(path), **options)
    assert isinstance(examples.X, sparse.csr_array)
    assert examples.X.shape == X.shape
    assert examples.X.indices.dtype == examples.X.indptr.dtype == np.int32
    assert np.array_equal(examples.X.data.view(np.uint64), X.data.view(np.uint64))
    assert np.array_equal(examples.X.indices, X.indices)
    assert np.array_equal(examples.X.indptr, X.indptr)
    assert np.array_equal(examples.y, y)


@PARSERS
def test_heart(parse):
    examples = read_libsvm([HEART], parse=parse)
    assert_like_sklearn(examples, HEART)
    assert examples.X.shape == (270, 13)
    assert list(examples.features) == [str(k) for k in range(1, 14)]
    assert examples.target == "label"


@PARSERS
@pytest.mark.parametrize("zero_based", [True, False])
def test_written_by_sklearn(parse, zero_based, tmp_path):
    rng = np.random.default_rng(0)
    dense = rng.normal(size=(200, 30)) * (rng.random((200, 30)) < 0.2)
    dense[0, 0] = dense[5, 29] = 1.0  # or neither the first index nor the last might occur
    X = sparse.csr_array(dense)
    y = rng.normal(size=200)
    path = tmp_path / "rows.svm"
    dump_svmlight_file(X, y, str(path), zero_based=zero_based, comment="made\nfor a test")
    for auto in ("auto", zero_based):
        examples = read_libsvm([path], parse=parse, zero_based=auto)
        assert_like_sklearn(examples, path, zero_based=auto)
        # What is written has 16 digits, so that the last bit may be another.
        assert np.allclose(examples.X.toarray(), dense, rtol=1e-14, atol=0)
        assert np.allclose(examples.y, y, rtol=1e-14, atol=0)
    assert examples.features[0] == ("0" if zero_based else "1")


@PARSERS
@pytest.mark.parametrize("chunk_rows", [1, 7, 100, 1000])
def test_chunks_join_to_the_whole(parse, chunk_rows, monkeypatch):
    monkeypatch.setattr(libsvm, "_BLOCK", 5000)
    whole = read_libsvm([HEART], parse=parse)
    chunks = read_libsvm([HEART], parse=parse, chunk_rows=chunk_rows)
    assert len(chunks.features) == 13
    for _ in range(2):
        read = list(chunks)
        assert [len(chunk) for chunk in read[:-1]] == [chunk_rows] * (len(read) - 1)
        assert [chunk.first_row for chunk in read] == list(range(1, 271, chunk_rows))
        X = sparse.vstack([chunk.X for chunk in read], format="csr")
        assert (X != whole.X).nnz == 0
        assert X.shape == whole.X.shape
        assert np.array_equal(np.concatenate([chunk.y for chunk in read]), whole.y)


def test_many_files(tmp_path):
    lines = HEART.read_bytes().splitlines(keepends=True)
    paths = [tmp_path / "a.svm", tmp_path / "b.svm.gz", tmp_path / "c.svm.bz2"]
    paths[0].write_bytes(b"".join(lines[:100]))
    paths[1].write_bytes(gzip.compress(b"".join(lines[100:200])))
    paths[2].write_bytes(bz2.compress(b"".join(lines[200:])))
    assert_like_sklearn(read_libsvm(paths), HEART)
    chunks = list(read_libsvm(paths, chunk_rows=150))
    assert [len(chunk) for chunk in chunks] == [150, 120]
    assert chunks[0].X.shape == (150, 13)


def test_precision(tmp_path):
    examples = read_libsvm([HEART], dtype=np.float32)
    X, _ = load_svmlight_file(str(HEART), dtype=np.float32)
    assert examples.X.dtype == np.float32
    assert np.array_equal(examples.X.data, X.data)


def svm(tmp_path, text, name="t.svm"):
    path = tmp_path / name
    path.write_bytes(text)
    return path


@PARSERS
def test_declared_width(parse, tmp_path):
    path = svm(tmp_path, b"1 1:1 3:2\n")
    assert read_libsvm([path], parse=parse, features=9).X.shape == (1, 9)
    assert read_libsvm([path], parse=parse, features=3).X.shape == (1, 3)
    assert read_libsvm([path], parse=parse, features=4, zero_based=True).X.shape == (1, 4)
    assert read_libsvm([path], parse=parse, zero_based=True).X.shape == (1, 4)
    for zero_based, most in ((True, 2), (False, 2)):
        with refuses(
            f"{path} holds index 3 in line 1, column 7, but the largest index allowed is {most}."
        ):
            read_libsvm([path], parse=parse, features=most + zero_based, zero_based=zero_based)
    zero = svm(tmp_path, b"1 0:1 3:2\n", "zero.svm")
    with refuses(f"{zero} holds index 3, but with 3 features, counted from 0, the largest is 2."):
        read_libsvm([zero], parse=parse, features=3)
    with refuses(
        f"{zero} holds index 0 in line 1, column 3, but indices start at 1. If they start at 0, "
        "say zero_based=True."
    ):
        read_libsvm([zero], parse=parse, zero_based=False)


@PARSERS
@pytest.mark.parametrize("size", [30, 10_000])
def test_a_broken_line_costs_nothing_before_it(parse, size, tmp_path, monkeypatch):
    monkeypatch.setattr(libsvm, "_BLOCK", size)
    good = b"# numbers\n" + b"1 1:0.5 2:1\r\n\n-1 3:2\n" * 50
    path = svm(tmp_path, good + b"1 1:0.5 2:oops\n1 1:1\n")
    sentence = f"{path} holds 'oops' in line 152, column 11, where a number is needed."
    with refuses(sentence):
        read_libsvm([path], parse=parse)
    for options in ({}, {"features": 3, "zero_based": False}):
        chunks = read_libsvm([path], parse=parse, chunk_rows=30, **options)
        assert len(chunks.features) == 3
        found, said = until_refused(chunks)
        assert said == sentence
        assert [len(chunk) for chunk in found] == [30, 30, 30, 10]
        assert sum(chunk.X.sum() for chunk in found) == 50 * 3.5


@given(st.binary(max_size=100))
def test_no_bytes_break_the_reader(tmp_path_factory, data):
    path = svm(tmp_path_factory.mktemp("bytes"), data)
    found, said = until_refused(read_libsvm([p]) for p in [path])
    assert found or str(path) in said


def test_missing_values(tmp_path):
    path = svm(tmp_path, b"1 1:1 2:nan\n")
    with refuses(
        f"{path} holds no number (nan) in line 1, column 9. Fill it in, or say missing='nan' or "
        "missing='zero'."
    ):
        read_libsvm([path])
    assert np.isnan(read_libsvm([path], missing="nan").X.toarray()).tolist() == [[False, True]]
    assert read_libsvm([path], missing="zero").X.toarray().tolist() == [[1, 0]]


def test_files_without_examples(tmp_path):
    path = svm(tmp_path, b"# nothing\n\n")
    with refuses(f"{path} holds no rows."):
        read_libsvm([path])
    with refuses(f"{path} holds no rows."):
        list(read_libsvm([path], chunk_rows=5, features=2, zero_based=True))
    bare = svm(tmp_path, b"1\n-1\n", "bare.svm")
    with refuses(f"{bare} holds no features. Say how many there are: features=..."):
        read_libsvm([bare])
    assert read_libsvm([bare], features=2).X.shape == (2, 2)
    with refuses(f"{tmp_path / 'none.svm'} does not exist. Check the path."):
        read_libsvm([tmp_path / "none.svm"])
    with refuses(f"{svm(tmp_path, b'', 'empty.svm')} is empty."):
        read_libsvm([tmp_path / "empty.svm"])


def test_damaged_compression(tmp_path):
    whole = gzip.compress(b"1 1:0.5\n" * 100_000)
    path = svm(tmp_path, whole[: len(whole) // 2], "t.svm.gz")
    sentence = (
        f"{path} cannot be unpacked or read to its end: it is cut short or damaged. "
        "Copy or write it again."
    )
    with refuses(sentence):
        read_libsvm([path])
    with refuses(sentence):
        list(read_libsvm([path], chunk_rows=10, features=1, zero_based=False))


def test_standard_input(monkeypatch):
    feed(monkeypatch, HEART.read_bytes()[:5000], HEART.read_bytes()[5000:])
    assert_like_sklearn(read_libsvm(["-"]), HEART)


def test_standard_input_as_it_comes(monkeypatch):
    pipe = feed(monkeypatch, b"1 1:1\n-1 2", b":5\n1 3:1\n", b"1 1:x\n")
    chunks = read_libsvm(["-"], chunk_rows=10, features=3)
    rows = iter(chunks)
    first = next(rows)
    assert first.X.toarray().tolist() == [[1, 0, 0]]
    assert pipe.given == 1
    assert next(rows).X.toarray().tolist() == [[0, 5, 0], [0, 0, 1]]
    with refuses("standard input holds 'x' in line 4, column 5, where a number is needed."):
        next(rows)
    with refuses("Standard input can be read only once. Save it to a file first."):
        list(chunks)


def test_bad_requests(monkeypatch):
    with refuses("zero_based must be True, False or 'auto', but is 'no'.", BadParameter):
        read_libsvm([HEART], zero_based="no")
    with refuses("features must be at least 1, if given, but is 0.", BadParameter):
        read_libsvm([HEART], features=0)
    feed(monkeypatch, b"1 1:1\n")
    with refuses(
        "features must be given to read libsvm text from standard input in chunks, since the "
        "largest index is not known beforehand.",
        BadParameter,
    ):
        read_libsvm(["-"], chunk_rows=5)


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        (b"1 1:1\n", True), (b"# c\n\n-1 qid:3 2:5 7:1\n1 x\n", True), (b"1\n1 1:1\n", False),
        (b"a,b\n1,2\n", False), (b"", False), (b"\x00\x01", False), (b"1 1:1 " * 20_000, False),
    ],
)  # fmt: skip
def test_looking_like_it(text, yes, tmp_path):
    assert looks_like_libsvm(svm(tmp_path, text)) is yes
    assert looks_like_libsvm(svm(tmp_path, gzip.compress(text), "t.gz")) is yes
    assert not looks_like_libsvm(svm(tmp_path, text, "damaged.gz"))
