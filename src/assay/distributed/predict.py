"""Predicting rows of Dask collections and folders of Parquet, when they are asked for."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from assay.distributed.tables import is_dask
from assay.errors import BadParameter, UnknownName
from assay.extras import needed_for


def predict(model: Any, X: Any, *, method: str = "predict") -> Any:
    """What a model says of each row, part by part, when Dask computes it.

    Parameters
    ----------
    model : fitted learner
    X : dask array, dask frame, or path
        The rows. Of a frame, or a folder of Parquet, the columns that the model was fitted to are read; others may be
        there.
    method : str, default="predict"
        The method that is asked, such as ``"predict_proba"`` or ``"decision_function"``.

    Returns
    -------
    dask array, or dask series
        In the partitions of X; a series, with the index of X, for frames where there is one number or label a row.

    Examples
    --------
    >>> import dask.array as da
    >>> from assay import GaussianNB
    >>> from assay.distributed import predict
    >>> model = GaussianNB().fit([[-1.0], [-2.0], [1.0], [2.0]], ["a", "a", "b", "b"])
    >>> predict(model, da.ones((3, 1), chunks=2)).compute().tolist()
    ['b', 'b', 'b']
    """
    if not callable(getattr(model, method, None)):
        raise UnknownName(f"{type(model).__name__} has no method {method!r}.")
    with needed_for("Predicting part by part", extra="dask"):
        import dask.array
        import dask.dataframe

    da: Any = dask.array
    if isinstance(X, str | os.PathLike):
        X = dask.dataframe.read_parquet(os.fspath(X))
    if not is_dask(X):
        raise BadParameter(
            f"X must be a Dask array or frame, or a folder of Parquet, but is {type(X).__name__}. "
            f"Ask model.{method}(X)."
        )
    if not hasattr(X, "columns"):
        rows = X.rechunk({1: -1})
        shown = _asked(np.zeros((1, rows.shape[1])), model, method)
        if shown.ndim == 1:
            return rows.map_blocks(
                _asked, model, method, drop_axis=1, dtype=shown.dtype, meta=shown[:0]
            )
        chunks = (rows.chunks[0], (shown.shape[1],))
        return rows.map_blocks(_asked, model, method, chunks=chunks, meta=shown[:0])
    names = list(getattr(model, "feature_names_in_", X.columns))
    absent = [name for name in names if name not in X.columns]
    if absent:
        raise UnknownName(f"X has no column {absent[0]!r}, which the model was fitted to.")
    import pandas as pd

    shown = _asked(pd.DataFrame(np.zeros((1, len(names))), columns=names), model, method)
    if shown.ndim == 1:
        meta = pd.Series(shown[:0], name=method)
        return X[names].map_partitions(_as_series, model, method, meta=meta)
    parts = X[names].to_delayed()
    from dask.delayed import delayed

    width = shown.shape[1]
    blocks = [
        da.from_delayed(
            delayed(_asked)(part, model, method), shape=(np.nan, width), dtype=shown.dtype
        )
        for part in parts
    ]
    return da.concatenate(blocks, axis=0)


def _asked(rows: Any, model: Any, method: str) -> Any:
    if not len(rows):
        # Dask asks for an empty part where it wants to know what comes; models refuse one.
        shown = rows.iloc[:0] if hasattr(rows, "iloc") else rows[:0]
        one = np.zeros((1, rows.shape[1]))
        like = type(rows)(one, columns=rows.columns) if hasattr(shown, "columns") else one
        return np.asarray(getattr(model, method)(like))[:0]
    return np.asarray(getattr(model, method)(rows))


def _as_series(rows: Any, model: Any, method: str) -> Any:
    import pandas as pd

    return pd.Series(_asked(rows, model, method), index=rows.index, name=method)
