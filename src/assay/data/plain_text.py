"""CSV and TSV by the standard library, for where pyarrow is not installed: the same values as Arrow reads.

The type of a column is that of its first rows, and a later value that does not fit it is refused with its row.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import re
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import IO, Any

from assay.data.header import (
    COMPRESSIONS,
    HEAD,
    SeparatedText,
    damaged,
    endless_row,
    is_utf8,
    misfit,
    not_utf8,
    odd_row,
)
from assay.data.location import for_arrow
from assay.data.standard_input import head_then_all, standard_input
from assay.extras import needed_for

_ROWS = 2**16
_LONGEST_CELL = 2**22

# What stands for a missing value in a column that is not text, as in Arrow.
_NULLS = frozenset(
    ("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN")
) | {"N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"}
_TRUTH = {
    **dict.fromkeys(("1", "true", "True", "TRUE"), True),
    **dict.fromkeys(("0", "false", "False", "FALSE"), False),
}
_WHOLE = re.compile(r"-?[0-9]+")
_NUMBER = re.compile(r"-?(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|inf|infinity|nan)", re.I)
_PADDED = re.compile(r"[+-]?0[0-9]+")


def _whole(cell: str) -> int:
    value = int(cell) if _WHOLE.fullmatch(cell) else None
    if value is None or not -(2**63) <= value < 2**63:
        raise ValueError(cell)
    return value


def _number(cell: str) -> float:
    if not _NUMBER.fullmatch(cell):
        raise ValueError(cell)
    return float(cell)


def _truth(cell: str) -> bool:
    if cell not in _TRUTH:
        raise ValueError(cell)
    return _TRUTH[cell]


# In the order in which a column is tried; text is what is left.
_KINDS: dict[str, Callable[[str], Any]] = {
    "int64": _whole,
    "bool": _truth,
    "date32[day]": date.fromisoformat,
    "time32[s]": time.fromisoformat,
    "timestamp": datetime.fromisoformat,
    "double": _number,
}


@dataclass(frozen=True, slots=True)
class PlainBatch:
    """Columns by name, each a list; None is a missing value.

    Examples
    --------
    >>> PlainBatch({"truth": [1, 0, 1]}).slice(1, 2).column("truth")
    [0, 1]
    """

    columns: dict[str, list[Any]]

    @property
    def num_rows(self) -> int:
        """How many rows, as Arrow's batches say it."""
        return len(next(iter(self.columns.values())))

    def column(self, which: int | str) -> list[Any]:
        """A column, by its name or its place."""
        return self.columns[which if isinstance(which, str) else list(self.columns)[which]]

    def select(self, names: Sequence[str]) -> PlainBatch:
        """These columns, in this order."""
        return PlainBatch({name: self.columns[name] for name in names})

    def slice(self, start: int, length: int) -> PlainBatch:
        """Some of the rows."""
        return PlainBatch({n: c[start : start + length] for n, c in self.columns.items()})


class _PlainText(SeparatedText):
    """Separated text as the standard library reads it."""

    schema: None = None
    broken = (OSError, EOFError, zlib.error)

    def batches(
        self, columns: Sequence[str], batch_rows: int, numbers: Collection[str]
    ) -> Iterator[PlainBatch]:
        """Rows in batches of Python values."""
        kinds = {column: "double" for column in columns if column in numbers}
        done = 0
        for rows in self._rows(min(batch_rows, _ROWS)):
            cells = {c: [row[self.columns.index(c)] for row in rows] for c in columns}
            for column in columns:
                # A column without a value so far has no kind yet.
                kinds[column] = kinds.get(column) or _kind(cells[column])
            yield PlainBatch(
                {
                    column: self._converted(cells[column], column, done, kinds[column], numbers)
                    for column in columns
                }
            )
            done += len(rows)

    def cells(self, columns: Sequence[str], batch_rows: int, plain: object = None) -> Iterator[Any]:
        """Examples for learners are read by Arrow alone."""
        with needed_for(f"Reading {self._name} for a learner", "learn"):
            raise ModuleNotFoundError(name="pyarrow")
        yield

    def _rows(self, most: int) -> Iterator[list[list[str]]]:
        csv.field_size_limit(_LONGEST_CELL)
        rows: list[list[str]] = []
        number = 0
        try:
            with self._read() as stream:
                text = io.TextIOWrapper(
                    stream, encoding="utf-8-sig", errors="surrogateescape", newline=""
                )
                records = filter(None, csv.reader(text, delimiter=self._separator))
                next(records)
                for number, record in enumerate(records, start=1):
                    if len(record) != len(self.columns):
                        raise odd_row(self._name, len(record), len(self.columns), number)
                    rows.append(record)
                    if len(rows) == most:
                        yield rows
                        rows = []
        except csv.Error:
            raise endless_row(self._name) from None
        except self.broken as problem:
            raise damaged(self._name) from problem
        if rows:
            yield rows

    def _converted(
        self, cells: list[str], column: str, done: int, kind: str, numbers: Collection[str]
    ) -> list[Any]:
        if kind == "string":
            for i, cell in enumerate(cells):
                if not cell.isascii() and not is_utf8(cell):
                    raise not_utf8(self._name, f"Column {column!r}, row {done + i + 1}")
            return [cell or None for cell in cells]
        values: list[Any] = []
        for i, cell in enumerate(cells):
            try:
                values.append(None if cell in _NULLS else _KINDS[kind](cell.strip(" \t")))
            except (ValueError, KeyError):
                wanted = "" if column in numbers else kind or "null"
                raise misfit(self._name, cell, column, done + i + 1, wanted) from None
        return values


def _kind(cells: list[str]) -> str:
    """What the first cells of a column are; empty where none holds a value."""
    held = [cell.strip(" \t") for cell in dict.fromkeys(cells) if cell not in _NULLS]
    if not held:
        return ""
    if any(_PADDED.fullmatch(cell) for cell in held):
        return "string"
    return next((kind for kind in _KINDS if _fits(held, _KINDS[kind])), "string")


def _fits(cells: list[str], read: Callable[[str], Any]) -> bool:
    try:
        for cell in cells:
            read(cell)
    except ValueError:
        return False
    return True


def open_text(path: Path, separator: str) -> _PlainText:
    """A file of comma- or tab-separated text, perhaps compressed."""
    return _PlainText(str(path), separator, lambda: open_bytes(path))


def open_held(name: str, text: bytes, separator: str) -> _PlainText:
    """Separated text that is in memory."""
    return _PlainText(name, separator, lambda: io.BytesIO(text))


def open_bytes(path: Path) -> IO[bytes]:
    """The bytes of a file, unpacked."""
    compression = COMPRESSIONS.get(path.suffix.lower())
    if compression == "zstd":
        with needed_for(f"Unpacking {path}"):
            import pyarrow as pa

        stream: IO[bytes] = pa.input_stream(for_arrow(path), compression=compression)
        return stream
    unpacked: dict[str | None, Any] = {"gzip": gzip.open, "bz2": bz2.open}
    binary: IO[bytes] = unpacked.get(compression, open)(path, "rb")
    return binary


def open_input(separator: str) -> _PlainText:
    """Separated text from standard input, which can be scanned once."""
    stream = standard_input()
    return _PlainText("standard input", separator, head_then_all(stream.read(HEAD), stream))
