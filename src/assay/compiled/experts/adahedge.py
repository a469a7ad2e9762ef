# Problem   Hedge whose rate is ln K over the mixability gaps so far; before there is one, follow the leaders.
# Given     losses (n, K), any finite numbers, and advice (n, K) or (0, K); totals (K,) of the losses, weights (K,)
#           and the extents, each (1,), are overwritten: gap, the sum of the gaps; spread, the largest range of a
#           round; size, the sum of the largest sizes of a loss; first; seed. With outcomes (n,), else (0,), the
#           weights follow the slope of the loss, a code of `expert_losses`, times the advice, and the totals of
#           that are in slopes (K,); else slopes is not read. carries (2, K): the rounding errors of both totals.
# Writes    mean (n,); variance (n,): of the losses under the weights; guess (n,) when there is advice; chosen (n,)
#           or (0,): an expert drawn by the weights. Into weights those of the round to come.
# Returns   the rounds played: all, or those before a loss that is not finite, or with which sums may not be.
# Source    De Rooij, van Erven, Grunwald & Koolen, 2014. The gap v.l + (1/rate) ln v.exp(-rate l) is computed as
#           (1/rate) ln v.exp(-rate (l - v.l)), in which nothing cancels.
import numpy as np
from numba import njit

from assay.compiled.common.elementary import exponential_lanes, log
from assay.compiled.common.flags import EXACT
from assay.compiled.common.lanes import over_lanes
from assay.compiled.experts.expert_losses import slope_at
from assay.compiled.experts.exponential_weights import add_up, draw, inner, least_of, uniform, weigh


def _spread(row, weights, mean):
    return weights * (row - mean) * (row - mean)


def _moment_of(row, weights, rate, mean):
    return weights * exponential_lanes(rate * (mean - row))


_spread_about = over_lanes(_spread)
_moment = over_lanes(_moment_of)

# Beyond this range the exponentials of the direct formula could overflow.
_WIDE = 600.0


@njit(**EXACT)
def adahedge_pass(
    losses, advice, outcomes, loss, totals, slopes, carries, weights, extents, first, seed, written
):
    gap, spread, size = extents
    mean, variance, chosen, guess = written
    log_experts = log(totals.shape[0])
    linear = outcomes.shape[0] > 0
    sums = slopes if linear else totals
    tangent = np.empty(totals.shape[0])
    base, rounds = least_of(sums), losses.shape[0]
    for t in range(rounds):
        rate = rate_of(log_experts, gap[0])
        total = lead(sums, base, rate, weights)
        if advice.shape[0]:
            guess[t] = inner(advice[t], weights) / total
        row = losses[t]
        if linear:
            # Losses count up to a constant, so they may be those in excess of the prediction.
            slope = slope_at(loss, guess[t], outcomes[t])
            for i in range(tangent.shape[0]):
                tangent[i] = slope * (advice[t, i] - guess[t])
            row = tangent
        low, high = _range(row)
        largest = max(abs(low), abs(high))
        # So nothing that is added up can overflow: no total, and no sum over experts.
        if not (high - low < np.inf and (size[0] + largest) * totals.shape[0] < np.inf):
            rounds = t
            break
        if chosen.shape[0]:
            chosen[t] = draw(weights, uniform(seed, first + t))
        mean[t] = inner(row, weights) / total
        variance[t] = _spread_about(row, weights, mean[t]) / total
        added = 0.0
        if rate * (high - low) <= _WIDE:
            added = log(_moment(row, weights, rate, mean[t]) / total) / rate
        add_up(row, sums, carries[1] if linear else carries[0])
        after = least_of(sums)
        if linear:
            add_up(losses[t], totals, carries[0])
        if rate * (high - low) > _WIDE:
            mixed = after - base
            if rate < np.inf:
                mixed -= log(weigh(sums, after, rate, weights) / total) / rate
            added = mean[t] - mixed
        # The gap lies between zero and the range; rounding must not lead out of it.
        gap[0] += min(max(added, 0.0), high - low)
        spread[0] = max(spread[0], high - low)
        size[0] += largest
        base = after
    lead(sums, base, rate_of(log_experts, gap[0]), weights)
    return rounds


@njit(**EXACT)
def rate_of(log_experts, gap):
    return log_experts / gap if gap > 0.0 else np.inf


@njit(**EXACT)
def lead(totals, base, rate, weights):
    if rate < np.inf:
        return weigh(totals, base, rate, weights)
    total = 0.0
    for i in range(totals.shape[0]):
        weights[i] = 1.0 if totals[i] == base else 0.0
        total += weights[i]
    return total


@njit(**EXACT)
def _range(row):
    low, high = np.inf, -np.inf
    for i in range(row.shape[0]):
        if not np.isfinite(row[i]):
            return -np.inf, np.inf
        low = min(low, row[i])
        high = max(high, row[i])
    return low, high
