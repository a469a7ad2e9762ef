"""Reading what a bandit policy is given: losses, tables of losses, means."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.compiled.bandits.bandit_book import first_outside
from assay.errors import BadData, BadParameter, require
from assay.types import Floats


def one_loss(loss: Any) -> float:
    """A loss as a double; what is no number becomes NaN, which the compiled step refuses.

    Examples
    --------
    >>> one_loss(1), one_loss("0.5")
    (1.0, nan)
    """
    if isinstance(loss, str | bytes | bool | np.bool_):
        return float("nan")
    try:
        return float(loss)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def number(name: str, value: Any, must: str) -> float:
    """A parameter as a double; what is no number is refused by what it must be.

    Examples
    --------
    >>> number("least_propensity", "a", "a number above 0")
    Traceback (most recent call last):
        ...
    assay.errors.BadParameter: least_propensity must be a number above 0, but is 'a'.
    """
    double = one_loss(value)
    require(double == double, name, must, value)
    return double


def loss_table(losses: Any, arms: int) -> Floats:
    """Losses of all arms, round by round; refuses the first one outside [0, 1], naming its place.

    Examples
    --------
    >>> loss_table([[0.0, 1], [0.5, 0]], 2).shape
    (2, 2)
    """
    table = numbers("losses", losses)
    if table.ndim != 2 or table.shape[1] != arms:
        raise BadData(
            f"losses must have one row per round and one column for each of the {arms} arms, "
            f"but have the shape {table.shape}."
        )
    t, arm = first_outside(table)
    if t >= 0:
        raise BadData(
            f"losses must lie between 0 and 1, but round {t}, arm {arm} holds {float(table[t, arm])!r}. "
            "Divide the losses by the largest possible one."
        )
    return table


def mean_losses(means: Any, arms: int) -> Floats:
    """The mean loss of every arm.

    Examples
    --------
    >>> mean_losses([0.5, 0.25], 2).tolist()
    [0.5, 0.25]
    """
    values = numbers("means", means)
    if values.shape != (arms,):
        raise BadData(
            f"means must hold one number for each of the {arms} arms, but have the shape {values.shape}."
        )
    bad = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if bad.size:
        arm = int(bad[0])
        raise BadParameter(
            f"means[{arm}] must be a number between 0 and 1, but is {float(values[arm])!r}."
        )
    return values


def require_one_length(**columns: Any) -> None:
    """Refuse columns of a log that do not tell of the same rounds."""
    names, lengths = [*columns], [str(len(column)) for column in columns.values()]
    if len(set(lengths)) > 1:
        named, counted = (f"{', '.join(texts[:-1])} and {texts[-1]}" for texts in (names, lengths))
        raise BadData(f"{named} must be of one length, but have {counted} rounds.")


def numbers(name: str, values: Any) -> Floats:
    """Numbers as doubles, in one piece."""
    try:
        return np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadData(f"{name} must be numbers, but are {type(values).__name__}.") from None
