"""What must be known of a log of bandit rounds before it is replayed, and which of its rows can be read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from assay.data.examples import Examples
from assay.errors import BadData, BadParameter, UnknownName, Where
from assay.play.remedies import DECLARE_RANGE
from assay.play.row_stream import bad_number, typed
from assay.types import Array

#: The most arms a log is searched for.
MOST_ARMS = 10_000


@dataclass(frozen=True)
class Log:
    """What must be known of a log before it is replayed.

    Attributes
    ----------
    arms : array
        The arms, in order.
    least_propensity : float
        The least propensity.
    declared : bool
        Whether that was declared, rather than read off the log.
    """

    arms: Array
    least_propensity: float
    declared: bool


def read_log(
    chunks: Iterable[Examples],
    *,
    names: tuple[str, str] = ("loss", "propensity"),
    bounds: tuple[float, float] = (0.0, 1.0),
    arms: Sequence[str] = (),
    least_propensity: float | None = None,
    source: str = "the log",
) -> Log:
    """Find the arms and the least propensity of a log, up to the first row that cannot be read.

    Parameters
    ----------
    chunks : iterable of Examples
        The arm as label, loss and propensity as features.
    names, bounds, source
        As for `BanditStream`.
    arms : sequence of str
        All arms as text, if they are declared.
    least_propensity : float, optional
        The least propensity, if it is declared.

    Examples
    --------
    >>> X, y = np.array([[0.0, 0.5], [1.0, 0.25]]), np.array(["b", "a"], dtype=object)
    >>> log = read_log([Examples(X, y, ["loss", "p"])])
    >>> log.arms.tolist(), log.least_propensity, log.declared
    (['a', 'b'], 0.25, False)
    """
    known: Array | None = None
    least = math.inf
    refusal: BadData | None = None
    try:
        for examples in chunks:
            good, refusal = until_bad(examples, names, bounds, 0.0, source)
            assert examples.y is not None
            if good:
                new = np.unique(examples.y[:good])
                known = new if known is None else np.union1d(known, new)
                least = min(least, float(examples.X[:good, 1].min()))
            if known is not None and len(known) > MOST_ARMS:
                raise UnknownName(
                    f"{source} holds more than {MOST_ARMS:,} different arms in column {examples.target!r}."
                )
            # Rows are needed only to learn what was not declared.
            if refusal is not None or (arms and least_propensity is not None):
                break
    except BadData as problem:
        refusal = problem
    if known is None:
        raise refusal or BadData(f"{source} holds no rows.")
    if arms:
        known = _declared(arms, known)
    if least_propensity is None:
        return Log(known, least, declared=False)
    return Log(known, float(least_propensity), declared=True)


def until_bad(
    examples: Examples,
    names: tuple[str, str],
    bounds: tuple[float, float],
    least: float,
    source: str,
) -> tuple[int, BadData | None]:
    """How many rows come before one whose loss or propensity is out of range, and its refusal."""
    loss, propensity = examples.X[:, 0], examples.X[:, 1]
    low, high = bounds
    likely = (propensity > 0) & (propensity <= 1) & (propensity >= least)
    bad = ~np.column_stack([(low <= loss) & (high >= loss), likely])
    rows = bad.any(axis=1)
    if not rows.any():
        return len(loss), None
    row = int(rows.argmax())
    column = int(bad[row].argmax())
    value = float(examples.X[row, column])
    remedy = (*DECLARE_RANGE, ".") if column == 0 and not math.isnan(value) else None
    if column == 0:
        why = f"outside the range {low:g} to {high:g}."
    elif 0 < value < least:
        why = f"below the least propensity {least:g}, as declared."
    else:
        why = "where a probability above 0 and at most 1 is needed."
    where = Where(row=examples.first_row + row, name=names[column])
    return row, bad_number(source, value, where, why, remedy)


def _declared(arms: Sequence[str], like: Array) -> Array:
    """The arms that were declared, in the type that the log has them."""
    try:
        return typed(arms, like)
    except (KeyError, ValueError):
        raise BadParameter(
            f"The arms must be numbers as in the log, but are {', '.join(map(repr, arms))}."
        ) from None
