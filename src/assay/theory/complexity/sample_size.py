"""The smallest sample that satisfies an inequality with the sample size on both sides."""

from __future__ import annotations

from collections.abc import Callable

from assay.errors import NoNumber
from assay.theory.rounding import Enclosure, Number, exact
from assay.theory.tail.search import smallest_whole

_MOST_ROWS = 2**60


def smallest_rows(needed: Callable[[int], Enclosure | Number], at_most: int = _MOST_ROWS) -> int:
    """The smallest m >= 1 with m >= needed(m), by doubling and bisection.

    The sizes that satisfy the inequality must be all sizes from some point on. That is so
    when `needed` is concave and above 1 at m = 1, as it is in the bounds that take the logarithm
    of a growth function: m - needed(m) is then convex and starts below zero, so it crosses zero
    once. For any other function the answer still satisfies the inequality, and one row fewer
    does not.

    Parameters
    ----------
    needed : callable
        The right-hand side; an `Enclosure` counts with its upper end.
    at_most : int
        Where to give up.

    Returns
    -------
    int
        A number of rows that is certainly enough.

    Raises
    ------
    NoNumber
        If no size up to `at_most` was found.

    Examples
    --------
    >>> from assay.theory.rounding import log2
    >>> smallest_rows(lambda m: 10 * log2(8 * m))
    96
    """

    def enough(m: int) -> bool:
        return m >= exact(needed(m)).high

    short, long = 0, 1
    while not enough(long):
        if long >= at_most:
            raise NoNumber(f"No sample of up to {at_most} rows is enough for what was asked.")
        short, long = long, min(2 * long, at_most)
    return smallest_whole(enough, short, long)
