"""How far off nearly all new rows are: a quantile of scores, bounded by one of those that were seen."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from assay.errors import require
from assay.theory.claim import DRAWN, FIRST, OVER_HOLDOUT, Claim
from assay.theory.needs import count, inside_unit, nonnegative
from assay.theory.registry import theorem
from assay.theory.rounding import Number
from assay.theory.tail.binomial import FIXED_BEFORE, IID, tail_at_most
from assay.theory.tail.integer_verifier import confirm_rank
from assay.theory.tail.integers import MOST_ROWS
from assay.theory.tail.search import smallest_whole


def _confirm(inputs: Mapping[str, Any], promised: Fraction, at_length: bool) -> tuple[bool, bool]:
    threshold = nonnegative("threshold", inputs["threshold"]).low
    sound, tight = confirm_rank(inputs, at_length)
    return sound and promised >= threshold, tight and promised == threshold


@theorem(
    kind="absolute-error",
    statement=r"\Pr[s\le s_{(r)}]\ge1-\alpha\quad\text{where}\quad\Pr[\mathrm{Bin}(n,\alpha)\le n-r]\le\delta",
    assumes=(IID, FIXED_BEFORE),
    claim=Claim("holdout", ("absolute-error-quantile",), OVER_HOLDOUT, (DRAWN, FIRST)),
    checker=_confirm,
)
def tolerance_limit(rows: int, rank: int, alpha: Number, threshold: Number, delta: Number) -> float:
    """How far off at least a share 1 - alpha of new rows are at most.

    Theorem  Let t be the r-th smallest of n independent scores, such as absolute errors, however they are
             distributed. If P[Bin(n, alpha) <= n - r] <= delta, then with probability at least 1 - delta a new
             score is at most t with probability at least 1 - alpha.
    Needs    rows n: whole, at least 1.  rank r: whole, 1 <= r <= n, large enough for the tail to be at most
             delta.  alpha, delta: strictly between 0 and 1.  threshold t: the r-th smallest score, zero or more.
    Gives    t, as a double that is not below it.
    Source   Wilks, Determination of sample sizes for setting tolerance limits (Annals of Mathematical
             Statistics 1941); for scores with ties Scheffé & Tukey, Non-parametric estimation I (1945).

    Examples
    --------
    >>> tolerance_limit(rows=1000, rank=916, alpha=0.1, threshold=5.2, delta=0.05)
    5.2
    """
    n, level = _rows(rows), inside_unit("delta", delta).low
    share, r = inside_unit("alpha", alpha).low, count("rank", rank, at_least=1)
    require(r <= n, "rank", f"at most the number of rows {n}", rank)
    enough = tail_at_most(n - r, n, share, level)
    least = None if enough else tolerance_rank(n, share, level)
    must = f"at least {least} for {n} rows" if least else "of more rows: no rank is high enough"
    require(enough, "rank", must, rank)
    return nonnegative("threshold", threshold).up()


def tolerance_rank(rows: int, alpha: Number, delta: Number) -> int | None:
    """The smallest rank at which a score is a limit for a share 1 - alpha of new ones; None where rows are too few.

    Examples
    --------
    >>> tolerance_rank(1000, 0.1, 0.05), tolerance_rank(29, 0.1, 0.05), tolerance_rank(28, 0.1, 0.05)
    (916, 29, None)
    """
    n, level = _rows(rows), inside_unit("delta", delta).low
    share = inside_unit("alpha", alpha).low
    if not tail_at_most(0, n, share, level):
        return None

    def too_many(beyond: int) -> bool:
        return not tail_at_most(beyond, n, share, level)

    return n - smallest_whole(too_many, 0, min(math.floor(share * n) + 1, n)) + 1


def tolerance_rows(alpha: Number, delta: Number) -> int:
    """How many rows there must be for the largest score to be a limit for a share 1 - alpha of new ones.

    Examples
    --------
    >>> tolerance_rows(0.1, 0.05)
    29
    """
    share, level = inside_unit("alpha", alpha).low, inside_unit("delta", delta).low
    high = 1
    while not tail_at_most(0, high, share, level):
        high *= 2
        require(high <= MOST_ROWS, "alpha", "large enough for a number of rows to suffice", alpha)
    return smallest_whole(lambda n: tail_at_most(0, n, share, level), 0, high)


def _rows(rows: int) -> int:
    n = count("rows", rows, at_least=1)
    require(n <= MOST_ROWS, "rows", f"at most {MOST_ROWS}", rows)
    return n
