"""Data frames of any library as Arrow tables and batches."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from assay.data.table import Table, opened
from assay.errors import BadData

#: What sentences call a table that is no file.
FRAME = "The data frame"


def is_frame(data: Any) -> bool:
    """Whether a table is given as an object and not by the name of a file."""
    return not isinstance(data, str | os.PathLike)


def as_table(data: Any) -> pa.Table:
    """A frame of any library as an Arrow table; what is not computed yet, such as a query, is.

    Parameters
    ----------
    data : Arrow table or batch; pandas, polars or other frame that narwhals knows; DuckDB relation
        The table.

    Raises
    ------
    BadData
        If it is none of these, or a column holds values of several kinds.

    Examples
    --------
    >>> as_table(pa.RecordBatch.from_pydict({"a": [1, 2]})).num_rows
    2
    """
    if isinstance(data, pa.Table):
        return _decoded(data)
    if isinstance(data, pa.RecordBatch):
        return _decoded(pa.Table.from_batches([data]))
    import narwhals.stable.v1 as nw

    try:
        frame = nw.from_native(data, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            frame = frame.collect()
        if isinstance(frame, nw.DataFrame):
            # The numbers of rows, as a split leaves them behind in pandas, are no column.
            return _decoded(nw.maybe_reset_index(frame).to_arrow())
        if hasattr(data, "__arrow_c_stream__"):
            return _decoded(pa.table(data))
    except (pa.ArrowException, ValueError, TypeError, OverflowError) as problem:
        raise BadData(
            f"{FRAME} holds what Arrow cannot take, such as values of several kinds in one column: "
            f"{_first_line(problem)}. Give each column one kind."
        ) from None
    raise BadData(
        f"The table must be an Arrow table or batch, or a pandas or polars frame, but is of "
        f"type {type(data).__name__}."
    )


def _decoded(table: pa.Table) -> pa.Table:
    """The same table without runs, of which Arrow cannot take some rows."""
    for i, field in enumerate(table.schema):
        if pa.types.is_run_end_encoded(field.type):
            table = table.set_column(i, field.name, pc.run_end_decode(table.column(i)))
    return table


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
    table = as_table(table)
    arrays = [column.combine_chunks() for column in table.columns]
    # Older versions of Arrow leave a column of several chunks as it is.
    arrays = [a.chunk(0) if isinstance(a, pa.ChunkedArray) else a for a in arrays]
    return pa.RecordBatch.from_arrays(arrays, names=table.schema.names)


class HeldTable:
    """An Arrow table in memory, read as files are."""

    untyped: bool = False
    live: bool = False

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self.schema, self.columns = table.schema, tuple(table.schema.names)
        self.rows: int | None = table.num_rows

    def batches(
        self, columns: Sequence[str], batch_rows: int, numbers: Collection[str]
    ) -> Iterator[pa.RecordBatch]:
        """Batches of these columns."""
        return iter(self._table.select(list(columns)).to_batches(max_chunksize=batch_rows))

    def cells(
        self, columns: Sequence[str], batch_rows: int, plain: object = None
    ) -> Iterator[pa.RecordBatch]:
        """The same."""
        return self.batches(columns, batch_rows, ())


def open_frame(data: Any, name: str = FRAME) -> Table:
    """A frame as a table that is read like a file.

    Examples
    --------
    >>> open_frame(pa.table({"a": [1, 2]})).columns
    ('a',)
    """
    return opened(name, HeldTable(as_table(data)))


def _first_line(problem: Exception) -> str:
    lines = str(problem).strip().splitlines() or [type(problem).__name__]
    return lines[0].rstrip(".")
