r"""Which rows do not clear the margin of the machine of least loss, seen from a machine near it.

A search ends near the minimiser :math:`f^*` and not at it. Where the objective is within g of the least
possible, the weights are within :math:`\sqrt{2g}` of the minimiser's, so scores are known up to bounds, and
every row that may lie on or below the margin is counted. The promise then holds for a classifier whose scores
are within one of :math:`f^*`: a row that it gets wrong has :math:`y\,f^*\le1`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.guarantees.assumption import Assumption
from assay.theory.generalization.compression import LEAST_HINGE
from assay.types import Floats, Ints

# By how much scores and sums are taken to be off: more than rounding can have done.
_LAST_DIGITS = 1e-9


@dataclass(frozen=True)
class NearMachine:
    """One machine, next to the one of least loss.

    Attributes
    ----------
    rows : array
        The places of its examples in the sample.
    signs : array
        Their labels of -1 and +1.
    scores : array
        What this machine gives them.
    below : array
        By how much label times score may be less at the minimiser.
    weights, intercept : float
        How far the weights of the classifier in use may be from the minimiser's, and how far its intercept.
    gap : float
        How far the objective may be above the least possible.
    """

    rows: Ints
    signs: Floats
    scores: Floats
    below: Floats
    weights: float
    intercept: float
    gap: float


def kept_rows(
    machines: Sequence[NearMachine], lengths: Floats, *, one_length: bool = False
) -> tuple[int, Assumption]:
    """How many rows may not clear the margin of some machine, and whether the classifier is near enough.

    The longest row is kept too, unless the kernel gives all the same length: a longer one would then be kept,
    so that only rows up to this length matter, and on these the classifier is near the minimiser.

    Parameters
    ----------
    machines : sequence of NearMachine
    lengths : array
        The length of every row of the sample in the space of features.
    one_length : bool
        Whether all examples there are have the same length.

    Examples
    --------
    >>> import numpy as np
    >>> near = NearMachine(np.arange(3), np.ones(3), np.array([0.5, 1.05, 2.0]), np.full(3, 0.1), 0.1, 0.0, 5e-3)
    >>> kept_rows([near], np.ones(3), one_length=True)[0]
    2
    """
    kept = np.zeros(len(lengths), dtype=bool)
    for near in machines:
        low = near.signs * near.scores - near.below <= 1 + _LAST_DIGITS
        kept[near.rows[low]] = True
    kept[int(lengths.argmax())] |= not one_length
    longest = float(lengths.max()) * (1 + _LAST_DIGITS)
    apart = max(near.weights * longest + near.intercept for near in machines) + _LAST_DIGITS
    if not apart < 1:
        why = (
            f"the classifier's scores may be {apart:.2g} from the minimiser's, and less than 1 is needed: fit to a "
            "smaller tol, with more steps, and without sample_weight"
        )
        return int(kept.sum()), Assumption(LEAST_HINGE, "violated", why)
    gap = max(near.gap for near in machines)
    seen = (
        f"known to within {gap:.2g} of the least objective: the classifier's scores are within {apart:.2g} "
        "of the minimiser's, and less than 1 is needed"
    )
    return int(kept.sum()), Assumption(LEAST_HINGE, "checked", seen)


def reach_of(gap: float) -> float:
    """How far the weights can be from the minimiser's, where the objective is so far above the least possible.

    Examples
    --------
    >>> round(reach_of(0.5), 9)
    1.0
    """
    return math.sqrt(2 * gap) * (1 + 1e-12)


def intercepts(scores: Floats, spread: Floats, signs: Floats, caps: Floats) -> tuple[float, float]:
    r"""The least and the largest b that can minimise :math:`\sum C_i\max(0,1-y_i(s_i+b))`.

    The scores are known up to a spread. With infinite C no loss is allowed at all.

    Examples
    --------
    >>> import numpy as np
    >>> signs = np.array([-1.0, 1.0])
    >>> intercepts(np.array([0.0, 2.0]), np.zeros(2), signs, np.full(2, 5.0))
    (-1.0, -1.0)
    """
    # A loss is zero from b = y - s on upwards for y = 1, downwards for y = -1.
    early, late = signs - (scores + spread), signs - (scores - spread)
    plus = signs > 0
    if np.isinf(caps).any():
        return float(early[plus].max()), float(late[~plus].min())
    # The slope in b is the C of all places passed, less that of all positive examples.
    total = float(caps[plus].sum())
    order = np.argsort(early, kind="stable")
    passed = np.cumsum(caps[order])
    first = int(np.searchsorted(passed, total * (1 - _LAST_DIGITS)))
    low = float(early[order[min(first, len(order) - 1)]])
    order = np.argsort(late, kind="stable")
    before = np.cumsum(caps[order]) - caps[order]
    last = int(np.searchsorted(before, total * (1 + _LAST_DIGITS), side="right")) - 1
    return low, float(late[order[max(last, 0)]])
