"""Progressive validation from its definition, and the learner that breaks the exact binomial formula."""

from __future__ import annotations

import mpmath
import numpy as np
from mpmath import mpf

from tests.naive.tails import crossing, real

DIGITS = 60


def grid(delta, horizon):
    """The exponents as certificates are computed with: doubles in geometric steps."""
    log = float(-mpmath.log(real(delta)))
    low = 4 * np.sqrt(log / (2 * horizon))
    size = max(1, int(np.ceil(np.log2(8 / low))) + 1)
    return np.geomspace(low, 8, size) if size > 1 else np.array([low])


def log_mixture(errors, rows, rate, bets):
    with mpmath.workdps(DIGITS):
        terms = [
            mpmath.exp(-mpf(bet) * errors) / (1 - rate * (1 - mpmath.exp(-mpf(bet)))) ** rows
            for bet in bets
        ]
        return mpmath.log(mpmath.fsum(terms) / len(terms))


def upper_mean(errors, rows, delta, bets):
    """sup{p : the mixture stays below 1 / delta}."""
    with mpmath.workdps(DIGITS):
        need = -mpmath.log(real(delta))
        if log_mixture(errors, rows, mpf(1) - mpf(10) ** -40, bets) < need:
            return mpf(1)
        return crossing(lambda p: log_mixture(errors, rows, p, bets) - need, mpf(errors) / rows, 1)


def freezing(bounds, rate, rng, trials):
    """A learner that stops learning at a lucky moment.

    It starts with a rule of the given error rate and knows a perfect one too. At the first moment at
    which the mean error of its hypotheses, were it to end perfectly, would exceed the bound for
    the errors so far, it changes to the perfect rule, which makes no error and so no news.
    `bounds` holds the bound on the mean for 0, 1, ..., n errors in n rows.

    Returns the errors made and the true mean error, one of each for every trial.
    """
    rows = len(bounds) - 1
    errors, frozen = np.zeros(trials, dtype=int), np.zeros(trials, dtype=int)
    alive = np.ones(trials, dtype=bool)
    for t in range(1, rows + 1):
        errors += alive & (rng.random(trials) < rate)
        lucky = alive & (t * rate / rows > bounds[errors])
        frozen[lucky] = t
        alive &= ~lucky
    frozen[alive] = rows
    return errors, frozen * rate / rows
