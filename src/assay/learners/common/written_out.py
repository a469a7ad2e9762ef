"""Sparse rows written out where a learner compares all cells: what is not stored is zero."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from assay.errors import BadData
from assay.types import Array

# Cells that are written out at a time where rows are looked at one after the other.
_BLOCK = 2**22


def summed(X: Any) -> Any:
    """The table as it is; a sparse one with each cell stored once, as the sum of what is stored for it.

    Sums come before any change of type, so that the cells are those of the same table written out.

    Examples
    --------
    >>> twice = sparse.csr_array(([1.0, 2.0], [0, 0], [0, 2]), shape=(1, 1))
    >>> summed(twice).data.tolist(), twice.data.tolist()
    ([3.0], [1.0, 2.0])
    """
    if not sparse.issparse(X) or X.ndim != 2:
        return X
    by_place = X if X.format in ("csr", "csc") else X.tocsr()
    if by_place.has_canonical_format:
        return by_place
    by_place = by_place.copy()
    by_place.sum_duplicates()
    return by_place


def require_room(owner: Any, X: Any, each: int) -> None:
    """Refuse a sparse table that does not fit into memory with so many bytes for each cell.

    Examples
    --------
    >>> require_room("A tree", sparse.csr_array((10**6, 10**7)), 12)
    Traceback (most recent call last):
    assay.errors.BadData: A tree compares all cells, and those of 1,000,000 rows and 10,000,000 features take ...
    """
    if not sparse.issparse(X) or X.ndim != 2:
        return
    height, width = map(int, X.shape)
    needed, free = height * width * each, _free_bytes()
    if free is None or needed <= free:
        return
    name = owner if isinstance(owner, str) else type(owner).__name__
    raise BadData(
        f"{name} compares all cells, and those of {height:,} rows and {width:,} features take {needed / 1e9:,.1f} GB "
        f"of memory, of which {free / 1e9:,.1f} GB are free.",
        remedy="Keep fewer features or rows, or use a learner that reads stored cells alone, such as "
        "LogisticRegression or LinearSVC.",
    )


def _free_bytes() -> int | None:
    """The memory that is free; None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvail"))
    except (OSError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def written_out(owner: Any, X: Any, each: int = 0) -> Any:
    """All cells, if there is room for them and for so many bytes more of each."""
    if not sparse.issparse(X):
        return X
    require_room(owner, X, X.dtype.itemsize + each)
    return X.toarray(order="C")


def rows_of(X: Any, part: slice) -> Array:
    """Some rows, written out."""
    rows = X[part]
    return np.asarray(rows.toarray(order="C") if sparse.issparse(rows) else rows)


def column_of(X: Any, feature: int) -> Array:
    """One column, written out; a sparse table is by columns.

    Examples
    --------
    >>> column_of(sparse.csc_array([[0, 2.0], [3, 0]]), 1).tolist()
    [2.0, 0.0]
    """
    if not sparse.issparse(X):
        return np.asarray(X[:, feature])
    cells = np.zeros(X.shape[0], X.dtype)
    stored = slice(X.indptr[feature], X.indptr[feature + 1])
    cells[X.indices[stored]] = X.data[stored]
    return cells


def columns_of(X: Any) -> Iterator[Array]:
    """The columns one after the other, written out."""
    by_columns = X.tocsc() if sparse.issparse(X) else X
    return (column_of(by_columns, feature) for feature in range(X.shape[1]))


def blocks_of(X: Any) -> Iterator[Array]:
    """All rows of a table, written out some at a time; at least one block."""
    if not sparse.issparse(X):
        yield X
        return
    height, width = X.shape
    step = max(1, _BLOCK // max(width, 1))
    for begin in range(0, max(height, 1), step):
        yield rows_of(X, slice(begin, begin + step))
