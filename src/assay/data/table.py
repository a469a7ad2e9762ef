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
from typing import TYPE_CHECKING, Any, Protocol

from assay.data.header import COMPRESSIONS
from assay.data.location import book_and_sheet, is_several
from assay.data.parts import join, open_parts
from assay.errors import BadData, UnknownName, Words, require, setting
from assay.extras import needed_for

if TYPE_CHECKING:
    import pyarrow as pa

    from assay.data.plain_rows import PlainReader


class Source(Protocol):
    """What every format offers: its columns, its rows if it knows them, and its batches.

    In an `untyped` one cells are mere text, and a `live` one delivers rows as they arrive.
    """

    columns: tuple[str, ...]
    rows: int | None
    untyped: bool
    live: bool

    @property
    def schema(self) -> pa.Schema | None:
        """The types of the columns, where they are declared."""

    def batches(
        self, columns: Sequence[str], batch_rows: int, numbers: Collection[str]
    ) -> Iterator[Any]:
        """Batches that hold at least these columns, in any order."""

    def cells(
        self, columns: Sequence[str], batch_rows: int, plain: PlainReader | None = None
    ) -> Iterator[Any]:
        """The same, but untyped cells as text, and all rows before a bad one first.

        Blocks that `plain` can read come as `PlainRows`.
        """


def _text_reader() -> Any:
    """What reads separated text: Arrow, or the standard library where pyarrow is not installed."""
    try:
        import pyarrow  # noqa: F401
    except ModuleNotFoundError:
        from assay.data import plain_text

        return plain_text
    from assay.data import delimited

    return delimited


def _open_columnar(path: Path, form: str) -> Source:
    with needed_for(form):
        from assay.data.columnar import FORMS
    return FORMS[form](path)


def _open_csv(path: Path) -> Source:
    """Text separated by commas; or, where these would make one column of it, by what stands in its header."""
    opened: Source = _text_reader().open_text(path, ",")
    sign = _other_separator(opened.columns)
    return opened if sign is None else _text_reader().open_text(path, sign)


def _other_separator(columns: Sequence[str]) -> str | None:
    if len(columns) > 1:
        return None
    return max((s for s in (";", "\t", "|") if s in columns[0]), key=columns[0].count, default=None)


def _open_lines(path: Path) -> Source:
    from assay.data.json_lines import JsonLines

    return JsonLines(path)


def _open_sheet(path: Path) -> Source:
    """A sheet of a workbook is read as the text that it would be exported to."""
    from assay.data.workbook import sheet_as_text

    opened: Source = _text_reader().open_held(str(path), sheet_as_text(path), ",")
    return opened


# Each imports what it needs: the base install has no pyarrow.
_OPENERS: dict[str, Callable[[Path], Source]] = {
    "csv": lambda path: _open_csv(path),
    "tsv": lambda path: _text_reader().open_text(path, "\t"),
    "jsonl": _open_lines,
    "parquet": lambda path: _open_columnar(path, "Parquet"),
    "feather": lambda path: _open_columnar(path, "Feather"),
    "xlsx": _open_sheet,
}
_SEPARATORS = {"csv": ",", "tsv": "\t"}
# By the end of the name, compression removed.
_BY_ENDING = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".ipc": "feather",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
}
_BY_FIRST_BYTES = {b"PAR1": "parquet", b"ARRO": "feather"}

#: The names of the formats.
FORMATS = tuple(_OPENERS)


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
        self, columns: Sequence[str], batch_rows: int = 2**20, *, numbers: Collection[str] = ()
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
        self.check_names(columns)
        distinct = list(dict.fromkeys(columns))
        batches = self._source.batches(distinct, batch_rows, numbers)
        return self._scan(_one_ahead(batches), list(columns), batch_rows)

    def cells(
        self, columns: Sequence[str], batch_rows: int = 2**20, plain: PlainReader | None = None
    ) -> Iterator[Any]:
        """Read some columns like `scan`, but so that a bad row costs no row before it.

        The cells of CSV files come as text, an empty one as a missing value. Standard input is not
        read ahead of its use: rows come as soon as they have arrived.

        Parameters
        ----------
        columns : sequence of str
            What to read, each once; the batches hold these columns in this order.
        batch_rows : int
            The most rows a batch may hold.
        plain : PlainReader, optional
            Reads blocks of CSV files that hold numbers only; they come as `PlainRows`.

        Raises
        ------
        UnknownName
            If there is no such column.
        BadData
            When the rows before the bad one have been handed over.
        """
        self.check_names(columns)
        batches = self._source.cells(list(columns), batch_rows, plain)
        if not self.live:
            batches = _then_ahead(batches)
        return self._scan(batches, list(columns), batch_rows)

    @property
    def schema(self) -> pa.Schema | None:
        """The types of the columns, where the file declares them."""
        return self._source.schema

    @property
    def untyped(self) -> bool:
        """Whether cells are mere text, as in a CSV file."""
        return self._source.untyped

    @property
    def live(self) -> bool:
        """Whether rows may still be arriving, as on standard input."""
        return self._source.live

    def _scan(self, batches: Iterator[Any], columns: list[str], batch_rows: int) -> Iterator[Any]:
        rows = 0
        for batch in batches:
            # Rows of numbers alone hold what was asked for, and have no columns.
            asked = batch.select(columns) if hasattr(batch, "select") else batch
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

    def check_names(self, columns: Sequence[str]) -> None:
        """Refuse a column that the table does not have."""
        for column in columns:
            if column not in self.columns:
                self._refuse_name(column)

    def _refuse_name(self, column: str) -> None:
        like = str(column).strip().casefold()
        close = [name for name in self.columns if name.strip().casefold() == like]
        close = close or difflib.get_close_matches(str(column), self.columns, n=1)
        guess = (f"Did you mean {close[0]!r}?",) if close else ()
        hint = separator_hint(self.columns) or guess
        shown = ", ".join(map(repr, self.columns[:20]))
        more = f" and {len(self.columns) - 20} more" if len(self.columns) > 20 else ""
        noun = "column is" if len(self.columns) == 1 else "columns are"
        space = " " if hint else ""
        raise UnknownName(
            f"{self.name} has no column {column!r}.{space}", *hint, f" Its {noun} {shown}{more}."
        )


