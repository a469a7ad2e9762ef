# Problem   Hedge whose rate is ln K over the mixability gaps so far; before there is one, follow the leaders.
# Given     losses (n, K), any finite numbers, and advice (n, K) or (0, K); totals (K,) of the losses, weights (K,)
#           and gap (1,), the sum of the gaps, are overwritten; spread (1,), the largest range of a round, and
#           size (1,), the sum of the largest sizes of a loss, too; first; seed. With outcomes (n,), else (0,), the
#           weights follow the slope of the loss, a code of `expert_losses`, times the advice, and the totals of
#           that are in slopes (K,); else slopes is not read. carries (2, K): the rounding errors of both totals.
# Writes    mean (n,); variance (n,): of the losses under the weights; guess (n,) when there is advice; chosen (n,)
#           or (0,): an expert drawn by the weights.
# Returns   the rounds played: all, or those before a loss that is not finite.
# Source    De Rooij, van Erven, Grunwald & Koolen, 2014. The gap v.l + (1/rate) ln v.exp(-rate l) is computed as
#           (1/rate) ln v.exp(-rate (l - v.l)), in which nothing cancels. Sums over experts are regrouped (REASSOC).
import math

import numpy as np
from numba import njit

from assay.compiled.expert_losses import slope_at
from assay.compiled.exponential_weights import (
    add_up,
    draw,
    exponential,
    inner,
    least_of,
    uniform,
    weigh,
)
from assay.compiled.flags import EXACT, REASSOC

# Beyond this range the exponentials of the direct formula could overflow.
_WIDE = 600.0


@njit(**EXACT)
def adahedge_pass(
    losses,
    advice,
    outcomes,
    loss,
    totals,
    slopes,
    carries,
    weights,
    gap,
    spread,
    size,
    first,
    seed,
    mean,
    variance,
    chosen,
    guess,
):
    log_experts = math.log(totals.shape[0])
    linear = outcomes.shape[0] > 0
    sums = slopes if linear else totals
    tangent = np.empty(totals.shape[0])
    base = least_of(sums)
    for t in range(losses.shape[0]):
        rate = log_experts / gap[0] if gap[0] > 0.0 else np.inf
        whole = lead(sums, base, rate, weights)
        if advice.shape[0]:
            guess[t] = inner(advice[t], weights) / whole
        row = losses[t]
        if linear:
            # Losses count up to a constant, so they may be those in excess of the prediction.
            slope = slope_at(loss, guess[t], outcomes[t])
            for i in range(tangent.shape[0]):
                tangent[i] = slope * (advice[t, i] - guess[t])
            row = tangent
        low, high = _range(row)
        if not high - low < np.inf:
            return t
        if chosen.shape[0]:
            chosen[t] = draw(weights, uniform(seed, first + t))
        mean[t] = inner(row, weights) / whole
        variance[t] = _spread_about(row, weights, mean[t]) / whole
        added = 0.0
        if rate * (high - low) <= _WIDE:
            added = math.log(_moment(row, weights, rate, mean[t]) / whole) / rate
        add_up(row, sums, carries[1] if linear else carries[0])
        after = least_of(sums)
        if linear:
            add_up(losses[t], totals, carries[0])
        if rate * (high - low) > _WIDE:
            mixed = after - base
            if rate < np.inf:
                mixed -= math.log(weigh(sums, after, rate, weights) / whole) / rate
            added = mean[t] - mixed
        # The gap lies between zero and the range; rounding must not lead out of it.
        gap[0] += min(max(added, 0.0), high - low)
        spread[0] = max(spread[0], high - low)
        size[0] += max(abs(low), abs(high))
        base = after
    return losses.shape[0]


@njit(**EXACT)
def lead(totals, base, rate, weights):
    if rate < np.inf:
        return weigh(totals, base, rate, weights)
    whole = 0.0
    for i in range(totals.shape[0]):
        weights[i] = 1.0 if totals[i] == base else 0.0
        whole += weights[i]
    return whole


@njit(**EXACT)
def _range(row):
    low, high = np.inf, -np.inf
    for i in range(row.shape[0]):
        if not np.isfinite(row[i]):
            return -np.inf, np.inf
        low = min(low, row[i])
        high = max(high, row[i])
    return low, high


@njit(**REASSOC)
def _spread_about(row, weights, mean):
    total = 0.0
    for i in range(row.shape[0]):
        total += weights[i] * (row[i] - mean) * (row[i] - mean)
    return total


@njit(**REASSOC)
def _moment(row, weights, rate, mean):
    total = 0.0
    for i in range(row.shape[0]):
        total += weights[i] * exponential(rate * (mean - row[i]))
    return total
