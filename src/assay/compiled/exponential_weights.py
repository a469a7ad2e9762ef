# Problem   weights exp(-rate * total loss), their sums, and draws from them, at memory speed.
# Given     totals (K,) of losses, infinite for an expert that is out for good; base, the least of them;
#           rate > 0; weights (K,) that need not add up to one.
# Writes    weights (K,): exp(rate * (base - total)), so that the largest is one and none overflows; those
#           below exp(-708) become zero, which costs nothing beside a one.
# Returns   sums and least values; NaN is never the least.
# Source    Cody & Waite, 1980, for the exponential (range reduction by ln 2 in two parts, here with the
#           Taylor polynomial of degree 13; a few units in the last place); Steele, Lea & Flood, 2014, for
#           the random numbers. Sums over experts are regrouped (REASSOC).
import numpy as np
from llvmlite import ir
from numba import njit
from numba.core import types
from numba.extending import intrinsic

from assay.compiled.flags import EXACT, REASSOC

_TO_WHOLE = 1.5 * 2.0**52
_LOG2_E = 1.4426950408889634
_LN2_HIGH = 0.693147180369123816490
_LN2_LOW = 1.90821492927058770002e-10
LEAST_EXPONENT = -708.0


@intrinsic
def _bits(context, number):
    def bitcast(context, builder, signature, args):
        return builder.bitcast(args[0], ir.IntType(64))

    return types.int64(types.float64), bitcast


@intrinsic
def _float(context, bits):
    def bitcast(context, builder, signature, args):
        return builder.bitcast(args[0], ir.DoubleType())

    return types.float64(types.int64), bitcast


@njit(**REASSOC)
def exponential(x):
    # For x up to 700. Adding 1.5 * 2^52 leaves the nearest whole number in the lowest bits.
    kept = max(x, LEAST_EXPONENT)
    shifted = kept * _LOG2_E + _TO_WHOLE
    twos = shifted - _TO_WHOLE
    r = (kept - twos * _LN2_HIGH) - twos * _LN2_LOW
    r2 = r * r
    r4 = r2 * r2
    low = ((1.0 + r) + r2 * (0.5 + r * (1 / 6))) + r4 * (
        (1 / 24 + r * (1 / 120)) + r2 * (1 / 720 + r * (1 / 5040))
    )
    high = ((1 / 40320 + r * (1 / 362880)) + r2 * (1 / 3628800 + r * (1 / 39916800))) + r4 * (
        1 / 479001600 + r * (1 / 6227020800)
    )
    value = (low + (r4 * r4) * high) * _float((_bits(shifted) + 1023) << 52)
    return value if x >= LEAST_EXPONENT else 0.0


@njit(**REASSOC)
def weigh(totals, base, rate, weights):
    total = 0.0
    for i in range(totals.shape[0]):
        w = exponential(rate * (base - totals[i]))
        weights[i] = w
        total += w
    return total


@njit(**EXACT)
def least_of(totals):
    # In eight parts, or each comparison would wait for the one before.
    a = b = c = d = e = f = g = h = np.inf
    whole = totals.shape[0] - totals.shape[0] % 8
    for i in range(0, whole, 8):
        a = min(a, totals[i])
        b = min(b, totals[i + 1])
        c = min(c, totals[i + 2])
        d = min(d, totals[i + 3])
        e = min(e, totals[i + 4])
        f = min(f, totals[i + 5])
        g = min(g, totals[i + 6])
        h = min(h, totals[i + 7])
    for i in range(whole, totals.shape[0]):
        a = min(a, totals[i])
    return min(min(min(a, b), min(c, d)), min(min(e, f), min(g, h)))


@njit(**REASSOC)
def outside(losses, largest):
    # How many losses do not lie between 0 and the largest; NaN does not.
    odd = 0
    for i in range(losses.shape[0]):
        odd += 0 if (losses[i] >= 0.0) & (losses[i] <= largest) else 1
    return odd


@njit(**REASSOC)
def moments(losses, weights):
    # The weighted sums of the losses and of their squares.
    first = second = 0.0
    for i in range(losses.shape[0]):
        paid = weights[i] * losses[i]
        first += paid
        second += paid * losses[i]
    return first, second


@njit(**REASSOC)
def inner(numbers, weights):
    total = 0.0
    for i in range(numbers.shape[0]):
        total += numbers[i] * weights[i]
    return total


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