def separator_hint(columns: Sequence[str]) -> tuple[str | Words, ...]:
    """What to do about a table of one column whose name holds the separator of another format.

    Examples
    --------
    >>> separator_hint(["age;kind"])
    ("The file seems to be separated by ';'; ", 'save it with commas.')
    """
    sign = _other_separator(columns)
    if sign is None:
        return ()
    seems = f"The file seems to be separated by {sign!r}; "
    if sign != "\t":
        return seems, "save it with commas."
    return seems, "name it .tsv, or say ", setting("format", "tsv"), "."


def rows_of(tables: Sequence[Table]) -> int | None:
    """How many rows tables hold together, where all of them know."""
    rows = [table.rows for table in tables]
    return None if None in rows else sum(filter(None, rows))


def open_table(path: str | os.PathLike[str], format: str | None = None) -> Table:
    """Open a CSV, TSV, JSON lines, Parquet, Feather (Arrow) or Excel file; ``-`` is CSV from standard input.

    Parquet and Feather, and text that zstd packed, need pyarrow (``pip install 'assay-ml[tables]'``), and Excel
    workbooks need python-calamine (``pip install 'assay-ml[excel]'``). CSV and TSV files may be compressed (.gz, .bz2,
    .zst). A file whose name has another ending is recognised by its first bytes if it is Parquet or Feather.

    Parameters
    ----------
    path : str or pathlib.Path
        The file; a folder or a pattern, whose files are one table (`assay.data.parts`); or a sheet of a workbook other
        than its first, such as ``book.xlsx#May``.
    format : {"csv", "tsv", "jsonl", "parquet", "feather", "xlsx"}, optional
        What the file is, where its name does not tell.

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
    tables = open_tables(path, format)
    return join(str(path), tables) if is_several(path) else tables[0]


def open_tables(path: str | os.PathLike[str], format: str | None = None) -> list[Table]:
    """The same, but each file of a folder or pattern as a table of its own."""
    require(format is None or format in _OPENERS, "format", f"one of {str(FORMATS)[1:-1]}", format)
    if is_several(path):
        return open_parts(path, format)
    if str(path) == "-":
        name = "standard input"
        if format is not None and format not in _SEPARATORS:
            raise BadData(f"Standard input cannot be read as {format}. Save it to a file first.")
        source: Source = _text_reader().open_input(_SEPARATORS[format or "csv"])
    else:
        name, source = str(path), source_of(Path(path), format)
    return [opened(name, source)]


def opened(name: str, source: Source) -> Table:
    """A table of what was opened; refuses one without rows, or with a column name twice."""
    twice = next((c for i, c in enumerate(source.columns) if c in source.columns[:i]), None)
    if twice is not None:
        raise BadData(f"{name} has two columns named {twice!r}. Rename or drop one of them.")
    if source.rows == 0:
        raise BadData(f"{name} has columns but no rows.")
    return Table(name, source.columns, source.rows, source)


def source_of(path: Path, format: str | None) -> Source:
    """A file as its format is read."""
    format = format_of(path, format)
    if format is None:
        raise BadData(
            f"{path} is of no format known here. Use CSV (.csv, .csv.gz), TSV (.tsv), JSON lines (.jsonl), "
            f"Parquet (.parquet), Feather (.feather, .arrow) or Excel (.xlsx), named so."
        )
    return _OPENERS[format](path)


def format_of(path: Path, declared: str | None = None) -> str | None:
    """The format declared, or that of the name, or of the first bytes; None if nothing tells.

    Refuses a file that is missing, unreadable or empty.
    """
    first = first_bytes(path)
    return declared or _BY_ENDING.get(ending(path)) or _BY_FIRST_BYTES.get(first)


def first_bytes(path: Path) -> bytes:
    """The first four bytes of a file; refuses one that is missing, unreadable or empty."""
    path, _ = book_and_sheet(path)
    try:
        with open(path, "rb") as file:
            first = file.read(4)
    except FileNotFoundError:
        raise BadData(f"{path} does not exist. Check the path.") from None
    except OSError as problem:
        raise BadData(f"{path} cannot be read: {problem.strerror or problem}.") from None
    if not first:
        raise BadData(f"{path} is empty.")
    return first


def ending(path: Path) -> str:
    """The end of a file's name that says what it is, in small letters, compression removed.

    Examples
    --------
    >>> ending(Path("spam.CSV.gz"))
    '.csv'
    """
    path, _ = book_and_sheet(path)
    last = path.suffix.lower()
    return path.with_suffix("").suffix.lower() if last in COMPRESSIONS else last


def _then_ahead(batches: Iterator[Any]) -> Iterator[Any]:
    """The first batch alone, since what is wanted of the others may depend on it; then `_one_ahead`."""
    for first in batches:
        yield first
        yield from _one_ahead(batches)


def _one_ahead(batches: Iterator[Any]) -> Iterator[Any]:
    """The same batches, each read on another thread while the one before it is being used."""
    with ThreadPoolExecutor(max_workers=1) as reader:
        coming = reader.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = reader.submit(next, batches, None)
            yield batch
