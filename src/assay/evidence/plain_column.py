"""A column as NumPy holds it, for where pyarrow is not installed: what Arrow would make of it, to the last digit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from assay.errors import BadData
from assay.types import Array, Bools, Ints

_EXACT = 2**53


@dataclass(frozen=True, slots=True)
class PlainColumn:
    """Values of one kind, and which of them are missing.

    Attributes
    ----------
    type : str
        The kind, by Arrow's name: bool, int64, uint64, double, string, null, or one that no label has.
    values : numpy.ndarray
        The values; text as objects, and anything where one is missing.
    absent : numpy.ndarray of bool
        Which are missing.
    """

    type: str
    values: Array
    absent: Bools

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, part: slice) -> PlainColumn:
        return PlainColumn(self.type, self.values[part], self.absent[part])

    def to_list(self) -> list[Any]:
        """The values, None where one is missing."""
        pairs = zip(self.values.tolist(), self.absent.tolist(), strict=True)
        return [None if gone else value for value, gone in pairs]

    def slice(self, start: int, length: int) -> PlainColumn:
        """Some of the rows, as Arrow's arrays say it."""
        return self[start : start + length]

    @property
    def first_absent(self) -> int | None:
        """The first row without a value, counted from 0."""
        return int(self.absent.argmax()) if self.absent.any() else None

    def codes(self) -> tuple[list[Any], Ints]:
        """The distinct values as they first occur, and each row's place among them."""
        place: dict[Any, int] = {}
        values = self.values.tolist()
        codes = (place.setdefault(value, len(place)) for value in values)
        numbered = np.fromiter(codes, np.int64, len(values))
        return list(place), numbered


def plain_column(column: Any, name: str, done: int = 0) -> PlainColumn:
    """Any one-dimensional column; `done` rows of it came before.

    Examples
    --------
    >>> plain_column([1, 0, None], "truth").absent.tolist()
    [False, False, True]
    >>> plain_column([0.5, 1], "loss").type
    'double'
    """
    if isinstance(column, PlainColumn):
        return column
    if isinstance(column, np.ndarray):
        return _from_numpy(column, name, done)
    if not isinstance(column, list | tuple | range):
        series = _from_series(column, name)
        if series is not None:
            return plain_column(series, name, done)
    return from_values(values_of(column, name), name, done)


def values_of(column: Any, name: str) -> list[Any]:
    """The values of whatever has an order of rows."""
    no_rows = str, bytes, dict, set, frozenset
    if isinstance(column, no_rows) or not isinstance(column, Iterable):
        raise BadData(
            f"{name} must be a column (a list, an array or a series), "
            f"but is of type {type(column).__name__}."
        )
    return list(column)


def one_dimensional(column: Array, name: str) -> Array:
    """An array of one value per row."""
    if column.ndim == 2 and column.shape[1] == 1:
        column = column.reshape(-1)
    if column.ndim != 1:
        raise BadData(
            f"{name} must be one-dimensional, but has shape {column.shape}. "
            f"Pass one value per row, e.g. through .ravel() or .argmax(axis=1)."
        )
    return column


def _from_numpy(column: Array, name: str, done: int) -> PlainColumn:
    column = one_dimensional(column, name)
    if column.dtype.kind not in "biuf":
        return from_values(column.tolist(), name, done)
    absent = np.ma.getmaskarray(column) if isinstance(column, np.ma.MaskedArray) else None
    values = np.asarray(column)
    values = values.astype(values.dtype.newbyteorder("="), copy=False)
    if values.dtype.kind == "f":
        values = values.astype(np.float64, copy=False)
    kind = "double" if values.dtype.kind == "f" else values.dtype.name
    return PlainColumn(kind, values, np.zeros(len(values), bool) if absent is None else absent)


def _from_series(column: Any, name: str) -> Any:
    """The values of a pandas, polars or other series through narwhals; None if it is no series."""
    import narwhals.stable.v1 as nw

    known = nw.from_native(column, allow_series=True, pass_through=True)
    if isinstance(known, nw.DataFrame | nw.LazyFrame):
        raise BadData(f"{name} must be a single column, but is a table. Pass one of its columns.")
    if not isinstance(known, nw.Series):
        return None
    if known.dtype.is_numeric() and not known.null_count():
        values = known.to_numpy()
        return values if values.dtype.kind in "biuf" else known.to_list()
    return known.to_list()


def from_values(values: list[Any], name: str, done: int) -> PlainColumn:
    """Python values, which are all text, all numbers, or missing."""
    absent = np.zeros(len(values), bool)
    first_text = first_number = None
    for i, value in enumerate(values):
        if isinstance(value, str):
            first_text = i if first_text is None else first_text
        elif _is_missing(value):
            absent[i] = True
        elif isinstance(value, bool | int | float | Decimal | np.bool_ | np.integer | np.floating):
            first_number = i if first_number is None else first_number
        else:
            raise BadData(
                f"{name} holds a value of type {type(value).__name__} in row {done + i + 1}; "
                f"a column holds text, numbers or truth values."
            )
        if first_text is not None and first_number is not None:
            raise BadData(
                f"{name} holds both text ({values[first_text]!r} in row {done + first_text + 1}) "
                f"and numbers ({_plain(values[first_number])!r} in row {done + first_number + 1}); "
                f"write the whole column one way."
            )
    if first_text is not None:
        return _from_texts(values, absent, name)
    if first_number is None:
        return PlainColumn("null", np.zeros(len(values)), absent)
    held = [_plain(value) for value, gone in zip(values, absent, strict=True) if not gone]
    kind, numbers = _from_numbers(held, name, done)
    column = np.zeros(len(values), numbers.dtype)
    column[~absent] = numbers
    return PlainColumn(kind, column, absent)


def _is_missing(value: Any) -> bool:
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def _from_texts(values: list[Any], absent: Bools, name: str) -> PlainColumn:
    texts = np.empty(len(values), dtype=object)
    texts[:] = [None if gone else str(text) for text, gone in zip(values, absent, strict=True)]
    try:
        "".join(dict.fromkeys(texts[~absent].tolist())).encode()
    except UnicodeEncodeError:
        raise BadData(f"{name} holds text that is not valid Unicode; write it as UTF-8.") from None
    return PlainColumn("string", texts, absent)


def _from_numbers(numbers: Sequence[Any], name: str, done: int) -> tuple[str, Array]:
    """Truth values, whole numbers and floats; whole ones stay exact where all are whole."""
    kinds = {type(value) for value in numbers}
    if kinds == {bool}:
        return "bool", np.array(numbers, dtype=bool)
    if kinds == {int} and all(-(2**63) <= value < 2**63 for value in numbers):
        return "int64", np.array(numbers, dtype=np.int64)
    exact = bool not in kinds and all(
        abs(value) <= _EXACT for value in numbers if type(value) is int
    )
    if (float in kinds and exact) or not all(_is_whole(value) for value in numbers):
        return "double", np.array([float(value) for value in numbers])
    return _whole_numbers([int(value) for value in numbers], name, done)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) or (math.isfinite(value) and value == int(value))


def _whole_numbers(integers: Sequence[int], name: str, done: int) -> tuple[str, Array]:
    """Whole numbers in 64 bits, signed where one is below zero."""
    kind, most = (np.int64, 2**63) if min(integers) < 0 else (np.uint64, 2**64)
    for i, value in enumerate(integers):
        if not -(2**63) <= value < most:
            raise BadData(
                f"{name} holds {value} in row {done + i + 1}, which does not fit into 64 bits. "
                f"Turn the column into text."
            )
    return np.dtype(kind).name, np.array(integers, dtype=kind)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
