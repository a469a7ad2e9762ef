"""What the parameters of a network must be."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from assay.errors import require
from assay.learners.common.number_kinds import is_count, is_number
from assay.learners.neural.network import GATES


def _within(low: float, high: float, *, low_open: bool = False, high_open: bool = False) -> Any:
    def fits(value: Any) -> bool:
        if not is_number(value):
            return False
        above = value > low if low_open else value >= low
        return bool(above and (value < high if high_open else value <= high))

    return fits


def _one_of(*names: str) -> tuple[Callable[[Any], bool], str]:
    must = ", ".join(map(repr, names[:-1])) + f" or {names[-1]!r}"
    return (lambda value: isinstance(value, str) and value in names), must


def _are_sizes(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    return all(map(is_count, value)) if isinstance(value, list | tuple) else is_count(value)


_ZERO_OR_MORE = (_within(0, math.inf, high_open=True), "a finite number, zero or more")
_ABOVE_ZERO = (_within(0, math.inf, low_open=True, high_open=True), "a finite number above zero")
_DECAY = (_within(0, 1, high_open=True), "a number of at least 0 and below 1")
_COUNT = (is_count, "a whole number of at least 1")

#: Of each parameter when it is good, and what it must be.
RULES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "hidden_layer_sizes": (_are_sizes, "whole numbers of at least 1, one for each layer"),
    "activation": _one_of(*GATES),
    "solver": _one_of("adam", "sgd", "lbfgs"),
    "alpha": _ZERO_OR_MORE,
    "batch_size": (
        lambda value: is_count(value) or (isinstance(value, str) and value == "auto"),
        "a whole number of at least 1, or 'auto'",
    ),
    "learning_rate": _one_of("constant", "invscaling", "adaptive"),
    "learning_rate_init": _ABOVE_ZERO,
    "power_t": _ZERO_OR_MORE,
    "max_iter": _COUNT,
    "tol": _ZERO_OR_MORE,
    "momentum": (_within(0, 1), "a number of at least 0 and at most 1"),
    "validation_fraction": (
        _within(0, 1, low_open=True, high_open=True),
        "a number strictly between 0 and 1",
    ),
    "beta_1": _DECAY,
    "beta_2": _DECAY,
    "epsilon": _ABOVE_ZERO,
    "n_iter_no_change": (
        lambda value: is_count(value) or (isinstance(value, float) and value == math.inf),
        "a whole number of at least 1, or infinity",
    ),
    "max_fun": _COUNT,
}


def require_parameters(model: Any) -> None:
    """Refuse a parameter with which no network can be trained."""
    for name, (good, must) in RULES.items():
        value = getattr(model, name)
        require(good(value), name, must, value)


def layer_sizes(hidden: Any, features: int, classes: int) -> list[int]:
    """From the features to the outputs: one for two classes or a single one, else one for each.

    Examples
    --------
    >>> layer_sizes((8, 4), features=3, classes=2), layer_sizes(8, features=3, classes=5)
    ([3, 8, 4, 1], [3, 8, 5])
    """
    between = list(hidden) if isinstance(hidden, list | tuple | np.ndarray) else [hidden]
    return [features, *map(int, between), 1 if classes <= 2 else classes]
