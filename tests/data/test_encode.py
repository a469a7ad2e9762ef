from __future__ import annotations

import dataclasses
import json
import math
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.data.boolean_encoders import ENCODERS, Booleans, Literals
from assay.data.cells import BadCell
from assay.data.encode import Column, OneHot
from assay.data.stored_encoder import encoder_from_json
from assay.errors import BadData, BadParameter

ANIMALS = pa.table(
    {
        "name": ["bear", "carp", "dove"],
        "hair": [True, False, False],
        "legs": [4, 0, 2],
        "weight": [200.0, 1.5, 0.25],
    }
)


def refuses(sentence, kind=BadData):
    return pytest.raises(kind, match=f"^{re.escape(sentence)}$")


def test_one_hot():
    encoder = OneHot.fit(ANIMALS)
    assert encoder.features == ("name=bear", "name=carp", "name=dove", "hair", "legs", "weight")
    assert [c.kind for c in encoder.columns] == ["category", "truth", "number", "number"]
    assert encoder.transform(ANIMALS).tolist() == [
        [1, 0, 0, 1, 4, 200],
        [0, 1, 0, 0, 0, 1.5],
        [0, 0, 1, 0, 2, 0.25],
    ]


def test_columns_are_found_by_name_in_any_frame():
    encoder = OneHot.fit(ANIMALS, columns=["weight", "hair"])
    frame = pd.DataFrame({"extra": [1], "hair": [False], "weight": [3.0]})
    X = encoder.transform(frame, dtype=np.float32)
    assert X.tolist() == [[3, 0]]
    assert X.dtype == np.float32


def test_numbers_as_categories():
    encoder = OneHot.fit(ANIMALS, columns=["legs"], categories=["legs"])
    assert encoder.features == ("legs=0", "legs=2", "legs=4")
    named = OneHot.fit(ANIMALS, columns=["legs"], categories={"legs": [2, 4, 6, 0]})
    assert named.features == ("legs=2", "legs=4", "legs=6", "legs=0")
    assert named.transform(ANIMALS).tolist() == [[0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0]]
    found = OneHot.fit(ANIMALS, columns=["legs"], categories={"legs": None})
    assert found == encoder


def test_a_schema_is_enough_where_there_is_no_text():
    columns = ["hair", "legs", "weight"]
    assert OneHot.fit(ANIMALS.schema, columns=columns) == OneHot.fit(ANIMALS, columns=columns)
    named = OneHot.fit(ANIMALS.schema, categories={"name": ["bear", "carp"]})
    assert named.features[:2] == ("name=bear", "name=carp")
    with refuses(
        "The table holds text in column 'name', and a schema does not tell its categories. Name "
        "them, or fit the encoder on rows."
    ):
        OneHot.fit(ANIMALS.schema)


def test_untyped_cells():
    table = pa.table({"a": ["1", "2.5"], "b": ["true", "false"], "c": ["x", "1"], "d": ["NA", ""]})
    encoder = OneHot.fit(table, untyped=True, missing="nan")
    assert encoder.features == ("a", "b", "c=1", "c=x", "d")
    X = encoder.transform(table)
    assert np.array_equal(X, [[1, 1, 0, 1, math.nan], [2.5, 0, 1, 0, math.nan]], equal_nan=True)
    assert OneHot.fit(table, columns=["a"]).features == ("a=1", "a=2.5")
    assert OneHot.fit(table, columns=["c"], numbers=["c"], untyped=True).features == ("c",)


def test_unknown_categories():
    new = pa.table({"name": ["dove", "wolf", "lynx"]})
    encoder = OneHot.fit(ANIMALS, columns=["name"])
    with refuses(
        "new.csv holds 'wolf' in column 'name', row 12, a category that the encoder does not know. "
        "Fit it on rows that hold it, name it in categories, or say unknown='other'."
    ) as caught:
        encoder.transform(new, source="new.csv", done=10)
    assert isinstance(caught.value, BadCell)
    assert caught.value.row == 1
    open_one = OneHot.fit(ANIMALS, columns=["name"], unknown="other")
    assert open_one.features[-1] == "name=(other)"
    assert open_one.transform(new).tolist() == [[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1]]


GAPS = pa.table(
    {"n": [1.0, None, 3.0], "t": [True, False, None], "c": ["a", None, "b"], "k": [1, 1, 1]}
)


@pytest.mark.parametrize(("column", "row"), [("n", 2), ("t", 3), ("c", 2)])
def test_missing_values_are_refused(column, row):
    encoder = OneHot.fit(GAPS, columns=["k", column])
    with refuses(
        f"The table holds no value in column {column!r}, row {row}. Fill it in, leave the column "
        "out, or say missing='nan' or missing='zero'."
    ):
        encoder.transform(GAPS)


