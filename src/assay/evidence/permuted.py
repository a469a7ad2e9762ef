"""Exact p-values by permutation: how rarely rows in random order look as ordered as these do.

If rows are exchangeable, every order of them was as likely as the one that came. So a statistic of the order is
compared with its values for orders drawn at random, and it is at least as large as all but few of them by no more
than that chance (Besag and Clifford, 1991): drawing stops as soon as ten orders look as ordered.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np

from assay.types import Array

#: How many orders are drawn at most.
ORDERS = 1_999
# So many orders that look at least as ordered settle that nothing was found.
_ENOUGH = 10
_FIRST = 199

Statistic = Callable[[Array], Array]
"""From orders, one in each row of the array, to one number for each: large where order shows."""


class Orders:
    """Orders of rows, drawn by a seed: all statistics of as many rows are compared with the same ones.

    Examples
    --------
    >>> labels = np.repeat([0, 1], 50)
    >>> agreement = lambda orders: (labels[orders[:, 1:]] == labels[orders[:, :-1]]).sum(axis=1)
    >>> Orders(seed=0).p_value(100, agreement)
    0.0005
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._drawn: dict[tuple[int, int], Array] = {}

    def p_value(self, rows: int, statistic: Statistic) -> float:
        """The chance, if so many rows are exchangeable, that their order shows as much."""
        seen = statistic(np.arange(rows, dtype=np.int16)[None, :])[0]
        first = np.flatnonzero(_as_large(statistic(self._some(rows, 0, _FIRST)), seen))
        if len(first) >= _ENOUGH:
            return _ENOUGH / (int(first[_ENOUGH - 1]) + 1)
        more = np.flatnonzero(_as_large(statistic(self._some(rows, 1, ORDERS - _FIRST)), seen))
        if len(first) + len(more) >= _ENOUGH:
            return _ENOUGH / (_FIRST + int(more[_ENOUGH - len(first) - 1]) + 1)
        return (1 + len(first) + len(more)) / (1 + ORDERS)

    def _some(self, rows: int, part: int, many: int) -> Array:
        if (rows, part) not in self._drawn:
            plain = np.broadcast_to(np.arange(rows, dtype=np.int16), (many, rows))
            rng = np.random.default_rng([self._seed, rows, part])
            self._drawn[rows, part] = rng.permuted(plain, axis=1)
        return self._drawn[rows, part]


def _as_large(drawn: Array, seen: Any) -> Any:
    # Sums of floats in another order differ in their last places: equal ones count as large.
    return drawn >= seen - 1e-5 * abs(seen)


def told_apart(right: int, early: int, late: int, called_late: int) -> float:
    """The chance that a guess calls so many late rows late, if every order of the rows is as likely.

    Of `early` + `late` rows it calls `called_late` so; `right` of these are late. The tail of the hypergeometric
    distribution, in whole numbers.

    Examples
    --------
    >>> told_apart(3, early=3, late=3, called_late=3)
    0.05
    """
    most = min(late, called_late)
    ways = term = comb(late, most) * comb(early, called_late - most)
    for k in range(most, right, -1):  # from the way with k late rows to that with one less
        term = term * k * (early - called_late + k) // ((late - k + 1) * (called_late - k + 1))
        ways += term
    return ways / comb(early + late, called_late)
