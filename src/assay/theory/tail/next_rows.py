"""How many of the next rows are wrong: a count for a batch that has not been seen yet."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from statistics import NormalDist
from typing import Any

from assay.errors import require
from assay.theory.claim import DRAWN, FIRST, OVER_NEXT_ROWS, Claim, Condition
from assay.theory.needs import count, counts, inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number
from assay.theory.tail.binomial import FIXED_BEFORE
from assay.theory.tail.finite_population import tail_at_most
from assay.theory.tail.integer_verifier import confirm_batch
from assay.theory.tail.integers import MOST_ROWS
from assay.theory.tail.search import smallest_whole

EXCHANGEABLE = Condition(
    "exchangeable-with-next",
    "these rows and the next ones are exchangeable: any order of them is equally likely",
)


def _confirm(inputs: Mapping[str, Any], promised: Fraction, at_length: bool) -> tuple[bool, bool]:
    if promised.denominator != 1 or promised < 0:
        return False, True
    population = inputs["rows"] + count("next_rows", inputs["next_rows"], at_least=1)
    return confirm_batch(inputs, population, inputs["errors"] + promised.numerator, at_length)


@theorem(
    kind="error",
    statement=r"U=\max\{u\le N:\Pr[\mathrm{Hyp}(n+N,\,k+u,\,n)\le k]>\delta\}",
    assumes=(EXCHANGEABLE, FIXED_BEFORE),
    claim=Claim("holdout", ("next-rows-errors",), OVER_NEXT_ROWS, (DRAWN, FIRST), whole=True),
    checker=_confirm,
)
def next_rows_exact(errors: int, rows: int, next_rows: int, delta: Number) -> int:
    """The most errors among the next rows, from those seen.

    Theorem  If n rows and the N after them are exchangeable and k of the n are wrong, then with
             probability at least 1 - delta at most U of the next N are: U is the largest u for which
             a random n of the n + N rows, k + u of them wrong, would show so few with probability
             above delta.
    Needs    errors k: whole, 0 <= k <= n.  rows n: whole, at least 1.  next_rows N: whole, at least 1;
             n + N at most 10^12.  delta: strictly between 0 and 1.
    Gives    a count of rows; N when nothing is promised.
    Source   Chung & DeLury, Confidence limits for the hypergeometric distribution (1950), for the n + N
             rows as the population of which the first n are a random sample.

    Examples
    --------
    >>> next_rows_exact(errors=50, rows=1000, next_rows=100, delta=0.05)
    9
    """
    (k, n), more = counts(errors, rows), count("next_rows", next_rows, at_least=1)
    require(
        n + more <= MOST_ROWS, "next_rows", f"at most {MOST_ROWS - n} after {n} rows", next_rows
    )
    level = inside_unit("delta", delta).low

    def too_many(u: int) -> bool:
        return tail_at_most(k, n, k + u, n + more, level)

    # The search gallops from the guess: far from the answer a tail is a long sum.
    low, high = 0, more + 1
    guess, step = _guess(k, n, more, level)
    here = min(max(guess, 1), more)
    while low < here < high:
        if too_many(here):
            high, here = here, here - step
        else:
            low, here = here, here + step
        step *= 2
    return smallest_whole(too_many, low, high) - 1


def _guess(errors: int, rows: int, more: int, level: Fraction) -> tuple[int, int]:
    """About the answer, by the normal distribution, and a step to start the search with."""
    rate = (errors + 0.5) / (rows + 1)
    spread = math.sqrt(more * rate * (1 - rate) * (1 + more / rows))
    z = -NormalDist().inv_cdf(min(max(float(level), 1e-300), 0.999))
    return round(more * rate + z * spread), max(1, round(spread / 16))
