"""A bound at every count that was drawn, worked out once for each that occurs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.types import Array, Floats


def tabulated(bound: Callable[..., float], counts: Array, *others: int) -> Floats:
    """The bound at counts, one for each trial; a trial that has several counts stands in a row.

    Examples
    --------
    >>> tabulated(lambda errors, rows: errors / rows, np.array([1, 2, 1]), 4).tolist()
    [0.25, 0.5, 0.25]
    >>> tabulated(lambda only_old, only_new: only_old - only_new, np.array([[3, 1], [0, 2]])).tolist()
    [2.0, -2.0]
    """
    table = np.asarray(counts)
    table = table if table.ndim == 2 else table[:, None]
    distinct, place = np.unique(table, axis=0, return_inverse=True)
    values = [float(bound(*row, *others)) for row in distinct.tolist()]
    return np.asarray(np.array(values, dtype=np.float64)[place.reshape(-1)])
