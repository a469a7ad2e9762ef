"""The weights of the rows of a sample."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

import numpy as np

from assay.errors import BadData, require
from assay.types import Floats


def row_weights(sample_weight: Any, rows: Sized) -> Floats:
    """The weights of the rows, one unless given; refuses what is no weight."""
    if sample_weight is None:
        return np.ones(len(rows))
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(len(rows), float(weights))
    require(
        weights.shape == (len(rows),),
        "sample_weight",
        f"one number per row, of shape ({len(rows)},)",
        weights.shape,
    )
    odd = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if odd.size:
        place, value = int(odd[0]), float(weights[odd[0]])
        raise BadData(
            f"sample_weight must hold finite numbers, zero or more, but holds {value!r} in row {place}."
        )
    if not weights.any():
        raise BadData("sample_weight must leave at least one row, but is zero for all of them.")
    return weights
