# Problem   weights exp(-rate * total loss), their sums, and draws from them, at memory speed.
# Given     totals (K,) of losses, infinite for an expert that is out for good; base, the least of them;
#           rate > 0; weights (K,) that need not add up to one.
# Writes    weights (K,): exp(rate * (base - total)), so that the largest is one and none overflows; those
#           below exp(-708) become zero, which costs nothing beside a one.
# Returns   sums and least values; NaN is never the least.
# Source    Steele, Lea & Flood, 2014, for the random numbers; sums over experts in lanes.
import numpy as np
from numba import njit

from assay.compiled.common.elementary import exponential_lanes
from assay.compiled.common.flags import EXACT
from assay.compiled.common.lanes import lane_dot, over_lanes


def _weigh(totals, weights, base, rate):
    weight = exponential_lanes(rate * (base - totals))
    return weight, weight


def _moments(losses, weights):
    paid = weights * losses
    return paid, paid * losses


_weigh_lanes = over_lanes(_weigh, writes=(1,))
_moment_lanes = over_lanes(_moments, sums=2)


@njit(**EXACT)
def weigh(totals, base, rate, weights):
    return _weigh_lanes(totals, weights, base, rate)


@njit(**EXACT)
def least_of(totals):
    # In eight parts, or each comparison would wait for the one before.
    a = b = c = d = e = f = g = h = np.inf
    eights = totals.shape[0] - totals.shape[0] % 8
    for i in range(0, eights, 8):
        a = min(a, totals[i])
        b = min(b, totals[i + 1])
        c = min(c, totals[i + 2])
        d = min(d, totals[i + 3])
        e = min(e, totals[i + 4])
        f = min(f, totals[i + 5])
        g = min(g, totals[i + 6])
        h = min(h, totals[i + 7])
    for i in range(eights, totals.shape[0]):
        a = min(a, totals[i])
    return min(min(min(a, b), min(c, d)), min(min(e, f), min(g, h)))


@njit(**EXACT)
def outside(losses, largest):
    # How many losses do not lie between 0 and the largest; NaN does not.
    odd = 0
    for i in range(losses.shape[0]):
        odd += 0 if (losses[i] >= 0.0) & (losses[i] <= largest) else 1
    return odd


@njit(**EXACT)
def moments(losses, weights):
    # The weighted sums of the losses and of their squares.
    return _moment_lanes(losses, weights)


@njit(**EXACT)
def inner(numbers, weights):
    return lane_dot(numbers, weights)


@njit(**EXACT)
def add_up(losses, totals, carries):
    # Kahan's sums: what rounding took from a total is given back with its next loss, so that a total is
    # right to two units in its last place after any number of rounds.
    for i in range(losses.shape[0]):
        loss = losses[i] - carries[i]
        total = totals[i] + loss
        carries[i] = (total - totals[i]) - loss if abs(total) < np.inf else 0.0
        totals[i] = total


@njit(**EXACT)
def accumulate(values, sums, place):
    # A running sum with its rounding errors kept aside, so that millions of rounds lose nothing.
    for t in range(values.shape[0]):
        total = sums[place] + values[t]
        if abs(sums[place]) >= abs(values[t]):
            sums[place + 1] += (sums[place] - total) + values[t]
        else:
            sums[place + 1] += (values[t] - total) + sums[place]
        sums[place] = total


@njit(**EXACT)
def uniform(seed, number):
    # The same seed and round always give the same number, so looking twice changes nothing.
    z = seed + (np.uint64(number) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return (z >> np.uint64(11)) * 2.0**-53


@njit(**EXACT)
def draw(weights, number):
    # The expert in whose part of the whole weight the number in [0, 1) falls.
    total = 0.0
    for i in range(weights.shape[0]):
        total += weights[i]
    left = number * total
    last = 0
    for i in range(weights.shape[0]):
        if weights[i] > 0.0:
            if left < weights[i]:
                return i
            last = i
        left -= weights[i]
    return last
