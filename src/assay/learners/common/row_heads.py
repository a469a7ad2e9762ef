"""The digests of rows and labels as learners are given them: compiled where they are plain numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from assay.compiled.common.chosen_rows import choose_dense, choose_sparse
from assay.compiled.common.row_hash import dense_lane, sparse_lane
from assay.errors import AssayError
from assay.evidence.fitted_rows import Heads, heads, label_heads, with_labels
from assay.evidence.row_mix import LABEL, hashed, number_keys, seeds
from assay.types import Array, Ints

#: The seed of the column that labels stand in.
LABEL_SEED = seeds(np.array([LABEL], np.uint64), 0)

_MOST_LABELS = 10_000
_KEY_CELLS = 4
# To compile the loop takes as long as NumPy takes for millions of cells, and to load it for some 100,000.
_FEW_CELLS = 2**18
_cells_by_numpy = 0
_seeds = np.zeros(0, np.uint64)
_known_labels: dict[tuple[type, Any], int] = {}


def digested(X: Any, y: Any, wanted: Ints) -> Heads | None:
    """The digests of some rows; None where rows are of a kind that has none, such as graphs."""
    try:
        features = _features(X, wanted)
        return _with_labels(features, _some(y, wanted))
    except (AssayError, TypeError, ValueError, IndexError, KeyError, OverflowError):
        return None


def _features(X: Any, wanted: Ints) -> Heads:
    if sparse.issparse(X):
        matrix = X if X.format == "csr" else X.tocsr()
        if matrix.data.dtype.kind != "f":
            return heads(matrix[wanted])[:, 0]
        sums = np.empty(len(wanted), np.uint64)
        if sparse_lane(matrix.data, matrix.indices, matrix.indptr, wanted, sums):
            return sums
        return heads(matrix[wanted])[:, 0]
    if isinstance(X, list | tuple) and X and isinstance(X[0], list | tuple):
        X = np.asarray(X)
    if isinstance(X, np.ndarray) and X.ndim == 2:
        if X.dtype in (np.float64, np.float32) and not np.ma.isMaskedArray(X):
            return _table_heads(X, wanted, seeds_of_columns(X.shape[1]))
        X = X[wanted]
        if X.dtype.kind in "biu":
            cells = X.astype(np.float64)
            # Beyond that a whole number may be none of the doubles.
            if X.dtype.itemsize < 8 or float(np.abs(cells).max(initial=0.0)) < 2.0**53:
                return _table_heads(cells, np.arange(len(cells)), seeds_of_columns(X.shape[1]))
        return heads(X)[:, 0]
    return heads(_some(X, wanted))[:, 0]


def chosen_by_value(X: Any, most: int) -> tuple[Heads, Ints] | None:
    """Keys and places of the rows whose key, a function of some of their cells, is at most so large.

    None where rows are not arrays of numbers.

    Examples
    --------
    >>> keys, places = chosen_by_value(np.eye(3), 2**64 - 1)
    >>> places.tolist(), len(set(keys.tolist()))
    ([0, 1, 2], 3)
    """
    rows = height(X) if hasattr(X, "shape") else 0
    keys, places = np.empty(rows, np.uint64), np.empty(rows, np.int64)
    limit = np.uint64(most)
    if sparse.issparse(X):
        matrix = X if X.format == "csr" else X.tocsr()
        parts = matrix.data, matrix.indices, matrix.indptr
        if matrix.data.dtype not in (np.float64, np.float32):
            return None
        count = choose_sparse(*parts, _KEY_CELLS, limit, keys, places)
    elif type(X) is np.ndarray and X.ndim == 2 and X.dtype in (np.float64, np.float32):
        width = X.shape[1]
        # The first and the last: those that lie together are read together.
        columns = np.unique(np.array([0, 1, width - 2, width - 1]).clip(0, max(0, width - 1)))
        if not width:
            return None
        count = choose_dense(X, columns, seeds_of_columns(len(columns)), limit, keys, places)
    else:
        return None
    return keys[:count], places[:count]


def _table_heads(block: Array, wanted: Ints, seeds_of: Heads) -> Heads:
    """The digests of some rows, by NumPy until a process has digested so many cells that compiling pays."""
    global _cells_by_numpy
    cells = len(wanted) * block.shape[1]
    if _cells_by_numpy + cells <= _FEW_CELLS:
        _cells_by_numpy += cells
        keys = number_keys(block[wanted])
        cells_of: Heads = hashed(keys, seeds_of[: block.shape[1]])
        return np.asarray(cells_of.sum(axis=1), dtype=np.uint64)
    sums = np.empty(len(wanted), np.uint64)
    dense_lane(block, wanted, seeds_of, sums)
    return sums


def dense_heads(block: Array, wanted: Ints) -> Heads:
    """The digests of some rows of an array of numbers, without labels."""
    sums = np.empty(len(wanted), np.uint64)
    dense_lane(block, wanted, seeds_of_columns(block.shape[1]), sums)
    return sums


def seeds_of_columns(width: int) -> Heads:
    """The seeds of so many columns, or more."""
    global _seeds  # grows with the widest table
    if len(_seeds) < width:
        _seeds = seeds(np.arange(2 * width, dtype=np.uint64), 0)
    return _seeds


def _some(column: Any, wanted: Ints) -> Any:
    """Some rows of whatever holds them."""
    if len(wanted) == height(column):
        return column
    if hasattr(column, "iloc"):
        return column.iloc[wanted]
    if isinstance(column, list | tuple):
        return [column[place] for place in wanted.tolist()]
    if hasattr(column, "take") and not isinstance(column, np.ndarray):
        return column.take(wanted)
    return column[wanted]


def in_hand(X: Any) -> Any:
    """Rows or labels in something that can be counted and picked from."""
    return X if hasattr(X, "shape") or isinstance(X, list | tuple) else np.asarray(X)


def height(X: Any) -> int:
    """How many rows there are."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def width_of(X: Any) -> int:
    """How many cells a row has; one of a sparse row takes as long as four."""
    if sparse.issparse(X):
        return 4 * int(X.nnz // max(1, X.shape[0]))
    if hasattr(X, "shape"):
        return int(X.shape[1]) if len(X.shape) > 1 else 1
    return len(X[0]) if isinstance(X, list | tuple) and X and hasattr(X[0], "__len__") else 1


def label_head(y: Any) -> int:
    """What one label adds to a digest; looked up, since labels come again and again."""
    key = (type(y), y)
    head = _known_labels.get(key)
    if head is None:
        if len(_known_labels) > _MOST_LABELS:
            _known_labels.clear()
        head = _known_labels[key] = int(label_heads([y])[0])
    return head


def _with_labels(features: Heads, y: Any) -> Heads:
    """The same as `with_labels`, compiled for plain numbers."""
    if not isinstance(y, np.ndarray) or y.ndim != 1 or y.dtype.kind not in "bif":
        return with_labels(features, y)
    numbers = y.astype(np.float64)[:, None]
    labelled = _table_heads(numbers, np.arange(len(y)), LABEL_SEED) + features
    return np.column_stack([features, labelled])
