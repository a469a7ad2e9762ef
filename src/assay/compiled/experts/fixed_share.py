# Problem   Hedge that after every round hands a share of all weight out evenly, so that no expert is ever lost.
# Given     losses (n, K) and advice (n, K) or (0, K); weights (K,), which add up to one, totals (K,), and
#           sequences (S + 1, K), in row s the least loss of a sequence of experts that ends with each and has
#           switched at most s times, are overwritten, and so are the rounding errors of both, carries
#           (S + 2, K); rate > 0; share in (0, 1); largest; first; seed.
# Writes    mean (n,); guess (n,) when there is advice; chosen (n,) or (0,): an expert drawn by the weights.
# Returns   the rounds played: all, or those before a loss outside [0, largest], or before all lose without end.
# Source    Herbster & Warmuth, 1998. No weight falls below share / K, so none needs its logarithm.
import numpy as np
from numba import njit

from assay.compiled.common.elementary import exponential_lanes
from assay.compiled.common.flags import EXACT
from assay.compiled.common.lanes import over_lanes
from assay.compiled.experts.expert_losses import within
from assay.compiled.experts.exponential_weights import (
    add_up,
    draw,
    inner,
    least_of,
    outside,
    uniform,
)


def _shrunk(row, weights, rate, base):
    weight = weights * exponential_lanes(rate * (base - row))
    return weight, weight


_shrink = over_lanes(_shrunk, writes=(1,))


@njit(**EXACT)
def fixed_share_pass(
    losses, advice, weights, totals, sequences, carries, rate, share, largest, first, seed, written
):
    mean, _, chosen, guess = written
    for t in range(losses.shape[0]):
        row = losses[t]
        base = least_of(row)
        if outside(row, largest) or base == np.inf:
            return t
        if advice.shape[0]:
            guess[t] = inner(advice[t], weights)
            if largest == np.inf:
                guess[t] = within(guess[t], advice[t], weights)
        if chosen.shape[0]:
            chosen[t] = draw(weights, uniform(seed, first + t))
        mean[t] = inner(row, weights)
        _share(weights, _shrink(row, weights, rate, base), share)
        add_up(row, totals, carries[0])
        follow(row, sequences, carries[1:])
    return losses.shape[0]


@njit(**EXACT)
def _share(weights, total, share):
    even = share / weights.shape[0]
    for i in range(weights.shape[0]):
        weights[i] = (1.0 - share) * (weights[i] / total) + even


@njit(**EXACT)
def follow(row, sequences, carries):
    # From the most switches down, since a switch looks at the sequences as they were.
    for s in range(sequences.shape[0] - 1, -1, -1):
        if s:
            best = np.argmin(sequences[s - 1])
            before, carry = sequences[s - 1, best], carries[s - 1, best]
            for i in range(row.shape[0]):
                if before < sequences[s, i]:
                    sequences[s, i], carries[s, i] = before, carry
        add_up(row, sequences[s], carries[s])
