"""Tables as trees read them: numbers as float32, categories by their number, NaN where nothing is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import _check_feature_names, _check_n_features, validate_data

from assay.errors import BadData, require
from assay.learners.common.number_kinds import is_whole
from assay.learners.common.written_out import summed, written_out

#: The categories of a column of truth values.
TRUTH = ["false", "true"]

Categories = list[list[str] | None]


def learn_columns(
    model: Any, X: Any, chosen: Any, dtype: Any = np.float32
) -> tuple[Any, Categories]:
    """The cells of a sample, and of each feature its categories, or None for a number.

    Parameters
    ----------
    model : estimator
        Is told how many features there are, and their names.
    X : array, sparse matrix or data frame
        Columns of text, truth values and categories of a frame are categories; a sparse matrix holds numbers, and is
        one by rows afterwards.
    chosen : None, "all", or sequence of names, places or truth values
        Further features that are categories: whole numbers, say.
    dtype : type
        That of the cells.
    """
    must = "None where the table is sparse"
    require(chosen is None or not sparse.issparse(X), "categorical_features", must, chosen)
    if chosen is None and not _has_words(X):
        return _numbers(model, X, reset=True, dtype=dtype), [None] * model.n_features_in_
    return _from_batch(model, X, reset=True, chosen=chosen, dtype=dtype)


def read_columns(model: Any, X: Any, categories: Categories, dtype: Any = np.float32) -> Any:
    """The cells of rows to predict; a category that the sample did not have is missing."""
    if all(words is None for words in categories):
        return _numbers(model, X, reset=False, dtype=dtype)
    X = written_out(model, X)
    return _from_batch(model, X, reset=False, known=categories, dtype=dtype)[0]


def _numbers(model: Any, X: Any, *, reset: bool, dtype: Any = np.float32) -> Any:
    # What is too large for float32 becomes infinite, and that is refused; sums of what is not may be infinite too.
    with np.errstate(over="ignore", invalid="ignore"):
        return validate_data(
            model, summed(X), reset=reset, dtype=dtype, order="C", accept_sparse="csr",
            ensure_all_finite="allow-nan",
        )  # fmt: skip


def _is_frame(X: Any) -> bool:
    return hasattr(X, "columns") or hasattr(X, "schema")


def _has_words(X: Any) -> bool:
    """Whether a column holds text, truth values or categories."""
    if _is_frame(X):
        import narwhals.stable.v1 as nw

        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return any(not kind.is_numeric() for kind in frame.schema.values())
        return False
    cells = X if isinstance(X, np.ndarray) else None
    if cells is None and isinstance(X, list | tuple):
        cells = np.asarray(X, dtype=object)
    if cells is None or cells.ndim != 2 or not cells.size:
        return False
    if cells.dtype.kind in "bU":
        return True
    if cells.dtype.kind != "O":
        return False
    return any(isinstance(cell, str | bool | np.bool_) for cell in cells.ravel())


def _from_batch(
    model: Any,
    X: Any,
    *,
    reset: bool,
    chosen: Any = None,
    known: Categories | None = None,
    dtype: Any = np.float32,
) -> tuple[NDArray[Any], Categories]:
    # Only here: they are slow to import.
    import pyarrow as pa

    from assay.data.cells import Place, codes, numbers, truths
    from assay.data.encode import OneHot
    from assay.data.frames import as_batch

    frame = X if _is_frame(X) else _table(X)
    if _is_frame(X):
        _check_feature_names(model, X, reset=reset)
    batch = as_batch(frame)
    _check_n_features(model, np.empty((1, batch.num_columns)), reset=reset)
    if not batch.num_columns or not batch.num_rows:
        raise BadData(
            f"Found array with {batch.num_rows} sample(s) and {batch.num_columns} feature(s); "
            f"a minimum of 1 is required by {type(model).__name__}."
        )
    names = batch.schema.names
    if known is None:
        # A column of the type for categories holds them, also where they are written as numbers.
        typed = [field.name for field in batch.schema if pa.types.is_dictionary(field.type)]
        more = list(dict.fromkeys([*_chosen(names, chosen), *typed]))
        kinds = OneHot.fit(batch, categories=more, missing="nan", unknown="other", source="X")
        known = [
            TRUTH if c.kind == "truth" else list(c.categories) if c.kind == "category" else None
            for c in kinds.columns
        ]
    cells = np.empty((batch.num_rows, len(names)), dtype)
    for place, (name, words) in enumerate(zip(names, known, strict=True)):
        array, where = batch.column(place), Place("X", name)
        if words is None:
            with np.errstate(over="ignore"):
                cells[:, place] = numbers(array, where)
        elif words == TRUTH:
            cells[:, place] = truths(array, where)
        else:
            places = codes(array, pa.array(words, pa.string()), where)
            cells[:, place] = np.where(places < 0, np.nan, places)
    if np.isinf(cells).any():
        raise BadData(f"Input X contains a value too large for dtype('{np.dtype(dtype)}').")
    return cells, known


def _table(X: Any) -> Any:
    """An array as a table with columns x0, x1, ..."""
    import pyarrow as pa

    cells = np.asarray(X) if isinstance(X, np.ndarray) else np.asarray(X, dtype=object)
    if cells.ndim != 2:
        raise BadData(f"Expected 2D array, got {cells.ndim}D array instead.")
    arrays = []
    for place, column in enumerate(cells.T):
        try:
            arrays.append(pa.array(column.tolist(), from_pandas=True))
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            raise BadData(
                f"Column x{place} must hold text, truth values or numbers, and one kind of them."
            ) from None
    return pa.table(arrays, names=[f"x{i}" for i in range(cells.shape[1])])


def _chosen(names: Sequence[str], chosen: Any) -> list[str]:
    """The names of the features that are said to be categories."""
    if chosen is None:
        return []
    if isinstance(chosen, str):
        require(chosen == "all", "categorical_features", "None, 'all', or a list", chosen)
        return list(names)
    items = list(chosen)
    if len(items) == len(names) and all(isinstance(item, bool | np.bool_) for item in items):
        return [name for name, one in zip(names, items, strict=True) if one]
    chosen_names = []
    for item in items:
        if is_whole(item):
            must = f"places from 0 to {len(names) - 1}, or names"
            require(bool(0 <= item < len(names)), "categorical_features", must, item)
            chosen_names.append(names[int(item)])
        else:
            require(bool(item in names), "categorical_features", f"some of {list(names)}", item)
            chosen_names.append(item)
    return chosen_names
