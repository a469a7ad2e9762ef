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
    """Orders of so many rows, drawn by a seed: all statistics are compared with the same ones.

    Examples
    --------
    >>> labels = np.repeat([0, 1], 50)
    >>> agreement = lambda orders: (labels[orders[:, 1:]] == labels[orders[:, :-1]]).sum(axis=1)
    >>> Orders(100, seed=0).p_value(agreement)
    0.0005
    """

    def __init__(self, rows: int, seed: int) -> None:
        self._rows, self._rng = rows, np.random.default_rng(seed)
        self._drawn: dict[int, Array] = {}

    def p_value(self, statistic: Statistic) -> float:
        """The chance, if rows are exchangeable, that their order shows as much."""
        seen = statistic(np.arange(self._rows, dtype=np.int16)[None, :])[0]
        first = np.flatnonzero(_as_large(statistic(self._some(0, _FIRST)), seen))
        if len(first) >= _ENOUGH:
            return _ENOUGH / (int(first[_ENOUGH - 1]) + 1)
        more = np.flatnonzero(_as_large(statistic(self._some(1, ORDERS - _FIRST)), seen))
        if len(first) + len(more) >= _ENOUGH:
            return _ENOUGH / (_FIRST + int(more[_ENOUGH - len(first) - 1]) + 1)
        return (1 + len(first) + len(more)) / (1 + ORDERS)

    def _some(self, part: int, many: int) -> Array:
        if part not in self._drawn:
            plain = np.broadcast_to(np.arange(self._rows, dtype=np.int16), (many, self._rows))
            self._drawn[part] = self._rng.permuted(plain, axis=1)
        return self._drawn[part]


def _as_large(drawn: Array, seen: Any) -> Any:
    # Sums of floats in another order differ in their last places: equal ones count as large.
    return drawn >= seen - 1e-5 * abs(seen)


def told_apart(told: int, early: int, late: int, said_late: int) -> float:
    """The chance that a guess says "late" of so many late rows, if every order of the rows is as likely.

    Of `early` + `late` rows it says so of `said_late`; `told` of these are late. The tail of the hypergeometric
    distribution, in whole numbers.

    Examples
    --------
    >>> told_apart(3, early=3, late=3, said_late=3)
    0.05
    """
    most = min(late, said_late)
    ways = sum(comb(late, k) * comb(early, said_late - k) for k in range(told, most + 1))
    return ways / comb(early + late, said_late)
