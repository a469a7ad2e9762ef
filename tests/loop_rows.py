"""Rows in the form that compiled loops take."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from assay.compiled.linear import losses

#: The order of the rows themselves.
IN_ORDER = np.empty(0, dtype=np.int64)


def block(X):
    """A contiguous array, or data, indices and starts of compressed rows, read without a sign."""
    if not sparse.issparse(X):
        return np.ascontiguousarray(X)
    indices = X.indices.view(f"u{X.indices.itemsize}")
    return X.data, indices, X.indptr.astype(np.uint64)


def loss_code(name):
    """The code of a loss in the loops, by scikit-learn's name for it."""
    short = {"log_loss": "logistic", "squared_error": "squared"}
    return getattr(losses, short.get(name, name).upper())