def test_missing_values_as_asked_for():
    zero = OneHot.fit(GAPS, missing="zero").transform(GAPS)
    assert zero.tolist() == [[1, 1, 1, 0, 1], [0, 0, 0, 0, 1], [3, 0, 0, 1, 1]]
    nan = OneHot.fit(GAPS, missing="nan").transform(GAPS)
    assert np.array_equal(np.isnan(nan), [[0] * 5, [1, 0, 1, 1, 0], [0, 1, 0, 0, 0]])


def test_booleans():
    table = pa.table({"hair": [True, None], "eggs": [0, 1], "colour": ["red", "blue"]})
    encoder = Booleans.fit(table, missing="zero")
    assert encoder.features == ("hair", "eggs", "colour=blue", "colour=red")
    assert encoder.transform(table).tolist() == [[1, 0, 0, 1], [0, 1, 1, 0]]
    with refuses(
        "The table holds 4 in column 'legs', row 1, where true or false, 1 or 0 is needed."
    ):
        Booleans.fit(ANIMALS, columns=["hair", "legs"]).transform(ANIMALS)
    with refuses("missing must be 'refuse' or 'zero' for booleans, but is 'nan'.", BadParameter):
        Booleans.fit(table, missing="nan")


def test_literals():
    table = pa.table({"hair": [True, None], "colour": ["red", "blue"]})
    encoder = Literals.fit(table, missing="zero", unknown="other")
    assert encoder.features == (
        "hair", "not hair",
        "colour=blue", "colour=red", "colour=(other)",
        "not colour=blue", "not colour=red", "not colour=(other)",
    )  # fmt: skip
    assert encoder.transform(table).tolist() == [[1, 0, 0, 1, 0, 1, 0, 1], [0, 0, 1, 0, 0, 0, 1, 1]]


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=10))
def test_literals_and_negations_are_opposites(rows):
    table = pa.table({f"x{j}": [row[j] for row in rows] for j in range(4)})
    X = Literals.fit(table).transform(table)
    assert (X[:, ::2] + X[:, 1::2] == 1).all()
    assert (X[:, ::2] == np.array(rows)).all()
    assert (Booleans.fit(table).transform(table) == np.array(rows)).all()


@pytest.mark.parametrize("name", ENCODERS)
def test_written_down_and_made_again(name):
    table = ANIMALS.select(["name", "hair"])
    encoder = ENCODERS[name].fit(table, unknown="other", missing="zero")
    again = encoder_from_json(json.loads(json.dumps(encoder.to_json())))
    assert again == encoder
    assert again.features == encoder.features
    assert (again.transform(table) == encoder.transform(table)).all()


@pytest.mark.parametrize(
    "change",
    [
        {"encoder": "two-hot"}, {"columns": 3}, {"columns": [{"name": "a"}]}, {"unknown": "keep"},
        {"columns": [{"name": "a", "kind": "colour", "categories": []}]}, {"missing": None},
    ],
)  # fmt: skip
def test_documents_that_are_no_encoder(change):
    document = OneHot.fit(ANIMALS).to_json() | change
    sentence = "An encoder cannot be made from this document; it was not written by to_json."
    with refuses(sentence):
        encoder_from_json(document)
    with refuses(sentence):
        encoder_from_json(None)


def test_an_encoder_never_changes():
    encoder = OneHot.fit(ANIMALS)
    with pytest.raises(dataclasses.FrozenInstanceError):
        encoder.unknown = "other"


def test_refusals():
    with refuses("unknown must be 'refuse' or 'other', but is 'drop'.", BadParameter):
        OneHot.fit(ANIMALS, unknown="drop")
    with refuses("missing must be 'refuse', 'nan' or 'zero', but is 'mean'.", BadParameter):
        OneHot.fit(ANIMALS, missing="mean")
    with refuses(
        "column must be one of ['name', 'hair', 'legs', 'weight'], but is 'hoof'.", BadParameter
    ):
        OneHot.fit(ANIMALS, columns=["hoof"])
    with refuses("Two features would be named 'a=b'. Rename a column."):
        OneHot.fit(pa.table({"a": ["b"], "a=b": [1]}))
    with refuses("The new table has no column 'hair', which the encoder needs."):
        OneHot.fit(ANIMALS).transform(ANIMALS.drop_columns("hair"), source="The new table")
    with refuses(
        "The categories of 'legs' must be one or more different names, but is [1, 1].", BadParameter
    ):
        OneHot.fit(ANIMALS, categories={"legs": [1, 1]})
    with refuses(
        "t.csv holds 1001 different texts in column 'id', which is more than 1000. Leave the column "
        "out, or name its categories."
    ):
        OneHot.fit(pa.table({"id": [str(k) for k in range(1001)]}), source="t.csv")
    with refuses(
        "The table holds no value in column 'c', and so no category. Name the categories, or leave "
        "the column out."
    ):
        OneHot.fit(pa.table({"c": pa.nulls(2, pa.string())}))


def test_columns_are_plain_values():
    assert Column("a", "category", ("x",)) == Column("a", "category", ("x",))
