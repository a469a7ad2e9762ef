"""The numbers of kept examples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def targets_of(y: NDArray[Any]) -> NDArray[np.float64]:
    """One number for each example, or a row of them, in double precision."""
    return np.array(y, dtype=np.float64, order="C")


def require_targets(model: Any) -> None:
    """Refuse numbers that do not belong to the examples, as a changed file may hold them."""
    if not hasattr(model, "targets_"):
        raise ValueError("it has no targets_")
    if model.targets_.dtype != np.float64 or len(model.targets_) != model.n_samples_fit_:
        raise ValueError("its numbers do not fit its examples")
    if model.targets_.ndim == 2 and not model.targets_.shape[1]:
        raise ValueError("its numbers do not fit its examples")
