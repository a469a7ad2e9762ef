"""The holdout certificate by relative entropy: exact at zero errors, and right for losses in [0, 1]."""

from __future__ import annotations

import math
from fractions import Fraction

from assay.errors import require
from assay.theory.claim import DRAWN, FIRST, GRADED, holdout_claims
from assay.theory.needs import count, inside_unit, nonnegative
from assay.theory.registry import theorem
from assay.theory.rounding import Enclosure, Number, exact, ln
from assay.theory.tail.binomial import FIXED_BEFORE, IID
from assay.theory.tail.hoeffding import validation_hoeffding
from assay.theory.tail.search import smallest_double


@theorem(
    kind="error",
    statement=r"\mathrm{err}_D(h)\le\sup\{p\ge\hat p:n\,\mathrm{kl}(\hat p\,\|\,p)\le\ln\tfrac1\delta\}",
    assumes=(IID, FIXED_BEFORE),
    textbook=("validation-hoeffding", validation_hoeffding),
    claim=holdout_claims(DRAWN, FIRST, quantities=("error", *GRADED)),
)
def holdout_kl(errors: Number, rows: int, delta: Number) -> float:
    """An error rate, or the mean of losses in [0, 1], by the Chernoff bound in its sharp form.

    Theorem  For independent losses in [0, 1] with mean p, the average q of n of them satisfies
             P[q <= p and n kl(q || p) >= ln(1 / delta)] <= delta, where
             kl(q || p) = q ln(q / p) + (1 - q) ln((1 - q) / (1 - p)).
    Needs    errors: the number of errors or the sum of the losses, 0 <= errors <= n.
             rows n: whole, >= 1.  delta: strictly between 0 and 1.
    Gives    the smallest double p above the average with n kl(q || p) >= ln(1 / delta).
    Source   Hoeffding, Probability inequalities for sums of bounded random variables (1963),
             Theorem 1; Langford, Tutorial on practical prediction theory (JMLR 2005).

    Examples
    --------
    >>> round(holdout_kl(errors=50, rows=1000, delta=0.05), 12)
    0.068684746649
    """
    n = count("rows", rows, at_least=1)
    total, failure = nonnegative("errors", errors), inside_unit("delta", delta)
    require(total.low <= n, "errors", f"at most the number of rows {n}", errors)
    return entropy_above(total.low / n, ln(1 / failure) / n)


def entropy_above(mean: Fraction, need: Enclosure) -> float:
    """The smallest double p above the mean at which kl(mean || p) certainly is the need or more.

    Examples
    --------
    >>> round(entropy_above(Fraction(1, 2), relative_entropy(Fraction(1, 2), Fraction(3, 4))), 6)
    0.75
    """
    if mean == 1:
        return 1.0

    def far_enough(p: float) -> bool:
        return p >= 1.0 or relative_entropy(mean, Fraction(p)).low >= need.high

    low = float(mean) * (1 - 2**-50)
    return smallest_double(far_enough, low, 1.0, _guess(float(mean), need.up()))


def relative_entropy(q: Fraction, p: Fraction) -> Enclosure:
    """kl(q || p) of two coins, 0 <= q < 1 and 0 < p < 1, zero times ln zero being zero.

    Examples
    --------
    >>> round(relative_entropy(Fraction(1, 2), Fraction(1, 4)).up(), 4)
    0.1438
    """
    miss = (1 - q) * ln((1 - q) / (1 - p))
    return miss if q == 0 else exact(q) * ln(q / p) + miss


def _guess(q: float, need: float) -> float:
    """Newton's method in floating point; the entropy is convex beyond q, so it stays above.

    A guess only: the search that follows decides. It gives up where doubles end.
    """
    p = min(q + math.sqrt(need / 2) + need, (q + 1) / 2 + need) if q else -math.expm1(-need)
    p = min(p, 1 - 1e-9 * (1 - q))
    for _ in range(60):
        if not q < p < 1.0:
            break
        value = (q * math.log(q / p) if q else 0.0) + (1 - q) * math.log((1 - q) / (1 - p))
        step = (value - need) * p * (1 - p) / (p - q)
        p = min(max(p - step, (p + q) / 2), (p + 1) / 2)
        if abs(step) < 1e-15 * p:
            break
    return p
