"""Columns made ready for learning: what each becomes, from training rows alone, and written down for good."""

import copy
import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from assay import files
from assay.data import Preparation, delimited, encoder_from_json
from assay.data.measures import Measures
from assay.errors import BadData
from assay.files import read_table

COLOURS = ["red", "green", None, "red", "blue", "green"]
TABLE = pa.table(
    {
        "age": [30.0, None, 50.0, 40.0, 35.0, 45.0],
        "member": [True, False, None, True, True, False],
        "colour": COLOURS,
        "same": [7, 7, 7, 7, 7, 7],
    }
)


def texts(many):
    return [f"word{i} and word{i * 7 % 13} again" for i in range(many)]


def test_every_kind_of_column():
    ready = Preparation.fit(TABLE)
    assert [column.kind for column in ready.columns] == ["number", "truth", "category", "number"]
    assert ready.features == (
        "age", "member", "colour=blue", "colour=green", "colour=red", "colour=(other)", "same",
        "age is missing", "member is missing", "colour is missing",
    )  # fmt: skip
    X = ready.transform(TABLE)
    held = np.array([30.0, 50, 40, 35, 45])
    assert X[[0, 2, 3, 4, 5], 0] == pytest.approx((held - held.mean()) / held.std())
    assert X[1, 0] == 0  # a gap is the mean
    assert X[:, 1].tolist() == [1, 0, 0, 1, 1, 0]
    assert X[2, 2:6].tolist() == [0, 0, 0, 0]
    assert X[:, 6].tolist() == [0] * 6  # constant: centred, and divided by 1
    assert X[:, 7:].astype(int).tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 1], *[[0, 0, 0]] * 3]


def test_a_category_that_training_did_not_show_and_a_gap_that_is_new():
    ready = Preparation.fit(TABLE.select(["colour", "same"]))
    [row, gap] = ready.transform(pa.table({"colour": ["mauve", "red"], "same": [9, None]}))
    names = ready.features
    assert row[names.index("colour=(other)")] == 1
    assert row[names.index("same")] == 2
    assert gap[names.index("same")] == 0


def test_a_dictionary_tells_nothing_about_rows_that_are_not_there():
    whole = pa.table({"c": pa.array(["a", "b", "c", "a"]).dictionary_encode()})
    rows = whole.take([0, 1, 3])
    assert Preparation.fit(rows).columns[0].categories == ("a", "b")


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
)  # fmt: skip
def test_text_of_every_type_is_read_alike(kind):
    words = pa.array(texts(80))
    plain = Preparation.fit(pa.table({"t": words, "c": ["x", "y"] * 40}))
    typed = pa.table({"t": words.cast(kind), "c": pa.array(["x", "y"] * 40).cast(kind)})
    ready = Preparation.fit(typed)
    assert ready == plain
    assert [column.kind for column in ready.columns] == ["text", "category"]
    assert (ready.transform(typed) == plain.transform(typed)).all()


def test_numbers_as_they_are_for_learners_that_ask_questions():
    X = Preparation.fit(TABLE).unscaled().transform(TABLE)
    assert X[:, 0].tolist() == [30, 40, 50, 40, 35, 45]
    assert X[:, 6].tolist() == [7] * 6


def test_sparse_rows_are_dense_rows_but_for_their_number_of_words():
    table = pa.table({"t": texts(80), "n": np.arange(80.0)})
    dense = Preparation.fit(table)
    sparse = Preparation.fit(table, sparse=True)
    assert (len(dense.features), len(sparse.features)) == (1 + 2**9, 1 + 2**14)
    narrow = encoder_from_json(sparse.to_json() | {"words": 2**9})
    assert (narrow.transform(table).toarray() == dense.transform(table)).all()


@pytest.mark.parametrize("sparse", [False, True])
def test_chunks_are_the_whole_to_the_bit(sparse):
    table = pa.concat_tables([TABLE] * 14)
    table = table.append_column("t", pa.array(texts(84)))
    ready = Preparation.fit(table, sparse=sparse)
    as_array = (lambda X: X.toarray()) if sparse else (lambda X: X)
    whole = as_array(ready.transform(table))
    parts = [as_array(ready.transform(table.slice(at, 11))) for at in range(0, 84, 11)]
    assert np.concatenate(parts).tobytes() == whole.tobytes()


