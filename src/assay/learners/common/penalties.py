"""The penalty on the squared length of the weights, one for each target."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.errors import BadParameter, require
from assay.types import Floats


def penalties_of(alpha: Any, targets: int) -> Floats:
    """The penalty of each target."""
    try:
        penalties = np.asarray(alpha, dtype=np.float64)
    except (TypeError, ValueError):
        penalties = np.array(np.nan)
    fine = bool(np.isfinite(penalties).all() and (penalties >= 0).all()) and not isinstance(
        alpha, bool
    )
    require(fine, "alpha", "a finite number, zero or more, or one such for each target", alpha)
    if penalties.shape not in ((), (targets,)):
        raise BadParameter(
            f"alpha must be one number, or one for each target, but there are {targets} targets and "
            f"alpha has shape {penalties.shape}."
        )
    return np.broadcast_to(penalties, (targets,)).astype(np.float64)
