"""Where rows lie: a frame of any kind, of which columns are asked for and rows that are alike are counted.

A frame is whatever narwhals knows, eager or lazy (pandas, polars, Arrow, DuckDB, Dask, Spark, Ibis), or a data set of
Arrow, such as a folder of Parquet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay.errors import BadData

#: The column that says how many rows each row stands for.
ROWS = "assay rows"
_BATCH = 2**20


def is_frame(data: Any) -> bool:
    """Whether evidence can be counted where `data` lie."""
    if _is_dataset(data):
        return True
    import narwhals.stable.v1 as nw

    known = nw.from_native(data, pass_through=True)
    return isinstance(known, nw.DataFrame | nw.LazyFrame)


def columns_of(frame: Any) -> list[str]:
    """The names of a frame's columns."""
    if _is_dataset(frame):
        return list(frame.schema.names)
    import narwhals.stable.v1 as nw

    return list(nw.from_native(frame).lazy().collect_schema().names())


def schema_of(frame: Any, wanted: Sequence[str]) -> Any:
    """The types of the wanted columns, as narwhals calls them."""
    import narwhals.stable.v1 as nw

    held = columns_of(frame)
    for name in wanted:
        if name not in held:
            listed = ", ".join(map(repr, held[:20])) + (" and more" if len(held) > 20 else "")
            raise BadData(f"The frame has no column {name!r}; its columns are {listed}.")
    known = frame.schema.empty_table() if _is_dataset(frame) else frame
    return nw.from_native(known).lazy().select(*wanted).collect_schema()


def counted_rows(
    frame: Any, wanted: Sequence[str], read: Callable[[Any], Any] | None = None
) -> Any:
    """The wanted columns of a frame, lazily, with how many rows each row stands for.

    `read` is what is done to the rows first; only columns of the same names may come of it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> counted_rows(pa.table({"y": [1, 0], "p": [1, 1]}), ["y"]).collect().to_dict(as_series=False)
    {'y': [1, 0], 'assay rows': [1, 1]}
    """
    import narwhals.stable.v1 as nw

    schema_of(frame, wanted)
    if _is_dataset(frame):
        queried = _queried(frame, wanted)
        if queried is None:
            return nw.from_native(_gathered(frame, wanted, read)).lazy()
        frame = queried
    rows = nw.from_native(frame).lazy().select(*wanted)
    return (rows if read is None else read(rows)).with_columns(nw.lit(1, nw.Int64).alias(ROWS))


def _is_dataset(data: Any) -> bool:
    return type(data).__module__.startswith("pyarrow._dataset") and hasattr(data, "to_batches")


def _queried(dataset: Any, wanted: Sequence[str]) -> Any:
    """The files of a data set as a relation of DuckDB, which reads Parquet several times as fast; None where it cannot.

    It cannot where the data set is more than its files: filtered, divided by folders whose names are values, or far.
    """
    from pyarrow import fs
    from pyarrow.dataset import FileSystemDataset, ParquetFileFormat

    if not isinstance(dataset, FileSystemDataset) or not dataset.files:
        return None
    local = isinstance(dataset.filesystem, fs.LocalFileSystem)
    if not local or not isinstance(dataset.format, ParquetFileFormat):
        return None
    try:
        inside = next(dataset.get_fragments()).physical_schema
    except ValueError:  # it is filtered
        return None
    if any(
        name not in inside.names or inside.field(name) != dataset.schema.field(name)
        for name in wanted
    ):
        return None
    try:
        import duckdb
    except ModuleNotFoundError:
        return None
    found = duckdb.connect().read_parquet(
        dataset.files, union_by_name=True, hive_partitioning=False
    )
    [[rows]] = found.aggregate("count(*)").fetchall()
    # A data set that was told to hold fewer rows than its files do is counted as it is.
    return found.select(*map(_quoted, wanted)) if rows == dataset.count_rows() else None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _gathered(dataset: Any, wanted: Sequence[str], read: Callable[[Any], Any] | None) -> Any:
    """Rows of a data set of Arrow that are alike, counted batch by batch."""
    import narwhals.stable.v1 as nw
    import pyarrow as pa

    def rows_of(table: Any) -> Any:
        if read is None:
            return table
        return read(nw.from_native(table).lazy()).collect().to_arrow()

    parts, waiting = [], 0
    for batch in dataset.to_batches(columns=list(wanted), batch_size=_BATCH):
        if len(batch):
            rows = rows_of(pa.Table.from_batches([batch]))
            parts.append(rows.append_column(ROWS, pa.array(np.ones(len(rows), np.int64))))
            waiting += len(rows)
        if waiting > 4 * _BATCH:
            parts = [_alike(parts, wanted)]
            waiting = len(parts[0])
    if not parts:
        empty = rows_of(dataset.schema.empty_table().select(list(wanted)))
        return empty.append_column(ROWS, pa.array([], pa.int64()))
    return _alike(parts, wanted)


def _alike(parts: Sequence[Any], wanted: Sequence[str]) -> Any:
    import pyarrow as pa

    grouped = pa.concat_tables(parts).group_by(list(wanted)).aggregate([(ROWS, "sum")])
    return grouped.rename_columns([ROWS if n == f"{ROWS}_sum" else n for n in grouped.column_names])
