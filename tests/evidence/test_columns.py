from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay.errors import BadData
from assay.evidence.columns import missing, read_column


@pytest.mark.parametrize(
    "column",
    [
        [1, 2, 3],
        (1, 2, 3),
        range(1, 4),
        {1: "a", 2: "b", 3: "c"}.keys(),
        np.array([1, 2, 3]),
        np.array([1, 2, 3], dtype=np.longdouble),
        np.array([1, 2, 3], dtype=object),
        np.array([9, 1, 9, 2, 9, 3])[1::2],
        pd.Series([1, 2, 3], index=[5, 5, 5]),
        pd.Index([1, 2, 3]),
        pl.Series([1, 2, 3]),
        pa.array([1, 2, 3]),
        pa.chunked_array([[1], [2, 3]]),
        pa.chunked_array([pa.array([1]).dictionary_encode(), pa.array([2, 3]).dictionary_encode()]),
        pa.chunked_array([[1, 2, 3]]),
        [True, 2, 3.0],
    ],
    ids=lambda column: f"{type(column).__name__}",
)
def test_whatever_holds_a_column(column):
    assert read_column(column, "truth").to_pylist() == [1, 2, 3]


def test_an_empty_chunked_column():
    assert len(read_column(pa.chunked_array([], pa.int64()), "truth")) == 0


def test_text_of_numpy():
    assert read_column(np.array(["a", "bc"]), "truth").to_pylist() == ["a", "bc"]
    modern = np.array(["a", "bc"], dtype=np.dtypes.StringDType())
    assert read_column(modern, "truth").to_pylist() == ["a", "bc"]


def test_integers_are_not_copied():
    values = np.arange(10)
    array = read_column(values, "truth")
    assert array.buffers()[1].address == values.ctypes.data


@pytest.mark.parametrize("column", ["text", b"bytes", {"a": 1}, {1, 2}, 5, None])
def test_what_is_no_column(column):
    sentence = (
        "truth must be a column (a list, an array or a series), "
        f"but is of type {type(column).__name__}."
    )
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        read_column(column, "truth")


def test_a_frame_is_no_column():
    table = pa.table({"a": [1]})
    sentence = "truth must be a single column, but is a table. Pass one of its columns."
    for frame in table, table.to_pandas(), pl.from_arrow(table), table.to_batches()[0]:
        with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
            read_column(frame, "truth")


def test_rows_are_counted_from_one():
    assert str(missing("loss", 0)).startswith("loss has no value in row 1;")
