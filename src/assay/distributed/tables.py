"""What a sample can be given as: Dask arrays and frames, folders of Parquet, and arrays and frames in memory.

Each comes in parts of any length. A part is read where it is needed, by a worker or here, and how the rows are cut into
parts has no influence on anything.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay.errors import BadData, BadParameter, UnknownName, Where
from assay.types import Array, Floats


class Stretch(NamedTuple):
    """Some rows of one part of a table."""

    part: int
    start: int
    stop: int


@dataclass(frozen=True)
class Table:
    """Neighbouring parts of one table.

    Attributes
    ----------
    parts : sequence
        Delayed objects of Dask, pieces of files, or what is held in memory.
    lengths : list of int or None
        How many rows each has; None where that is not known before they are read.
    read : callable
        From a part that was loaded and places of rows to the rows as an array.
    """

    parts: Sequence[Any]
    lengths: list[int] | None
    read: Callable[[Any, int, int], Array]

    def stretches(self, first: int, last: int) -> list[Stretch]:
        """The parts in which some neighbouring rows of the whole table lie."""
        assert self.lengths is not None
        found, begun = [], 0
        for part, length in enumerate(self.lengths):
            start, stop = max(first - begun, 0), min(last - begun, length)
            if start < stop:
                found.append(Stretch(part, start, stop))
            begun += length
        return found


@dataclass(frozen=True)
class Sample:
    """The rows, their labels or targets, and their weights.

    Attributes
    ----------
    X, y, weights : Table
        They are as long as one another, and may come in different parts; `weights` may be None.
    width : int
        The number of features.
    names : tuple of str or None
        What the features are called.
    """

    X: Table
    y: Table
    weights: Table | None
    width: int
    names: tuple[str, ...] | None

    @property
    def tables(self) -> list[Table]:
        """All of them, in order."""
        return [self.X, self.y] + ([] if self.weights is None else [self.weights])


def sample_of(X: Any, y: Any, weights: Any) -> Sample:
    """A sample, as it was given."""
    if isinstance(X, str | os.PathLike):
        return _of_folder(Path(X), y, weights)
    if _has_columns(X):
        return _of_frame(X, y, weights)
    shape: tuple[Any, ...] = getattr(X, "shape", ())
    if len(shape) != 2 or shape[1] != shape[1]:
        raise BadData(
            "X must be a Dask array or frame, a folder of Parquet, or rows and columns in memory, but is "
            f"{type(X).__name__} of shape {shape}."
        )
    return Sample(
        _table(_in_one_column_of_chunks(X), _read_rows),
        _table(_given(y, "y"), _read_labels),
        None if weights is None else _table(_given(weights, "sample_weight"), _read_weights),
        int(shape[1]),
        None,
    )


def is_dask(given: Any) -> bool:
    """Whether something is a collection of Dask's; without Dask nothing is."""
    dask = sys.modules.get("dask")
    return dask is not None and bool(dask.is_dask_collection(given))


def load(part: Any) -> Any:
    """A part as it is held in memory."""
    if is_dask(part):
        return part.compute(scheduler="synchronous")
    return part.load() if isinstance(part, ParquetPart) else part


# Arrays


def _in_one_column_of_chunks(X: Any) -> Any:
    if is_dask(X) and X.numblocks[1] > 1:
        return X.rechunk({1: -1})
    return X


def _table(given: Any, read: Callable[[Any, int, int], Array]) -> Table:
    if not is_dask(given):
        return Table([given], [len(given)], read)
    parts = list(np.ravel(np.asarray(given.to_delayed(), dtype=object)))
    chunks = getattr(given, "chunks", None)
    known = chunks is not None and not np.isnan(chunks[0]).any()
    return Table(parts, [int(length) for length in chunks[0]] if known and chunks else None, read)


def _given(values: Any, what: str) -> Any:
    if values is None or isinstance(values, str):
        raise BadParameter(
            f"{what} must hold a value for each row; a column can be named where X has named columns."
        )
    if is_dask(values) or hasattr(values, "shape"):
        return values
    return np.asarray(values)


# Frames


def _has_columns(X: Any) -> bool:
    return hasattr(X, "columns") and hasattr(X, "iloc")


def _of_frame(X: Any, y: Any, weights: Any) -> Sample:
    columns = list(X.columns)
    label = _named(y, columns, "y")
    weight = _named(weights, columns, "sample_weight")
    features = [name for name in columns if name not in (label, weight)]
    for name, kind in zip(columns, X.dtypes, strict=True):
        if name in features and not _is_numeric(kind):
            raise _no_number(name, kind)
    named = tuple(features) if all(isinstance(name, str) for name in features) else None
    return Sample(
        _table(X[features], _read_rows),
        _table(_given(y, "y") if label is None else X[label], _read_labels),
        None
        if weights is None
        else _table(
            _given(weights, "sample_weight") if weight is None else X[weight], _read_weights
        ),
        len(features),
        named,
    )


def _named(given: Any, columns: Sequence[Any], what: str) -> str | None:
    """The column that is named, or None where something else was given."""
    if not isinstance(given, str):
        return None
    if given not in columns:
        raise UnknownName(
            f"{what} names the column {given!r}, which is not there. There are {', '.join(map(str, columns))}."
        )
    return given


