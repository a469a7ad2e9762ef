"""Data frames of any library as Arrow batches."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from assay.errors import BadData


def as_batch(table: Any) -> pa.RecordBatch:
    """A table of any kind as a single Arrow batch.

    Parameters
    ----------
    table : Arrow record batch or table, pandas or polars frame
        The table.

    Examples
    --------
    >>> as_batch(pa.table({"a": [1, 2]})).num_rows
    2
    """
    if isinstance(table, pa.RecordBatch):
        return table
    if not isinstance(table, pa.Table):
        import narwhals.stable.v1 as nw

        frame = nw.from_native(table, eager_only=True, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            raise BadData(
                f"The table must be an Arrow table or batch, or a pandas or polars frame, but is of "
                f"type {type(table).__name__}."
            )
        table = frame.to_arrow()
    arrays = [column.combine_chunks() for column in table.columns]
    # Older versions of Arrow leave a column of several chunks as it is.
    arrays = [a.chunk(0) if isinstance(a, pa.ChunkedArray) else a for a in arrays]
    return pa.RecordBatch.from_arrays(arrays, names=table.schema.names)
