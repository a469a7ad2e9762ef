"""The dual of a support vector machine for examples whose kernel values with each other are all at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.compiled.kernel.working_set import add_rows, solve_working_set
from assay.types import Array, Floats, Ints

if TYPE_CHECKING:
    from assay.learners.kernel.dual_search import Dual


# Variables that pairs are sought among: so many that their square of kernel values stays in the nearer caches.
_SET = 512
# They are moved until their own gap is this share of the gap of all.
_SHARE = 0.1
# Pairs moved, for each variable, before others are looked at.
_MOST = 50


def solve_block(
    dual: Dual,
    K: Array,
    size: Floats,
    beta: Floats,
    scores: Floats,
    *,
    tolerance: float,
    most_steps: float,
) -> int:
    """Move the variables until the KKT conditions hold to the tolerance, among themselves; how many pairs were moved.

    `size` is the diagonal of K, and `scores` are those of its examples, of which K beta may be only a part. Both
    `beta` and `scores` are overwritten.
    """
    most = min(most_steps, _MOST * len(beta))
    steps, chosen = 0, np.empty(0, dtype=np.int64)
    square = np.empty((0, 0), dtype=K.dtype)
    while steps < most:
        up, low = violations(dual, beta, scores)
        gap = up.max(initial=-np.inf) - low.min(initial=np.inf)
        if not gap > tolerance:
            break
        chosen = choose(up, low, chosen, _SET)
        rows, before = dual.row[chosen], beta[chosen]
        if len(square) != len(chosen):
            square = np.empty((len(chosen), len(chosen)), dtype=K.dtype)
        after, v = before.copy(), dual.target[chosen] - scores[rows]
        steps += solve_working_set(
            K,
            rows,
            square,
            size[rows],
            dual.lower[chosen],
            dual.upper[chosen],
            after,
            v,
            tolerance if len(chosen) == len(beta) else max(0.5 * tolerance, _SHARE * gap),
            int(min(most - steps, _MOST * len(chosen))),
        )
        moved = np.flatnonzero(after != before)
        if not moved.size:
            break
        beta[chosen] = after
        add_rows(K, rows[moved], (after - before)[moved], scores, 0, len(scores))
    return steps


def violations(dual: Dual, beta: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """How much each variable would gain by growing, and by how much it loses by falling; infinite where it may not."""
    v = dual.target - scores[dual.row]
    return np.where(beta < dual.upper, v, -np.inf), np.where(beta > dual.lower, v, np.inf)


def choose(up: Floats, low: Floats, former: Ints, size: int) -> Ints:
    """A working set: half of the former one, and the worst on either side."""
    taken = former[-(size // 2) :]
    up, low = up.copy(), low.copy()
    up[taken], low[taken] = -np.inf, np.inf
    first = _smallest(-up, (size - len(taken)) // 2)
    low[first] = np.inf
    second = _smallest(low, size - len(taken) - len(first))
    return np.concatenate([taken, first, second])


def _smallest(values: Floats, many: int) -> Ints:
    """Where the smallest finite values are."""
    if not 0 < many < len(values):
        order = np.arange(min(many, len(values)))
    else:
        order = np.argpartition(values, many - 1)[:many]
    return order[values[order] < np.inf]
