"""What is to be predicted: one column, or several."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import _check_y, check_array

from assay.types import Array


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
