# Problem   weigh the experts by exp(-rate * total loss) and predict the weighted mean of their advice.
# Given     losses (n, K) C-contiguous, and advice (n, K), or (0, K) when nothing is predicted; totals (K,) with
#           their rounding errors carries (K,), and weights (K,) are overwritten;
#           rate, or with anytime the rate of round 1, which falls with the root of the round; largest, the
#           largest loss allowed, infinite for the entropic loss, whose predictions stay within (0, 1); first, the
#           rounds played before; seed.
# Writes    mean, square and chosen as `hedge_pass` does; guess (n,) when there is advice; into weights those of the
#           round to come.
# Returns   the rounds played: all, or those before a loss outside [0, largest] or that leaves no expert with a
#           finite total.
# Source    Kivinen & Warmuth, 1999; Freund & Schapire, 1997.
import math

import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.experts.expert_losses import within
from assay.compiled.experts.exponential_weights import (
    add_up,
    draw,
    inner,
    least_of,
    moments,
    outside,
    uniform,
    weigh,
)


@njit(**EXACT)
def weighted_average_pass(
    losses, advice, totals, carries, weights, rate, anytime, largest, first, seed, written
):
    mean, square, chosen, guess = written
    base, rounds = least_of(totals), losses.shape[0]
    for t in range(rounds):
        row = losses[t]
        if outside(row, largest) or (largest == np.inf and _least_after(totals, row) == np.inf):
            rounds = t
            break
        total = weigh(totals, base, _rate(rate, anytime, first + t), weights)
        if advice.shape[0]:
            guess[t] = inner(advice[t], weights) / total
            if largest == np.inf:
                guess[t] = within(guess[t], advice[t], totals)
        if chosen.shape[0]:
            chosen[t] = draw(weights, uniform(seed, first + t))
        paid, squares = moments(row, weights)
        add_up(row, totals, carries)
        mean[t] = paid / total
        square[t] = squares / total
        base = least_of(totals)
    weigh(totals, base, _rate(rate, anytime, first + rounds), weights)
    return rounds


@njit(**EXACT)
def _rate(rate, anytime, before):
    return rate / math.sqrt(before + 1) if anytime else rate


@njit(**EXACT)
def _least_after(totals, losses):
    least = np.inf
    for i in range(totals.shape[0]):
        least = min(least, totals[i] + losses[i])
    return least
