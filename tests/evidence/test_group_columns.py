"""What names or holds the columns that divide rows into groups."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay.errors import BadParameter
from assay.evidence.group_columns import group_columns, named_columns
from tests.refusals import refuses

SEX, AGE = ["f", "m", "f"], [1, 2, 2]
FRAME = pd.DataFrame({"sex": SEX, "age": AGE, "x": [0.1, 0.2, 0.3]})


@pytest.mark.parametrize("frame", [FRAME, pl.from_pandas(FRAME), pa.Table.from_pandas(FRAME)])
def test_names_of_columns_of_a_frame(frame):
    assert group_columns("sex", frame).names == (("sex",),)
    assert group_columns(["sex", "sex*age"], frame).names == (("sex",), ("sex", "age"))
    [crossed] = group_columns("sex * age", frame).columns
    assert [list(map(str, column)) for column in crossed] == [SEX, ["1", "2", "2"]]


def test_columns_by_whatever_holds_them():
    assert group_columns(SEX).names == (("group",),)
    assert group_columns(SEX, FRAME).names == (("group",),)  # values, not names of columns
    assert group_columns(np.array(SEX)).names == (("group",),)
    assert group_columns(FRAME["sex"]).names == (("sex",),)
    assert group_columns(FRAME[["sex", "age"]]).names == (("sex",), ("age",))
    both = {"sex": SEX, "cross": FRAME[["age", "sex"]]}
    assert group_columns(both).names == (("sex",), ("age", "sex"))
    assert named_columns("a*b*c", ["a"]) == ("a", "b", "c")


def test_refusals():
    with refuses(
        "groups must name columns of X, but 'job' does not: its columns are 'sex', 'age', 'x'.",
        BadParameter,
    ):
        group_columns("job", FRAME)
    with refuses("groups must name columns of X, but 'sex' does not: X has none.", BadParameter):
        group_columns("sex")
    with refuses("groups must be by other columns each time, but is 'age*sex'.", BadParameter):
        group_columns(["sex*age", "age*sex"], FRAME)
    with refuses("groups must be at least one column, but is 'empty'.", BadParameter):
        group_columns({})
    with refuses("crossed columns must be different, but is 'sex*sex'.", BadParameter):
        group_columns("sex*sex", FRAME)
    for name in ("", 3, "x" * 201):
        with pytest.raises(
            BadParameter, match="the name of a group column must be text of 1 to 200"
        ):
            group_columns({name: SEX})
    with refuses(
        "groups must be a column, or columns with names, but is an array of two dimensions: give a mapping of names to "
        "columns.",
        BadParameter,
    ):
        group_columns(np.ones((3, 2)))


def test_some_of_the_rows():
    kept = group_columns({"sex": SEX}).where(np.array([True, False, True]))
    assert kept.columns[0].levels == (("f",),)
    with refuses("sex must be one value for each of 2 rows, but is 3.", BadParameter):
        group_columns({"sex": SEX}).where(np.array([True, True]))
