# Problem   the probability of each arm that its rate is the least, for rates drawn from Beta(1 + ones, 1 + zeros).
# Given     ones and plays (K,) int64, 0 <= ones <= plays; found (K,) is overwritten.
# Writes    found: the integrals of f_i times the product of P[rate_j > x] over the others, scaled to add up to 1.
# Returns   nothing.
# Source    Gauss-Legendre panels over t = ln(x / (1 - x)), where every density is smooth and falls off like
#           an exponential; a panel is as wide as the nearest arm allows. What lies above x is added up from the
#           right, where it is small, so that small probabilities keep their digits.
import math

import numpy as np
from numba import njit

from assay.compiled.flags import EXACT

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)


def _integrals_above():
    # Row m integrates the polynomial through the values at the nodes from node m to 1.
    whole = np.linalg.inv(np.polynomial.legendre.legvander(_NODES, 11))
    rises = np.array([np.polynomial.legendre.legint(row) for row in np.eye(12)])
    ends = [np.polynomial.legendre.legval(1.0, r) for r in rises]
    at = np.array([[np.polynomial.legendre.legval(x, r) for r in rises] for x in _NODES])
    return np.ascontiguousarray((np.array(ends) - at) @ whole)


_ABOVE = _integrals_above()
# Panels grow with the distance from the nearest arm; beyond e^-44 of its peak an arm is nowhere.
_GROWTH, _SPREADS, _NATS = 0.2, 9.5, 44.0


@njit(**EXACT)
def _step(centres, spreads, t):
    least = np.inf
    for i in range(centres.shape[0]):
        least = min(least, spreads[i] + _GROWTH * abs(t - centres[i]))
    return least


@njit(**EXACT)
def least_probabilities(ones, plays, found):
    arms, nodes = ones.shape[0], _NODES.shape[0]
    centres, spreads, scales = np.empty(arms), np.empty(arms), np.empty(arms)
    left, right = np.empty(arms), np.empty(arms)
    for i in range(arms):
        a, b = 1.0 + ones[i], 1.0 + (plays[i] - ones[i])
        centres[i], spreads[i] = np.log(a / b), np.sqrt(1.0 / a + 1.0 / b)
        left[i] = centres[i] - _SPREADS * spreads[i] - _NATS / a
        right[i] = centres[i] + _SPREADS * spreads[i] + _NATS / b
        peak = a * np.log(a / (a + b)) + b * np.log(b / (a + b))
        scales[i] = peak + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    density, above = np.empty((arms, nodes)), np.empty((arms, nodes))
    tails, others = np.zeros(arms), np.empty(arms)
    found[:] = 0.0
    end, first = right.max(), left.min()
    while end > first:
        start = max(end - _step(centres, spreads, end), first)
        half = (end - start) / 2.0
        for i in range(arms):
            if start > right[i] or end < left[i]:
                density[i] = 0.0
                above[i] = tails[i]
                continue
            a, b = 1.0 + ones[i], 1.0 + (plays[i] - ones[i])
            share = a / (a + b)
            for m in range(nodes):
                # From the peak, so that nothing large is taken from something large.
                d = start + half * (1.0 + _NODES[m]) - centres[i]
                fall = a * d - (a + b) * np.log1p(share * np.expm1(d))
                density[i, m] = half * np.exp(scales[i] + fall)
            total = tails[i]
            for m in range(nodes):
                more = tails[i]
                for k in range(nodes):
                    more += _ABOVE[m, k] * density[i, k]
                above[i, m] = max(more, 0.0)
                total += _WEIGHTS[m] * density[i, m]
            tails[i] = total
        for m in range(nodes):
            product = _WEIGHTS[m]
            for i in range(arms - 1, -1, -1):
                others[i] = product
                product *= above[i, m]
            product = 1.0
            for i in range(arms):
                found[i] += product * others[i] * density[i, m]
                product *= above[i, m]
        end = start
    found /= found.sum()
