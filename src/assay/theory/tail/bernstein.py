"""The mean of losses in [0, 1] from their average and sample variance."""

from __future__ import annotations

from assay.errors import require
from assay.theory.claim import DRAWN, FIRST, GRADED, holdout_claims
from assay.theory.needs import count, inside_unit, nonnegative, unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, ln, sqrt
from assay.theory.tail.binomial import FIXED_BEFORE, IID
from assay.theory.tail.hoeffding import validation_hoeffding


def bernstein_hoeffding(mean: Number, variance: Number, rows: int, delta: Number) -> float:
    """The same mean by Hoeffding's inequality, which takes no notice of the variance."""
    n = count("rows", rows, at_least=2)
    return validation_hoeffding((unit("mean", mean) * n).high, n, delta)


@theorem(
    kind="error",
    statement=r"\mathbb E\,\ell\le\bar\ell+\sqrt{\frac{2V\ln(2/\delta)}{n}}+\frac{7\ln(2/\delta)}{3(n-1)}",
    assumes=(IID, FIXED_BEFORE),
    textbook=("validation-hoeffding", bernstein_hoeffding),
    claim=holdout_claims(DRAWN, FIRST, quantities=GRADED, classes=False),
)
def empirical_bernstein(mean: Number, variance: Number, rows: int, delta: Number) -> float:
    """A mean loss that profits from a small variance.

    Theorem  For n >= 2 independent losses in [0, 1] with average m and sample variance V (divisor
             n - 1), the expected loss is at most m + sqrt(2 V ln(2 / delta) / n)
             + 7 ln(2 / delta) / (3 (n - 1)) with probability at least 1 - delta.
    Needs    mean m: between 0 and 1.  variance V: >= 0 and at most n / (4 (n - 1)).
             rows n: whole, >= 2.  delta: strictly between 0 and 1.
    Gives    an upper bound, rounded up; it may exceed 1.
    Source   Maurer & Pontil, Empirical Bernstein bounds and sample variance penalization
             (COLT 2009), Theorem 4.

    Examples
    --------
    >>> round(empirical_bernstein(0.05, 0.05 * 0.95 * 1000 / 999, 1000, 0.05), 12)
    0.077345505992
    """
    m, v = unit("mean", mean), nonnegative("variance", variance)
    n = count("rows", rows, at_least=2)
    # Losses in [0, 1] spread at most as half zeros, half ones; a hair of float error is forgiven.
    most = n / (4 * (n - 1)) * (1 + 1e-12)
    require(v.low <= most, "variance", f"at most {most:.6g}, as for losses in [0, 1]", variance)
    need = ln(2 / inside_unit("delta", delta))
    return (m + sqrt(2 * v * need / n) + 7 * need / (3 * (n - 1))).up()
