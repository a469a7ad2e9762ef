"""Examples from tables: CSV, TSV, Parquet and Feather, one file or many, whole or in chunks."""

from __future__ import annotations

import itertools
import os
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import DTypeLike

from assay.data.boolean_encoders import ENCODERS
from assay.data.cells import Kind, Place, kind_of_labels, kind_of_type, labels, rows_before_bad
from assay.data.encode import Categories, Encoder, Missing, Unknown
from assay.data.examples import Chunks, Examples, Piece, as_asked
from assay.data.plain_rows import BlockParser, PlainReader, PlainRows
from assay.data.remedies import FEATURES
from assay.data.sparse_columns import has_sparse_columns, read_sparse_columns
from assay.data.table import Table, open_tables, rows_of
from assay.errors import BadParameter, require
from assay.types import Array

# Cells in a batch: a few dozen megabytes, whatever the number of columns.
_BATCH_CELLS = 2**22


def read_tables(
    paths: Sequence[str | os.PathLike[str] | Table],
    *,
    target: str | None = None,
    columns: Sequence[str] | None = None,
    chunk_rows: int | None = None,
    encoder: str | Encoder = "one-hot",
    categories: Categories = (),
    numbers: Collection[str] = (),
    unknown: Unknown = "refuse",
    missing: Missing = "refuse",
    features: int | None = None,
    dtype: DTypeLike = np.float64,
    format: str | None = None,
    parse: BlockParser | None = None,
) -> Examples | Chunks:
    r"""Read tables that share their columns, one after the other.

    Parameters
    ----------
    paths : sequence of str, pathlib.Path or Table
        The files, folders and patterns; ``-`` is standard input. Tables that were opened before are read as they are.
    target : str, optional
        The column to predict.
    columns : sequence of str, optional
        The columns to learn from; all but the target if not given.
    chunk_rows : int, optional
        Read in chunks of so many rows.
    encoder : {"one-hot", "booleans", "literals"} or Encoder
        How columns become features; an encoder made before is used as it is. Otherwise one is made
        from the first batch of rows (4 MB of text).
    categories, numbers, unknown, missing
        As in `Encoder.fit`; `numbers` may name the target too.
    features : int, optional
        How many features there are, for tables that hold them as lists (`read_sparse_columns`).
    dtype : dtype
        The precision of the features.
    format : str, optional
        As in `open_table`.
    parse : callable, optional
        What makes rows of text that holds numbers only, such as `assay.compiled.text.delimited.parse_block`.

    Returns
    -------
    Examples or Chunks
        With dense features (sparse ones from lists), and labels as the table has them.

    Raises
    ------
    BadData
        With file, column and row, if a cell cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "fruit.csv")
    ...     _ = path.write_text("colour,weight,kind\nred,150,apple\nyellow,120,banana\n")
    ...     examples = read_tables([path], target="kind")
    >>> examples.features, examples.X.tolist(), examples.y.tolist()
    (('colour=red', 'colour=yellow', 'weight'), [[1.0, 0.0, 150.0], [0.0, 1.0, 120.0]], ['apple', 'banana'])
    """
    opened = ([path] if isinstance(path, Table) else open_tables(path, format) for path in paths)
    tables = list(itertools.chain.from_iterable(opened))
    if columns is None and encoder == "one-hot" and has_sparse_columns(tables[0]):
        return read_sparse_columns(
            tables, target=target, chunk_rows=chunk_rows, features=features, dtype=dtype
        )
    if features is not None:
        raise BadParameter("The features of a table are its columns; leave out ", FEATURES)
    made = encoder if isinstance(encoder, Encoder) else None
    if made is None:
        require(encoder in ENCODERS, "encoder", f"one of {list(ENCODERS)} or an Encoder", encoder)
    elif columns is not None or categories or unknown != "refuse" or missing != "refuse":
        raise BadParameter(
            "An encoder made before knows its columns, categories, unknown and missing already; "
            "do not give them again."
        )
    if made is not None:
        columns = [column.name for column in made.columns]
    elif columns is None:
        columns = [column for column in tables[0].columns if column != target]
    require(len(columns) > 0, "columns", "at least one column name", columns)
    require(target is None or target not in columns, "columns", "without the target", columns)
    wanted = list(columns) if target is None else [*columns, target]
    for table in tables:
        table.check_names(wanted)
    source = _Rows(tables, wanted, target, np.dtype(dtype), parse)
    first = source.first_batch()
    if made is None:
        assert isinstance(encoder, str)
        made = ENCODERS[encoder].fit(
            first,
            columns=columns,
            categories=categories,
            numbers=[name for name in numbers if name != target],
            unknown=unknown,
            missing=missing,
            untyped=tables[0].untyped,
            source=tables[0].name,
        )
    kind = source.kind_of_target(first, numbers)
    return as_asked(
        lambda: source.pieces(made, kind),
        chunk_rows,
        made.features,
        live=source.live,
        target=target,
        encoder=made,
        rows=rows_of(tables),
    )


class _Rows:
    """The rows of all tables, batch by batch; the first batch may be looked at before."""

    def __init__(
        self,
        tables: Sequence[Table],
        wanted: Sequence[str],
        target: str | None,
        dtype: np.dtype[Any],
        parse: BlockParser | None,
    ) -> None:
        self._tables, self._wanted, self._target, self._dtype = tables, wanted, target, dtype
        self._plain = None if parse is None else PlainReader(parse, target, dtype)
        self._begun: Iterator[pa.RecordBatch | PlainRows] | None = None
        self.live = any(table.live for table in tables)

    def first_batch(self) -> pa.RecordBatch:
        batches = self._batches(self._tables[0])
        first = next(batches)
        self._begun = itertools.chain([first], batches)
        return first

    def kind_of_target(self, first: pa.RecordBatch, numbers: Collection[str]) -> Kind:
        if self._target is None or self._target in numbers:
            return "number"
        array = first.column(self._target)
        untyped = self._tables[0].untyped
        return (kind_of_labels(array) if untyped else kind_of_type(array.type)) or "number"

    def pieces(self, encoder: Encoder, kind: Kind) -> Iterator[Piece]:
        """Features and labels; all rows before a bad one come first."""
        if self._plain is not None:
            self._plain.want(encoder)
        for table in self._tables:
            piece = partial(self._piece, encoder, kind, table.name)
            yield from rows_before_bad(partial(self._batches, table), piece)

    def _batches(self, table: Table) -> Iterator[pa.RecordBatch | PlainRows]:
        if self._begun is not None and table is self._tables[0]:
            begun, self._begun = self._begun, None
            return begun
        most = min(max(_BATCH_CELLS // len(self._wanted), 2**12), 2**20)
        return table.cells(self._wanted, most, self._plain)

    def _piece(self, encoder: Encoder, kind: Kind, source: str, batch: Any, done: int) -> Piece:
        plain = isinstance(batch, PlainRows)
        y: Array | None = None
        if self._target is not None:
            column = batch.labels if plain else batch.column(self._target)
            y = labels(column, kind, Place(source, self._target, done))
        if plain:
            return encoder.finish(batch.X), y
        return encoder.transform(batch, dtype=self._dtype, source=source, done=done), y
