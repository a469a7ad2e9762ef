"""How kernel machines read their examples: rows of numbers, the values of a precomputed kernel, or strings."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from assay.errors import BadData
from assay.kernels import Kernel, Precomputed
from assay.kernels.strings import takes_strings, texts
from assay.types import Array


def read_sample(model: Any, X: Any, y: Any, **how: Any) -> tuple[Any, Any]:
    """The examples and labels of a fit, in the form that the kernel of the model takes."""
    if takes_strings(model.kernel) or _is_for_strings(model.kernel, X):
        strings = as_strings(X)
        about = {key: how[key] for key in ("y_numeric", "multi_output", "reset") if key in how}
        _, y = validate_data(model, np.zeros((len(strings), 1)), y, **about)
        return strings, y
    X, y = validate_data(model, X, y, accept_sparse="csr", **how)
    if is_precomputed(model.kernel) and X.shape[0] != X.shape[1]:
        raise BadData(f"A precomputed kernel matrix must be square, but has shape {X.shape}.")
    return X, y


def read_examples(model: Any, X: Any, **how: Any) -> Any:
    """The examples of a fitted model; of a precomputed kernel, their values with the training examples."""
    if takes_strings(model.kernel) or takes_strings(getattr(model, "kernel_", None)):
        return as_strings(X)
    return validate_data(model, X, reset=False, accept_sparse="csr", **how)


def _is_for_strings(kernel: Any, X: Any) -> bool:
    """Whether a function of the user's is given strings."""
    own = callable(kernel) and not isinstance(kernel, Kernel)
    listed = isinstance(X, list | tuple | np.ndarray) and len(X) > 0
    return own and listed and isinstance(X[0], str)


def as_strings(X: Any) -> Array:
    """A list of strings as an array of them, however long each is."""
    strings = texts(X)
    array = np.empty(len(strings), dtype=object)
    array[:] = strings
    return array


def is_precomputed(kernel: Any) -> bool:
    """Whether the examples are the values of the kernel."""
    return isinstance(kernel, Precomputed) or (isinstance(kernel, str) and kernel == "precomputed")


def are_strings(X: Any) -> bool:
    """Whether examples that were read are strings."""
    return isinstance(X, np.ndarray) and X.dtype == object


def shape_of(X: Any) -> tuple[int, int]:
    """Examples and features; a string counts as one feature."""
    return (len(X), 1) if are_strings(X) else (int(X.shape[0]), int(X.shape[1]))
