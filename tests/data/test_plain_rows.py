"""Text of numbers only, read by the compiled loop: the same rows and refusals as by Arrow, to the bit."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.compiled.text.delimited import parse_block
from assay.data import delimited
from assay.data.boolean_encoders import Literals
from assay.data.encode import OneHot
from assay.data.plain_rows import PlainReader, PlainRows
from assay.data.tabular import read_tables
from assay.errors import BadData
from tests.data.reading import feed, until_refused

HEAD = "a,b,label,c\n" + "1,2.5,x,3\n" * 4

cells = st.sampled_from(
    ["1", "-2.5", "1e-3", ".5", "5.", " 7", "-0", "+1", "NA", "nan", "inf", "", "oops", "1e400", "1e-400",
     '"4"', "0x10", "1.2.3", "9007199254740993", "é", "1_0", "5e-324", "2,3", "\t4", "1\u00a0"]
)  # fmt: skip
lines = st.one_of(
    st.tuples(*[st.floats(-9, 9).map(repr)] * 2, st.sampled_from("xy"), st.integers(0, 9).map(str)),
    st.tuples(cells, cells, st.sampled_from(["x", "y", "", '"x"', "x y", '"x,y"', 'a"b']), cells),
).map(",".join)


def outcome(path, parse, target="label", missing="refuse"):
    """The rows before a refusal, and what was said."""
    options = {"target": target, "missing": missing, "columns": ["c", "a", "b"], "parse": parse}
    try:
        chunks = read_tables([path], chunk_rows=7, **options)
    except BadData as problem:
        return [], [], str(problem)
    found, said = until_refused(chunks)
    X = [row.tobytes() for chunk in found for row in chunk.X]
    y = [label for chunk in found for label in chunk.y.tolist()] if target else []
    return X, y, said


@settings(
    max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(
    st.lists(lines, max_size=20),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["refuse", "nan"]),
)
def test_as_arrow_reads_it(tmp_path, rows, end, missing):
    path = tmp_path / "t.csv"
    path.write_text(HEAD.replace("\n", end) + end.join(rows), newline="")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "_BLOCK", len(HEAD) + 6)
        assert outcome(path, parse_block, missing=missing) == outcome(path, None, missing=missing)


def counted(monkeypatch):
    """How many rows come by the short way."""
    seen = []
    read = PlainReader.read

    def count(self, *given):
        found = read(self, *given)
        seen.append(0 if found is None else found.num_rows)
        return found

    monkeypatch.setattr(PlainReader, "read", count)
    return seen


def test_numbers_take_the_short_way(tmp_path, monkeypatch):
    monkeypatch.setattr(delimited, "_BLOCK", 1000)
    path = tmp_path / "t.csv"
    path.write_text(HEAD + "1,2.5,x,3\n" * 1000)
    seen = counted(monkeypatch)
    X, y, said = outcome(path, parse_block)
    assert len(X) == len(y) == 1004
    assert said is None
    assert sum(seen) > 900
    assert outcome(path, parse_block, target=None)[0] == X


def test_the_second_file_may_have_another_order(tmp_path):
    first, second = tmp_path / "a.csv", tmp_path / "b.csv"
    first.write_text("x,y,k\n" + "1,2,ham\n" * 9)
    second.write_text("k,y,z,x\n" + "spam,4,?,3\n" * 9)
    found = read_tables([first, second], target="k", parse=parse_block)
    assert found.X.tolist() == [[1, 2]] * 9 + [[3, 4]] * 9
    assert found.y.tolist() == ["ham"] * 9 + ["spam"] * 9


def test_standard_input(monkeypatch):
    monkeypatch.setattr(delimited, "_BLOCK", 1000)
    seen = counted(monkeypatch)
    feed(monkeypatch, HEAD.encode() + b"1,2.5,x,3\n" * 1000 + b"1,2.5,x\n")
    found, said = until_refused(
        read_tables(["-"], target="label", chunk_rows=100, parse=parse_block)
    )
    assert sum(map(len, found)) == 1004
    assert "3 fields in row 1005" in said
    assert sum(seen) > 0


def test_gone_through_again(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(HEAD)
    chunks = read_tables([path], target="label", chunk_rows=3, parse=parse_block)
    assert [len(chunk) for chunk in chunks] == [3, 1]
    assert [len(chunk) for chunk in chunks] == [3, 1]


@pytest.mark.parametrize("kind", [OneHot, Literals])
def test_only_numbers(kind):
    table = pa.table({"a": [1.0, 0.0], "b": ["u", "v"]})
    reader = PlainReader(parse_block, None, np.dtype(float))
    reader.want(kind.fit(table))
    assert reader.read(b"1,u\n", ",", ["a", "b"]) is None
    reader.want(kind.fit(table.select(["a"])))
    assert (reader.read(b"1,u\n", ",", ["a", "b"]) is None) == (kind is Literals)


def test_labels_that_are_not_utf8_are_left_to_arrow():
    reader = PlainReader(parse_block, "k", np.dtype(float))
    reader.want(OneHot.fit(pa.table({"a": [1.0]})))
    assert reader.read(b"1,\xff\n", ",", ["a", "k"]) is None
    assert reader.read(b"1,u\n", ",", ["a", "k"]).labels.to_pylist() == ["u"]


def test_slices():
    rows = PlainRows(np.arange(6.0).reshape(3, 2), pa.array(["a", "b", "c"]))
    part = rows.slice(1, 1)
    assert (part.num_rows, part.X.tolist(), part.labels.to_pylist()) == (1, [[2.0, 3.0]], ["b"])
    assert rows.slice(2).labels.to_pylist() == ["c"]
    assert PlainRows(rows.X, None).slice(0, 2).labels is None
