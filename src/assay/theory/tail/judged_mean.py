"""A batch that a judge has scored, and a few labels: its mean loss, by betting on what the judge is off by."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from assay.errors import require
from assay.theory.claim import BUILT, DRAWN, TOLD, Condition, judged_claim
from assay.theory.needs import count, inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, double_above, ln
from assay.theory.tail.betting import losses_in_unit, predictable_bets
from assay.theory.tail.finite_population import SAMPLE_OF_BATCH

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from assay.types import Floats, Ints

SCORES_FIRST = Condition(
    "scores-first",
    "the judge's scores, and how many items to label, were settled before any label was seen",
)
RANDOM_ORDER = Condition(
    "labels-in-random-order",
    "the labelled items are taken in a random order, which has no regard to their labels",
)

#: Scores are hundredths; a sum of them is exact.
SCORE_SCALE = 100
#: More items than this are judged in parts.
MOST_ITEMS = 10**7
# Residuals are multiples of this, so that their sums are exact.
_GRID = 65_535
# No bet risks more than this share of the wealth.
_SHARE = 0.75
# What floating point can lose in a term, in a partial sum, and in the mean of the items that are left.
_PER_TERM, _PER_SUM, _PER_MEAN = 2.0**-49, 2.0**-52, 2.0**-49
_LOG_SLACK = 1e-10


def _confirm(inputs: Mapping[str, Any], promised: Fraction, at_length: bool) -> tuple[bool, bool]:
    batch = ScoredBatch(inputs["residuals"], inputs["items"], inputs["scores"], inputs["delta"])
    sound = batch.excludes(promised)
    return sound, promised <= Fraction(batch.bound()) + Fraction(1, 10**9)


@theorem(
    kind="error",
    statement=r"\bar Y\le\bar f+2U-1,\quad U=\inf\Big\{m:\max_{t\le n}\prod_{i\le t}\big(1-\lambda_i(m)(x_i-m_i)\big)"
    r"\ge\tfrac1\delta\Big\},\quad x_i=\tfrac12(Y_i-f_i+1),\ m_i=\frac{Nm-\sum_{j<i}x_j}{N-i+1}",
    assumes=(SAMPLE_OF_BATCH, SCORES_FIRST, RANDOM_ORDER),
    claim=judged_claim(
        DRAWN,
        TOLD,
        BUILT,
        quantities=("batch-error", "batch-mean-loss"),
        most=(("items", MOST_ITEMS),),
    ),
    checker=_confirm,
)
def judged_mean(residuals: ArrayLike, items: int, scores: int, delta: Number) -> float:
    """The mean loss of a batch that a judge has scored, from the labels of a few items.

    Theorem  A judge gives every item i of a batch a score f_i, whose mean is known; n items, drawn at random without
             replacement, have a loss Y_i. The mean of Y is the mean of f plus that of Y - f. If the mean of
             x = (Y - f + 1) / 2 over the batch is m, that of the items which are left before the i-th draw is m_i,
             and a gambler who bets b_i >= 0, fixed before the draw, on less owns prod (1 - b_i (x_i - m_i)): a
             nonnegative martingale started at 1, which ever reaches 1 / delta with probability at most delta. Each
             factor grows with m, so all larger means are excluded with it.
    Needs    residuals x_i: in the order in which they were drawn, at least one, each between 0 and 1.  items N: whole,
             at least as many as residuals.  scores: the sum of the judge's scores in hundredths, a whole number
             from 0 to 100 N.  delta: strictly between 0 and 1.
    Gives    an upper bound, rounded up; at most what all other items being wrong would make it.
    Source   Waudby-Smith & Ramdas, Estimating means of bounded random variables by betting (JRSS B 2024), section
             5, without replacement; Angelopoulos et al., Prediction-powered inference (Science 2023), for Y - f.

    Examples
    --------
    >>> residuals = [0.5 + 0.1 * ((i * 5**0.5) % 1 - 0.5) for i in range(200)]
    >>> round(judged_mean(residuals, items=5000, scores=50_000, delta=0.05), 6)
    0.12077
    """
    return ScoredBatch(residuals, items, scores, delta).bound()


class ScoredBatch:
    """Residuals of a batch, and the gambler who bets on small ones against any mean that it may have.

    Examples
    --------
    >>> batch = ScoredBatch([0.5] * 100, items=1000, scores=5000, delta=0.05)
    >>> batch.excludes(Fraction(1, 20)), batch.excludes(Fraction(batch.bound()))
    (False, True)
    """

    def __init__(self, residuals: ArrayLike, items: Any, scores: Any, delta: Number) -> None:
        import numpy as np

        x = losses_in_unit(residuals)
        n_all = count("items", items, at_least=x.size)
        require(n_all <= MOST_ITEMS, "items", f"at most {MOST_ITEMS:,}", items)
        total = count("scores", scores)
        require(
            total <= SCORE_SCALE * n_all, "scores", f"at most {SCORE_SCALE} for each item", scores
        )
        grid: Ints = np.ceil(x * _GRID).astype(np.int64)
        grid -= (grid - 1) / _GRID >= x  # a multiple that was rounded up is left as it is
        self._sum, self.items = int(grid.sum()), n_all
        self._score = Fraction(total, SCORE_SCALE * n_all)
        self._x: Floats = grid / _GRID
        self._before: Floats = (np.cumsum(grid) - grid) / _GRID
        self._left: Floats = n_all - np.arange(x.size, dtype=np.float64)
        self._need = ln(1 / inside_unit("delta", delta).low).up()
        self._bets = predictable_bets(self._x, self._need, anytime=False)

    def bound(self) -> float:
        """The smallest mean loss that is excluded, or a hair above; the largest that is possible where none is."""
        low, high = self._ends()
        target = self._need * (1 + 1e-12) + _LOG_SLACK
        excluded, possible = high, low
        while (middle := possible + (excluded - possible) / 2) not in (possible, excluded):
            if excluded - possible <= 1e-15:
                break
            wealthy = self._wealth(middle) >= target
            possible, excluded = (possible, middle) if wealthy else (middle, excluded)
        mean = min(self._mean(Fraction(excluded)), self._most())
        return double_above(max(mean, Fraction(0)))

    def excludes(self, mean: Fraction) -> bool:
        """Whether all larger means are certainly excluded."""
        if mean < 0:
            return False
        if mean >= self._most():
            return True
        residual = (mean - self._score + 1) / 2
        low, high = self._ends()
        if not Fraction(low) < residual:
            return False
        # A double below it: where this one is excluded, it is too.
        at = math.nextafter(float(residual), 0.0)
        return at >= high or self._wealth(max(at, low)) >= self._need

    def _ends(self) -> tuple[float, float]:
        """The least and the largest mean that the residuals leave open."""
        least = Fraction(self._sum, _GRID * self.items)
        rest = Fraction(self.items - self._x.size, self.items)
        return float(least), double_above(least + rest)

    def _mean(self, residual: Fraction) -> Fraction:
        """The mean loss of the batch for a mean of its residuals."""
        return self._score + 2 * residual - 1

    def _most(self) -> Fraction:
        """No batch has a larger mean loss."""
        rest = Fraction(self.items - self._x.size, self.items)
        return min(self._mean(Fraction(self._sum, _GRID * self.items) + rest), Fraction(1))

    def _wealth(self, mean: float) -> float:
        """The logarithm of the most that the gambler certainly owned, if the residuals have this mean."""
        import numpy as np

        left = np.clip((self.items * mean - self._before) / self._left, 0.0, 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            bets = np.minimum(self._bets, _SHARE / (1 - left))
            logs = np.log1p(-np.where(np.isfinite(bets), bets * (self._x - left), 0.0))
        path = np.cumsum(logs)
        # A factor is a quarter or more: what the mean of the items left is off by counts four times the bet.
        off = 4 * np.where(np.isfinite(bets), bets, 0.0) * (_PER_MEAN * self.items / self._left)
        lost = (
            _PER_TERM * np.abs(logs).sum() + _PER_SUM * path.size * np.abs(path).max() + off.sum()
        )
        return float(path.max() - lost)
