from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from assay.data import delimited, tabular
from assay.data.encode import OneHot
from assay.data.tabular import read_tables
from assay.errors import BadParameter, UnknownName
from tests.data.reading import feed, refuses, until_refused

ELEC2 = Path(__file__).parents[2] / "examples" / "data" / "elec2.parquet"

FRUIT = b"""colour,weight,ripe,kind
red,150,true,apple
yellow,120.5,true,banana
green,140,false,apple
"""
FEATURES = ("colour=green", "colour=red", "colour=yellow", "weight", "ripe")
ROWS = [[0, 1, 0, 150, 1], [0, 0, 1, 120.5, 1], [1, 0, 0, 140, 0]]


@pytest.fixture
def file(tmp_path):
    """Write some bytes to a file and name it."""

    def written(data, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return written


def test_a_csv_file(file):
    examples = read_tables([file(FRUIT)], target="kind")
    assert examples.features == FEATURES
    assert examples.X.tolist() == ROWS
    assert examples.X.flags.c_contiguous
    assert examples.y.tolist() == ["apple", "banana", "apple"]
    assert examples.target == "kind"
    assert isinstance(examples.encoder, OneHot)


def test_formats_read_alike(file, tmp_path):
    table = pa.table(
        {
            "colour": pa.array(["red", "yellow", "green"]).dictionary_encode(),
            "weight": [150, 120.5, 140],
            "ripe": [True, True, False],
            "kind": ["apple", "banana", "apple"],
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    pa.feather.write_feather(table, tmp_path / "t.feather")
    file(FRUIT.replace(b",", b"\t"), "t.tsv")
    file(FRUIT)
    for name in ("t.csv", "t.tsv", "t.parquet", "t.feather"):
        examples = read_tables([tmp_path / name], target="kind")
        assert examples.features == FEATURES
        assert examples.X.tolist() == ROWS
        assert examples.y.tolist() == ["apple", "banana", "apple"]


def test_some_columns_and_no_target(file):
    examples = read_tables([file(FRUIT)], columns=["ripe", "weight"], dtype=np.float32)
    assert examples.features == ("ripe", "weight")
    assert examples.X.tolist() == [[1, 150], [1, 120.5], [0, 140]]
    assert examples.X.dtype == np.float32
    assert examples.y is None


@pytest.mark.parametrize(
    ("cells", "values", "kind"),
    [
        (["0", "1"], [0, 1], np.int64),
        (["0.5", "1"], [0.5, 1.0], np.float64),
        (["true", "false"], [True, False], np.bool_),
        (["a", "1"], ["a", "1"], np.object_),
    ],
)
def test_labels_as_the_file_has_them(file, cells, values, kind):
    path = file(b"x,y\n" + "".join(f"1,{cell}\n" for cell in cells).encode())
    y = read_tables([path], target="y").y
    assert y.tolist() == values
    assert y.dtype == kind
    [chunk] = read_tables([path], target="y", chunk_rows=9)
    assert chunk.y.dtype == kind


def test_a_target_that_begins_like_whole_numbers(file, monkeypatch):
    monkeypatch.setattr(delimited, "_BLOCK", 100)
    path = file(b"x,y\n" + b"1,3\n" * 100 + b"1,2.5\n")
    chunks = read_tables([path], target="y", chunk_rows=40)
    found, said = until_refused(chunks)
    assert sum(map(len, found)) == 100
    assert said == (
        f"{path} holds '2.5' in column 'y', row 101, but the rows before hold whole numbers. "
        "Write the whole column one way."
    )
    examples = read_tables([path], target="y", numbers=["y"])
    assert examples.y[-2:].tolist() == [3.0, 2.5]
    assert len(examples) == 101


@pytest.mark.parametrize("chunk_rows", [1, 999, 1000, 5000])
def test_chunks_join_to_the_whole(chunk_rows, monkeypatch):
    monkeypatch.setattr(tabular, "_BATCH_CELLS", 7 * 4096)
    columns = ["nswprice", "vicprice"]
    whole = read_tables([ELEC2], target="target", columns=columns)
    rows = 45_312 if chunk_rows > 1 else 3
    chunks = read_tables([ELEC2], target="target", columns=columns, chunk_rows=chunk_rows)
    assert chunks.rows == 45_312
    seen = 0
    for chunk in chunks:
        assert chunk.first_row == seen + 1
        assert len(chunk) == min(chunk_rows, 45_312 - seen)
        assert np.array_equal(chunk.X, whole.X[seen : seen + len(chunk)])
        assert np.array_equal(chunk.y, whole.y[seen : seen + len(chunk)])
        seen += len(chunk)
        if seen >= rows:
            break


def test_elec2_whole():
    examples = read_tables([ELEC2], target="target")
    assert examples.X.shape == (45_312, 6)
    assert examples.y.sum() == 19_237
    assert np.array_equal(examples.X[:, 0], pq.read_table(ELEC2).column(0).to_numpy())


def test_many_files(file):
    first, second = (
        file(FRUIT, "a.csv"),
        file(b"kind,ripe,weight,colour\nplum,true,9,red\n", "b.csv"),
    )
    examples = read_tables([first, second], target="kind")
    assert examples.X.tolist() == [*ROWS, [0, 1, 0, 9, 1]]
    assert examples.y.tolist() == ["apple", "banana", "apple", "plum"]
    chunks = list(read_tables([first, second], target="kind", chunk_rows=2))
    assert [len(chunk) for chunk in chunks] == [2, 2]
    bad = file(b"kind,ripe,weight\nplum,true,9\n", "c.csv")
    with refuses(
        f"{bad} has no column 'colour'. Its columns are 'kind', 'ripe', 'weight'.", UnknownName
    ):
        read_tables([first, bad], target="kind")


def test_an_encoder_is_used_again(file):
    encoder = read_tables([file(FRUIT)], target="kind").encoder
    new = file(b"extra,ripe,weight,colour\n1,false,7,yellow\n", "new.csv")
    examples = read_tables([new], encoder=encoder)
    assert examples.X.tolist() == [[0, 0, 1, 7, 0]]
    assert examples.encoder is encoder
    with refuses(
        "An encoder made before knows its columns, categories, unknown and missing already; do not "
        "give them again.",
        BadParameter,
    ):
        read_tables([new], encoder=encoder, missing="nan")


def test_encoders_by_name(file):
    path = file(b"a,b\ntrue,x\nfalse,y\n")
    assert read_tables([path], encoder="booleans").features == ("a", "b=x", "b=y")
    literals = read_tables([path], encoder="literals")
    assert literals.features == ("a", "not a", "b=x", "b=y", "not b=x", "not b=y")
    assert literals.X.tolist() == [[1, 0, 1, 0, 0, 1], [0, 1, 0, 1, 1, 0]]
    with refuses(
        "encoder must be one of ['one-hot', 'booleans', 'literals'] or an Encoder, but is 'two-hot'.",
        BadParameter,
    ):
        read_tables([path], encoder="two-hot")


@pytest.mark.parametrize("block", [200, 2**22])
@pytest.mark.parametrize("chunk_rows", [7, 100, 10_000])
@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        (b"oops,red,a", "holds 'oops' in column 'size', row 501, where a number is needed. "
        "If the column holds categories, name it in categories."),
        (b",red,a", "holds no value in column 'size', row 501. Fill it in, leave the column out, "
                    "or say missing='nan' or missing='zero'."),
        (b"inf,red,a", "holds inf in column 'size', row 501, which is not a finite number."),
        (b"1,blue,a", "holds 'blue' in column 'colour', row 501, a category that the encoder does "
                      "not know. Fit it on rows that hold it, name it in categories, or say "
                      "unknown='other'."),
        (b"1,red,", "holds no label in column 'kind', row 501. Every row needs one; take the row "
                    "out."),
        (b"1,red", "has 2 fields in row 501, but 3 columns. Complete the row, and quote cells that "
                   "hold a separator."),
        (b"1,r\xe9d,a", "is not UTF-8 text. Column 'colour', row 501 holds other bytes; save the "
                        "file as UTF-8."),
    ],
)  # fmt: skip
def test_a_broken_row_costs_nothing_before_it(
    file, block, chunk_rows, broken, sentence, monkeypatch
):
    monkeypatch.setattr(delimited, "_BLOCK", block)
    good = b"".join(
        b"%d,%s,%s\n" % (k, (b"red", b"green")[k % 2], b"ab"[k % 2 :][:1]) for k in range(500)
    )
    path = file(b"size,colour,kind\n" + good + broken + b"\n" + good)
    options = {"categories": {"colour": ["green", "red"]}}
    with refuses(f"{path} {sentence}"):
        read_tables([path], target="kind", **options)
    found, said = until_refused(
        read_tables([path], target="kind", chunk_rows=chunk_rows, **options)
    )
    assert said == f"{path} {sentence}"
    assert [len(chunk) for chunk in found[:-1]] == [chunk_rows] * (len(found) - 1)
    X = np.concatenate([chunk.X for chunk in found])
    assert X[:, 0].tolist() == list(range(500))
    assert X[:, 2].tolist() == [1, 0] * 250
    assert np.concatenate([chunk.y for chunk in found]).tolist() == ["a", "b"] * 250


def test_the_first_of_several_bad_cells_is_named(file):
    path = file(b"a,b,y\n1,1,1\n1,bad,1\n2,1,1\nbad,bad,\n")
    found, said = until_refused(read_tables([path], target="y", numbers=["a", "b"], chunk_rows=9))
    assert [len(chunk) for chunk in found] == [1]
    assert (
        said == f"{path} holds 'bad' in column 'b', row 2, where a number is needed. "
        "If the column holds categories, name it in categories."
    )


def test_missing_values_as_asked_for(file):
    path = file(b"a,b\n1,x\n,\n")
    X = read_tables([path], missing="nan").X
    assert np.array_equal(X, [[1, 1], [math.nan, math.nan]], equal_nan=True)
    assert read_tables([path], missing="zero").X.tolist() == [[1, 1], [0, 0]]


def test_a_truncated_parquet(tmp_path):
    path = tmp_path / "t.parquet"
    whole = ELEC2.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with refuses(
        f"{path} cannot be read as Parquet: it is cut short, damaged, or of another format. "
        "Copy or write it again."
    ):
        read_tables([path], target="target")


def test_standard_input_as_it_comes(monkeypatch):
    pipe = feed(monkeypatch, b"x,y\n", b"1,a\n", b"2,b\n3,a\n", b"?,a\n")
    chunks = read_tables(["-"], target="y", chunk_rows=100)
    assert chunks.features == ("x",)
    rows = iter(chunks)
    assert next(rows).X.tolist() == [[1]]
    assert pipe.given == 2
    second = next(rows)
    assert second.X.tolist() == [[2], [3]]
    assert second.first_row == 2
    with refuses(
        "standard input holds no value in column 'x', row 4. Fill it in, leave the column out, or "
        "say missing='nan' or missing='zero'."
    ):
        next(rows)
    with refuses("Standard input can be read only once. Save it to a file first."):
        list(chunks)


def test_standard_input_whole(monkeypatch):
    feed(monkeypatch, FRUIT[:30], FRUIT[30:])
    assert (
        read_tables(
            ["-"], target="kind", categories={"colour": ["green", "red", "yellow"]}
        ).X.tolist()
        == ROWS
    )


def test_bad_requests(file):
    path = file(FRUIT)
    with refuses(
        f"{path} has no column 'kid'. Did you mean 'kind'? Its columns are 'colour', 'weight', "
        "'ripe', 'kind'.",
        UnknownName,
    ):
        read_tables([path], target="kid")
    with refuses("columns must be at least one column name, but is [].", BadParameter):
        read_tables([path], columns=[])
    with refuses("columns must be without the target, but is ['kind'].", BadParameter):
        read_tables([path], target="kind", columns=["kind"])
    alone = file(b"y\n1\n", "alone.csv")
    with refuses("columns must be at least one column name, but is [].", BadParameter):
        read_tables([alone], target="y")
