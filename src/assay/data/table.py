"""Tables on disk, opened by name and scanned in bounded memory: the column names and nothing else
are read until rows are asked for.

Rows are counted from 1, the header of a CSV file not included. Text columns of Parquet files arrive
dictionary-encoded, which is how they are stored and an order of magnitude faster.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from assay.data.columnar import open_arrow, open_parquet
from assay.data.delimited import COMPRESSIONS, open_delimited, open_standard_input
from assay.errors import BadData, UnknownName, require


class Source(Protocol):
    """What every format offers: its columns, its rows if it knows them, and its batches."""

    columns: tuple[str, ...]
    rows: int | None

    def batches(
        self, columns: Sequence[str], batch_rows: int, numbers: Collection[str]
    ) -> Iterator[pa.RecordBatch]:
        """Batches that hold at least these columns, in any order."""


# By the end of the name, compression removed.
_BY_ENDING: dict[str, Callable[[Path], Source]] = {
    ".csv": lambda path: open_delimited(path, ","),
    ".tsv": lambda path: open_delimited(path, "\t"),
    ".parquet": open_parquet,
    ".pq": open_parquet,
    ".feather": open_arrow,
    ".arrow": open_arrow,
    ".ipc": open_arrow,
}
_BY_FIRST_BYTES: dict[bytes, Callable[[Path], Source]] = {
    b"PAR1": open_parquet,
    b"ARRO": open_arrow,
}


@dataclass(frozen=True, slots=True)
class Table:
    """An opened table; `scan` reads it.

    Parameters
    ----------
    name : str
        The path as given, or ``standard input``.
    columns : tuple of str
        The names of its columns, in order.
    rows : int or None
        How many rows it holds, where the file says so (Parquet, Feather) without being read.
    """

    name: str
    columns: tuple[str, ...]
    rows: int | None
    _source: Source = field(repr=False)

    def scan(
        self,
        columns: Sequence[str],
        batch_rows: int = 2**20,
        *,
        numbers: Collection[str] = (),
    ) -> Iterator[pa.RecordBatch]:
        r"""Read some columns batch by batch; the next batch is read while one is being used.

        Parameters
        ----------
        columns : sequence of str
            What to read; the batches hold these columns in this order.
        batch_rows : int
            The most rows a batch may hold. Batches may be shorter anywhere, as the file has them.
        numbers : collection of str
            Columns of a CSV file to read as floating-point numbers, whatever their first rows look
            like (a column of losses may begin with many a plain 0).

        Raises
        ------
        UnknownName
            If there is no such column.
        BadData
            As soon as a batch cannot be read: the file is damaged, or a CSV row does not fit.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "spam.csv")
        ...     _ = path.write_text("label,score,guess\nham,0.1,ham\nspam,0.4,ham\n")
        ...     [batch] = open_table(path).scan(["guess", "label"])
        >>> batch.to_pydict()
        {'guess': ['ham', 'ham'], 'label': ['ham', 'spam']}
        """
        require(len(columns) > 0, "columns", "at least one column name", columns)
        require(batch_rows >= 1, "batch_rows", "at least 1", batch_rows)
        for column in columns:
            self._check_name(column)
        return self._scan(list(columns), batch_rows, numbers)

    def _scan(
        self, columns: list[str], batch_rows: int, numbers: Collection[str]
    ) -> Iterator[pa.RecordBatch]:
        rows = 0
        distinct = list(dict.fromkeys(columns))
        for batch in _one_ahead(self._source.batches(distinct, batch_rows, numbers)):
            asked = pa.RecordBatch.from_arrays([batch.column(c) for c in columns], names=columns)
            rows += asked.num_rows
            for start in range(0, asked.num_rows, batch_rows):
                yield asked.slice(start, batch_rows)
        if not rows:
            raise BadData(f"{self.name} holds no rows.")
        if self.rows is not None and rows != self.rows:
            raise BadData(
                f"{self.name} is damaged: it says that it holds {self.rows} rows, but {rows} could "
                f"be read. Copy or write it again."
            )

    def _check_name(self, column: str) -> None:
        if column in self.columns:
            return
        close = difflib.get_close_matches(str(column), self.columns, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        sign = next((s for s in (";", "\t", "|") if s in self.columns[0]), None)
        if len(self.columns) == 1 and sign is not None:
            hint = f" The file seems to be separated by {sign!r}; save it with commas."
        shown = ", ".join(map(repr, self.columns[:20]))
        more = f" and {len(self.columns) - 20} more" if len(self.columns) > 20 else ""
        noun = "column is" if len(self.columns) == 1 else "columns are"
        raise UnknownName(f"{self.name} has no column {column!r}.{hint} Its {noun} {shown}{more}.")


def open_table(path: str | os.PathLike[str]) -> Table:
    """Open a CSV, TSV, Parquet or Feather (Arrow) file; ``-`` is CSV from standard input.

    CSV and TSV files may be compressed (.gz, .bz2, .zst). A file whose name has another ending is
    recognised by its first bytes if it is Parquet or Feather.

    Parameters
    ----------
    path : str or pathlib.Path
        The file.

    Returns
    -------
    Table
        Its columns, its rows where known, and `Table.scan`.

    Raises
    ------
    BadData
        If the file is missing, empty, damaged, of no known format, or has a column name twice.

    Examples
    --------
    >>> open_table("predictions.csv")
    Traceback (most recent call last):
        ...
    assay.errors.BadData: predictions.csv does not exist. Check the path.
    """
    if str(path) == "-":
        name = "standard input"
        source: Source = open_standard_input()
    else:
        name, source = str(path), _source(Path(path))
    twice = next((c for i, c in enumerate(source.columns) if c in source.columns[:i]), None)
    if twice is not None:
        raise BadData(f"{name} has two columns named {twice!r}. Rename or drop one of them.")
    if source.rows == 0:
        raise BadData(f"{name} has columns but no rows.")
    return Table(name, source.columns, source.rows, source)


def _source(path: Path) -> Source:
    if path.is_dir():
        raise BadData(f"{path} is a directory. Name a single file.")
    try:
        with open(path, "rb") as file:
            first = file.read(4)
    except FileNotFoundError:
        raise BadData(f"{path} does not exist. Check the path.") from None
    except OSError as problem:
        raise BadData(f"{path} cannot be read: {problem.strerror or problem}.") from None
    if not first:
        raise BadData(f"{path} is empty.")
    ending = path.suffix.lower()
    if ending in COMPRESSIONS:
        ending = path.with_suffix("").suffix.lower()
    opener = _BY_ENDING.get(ending) or _BY_FIRST_BYTES.get(first)
    if opener is None:
        raise BadData(
            f"{path} is of no format known here. Use CSV (.csv, .csv.gz), TSV (.tsv), "
            f"Parquet (.parquet) or Feather (.feather, .arrow), named so."
        )
    return opener(path)


def _one_ahead(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same batches, each read on another thread while the one before it is being used."""
    with ThreadPoolExecutor(max_workers=1) as reader:
        coming = reader.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = reader.submit(next, batches, None)
            yield batch
