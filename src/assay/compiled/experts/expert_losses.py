# Problem   the loss of each expert's advice in each round, on the scale on which the theorems state them.
# Given     loss, one of the codes below; advice (n, K) C-contiguous, NaN for an expert that sleeps, and outcomes
#           (n,); bounded, whether both must lie between low and low + width; missing, whether advice may be missing.
# Writes    losses (n, K): of numbers less low, in units of the width; NaN where advice is.
# Returns   the first round with advice or an outcome that is out of range or missing (n if none), and the
#           expert, or K for the outcome.
# Source    Kivinen & Warmuth, 1999. The entropic loss of a sure prediction that is wrong is infinite.
import numpy as np
from numba import njit

from assay.compiled.common.elementary import log, log1p
from assay.compiled.common.flags import EXACT

SQUARE, ABSOLUTE, ENTROPIC = range(3)
# The floats next to 0 and 1 that a probability may be.
LEAST, LARGEST = 2.0**-1022, 1.0 - 2.0**-53


@njit(**EXACT)
def expert_losses(loss, advice, outcomes, low, width, bounded, missing, losses):
    n, k = advice.shape
    for t in range(n):
        y = (outcomes[t] - low) / width
        if not _fits(y, bounded):
            return t, k
        for i in range(k):
            x = (advice[t, i] - low) / width
            if _fits(x, bounded):
                losses[t, i] = loss_between(loss, x, y)
            elif missing and advice[t, i] != advice[t, i]:
                losses[t, i] = np.nan
            else:
                return t, i
    return n, k


@njit(**EXACT)
def _fits(number, bounded):
    return 0.0 <= number <= 1.0 if bounded else np.isfinite(number)


@njit(**EXACT)
def own_losses(loss, guess, outcomes, low, width, bounded, losses):
    for t in range(guess.shape[0]):
        x = (guess[t] - low) / width
        if bounded:  # rounding may have led a hair out of the range
            x = min(max(x, 0.0), 1.0)
        losses[t] = loss_between(loss, x, (outcomes[t] - low) / width)


@njit(**EXACT)
def within(guess, advice, alive):
    # A weight may be too small beside the others to move a float off 0 or 1. If an expert who is not out,
    # of whom alive holds a finite number, doubts that end, then so does the average.
    low, high = 0.0, 1.0
    for i in range(advice.shape[0]):
        if alive[i] < np.inf:
            low = LEAST if advice[i] > 0.0 else low
            high = LARGEST if advice[i] < 1.0 else high
    return min(max(guess, low), high)


@njit(**EXACT)
def slope_at(loss, x, y):
    # Of the square or the absolute loss in the prediction x; at its corner the latter has slope zero.
    if loss == SQUARE:
        return 2.0 * (x - y)
    return np.sign(x - y)


@njit(**EXACT)
def loss_between(loss, x, y):
    if loss == SQUARE:
        return (y - x) * (y - x)
    if loss == ABSOLUTE:
        return abs(y - x)
    total = 0.0
    if y > 0.0:
        total -= y * log(x) if x > 0.0 else -np.inf
    if y < 1.0:
        total -= (1.0 - y) * log1p(-x) if x < 1.0 else -np.inf
    return total