def _is_numeric(kind: Any) -> bool:
    numpy_kind = getattr(kind, "kind", "O")
    return numpy_kind in "biuf" and not str(kind).startswith("category")


def _no_number(name: Any, kind: Any) -> BadData:
    return BadData(
        f"Column {name!r} holds {kind}, and features must be numbers. Leave it out, or encode it before."
    )


# Parquet


@dataclass(frozen=True)
class ParquetPart:
    """A group of rows of one file, and the columns that are wanted of it."""

    fragment: Any
    schema: Any
    columns: tuple[str, ...]

    def load(self) -> Any:
        """Its rows, as a table of Arrow."""
        return self.fragment.to_table(schema=self.schema, columns=list(self.columns))


def _of_folder(path: Path, y: Any, weights: Any) -> Sample:
    import pyarrow as pa
    import pyarrow.dataset as ds

    if not path.exists():
        raise BadData(f"There is no folder or file {str(path)!r}.")
    try:
        data = ds.dataset(path, format="parquet", partitioning="hive")
        schema, fragments = data.schema, sorted(data.get_fragments(), key=lambda f: f.path)
        groups = [group for fragment in fragments for group in fragment.split_by_row_group()]
        lengths = [sum(held.num_rows for held in group.row_groups) for group in groups]
    except (pa.ArrowInvalid, OSError) as broken:
        raise BadData(f"{path} cannot be read as Parquet: {broken}") from None
    if not groups:
        raise BadData(f"{path} holds no rows.")
    columns = list(schema.names)
    label, weight = _named(y, columns, "y"), _named(weights, columns, "sample_weight")
    if label is None or (weights is not None and weight is None):
        raise BadParameter("y and sample_weight must name columns where X is a folder of Parquet.")
    features = tuple(name for name in columns if name not in (label, weight))
    for name in features:
        kind = schema.field(name).type
        numbers = pa.types.is_integer(kind) or pa.types.is_floating(kind)
        if not numbers and not pa.types.is_boolean(kind):
            raise _no_number(name, kind)

    def table(wanted: tuple[str, ...], read: Callable[[Any, int, int], Array]) -> Table:
        return Table([ParquetPart(group, schema, wanted) for group in groups], lengths, read)

    return Sample(
        table(features, _read_rows),
        table((label,), _read_labels),
        None if weight is None else table((weight,), _read_weights),
        len(features),
        features,
    )


# From a part to arrays


def _cut(part: Any, start: int, stop: int) -> Any:
    if hasattr(part, "iloc"):
        return part.iloc[start:stop]
    if hasattr(part, "column_names"):  # a table of Arrow
        return part.slice(start, stop - start)
    return part[start:stop]


def _read_rows(part: Any, start: int, stop: int) -> Floats:
    cut = _cut(part, start, stop)
    if hasattr(cut, "column_names"):
        rows = np.empty((cut.num_rows, cut.num_columns))
        for place, column in enumerate(cut.columns):
            values = column.to_numpy()
            rows[:, place] = values if values.dtype != object else _with_gaps(values)
        return rows
    if hasattr(cut, "todense") or hasattr(cut, "tocsr"):
        raise BadData("X must be dense: sparse chunks are not learned from.")
    if hasattr(cut, "to_numpy"):
        return np.asarray(cut.to_numpy(dtype=np.float64, na_value=np.nan))
    try:
        return np.asarray(cut, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadData("X must hold numbers.") from None


def _with_gaps(values: Array) -> Floats:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _read_labels(part: Any, start: int, stop: int) -> Array:
    cut = _cut(part, start, stop)
    if hasattr(cut, "column_names"):
        cut = cut.column(0).to_numpy()
    labels = cut.to_numpy() if hasattr(cut, "to_numpy") else np.asarray(cut)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    return np.asarray(labels)


def _read_weights(part: Any, start: int, stop: int) -> Floats:
    try:
        weights = np.asarray(_read_labels(part, start, stop), dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.full(stop - start, np.nan)
    if weights.ndim != 1 or not (np.isfinite(weights) & (weights >= 0)).all():
        raise BadData("sample_weight must hold a finite number, zero or more, for each row.")
    return weights


def require_finite(X: Floats, first: int, names: Sequence[str] | None, *, gaps: bool) -> None:
    """Refuse rows with cells that are no finite numbers; gaps may be allowed."""
    good = np.isfinite(X) | np.isnan(X) if gaps else np.isfinite(X)
    if good.all():
        return
    row, column = (int(place) for place in np.argwhere(~good)[0])
    held = "NaN" if np.isnan(X[row, column]) else "infinity"
    name = None if names is None else names[column]
    raise BadData(
        "Input X cannot be learned from: ",
        Where(row=first + row, column=column, name=name),
        f" holds {held}.",
    )


def require_labels(y: Array, first: int) -> None:
    """Refuse rows whose label is missing."""
    missing = np.zeros(len(y), dtype=bool)
    if y.dtype == object and y.ndim == 1:
        missing = np.array([label is None or label != label for label in y.tolist()])
    elif y.dtype.kind == "f":
        missing = np.asarray(np.isnan(y).reshape(len(y), -1).any(axis=1))
    if missing.any():
        row = first + int(np.flatnonzero(missing)[0])
        raise BadData("y must hold a value for each row, but ", Where(row=row), " has none.")
