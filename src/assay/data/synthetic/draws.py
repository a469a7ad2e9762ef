"""What all makers of data check and draw alike."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from assay.errors import require
from assay.types import Bools, Floats


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


def satisfied(terms: Iterable[Sequence[tuple[int, bool]]], X: Floats) -> Bools:
    """Whether some term is true of each row: all of its features are as the term has them."""
    any_term = np.zeros(len(X), dtype=bool)
    for term in terms:
        any_term |= np.logical_and.reduce(
            [X[:, feature] == float(plain) for feature, plain in term]
        )
    return any_term


def is_count(value: object, least: int) -> bool:
    """Whether a value is a whole number of at least so much."""
    integral = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return integral and int(value) >= least  # type: ignore[call-overload]
