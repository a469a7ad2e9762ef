"""Reading what a policy with context is given: contexts, features of actions, exclusions, losses."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from assay.errors import BadData, BadParameter
from assay.types import Bools, Floats

NOTHING = np.zeros(0)
NO_FEATURES = np.zeros((0, 0))
#: Rows of features longer than this would soon overflow.
LONGEST = 1e100


def numbers(name: str, values: Any, axes: int) -> Floats:
    """Finite numbers as doubles, in one piece; refuses others, naming the first.

    Examples
    --------
    >>> numbers("context", [1, 2], 1).tolist()
    [1.0, 2.0]
    """
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadData(f"{name} must be numbers, but are {type(values).__name__}.") from None
    if array.ndim != axes:
        shapes = {1: "one row of numbers", 2: "one row for each action", 3: "one table a round"}
        raise BadData(f"{name} must be {shapes[axes]}, but have the shape {array.shape}.")
    return array


def require_finite(**arrays: Floats) -> None:
    """Refuse a number that is none, or that is too large, naming its place."""
    for name, array in arrays.items():
        bad = np.argwhere(~(np.abs(array) <= LONGEST))
        if bad.size:
            at = tuple(bad[0].tolist())
            place = "".join(f"[{i}]" for i in at)
            raise BadData(f"{name}{place} must be a finite number, but is {float(array[at])!r}.")


def allowed_of(excluded: Any, actions: int) -> Bools:
    """Which actions may be chosen; refuses an exclusion that names none, or all.

    Examples
    --------
    >>> allowed_of([1], 3).tolist()
    [True, False, True]
    """
    allowed = np.ones(actions, dtype=np.bool_)
    for one in excluded:
        allowed[action_of("excluded", one, actions)] = False
    if not allowed.any():
        raise BadParameter("excluded must leave one action at least, but names all of them.")
    return allowed


def action_of(name: str, action: Any, actions: int) -> int:
    """The number of an action; refuses what is none."""
    try:
        place = -1 if isinstance(action, bool | np.bool_) else operator.index(action)
    except TypeError:
        place = -1
    if not 0 <= place < actions:
        raise BadParameter(
            f"{name} must be among the actions 0 to {actions - 1}, but is {action!r}."
        )
    return place


def loss_of(loss: Any) -> float:
    """A loss as a double between 0 and 1."""
    try:
        text = isinstance(loss, str | bytes | bool | np.bool_)
        value = float("nan") if text else float(loss)
    except (TypeError, ValueError, OverflowError):
        value = float("nan")
    if not 0.0 <= value <= 1.0:
        raise BadParameter(f"loss must be a number between 0 and 1, but is {loss!r}.")
    return value


def table_of_losses(name: str, values: Any) -> Floats:
    """Losses or means of all actions, round by round, between 0 and 1."""
    table = numbers(name, values, 2)
    bad = np.argwhere(~((table >= 0.0) & (table <= 1.0)))
    if bad.size:
        t, action = bad[0].tolist()
        raise BadData(
            f"{name} must lie between 0 and 1, but round {t}, action {action} holds "
            f"{float(table[t, action])!r}. Divide them by the largest possible one."
        )
    return table
