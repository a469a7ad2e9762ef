"""What is to be predicted: one column, or several."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import _check_y, check_array

from assay.types import Array, Ints


def column_or_columns(model: Any, y: Any, *, numeric: bool) -> Array:
    """One column as scikit-learn reads it, or a table of several.

    Examples
    --------
    >>> column_or_columns(None, [[1.0, 2], [3, 4]], numeric=True).shape
    (2, 2)
    """
    how: dict[str, Any] = {"ensure_2d": False, "input_name": "y", "estimator": model}
    given = check_array(y, dtype=None, ensure_all_finite=False, ensure_min_samples=0, **how)
    if given.ndim == 2 and given.shape[1] > 1:
        return np.asarray(check_array(given, dtype=np.float64 if numeric else None, **how))
    return np.asarray(_check_y(given, multi_output=False, y_numeric=numeric, estimator=model))


def codes_of_columns(classes: list[Array], labels: Array) -> Ints:
    """The number of each row's class among those of every column.

    Examples
    --------
    >>> codes_of_columns([np.array(["a", "b"]), np.array([3, 5])], np.array([["b", 3]], dtype=object)).tolist()
    [[1, 0]]
    """
    each = zip(classes, labels.T, strict=True)
    return np.column_stack([np.searchsorted(known, column) for known, column in each])


def labels_of(classes: list[Array], codes: Ints) -> Array:
    """The labels of several columns, of the type of the first one's."""
    labels = np.empty(codes.shape, dtype=classes[0].dtype)
    for k, known in enumerate(classes):
        labels[:, k] = known[codes[:, k]]
    return labels