def test_measures_batch_after_batch_are_those_of_the_whole():
    rng = np.random.default_rng(0)
    table = pa.table({"a": 1e6 + rng.normal(size=500), "b": rng.normal(size=500)})
    ready = Preparation.fit(table)
    found = Measures(ready)
    for at in range(0, 500, 37):
        found.add(table.slice(at, 37))
    assert found.mean == pytest.approx(ready.mean, rel=1e-14)
    assert found.deviation == pytest.approx(ready.deviation, rel=1e-10)
    assert found.deviation == pytest.approx([np.std(table["a"]), np.std(table["b"])], rel=1e-9)


@pytest.mark.parametrize("scaled", [True, False])
def test_rows_read_by_the_compiled_loop_are_those_that_arrow_reads(tmp_path, monkeypatch, scaled):
    rng = np.random.default_rng(0)
    table = pa.table(
        {"a": rng.normal(size=300), "y": rng.integers(0, 2, 300), "b": rng.normal(size=300)}
    )
    pa.csv.write_csv(table, tmp_path / "t.csv")
    pq.write_table(table, tmp_path / "t.parquet")
    ready = Preparation.fit(table.select(["a", "b"]))
    ready = ready if scaled else ready.unscaled()
    monkeypatch.setattr(delimited, "_BLOCK", 2000)
    found = {}
    for worth in (0, 2**60):
        monkeypatch.setattr(files, "_WORTH_COMPILING", worth)
        chunks = read_table(tmp_path / "t.csv", target="y", encoder=ready, chunk_rows=50)
        found[worth] = np.concatenate([chunk.X for chunk in chunks])
    arrow = read_table(tmp_path / "t.parquet", target="y", encoder=ready).X
    assert found[0].tobytes() == found[2**60].tobytes() == arrow.tobytes()


def test_it_is_the_same_after_json():
    table = TABLE.append_column("t", pa.array(texts(6)))
    for ready in (Preparation.fit(table), Preparation.fit(table, sparse=True).unscaled()):
        again = encoder_from_json(json.loads(json.dumps(ready.to_json())))
        assert again == ready
        assert isinstance(again, Preparation)


@pytest.mark.parametrize(
    "change",
    [
        {"mean": [1.0]}, {"mean": ["1", "2"]}, {"mean": [float("nan"), 0.0]}, {"mean": [10**400, 0.0]},
        {"deviation": [0.0, 1.0]}, {"deviation": [-1.0, 1.0]}, {"deviation": [float("inf"), 1.0]},
        {"deviation": [True, 1.0]}, {"mean": None}, {"mean": 3}, {"flagged": ["nobody"]}, {"flagged": 3},
        {"flagged": ["t"]}, {"flagged": ["age", "age"]}, {"words": -1}, {"words": True}, {"words": 2**40},
        {"words": "8"}, {"scaled": 1}, {"sparse": "yes"}, {"unknown": "perhaps"}, {"missing": []},
        {"columns": [{"name": "a", "kind": "magic", "categories": []}]}, {"columns": 3}, {"columns": ["a"]},
        {"columns": [{"name": "a"}]}, {"encoder": "pickle"}, {"encoder": ["preparation"]},
    ],
    ids=str,
)  # fmt: skip
def test_a_document_that_somebody_else_wrote_is_refused(change):
    good = Preparation.fit(TABLE.append_column("t", pa.array(texts(6)))).to_json()
    good["columns"][-1] = {"name": "t", "kind": "text", "categories": []}
    good |= {"words": 8, "flagged": ["age"]}
    encoder_from_json(copy.deepcopy(good))
    with pytest.raises(BadData):
        encoder_from_json(good | change)


@pytest.mark.parametrize("document", [None, 3, [], "preparation", {}, {"encoder": "preparation"}])
def test_what_is_no_document_is_refused(document):
    with pytest.raises(BadData, match="An encoder cannot be made from this document"):
        encoder_from_json(document)


def test_a_column_that_holds_nothing():
    with pytest.raises(BadData, match="holds no value in column 'b' on any of the 2 training rows"):
        Preparation.fit(pa.table({"a": [1, 2], "b": pa.array([None, None], pa.float64())}))


@pytest.mark.parametrize("size", [1e200, 1.7e308])
def test_squares_that_overflow(size):
    with pytest.raises(
        BadData, match="Column 'a' holds numbers so large that their squares overflow"
    ):
        Preparation.fit(pa.table({"a": [size, -size, size]}))


def test_what_is_said_about_each_column():
    table = TABLE.append_column("t", pa.array(texts(6)))
    ready = Preparation.fit(pa.concat_tables([table] * 20), categories=["same"])
    told = {line[0]: line[1:] for line in ready.described()}
    assert told["age"][0] == "number"
    assert told["same"] == (
        "category",
        "2 features, one for each category and one for all others",
        "0 in all of them",
    )
    assert told["member"][2] == "0, and a feature says so"
