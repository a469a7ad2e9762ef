"""The length of the weights at which the bound by margins is about least."""

from __future__ import annotations

import math

from assay.theory.rounding import as_fraction
from assay.types import Floats

_SCALES = 40  # lengths that are tried before the best is refined


def best_length(margins: Floats, delta: str) -> tuple[float, float]:
    """The length at which the bound is about least, and what a classifier drawn there errs on the rows.

    The bound holds for all lengths at once, so it need only be about the best one.

    Examples
    --------
    >>> import numpy as np
    >>> norm, error = best_length(np.full(1000, 0.5), "0.05")
    >>> norm, round(error, 6)
    (6.161, 0.001033)
    """
    from scipy.special import ndtr

    def error(norm: float) -> float:
        # The mean of m numbers, each good to a few roundings, and never below the true one.
        return min(float(ndtr(-norm * margins).mean()) * (1 + 1e-12) + 1e-300, 1.0)

    fixed = math.log(2 * math.sqrt(margins.size)) - math.log(float(as_fraction(delta)))

    def bound(norm: float) -> float:
        # About the theorem's number, which is worked out in full only where this is least.
        return _entropy_inverse(error(norm), (norm**2 / 2 + fixed) / margins.size)

    scales = [0.1 * (40 * math.sqrt(margins.size)) ** (j / (_SCALES - 1)) for j in range(_SCALES)]
    best = min(scales, key=bound)
    ratio = scales[1] / scales[0]
    while ratio > 1.01:
        best = min((best / ratio, best, best * ratio), key=bound)
        ratio = math.sqrt(ratio)
    norm = float(f"{best:.4g}")
    return norm, error(norm)


def _entropy_inverse(loss: float, need: float) -> float:
    """About the p above a loss whose relative entropy to it is this large."""
    low, high = loss, 1.0
    for _ in range(40):
        p = (low + high) / 2
        left = loss * math.log(loss / p) if loss else 0.0
        right = (1 - loss) * math.log((1 - loss) / (1 - p)) if loss < 1 and p < 1 else 0.0
        low, high = (p, high) if left + right < need else (low, p)
    return high
