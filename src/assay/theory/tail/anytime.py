"""Certificates that stay valid however often one looks: mixtures of likelihood ratios."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from assay.theory.claim import DRAWN, FIRST, OVER_STREAM, Condition, holdout_claims
from assay.theory.needs import counts, inside_unit
from assay.theory.registry import theorem
from assay.theory.rounding import Number, sqrt
from assay.theory.tail.binomial import FIXED_BEFORE
from assay.theory.tail.integers import log_beta_below, log_beta_half, log_level, log_odds_of_mixture
from assay.theory.tail.search import smallest_double

STREAM = Condition(
    "same-error-probability", "each row errs with the same probability, whatever came before"
)


@theorem(
    kind="error",
    statement=r"\mathrm{err}\le\sup\{p:M_n(p)<\tfrac1\delta\}\ \text{for all }n\text{ at once},\quad "
    r"M_n(p)=\frac{B(p;k+\frac12,n-k+\frac12)}{B(p;\frac12,\frac12)\,p^k(1-p)^{n-k}}",
    assumes=(STREAM, FIXED_BEFORE),
    claim=holdout_claims(DRAWN, FIRST, quantifier=OVER_STREAM, most=(("rows", 10**7),)),
)
def holdout_anytime(errors: int, rows: int, delta: Number) -> float:
    """An error rate promised at every moment of a growing stream at once.

    Theorem  For the true rate p, M_n(p) is the average over rates q < p (Beta(1/2, 1/2) weights)
             of the likelihood ratio of q against p: a martingale of mean 1. By Ville's inequality
             it ever reaches 1 / delta with probability at most delta.
    Needs    errors k: whole, 0 <= k <= n.  rows n: whole, >= 1.  delta: strictly between 0 and 1.
    Gives    an upper bound, rounded up, valid for all n simultaneously and for any stopping rule.
    Source   Robbins, Statistical methods related to the law of the iterated logarithm (1970);
             Howard, Ramdas, McAuliffe & Sekhon, Time-uniform, nonparametric, nonasymptotic
             confidence sequences (Annals of Statistics 2021).

    Examples
    --------
    >>> round(holdout_anytime(errors=50, rows=1000, delta=0.05), 12)
    0.074664070183
    """
    k, n, need = _read(errors, rows, delta)
    if k == n:
        return 1.0

    def ratio(rate: float) -> float:
        """The logarithm of M_n(rate), from below."""
        p = Fraction(rate)
        # B(p; 1/2, 1/2) = 2 arcsin(sqrt(p))
        prior = 2 * math.asin(min(sqrt(p).up(), 1.0)) * (1 + 2**-48)
        return log_odds_of_mixture(log_beta_below(k, n, p), k, n, p) - math.log(prior)

    return _first_reaching(ratio, need, k, n)


@theorem(
    kind="error",
    statement=r"\frac{B(k+\frac12,n-k+\frac12)}{\pi\,p^k(1-p)^{n-k}}<\tfrac1\delta\ "
    r"\text{at the true rate }p\text{, for all }n\text{ at once}",
    assumes=(STREAM, FIXED_BEFORE),
)
def holdout_anytime_two_sided(errors: int, rows: int, delta: Number) -> tuple[float, float]:
    """Both ends of an interval for the error rate, valid at every moment at once.

    Theorem  The likelihood ratio of the Beta(1/2, 1/2) mixture over all rates against the true
             rate is a martingale of mean 1; it ever reaches 1 / delta with probability <= delta.
    Needs    errors k: whole, 0 <= k <= n.  rows n: whole, >= 1.  delta: strictly between 0 and 1.
    Gives    the lower end, rounded down, and the upper end, rounded up.
    Source   Robbins, Statistical methods related to the law of the iterated logarithm (1970).

    Examples
    --------
    >>> low, high = holdout_anytime_two_sided(errors=50, rows=1000, delta=0.05)
    >>> round(low, 6), round(high, 12)
    (0.02872, 0.079239581811)
    """
    k, n, need = _read(errors, rows, delta)

    def end(k: int) -> float:
        log_beta = log_beta_half(k, n)
        log_pi = math.log(math.pi)

        def ratio(rate: float) -> float:
            return log_odds_of_mixture(log_beta, k, n, Fraction(rate)) - log_pi

        return 1.0 if k == n else _first_reaching(ratio, need, k, n)

    # The mirror image bounds the rate of successes; stepping down keeps 1 - x on the safe side.
    low = 0.0 if k == 0 else math.nextafter(1.0 - end(n - k), 0.0)
    return max(low, 0.0), end(k)


def _read(errors: int, rows: int, delta: Number) -> tuple[int, int, float]:
    k, n = counts(errors, rows)
    level = inside_unit("delta", delta).low
    return k, n, math.nextafter(-float(log_level(level)), math.inf)


def _first_reaching(ratio: Callable[[float], float], need: float, k: int, n: int) -> float:
    """The smallest double above k / n at which a log ratio certainly reaches what is needed."""
    # The float operations above are good to a few units in the last place of numbers below ~1e3.
    target = need * (1 + 1e-14) + 1e-14
    low = k / n * (1 - 2**-50)

    def reached(rate: float) -> bool:
        return rate >= 1.0 or ratio(rate) >= target

    return smallest_double(reached, low, 1.0, _secant(ratio, target, k, n))


def _secant(ratio: Callable[[float], float], target: float, k: int, n: int) -> float:
    """Where the ratio is about the target, by secants from two points above the observed rate."""
    spread = math.sqrt(2 * target * (k + target)) + target
    before = min((k + spread) / n, 1 - (n - k) / n / 8)
    now = (before + k / n) / 2
    before_gap, now_gap = ratio(before) - target, ratio(now) - target
    for _ in range(40):
        if not math.isfinite(now_gap - before_gap) or now_gap == before_gap:
            break
        step = now_gap * (now - before) / (now_gap - before_gap)
        before, before_gap = now, now_gap
        now = min(max(now - step, (now + k / n) / 2), (1 + now) / 2)
        now_gap = ratio(now) - target
        if abs(step) < 1e-15 * now:
            break
    return now
