"""Fits that go on where an earlier one ended: only with the rows and the bags that it had."""

from __future__ import annotations

from typing import Any

import joblib  # type: ignore[import-untyped]

from assay.errors import BadData


def sample_digest(*parts: Any) -> str:
    """A short text that differs, but for a freak, wherever any of these parts does.

    Examples
    --------
    >>> import numpy as np
    >>> a, b = np.arange(4.0), np.arange(4.0)
    >>> sample_digest(a, 2) == sample_digest(b, 2), sample_digest(a, 2) == sample_digest(a[::-1], 2)
    (True, False)
    """
    return str(joblib.hash(parts))


def require_same_sample(earlier: str, now: str) -> None:
    """Refuse to add members whose bags are of other rows: those left out would not be the ones they seem."""
    if earlier != now:
        raise BadData(
            "warm_start goes on with the sample it has, but rows, labels, weights, or the parameters that say how bags "
            "and bins are made, are others than in the earlier fit. Set them back, or fit with warm_start=False."
        )
