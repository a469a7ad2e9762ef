"""What the training rows looked like, column by column, in a few numbers that a model file can hold.

New rows are compared with them (`assay.tables.watch`). A column of numbers is remembered by some of its order
statistics, at ranks that follow from the number of rows and from nothing else: so how many new values should lie
beyond each of them is known exactly, whatever the distribution. A column of categories is remembered by their counts.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

import numpy as np
import pyarrow as pa

from assay.data.cells import Place, codes, numbers, truths
from assay.data.encode import Column, Encoder
from assay.data.frames import as_batch
from assay.errors import BadData, BadParameter, require
from assay.types import Array, Floats, Ints

#: So many columns are remembered, the first ones of the table, and so many categories of each, the commonest ones.
MOST_COLUMNS, MOST_COUNTED = 100, 100
_PERCENTS = (1, *range(5, 100, 5), 99)
TRUTHS = ("false", "true")
#: How many ranks there are, of many rows.
MOST_RANKS = len(_PERCENTS) + 2


@dataclass(frozen=True)
class SeenColumn:
    """One column of the training rows.

    Parameters
    ----------
    name : str
        Its name.
    kind : {"number", "category", "other"}
        Numbers; categories and truth values; or texts and times, of which only gaps are counted.
    missing : int
        How many rows have no value.
    marks : tuple of float
        Of numbers: the values at the ranks of `ranks`.
    counts : tuple of (str, int)
        Of categories: how many rows have each.
    distinct : int
        How many categories there were.
    """

    name: str
    kind: Literal["number", "category", "other"]
    missing: int
    marks: tuple[float, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    distinct: int = 0


@dataclass(frozen=True)
class Seen:
    """The training rows in a few numbers.

    Parameters
    ----------
    rows : int
        How many rows there were.
    columns : tuple of SeenColumn
        The first columns of the table.
    columns_all : int
        How many columns there were.

    Examples
    --------
    >>> from assay.data import OneHot
    >>> table = pa.table({"age": [30.0, 40.0, 50.0], "city": ["Rome", "Oslo", "Rome"]})
    >>> Seen.of(table, OneHot.fit(table)).columns[1].counts
    (('Rome', 2), ('Oslo', 1))
    """

    rows: int
    columns: tuple[SeenColumn, ...]
    columns_all: int

    @classmethod
    def of(cls, table: Any, encoder: Encoder, *, source: str = "The table") -> Self:
        """Look at training rows, as an encoder reads their columns."""
        batch = as_batch(table)
        looked = [
            _looked_at(column, batch.column(column.name), Place(source, column.name))
            for column in encoder.columns[:MOST_COLUMNS]
        ]
        return cls(batch.num_rows, tuple(looked), len(encoder.columns))

    def to_json(self) -> dict[str, Any]:
        """As plain values."""
        document: dict[str, Any] = asdict(self)
        for column in document["columns"]:
            column["marks"], column["counts"] = (
                list(column["marks"]),
                list(map(list, column["counts"])),
            )
        document["columns"] = list(document["columns"])
        return document

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """The inverse of `to_json`, for a document that may have been written by anybody."""
        try:
            seen = cls(
                document["rows"],
                tuple(_read(column) for column in document["columns"]),
                document["columns_all"],
            )
            require(set(document) == set(asdict(seen)), "A summary", "as written", sorted(document))
            counts = [seen.rows, seen.columns_all]
            require(all(type(n) is int and n >= 0 for n in counts), "rows", "counts", counts)
            require(
                len(seen.columns) <= min(MOST_COLUMNS, seen.columns_all), "columns", "few", "more"
            )
            for column in seen.columns:
                _require_whole(column, seen.rows)
        except (KeyError, TypeError, ValueError, BadParameter):
            pass
        else:
            return seen
        raise BadData("A summary of training rows cannot be made from this document.")


def ranks(present: int) -> Ints:
    """The ranks, counted from 1, of the values that are remembered of so many.

    Examples
    --------
    >>> ranks(4).tolist(), len(ranks(5000))
    ([1, 2, 3, 4], 23)
    """
    if present < 1:
        return np.zeros(0, dtype=np.int64)
    inner = [min(present, max(1, round(p * (present + 1) / 100))) for p in _PERCENTS]
    return np.unique(np.array([1, *inner, present], dtype=np.int64))


def number_cells(column: Column, array: pa.Array, place: Place) -> Floats:
    """A column of numbers or truth values as floats, NaN where a value is missing."""
    return truths(array, place) if column.kind == "truth" else numbers(array, place)


def _looked_at(column: Column, array: pa.Array, place: Place) -> SeenColumn:
    match column.kind:
        case "number":
            values = np.sort(numbers(array, place))
            missing = int(np.isnan(values).sum())
            marks = values[ranks(len(values) - missing) - 1]
            return SeenColumn(column.name, "number", missing, tuple(marks.tolist()))
        case "truth":
            cells = truths(array, place)
            missing = int(np.isnan(cells).sum())
            held = cells[~np.isnan(cells)].astype(np.int64)
            return _counted(column.name, missing, TRUTHS, np.bincount(held, minlength=2))
        case "category" | "coded":
            coded = codes(array, pa.array(column.categories, pa.string()), place)
            missing = int(np.count_nonzero(coded == -1))
            held = coded[coded >= 0]
            counts = np.bincount(held, minlength=len(column.categories))
            return _counted(column.name, missing, column.categories, counts)
        case _:
            return SeenColumn(column.name, "other", array.null_count)


def _counted(name: str, missing: int, words: tuple[str, ...], counts: Array) -> SeenColumn:
    order = np.argsort(-counts, kind="stable")
    kept = [(words[i], int(counts[i])) for i in order if counts[i]]
    return SeenColumn(
        name, "category", missing, counts=tuple(kept[:MOST_COUNTED]), distinct=len(kept)
    )


def _read(column: Any) -> SeenColumn:
    require(set(column) == set(SeenColumn.__dataclass_fields__), "A column", "as written", column)
    return SeenColumn(
        column["name"],
        column["kind"],
        column["missing"],
        tuple(float(mark) for mark in column["marks"]),
        tuple((word, many) for word, many in column["counts"]),
        column["distinct"],
    )


def _require_whole(column: SeenColumn, rows: int) -> None:
    """Refuse a column that no training rows could have given."""
    present = rows - column.missing
    counted = [many for _, many in column.counts]
    numbers = [column.missing, column.distinct, *counted]
    good = all(type(n) is int and n >= 0 for n in numbers) and present >= 0
    words: list[Any] = [column.name, *(word for word, _ in column.counts)]
    good = good and all(isinstance(word, str) for word in words)
    good = good and column.kind in ("number", "category", "other")
    good = good and len(column.marks) == (len(ranks(present)) if column.kind == "number" else 0)
    good = good and bool(np.isfinite(column.marks).all() and (np.diff(column.marks) >= 0).all())
    good = good and len(counted) == min(column.distinct, MOST_COUNTED)
    good = good and sum(counted) <= present
    require(good, "A column", "what training rows could have given", column.name)
