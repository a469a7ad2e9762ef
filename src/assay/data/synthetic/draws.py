"""What all makers of data check and draw alike."""

from __future__ import annotations

import math

import numpy as np

from assay.errors import require


def generator(random_state: int) -> np.random.Generator:
    """The source of randomness for a seed."""
    require(is_count(random_state, 0), "random_state", "a whole number of at least 0", random_state)
    return np.random.default_rng(random_state)


def require_counts(**counts: int) -> None:
    """Refuse a number of things that is not a whole number of at least 1."""
    for name, value in counts.items():
        require(is_count(value, 1), name, "a whole number of at least 1", value)


def require_positive(**values: float) -> None:
    """Refuse a value that is not a finite number above zero."""
    for name, value in values.items():
        good = not isinstance(value, bool | str) and 0 < value < math.inf
        require(good, name, "a finite number above zero", value)


def is_count(value: object, least: int) -> bool:
    """Whether a value is a whole number of at least so much."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return whole and int(value) >= least  # type: ignore[call-overload]
