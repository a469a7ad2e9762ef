"""The error of a learner that changes as it goes, promised at every moment of the stream at once."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

from assay.errors import require
from assay.theory.needs import count, inside_unit, nonnegative
from assay.theory.registry import theorem
from assay.theory.rounding import Number
from assay.theory.tail.binomial import IID
from assay.theory.tail.integers import MOST_ROWS, log_level, sixty_digits
from assay.theory.tail.search import smallest_double

PREDICTED_FIRST = "every row was predicted before its truth was used"

# Exponents 8, 4, 2, ..., 2^-16: the least is about the best one for 10^12 rows. The weights favour
# large exponents, which short streams and rare errors need, and sum to one.
_EXPONENTS = [Fraction(8, 2**j) for j in range(20)]
_WEIGHTS = [Fraction(24, 5 * (j + 4) * (j + 5)) for j in range(20)]
_IN_FLOATS = [(math.log(w), float(x)) for w, x in zip(_WEIGHTS, _EXPONENTS, strict=True)]
# What sixty digits may be wrong by, with numbers up to 1e14 on the way, is far below this.
_SLACK = Decimal("1e-40")
# Terms that are smaller than the largest by this much, in logarithms, are left out: none is negative.
_NEGLIGIBLE = 50.0


@theorem(
    "",
    "progressive-anytime",
    kind="error",
    holds="probability",
    statement=r"\frac1n\sum_{t\le n}\mathrm{err}_D(h_{t-1})\le\sup\Bigl\{p:\sum_{j=0}^{19}"
    r"\frac{24/5}{(j+4)(j+5)}\,\frac{e^{-\lambda_jS_n}}{(1-p(1-e^{-\lambda_j}))^n}<\tfrac1\delta\Bigr\}"
    r"\ \text{for all }n\text{ at once},\quad\lambda_j=2^{3-j}",
    assumes=(IID, PREDICTED_FIRST),
)
def progressive_anytime(errors: Number, rows: int, delta: Number) -> float:
    """The mean error of all hypotheses of an online run, at every moment at once.

    Theorem  Row t is predicted by h_(t-1), learnt from the rows before it, with expected loss p_t.
             For every l > 0 the product of exp(-l X_t) / (1 - p_t (1 - exp(-l))) is a
             supermartingale, ln(1 - p (1 - exp(-l))) is concave in p, and a weighted mean of
             supermartingales is one: by Ville's inequality it ever reaches 1 / delta with
             probability at most delta.
    Needs    errors: the number of errors or the sum of the losses in [0, 1], 0 <= errors <= n.
             rows n: whole, >= 1.  delta: strictly between 0 and 1.
    Gives    an upper bound on the mean of the p_t, rounded up, valid for all n simultaneously
             and for any stopping rule.
    Source   Blum, Kalai & Langford, Beating the hold-out (COLT 1999), for progressive validation;
             Howard, Ramdas, McAuliffe & Sekhon, Time-uniform Chernoff bounds via nonnegative
             supermartingales (Probability Surveys 2020). The weights are ours.

    Examples
    --------
    >>> round(progressive_anytime(errors=50, rows=1000, delta=0.05), 9)
    0.07601626
    """
    n = count("rows", rows, at_least=1)
    require(n <= MOST_ROWS, "rows", f"at most {MOST_ROWS}", rows)
    total, level = nonnegative("errors", errors).low, inside_unit("delta", delta).low
    require(total <= n, "errors", f"at most the number of rows {n}", errors)
    if total == n:
        return 1.0

    def reached(rate: float) -> bool:
        return rate >= 1.0 or _reaches(total, n, Fraction(rate), level)

    low = float(total / n) * (1 - 2**-50)
    return smallest_double(reached, low, 1.0, _guess(float(total), n, -float(log_level(level))))


@sixty_digits
def _reaches(total: Fraction, rows: int, rate: Fraction, level: Fraction) -> bool:
    """Whether the weighted sum certainly reaches 1 / level, for a rate inside (0, 1)."""
    p, s = _decimal(rate), _decimal(total)
    about = _log_terms(float(total), rows, float(rate))
    least = max(about) - _NEGLIGIBLE
    terms = []
    for weight, exponent, size in zip(_WEIGHTS, _EXPONENTS, about, strict=True):
        if size > least:
            step = _decimal(exponent)
            shrunk = 1 - p * (1 - (-step).exp())
            terms.append(_decimal(weight).ln() - step * s - rows * shrunk.ln())
    top = max(terms)
    log_sum = top + sum(((term - top).exp() for term in terms), Decimal(0)).ln()
    return log_sum - _SLACK >= -log_level(level)


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)


def _log_terms(total: float, rows: int, rate: float) -> list[float]:
    """The logarithm of every term, in floating point."""
    return [
        log_weight - step * total - rows * math.log1p(rate * math.expm1(-step))
        for log_weight, step in _IN_FLOATS
    ]


def _guess(total: float, rows: int, need: float) -> float:
    """Where the sum is about what is needed, by bisection; the search that follows decides."""
    low, high = total / rows, 1.0
    while low < (middle := (low + high) / 2) < high:
        terms = _log_terms(total, rows, middle)
        top = max(terms)
        if top + math.log(math.fsum(math.exp(term - top) for term in terms)) < need:
            low = middle
        else:
            high = middle
    return high
