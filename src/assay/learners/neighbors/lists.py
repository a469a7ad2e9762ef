"""Lists of different lengths, one after the other in one array."""

from __future__ import annotations

import numpy as np

from assay.types import Array, Ints


def each_list(values: Array, many: Ints) -> Array:
    """An array of arrays, as many numbers in each as said."""
    listed = np.empty(len(many), dtype=object)
    listed[:] = np.split(values, np.cumsum(many)[:-1]) if len(many) else []
    return listed


def owners(many: Ints) -> Ints:
    """Whose each number is.

    Examples
    --------
    >>> owners(np.array([2, 0, 1])).tolist()
    [0, 0, 2]
    """
    return np.repeat(np.arange(len(many)), many)
