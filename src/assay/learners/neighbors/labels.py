"""The classes of kept examples, as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import BadData
from assay.learners.linear.labels import classes_of


def codes_of(model: Any, labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The classes in order, at least two of them, and the place of each label among them."""
    classes = classes_of(labels)
    if len(classes) < 2:
        only = classes[0].item() if isinstance(classes[0], np.generic) else classes[0]
        raise BadData(
            f"{type(model).__name__} needs at least two classes, but y holds 1 class: {only!r}."
        )
    return classes, np.searchsorted(classes, labels).astype(np.int64)


def require_codes(model: Any) -> None:
    """Refuse classes that do not belong to the examples, as a changed file may hold them."""
    for name in ("classes_", "codes_"):
        if not hasattr(model, name):
            raise ValueError(f"it has no {name}")
    if model.codes_.shape != (model.n_samples_fit_,):
        raise ValueError("its labels do not fit its examples")
    counts = np.bincount(model.codes_, minlength=len(model.classes_))
    if len(counts) != len(model.classes_) or not counts.all():
        raise ValueError("its labels do not fit its classes")
