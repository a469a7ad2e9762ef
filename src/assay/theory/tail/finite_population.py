"""Certifying one finite batch from a sample drawn without replacement."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from assay.errors import require
from assay.theory.claim import DRAWN, FIRST, Condition, holdout_claims
from assay.theory.needs import count, counts, inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, exact
from assay.theory.tail.binomial import FIXED_BEFORE
from assay.theory.tail.integer_verifier import confirm_batch
from assay.theory.tail.integers import (
    MOST_ROWS,
    hypergeometric_at_most,
    hypergeometric_tail,
    log_level,
)
from assay.theory.tail.search import smallest_whole

# Up to this population an undecided comparison is settled in whole numbers.
_EXACT_POPULATION = 20_000


SAMPLE_OF_BATCH = Condition(
    "uniform-sample-of-batch", "the rows are a uniform sample, without replacement, of the batch"
)


def _confirm(inputs: Mapping[str, Any], promised: Fraction, at_length: bool) -> tuple[bool, bool]:
    population = count("population", inputs["population"], at_least=inputs["rows"])
    most = int(promised * population)  # whole rows at or below the promised rate
    return confirm_batch(inputs, population, most, at_length)


@theorem(
    kind="error",
    statement=r"\mathrm{err}\le K^*/N,\quad K^*=\max\{K:\Pr[\mathrm{Hyp}(N,K,n)\le k]>\delta\}",
    assumes=(SAMPLE_OF_BATCH, FIXED_BEFORE),
    claim=holdout_claims(DRAWN, FIRST, quantities=("batch-error",), classes=False),
    checker=_confirm,
)
def holdout_finite_population(errors: int, rows: int, population: int, delta: Number) -> float:
    """The error rate in a finite batch of which some rows were checked.

    Theorem  If n of N rows are drawn without replacement and k of them are wrong, then with
             probability at least 1 - delta the batch holds at most K* wrong rows, the largest K
             for which so few would show with probability above delta.
    Needs    errors k: whole, 0 <= k <= n.  rows n: whole, 1 <= n <= N.  population N: whole.
             delta: strictly between 0 and 1.
    Gives    K* / N, rounded up.
    Source   Chung & DeLury, Confidence limits for the hypergeometric distribution (1950).

    Examples
    --------
    >>> round(holdout_finite_population(errors=50, rows=1000, population=2000, delta=0.05), 12)
    0.059
    """
    most = most_errors(errors, rows, population, delta)
    return (exact(most) / population).up()


def most_errors(errors: int, rows: int, population: int, delta: Number) -> int:
    """K* itself: how many of the batch's rows can be wrong.

    Examples
    --------
    >>> most_errors(errors=0, rows=100, population=200, delta=0.05)
    4
    """
    n_all, (k, n) = count("population", population, at_least=1), counts(errors, rows)
    require(n_all <= MOST_ROWS, "population", f"at most {MOST_ROWS}", population)
    require(n <= n_all, "rows", f"at most the population {n_all}", rows)
    level = inside_unit("delta", delta).low

    def too_many(bad: int) -> bool:
        """The tail falls as bad rows grow."""
        return tail_at_most(k, n, bad, n_all, level)

    return smallest_whole(too_many, k, n_all - (n - k) + 1) - 1


def tail_at_most(errors: int, rows: int, bad: int, population: int, level: Fraction) -> bool:
    """Whether at most `errors` of `rows` drawn are bad with probability at most `level`: certain."""
    if errors >= min(bad, rows):
        return level >= 1
    if population - bad < rows - errors:
        return True  # so few errors cannot happen at all
    decided = hypergeometric_tail(errors, rows, bad, population).at_most(log_level(level))
    if decided is not None:
        return decided
    return population <= _EXACT_POPULATION and hypergeometric_at_most(
        errors, rows, bad, population, level
    )
