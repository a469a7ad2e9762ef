from __future__ import annotations

import re

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay.data.frames import as_batch, as_table
from assay.errors import BadData

COLUMNS = {"a": [1, 2, 3], "b": ["x", "y", "x"]}


@pytest.mark.parametrize(
    "table",
    [
        pa.table(COLUMNS),
        pa.concat_tables([pa.table(COLUMNS).slice(0, 1), pa.table(COLUMNS).slice(1)]),
        pa.RecordBatch.from_pydict(COLUMNS),
        pd.DataFrame(COLUMNS),
        pl.DataFrame(COLUMNS),
    ],
    ids=["table", "chunked table", "batch", "pandas", "polars"],
)
def test_every_kind_of_frame(table):
    batch = as_batch(table)
    assert isinstance(batch, pa.RecordBatch)
    assert batch.to_pydict() == COLUMNS


def test_what_is_no_frame():
    sentence = "The table must be an Arrow table or batch, or a pandas or polars frame, but is of type list."
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        as_batch([[1, 2]])


@pytest.mark.parametrize("index", [[0, 2, 3], ["p", "q", "r"], [5.5, 6.5, 7.5]])
def test_the_index_of_a_pandas_frame_is_no_column(index):
    """As a split or a fold leaves it behind."""
    frame = pd.DataFrame({"a": [1.0, 2, 3], "b": ["x", "y", "x"]}, index=index)
    for kept in (frame, frame.rename_axis("k")):
        assert as_table(kept).schema.names == ["a", "b"]
        assert as_batch(kept).schema.names == ["a", "b"]
        assert kept.index.tolist() == index
