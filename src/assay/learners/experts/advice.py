"""Reading what experts say: tables with a column for each, single rounds, numbers or labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.errors import BadData
from assay.types import Array, Bools, Floats

Names = tuple[str, ...]


def table(given: Any, what: str) -> tuple[Array, Names | None]:
    """Rounds by experts, and the names of the columns where it has some."""
    if hasattr(given, "column_names"):  # an Arrow table
        columns = [np.asarray(column) for column in given.columns]
        return _cleaned(np.column_stack(columns)), tuple(map(str, given.column_names))
    names = tuple(map(str, given.columns)) if hasattr(given, "columns") else None
    cells = as_cells(given)
    if cells.ndim != 2:
        raise BadData(
            f"{what} must be a table with a row for each round and a column for each expert, "
            f"but has {cells.ndim} {'dimension' if cells.ndim == 1 else 'dimensions'}."
        )
    return cells, names


def single(given: Any, names: Sequence[str] | None, what: str) -> tuple[Array, Names | None]:
    """One round as a table with one row; a dict is read by the experts' names."""
    if not isinstance(given, Mapping):
        cells = as_cells(given)
        if cells.ndim != 1:
            raise BadData(
                f"{what} of one round must be a vector or a dict, but has shape {cells.shape}."
            )
        named = getattr(given, "index", None)  # a row of a data frame
        if named is None or callable(named):
            return cells.reshape(1, -1), None
        named = tuple(map(str, named))
        return cells.reshape(1, -1), None if named == _numbers(len(cells)) else named
    order = tuple(map(str, given)) if names is None else tuple(names)
    by_name = {str(name): value for name, value in given.items()}
    for name in by_name:
        if name not in order:
            raise BadData(f"{what} names an expert {name!r}, who was not there before.")
    kind = object if any(isinstance(value, str) for value in by_name.values()) else None
    row = np.array([by_name.get(name, np.nan) for name in order], dtype=kind)
    return _cleaned(row.reshape(1, -1)), order


def as_cells(given: Any) -> Array:
    """An array of what was given, in which everything that is missing is NaN or None."""
    cells = np.asarray(given)
    if cells.dtype.kind in "US" and not hasattr(given, "dtype") and not hasattr(given, "columns"):
        # In a list with text NumPy makes text of everything, of NaN and numbers too.
        cells = np.asarray(given, dtype=object)
    return _cleaned(cells)


def _cleaned(cells: Array) -> Array:
    """None for what pandas calls NA, which is neither equal to anything nor different from it."""
    if cells.dtype.kind != "O":
        return cells
    return np.asarray(_WITHOUT_NA(cells), dtype=object).reshape(cells.shape)


_WITHOUT_NA = np.frompyfunc(lambda cell: None if type(cell).__name__ == "NAType" else cell, 1, 1)


def _numbers(size: int) -> Names:
    return tuple(map(str, range(size)))


def as_numbers(cells: Array, what: str) -> Floats:
    """Cells as float64, each round in one piece."""
    if cells.dtype.kind in "OUSMmc":
        try:
            # None stands for missing, as NaN does.
            cells = np.array([np.nan if c is None else c for c in cells.ravel()]).reshape(
                cells.shape
            )
            cells = cells.astype(np.float64)
        except (TypeError, ValueError):
            raise BadData(f"{what} must hold numbers, but holds {_sample(cells)!r}.") from None
    return np.ascontiguousarray(cells, dtype=np.float64)


def _sample(cells: Array) -> Any:
    """A cell that is no number."""
    for cell in cells.ravel().tolist():
        try:
            float(cell)
        except (TypeError, ValueError):
            return cell
    return cells.ravel().tolist()[0]


def missing(cells: Array) -> Bools:
    """Where nothing was said: NaN or None."""
    if cells.dtype.kind == "f":
        return np.asarray(np.isnan(cells))
    if cells.dtype.kind == "O":
        return np.asarray(np.frompyfunc(lambda c: c is None or c != c, 1, 1)(cells), dtype=bool)
    return np.zeros(cells.shape, dtype=bool)


def refuse_mixed(cells: Array, outcomes: Array, first: int) -> None:
    """Refuse labels of which some are text and some are not, which are never the same.

    Parameters
    ----------
    cells, outcomes : array
        What the experts said in each round, and what came true.
    first : int
        The number of the first of these rounds.
    """
    if {cells.dtype.kind, outcomes.dtype.kind} <= set("biuf") or not len(outcomes):
        return
    labels = np.column_stack(
        [np.array(outcomes.tolist(), object), np.array(cells.tolist(), object)]
    )
    text = np.asarray(_IS_TEXT(labels), dtype=bool)
    odd = (text != text[0, 0]) & ~missing(labels)
    if odd.any():
        t, i = (int(place) for place in np.argwhere(odd)[0])
        raise BadData(
            f"Labels must be all text or all numbers, but in round {first + t} there is {labels[t, i]!r} "
            f"and the outcome of round {first} is {labels[0, 0]!r}."
        )


_IS_TEXT = np.frompyfunc(lambda cell: isinstance(cell, str), 1, 1)


def outcomes_for(outcomes: Any, rounds: int) -> Array:
    """One outcome for each round."""
    column = as_cells(outcomes)
    if column.ndim != 1 or len(column) != rounds:
        raise BadData(
            f"outcomes must hold one for each of the {rounds} rounds, but has shape {column.shape}."
        )
    return column
