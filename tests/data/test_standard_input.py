"""Standard input, plain or compressed, as whoever reads it gets it."""

from __future__ import annotations

import bz2
import gzip
import io
import sys

import numpy as np
import pyarrow as pa
import pytest

from assay.data.standard_input import Replayed, standard_input
from assay.files import read_table
from tests.data.reading import Pipe, refuses

CSV = b"size,kind\n" + b"".join(b"%d,%s\n" % (i, b"ham" if i % 3 else b"spam") for i in range(5000))
LIBSVM = b"".join(b"%d 1:%d 3:2\n" % (1 if i % 3 else -1, i + 1) for i in range(5000))
PACKED = {
    "plain": bytes,
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "zstd": lambda text: pa.compress(text, "zstd", asbytes=True),
}


@pytest.fixture(params=["all at once", "byte by byte", "without a look ahead"])
def given(monkeypatch, request):
    def give(raw):
        stream = io.BytesIO(raw)
        if request.param == "byte by byte":
            pieces = [raw[i : i + 1] for i in range(4)] + [
                raw[i : i + 1000] for i in range(4, len(raw), 1000)
            ]
            stream = io.BufferedReader(Pipe(*filter(None, pieces)))
        elif request.param == "all at once":
            stream = io.BufferedReader(stream)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(stream))

    return give


@pytest.mark.parametrize("packed", PACKED)
def test_unpacked_as_its_first_bytes_say(given, packed):
    given(PACKED[packed](CSV))
    assert standard_input().read() == CSV


@pytest.mark.parametrize("text", [b"", b"B", b"BZ", b"BZip,kind\n", b"\x1f", b"\x28\xb5\x2f"])
def test_what_only_begins_like_a_compressed_file_is_left_alone(given, text):
    given(text)
    assert standard_input().read() == text


@pytest.mark.parametrize("packed", PACKED)
def test_tables_and_libsvm_text(given, packed):
    given(PACKED[packed](CSV))
    chunks = read_table("-", target="kind", chunk_rows=1000)
    assert np.concatenate([part.X for part in chunks])[:, 0].tolist() == list(range(5000))
    given(PACKED[packed](LIBSVM))
    parts = list(read_table("-", format="libsvm", features=3, chunk_rows=1000))
    assert sum(len(part) for part in parts) == 5000
    assert parts[0].X[:2].toarray().tolist() == [[1.0, 0.0, 2.0], [2.0, 0.0, 2.0]]


def test_what_is_cut_short_is_refused(given):
    sentence = (
        "standard input cannot be unpacked or read to its end: it is cut short or damaged. Copy or write "
        "it again."
    )
    for raw in (gzip.compress(CSV)[:-20], gzip.compress(CSV)[:40]):
        given(raw)
        with refuses(sentence):
            read_table("-", target="kind")
        given(raw)
        with refuses(sentence):
            read_table("-", format="libsvm", features=3)


def test_bytes_that_were_taken_come_first():
    stream = io.BufferedReader(Replayed(b"ab", io.BytesIO(b"cdef")))
    assert (stream.read(3), stream.read1(1), stream.read()) == (b"abc", b"d", b"ef")
