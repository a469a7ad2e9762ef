"""Leaving one example out at a time, each search starting from where all of them led."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assay.learners.kernel.dual_search import Dual, Optimum
from assay.learners.kernel.gram import Gram
from assay.learners.kernel.kept_rows import KeptRows
from assay.learners.kernel.support import bias_of
from assay.types import Bools, Floats

# What rounding can do to a score, as a share of its size.
_LAST_DIGITS = 1e-9


def scores_left_out(
    dual: Dual,
    gram: Gram,
    beta: Floats,
    bias: float,
    search: Callable[..., Optimum],
    residual: float,
) -> Floats:
    """The score of every example of a classifier, by the machine that was not shown it.

    Those that the machine does not rest on are not left out in fact: without them it is the same.

    Its dual variable is held at zero; what it carried is taken over by the others, as far as their bounds
    allow, those nearest to the margin first.
    """
    support = np.flatnonzero(beta)
    everything = np.arange(len(gram))
    fitted = gram.product(everything, support, beta[support])
    left = fitted + bias
    kept = KeptRows(gram, 1e9, at_once=True)
    beside = leaned_on(dual, beta, fitted, bias, residual)
    for place in np.union1d(support, np.flatnonzero(beside)).tolist():
        lower, upper = dual.lower.copy(), dual.upper.copy()
        lower[place] = upper[place] = 0.0
        if not ((lower < 0).any() and (upper > 0).any()):
            # No example of its class is left, so the other class has nothing against it.
            left[place] = -dual.target[place]
            continue
        start = _without(beta, place, lower, upper, np.abs(dual.target - left))
        moved = np.flatnonzero(start != beta)
        scores = fitted.copy()
        kept.add(moved, start[moved] - beta[moved], scores)
        rest = replace(dual, lower=lower, upper=upper)
        best = search(rest, gram, start=(start, scores), kept=kept)
        left[place] = best.scores[place] + bias_of(rest, best)
    return left


def leaned_on(dual: Dual, beta: Floats, scores: Floats, bias: float, residual: float) -> Bools:
    """Examples that carry nothing, but without which the machine may be another.

    Those that may lie on the margin or below it, the KKT conditions failing by the residual; and where no variable is
    between its bounds, so that any intercept of an interval is optimal, those at its ends.

    Examples
    --------
    >>> import numpy as np
    >>> dual = Dual(np.array([1.0, -1, -1]), np.array([0.0, -1, -1]), np.array([1.0, 0, 0]), np.arange(3))
    >>> leaned_on(dual, np.array([1.0, -1, 0]), np.zeros(3), -1.0, 0.0).tolist()
    [False, False, True]
    """
    pulls = dual.target - scores
    slack = residual + _LAST_DIGITS * (1.0 + abs(bias) + np.abs(scores))
    low = float(pulls[beta < dual.upper].max(initial=-np.inf))
    high = float(pulls[beta > dual.lower].min(initial=np.inf))
    idle = (beta == 0) & (dual.lower < dual.upper)
    below = (dual.target > 0) & (pulls >= min(low, bias) - slack)
    above = (dual.target < 0) & (pulls <= max(high, bias) + slack)
    return np.asarray(idle & (below | above))


def _without(beta: Floats, place: int, lower: Floats, upper: Floats, order: Floats) -> Floats:
    """The variables without one of them, their sum still zero: support vectors take over first."""
    start = beta.copy()
    rest = start[place]
    start[place] = 0.0
    nearest = np.argsort(order, kind="stable")
    grows = rest > 0
    # All at their bounds would be more than enough, since the sum was zero, so the room suffices.
    room = (upper - start if grows else start - lower)[nearest]
    able = nearest[room > 0]
    able = np.concatenate([able[beta[able] != 0], able[beta[able] == 0]])
    room = (upper - start if grows else start - lower)[able]
    taken = np.minimum(room, np.maximum(0.0, abs(rest) - _before(room)))
    start[able] += taken if grows else -taken
    return start


def _before(room: Floats) -> Floats:
    total = np.cumsum(room)
    return np.concatenate([[0.0], total[:-1]])
