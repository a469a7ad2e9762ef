# Problem   the probability of each arm that its rate is the least, for rates drawn from Beta(1 + ones, 1 + zeros).
# Given     ones and plays (K,) int64, 0 <= ones <= plays; chances (K,) is overwritten.
# Writes    chances: the integrals of f_i times the product of P[rate_j > x] over the others, scaled to add up to 1.
# Returns   nothing.
# Source    Gauss-Legendre panels over t = ln(x / (1 - x)), where every density is smooth and falls off like
#           an exponential; a panel is as wide as the nearest arm allows. What lies above x is added up from the
#           right, where it is small, so that small probabilities keep their digits.
import numpy as np
from numba import njit

from assay.compiled.common.elementary import exp, expm1, log, log1p, log_gamma
from assay.compiled.common.flags import EXACT

# Nodes above zero and their weights; written out, since eigenvalues differ by machine in the last bits.
_HALF = (
    (0.1252334085114689, 0.24914704581340277),
    (0.3678314989981802, 0.2334925365383548),
    (0.5873179542866175, 0.20316742672306592),
    (0.7699026741943047, 0.16007832854334622),
    (0.9041172563704749, 0.10693932599531843),
    (0.9815606342467192, 0.04717533638651183),
)
_NODES = np.array([-x for x, _ in _HALF[::-1]] + [x for x, _ in _HALF])
_WEIGHTS = np.array([w for _, w in _HALF[::-1]] + [w for _, w in _HALF])


def _legendre(x):
    # The polynomials up to degree 12 at x.
    values = [1.0, x]
    for n in range(1, 12):
        values.append(((2 * n + 1) * x * values[n] - n * values[n - 1]) / (n + 1))
    return values


def _integrals_above():
    # Row m integrates the polynomial through the values at the nodes from node m to 1: the parts of that
    # polynomial by Legendre's are sums over the nodes, and what each of those has above x is known.
    at = [_legendre(x) for x in _NODES.tolist()]
    above_node = np.empty((12, 12))
    for m, here in enumerate(at):
        above = [1.0 - here[1]]
        above += [(here[n - 1] - here[n + 1]) / (2 * n + 1) for n in range(1, 12)]
        for k, there in enumerate(at):
            total = 0.0
            for n in range(12):
                total += (n + 0.5) * there[n] * above[n]
            above_node[m, k] = _WEIGHTS[k] * total
    return above_node


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
def least_probabilities(ones, plays, chances):
    arms, nodes = ones.shape[0], _NODES.shape[0]
    centres, spreads, scales = np.empty(arms), np.empty(arms), np.empty(arms)
    left, right = np.empty(arms), np.empty(arms)
    for i in range(arms):
        a, b = 1.0 + ones[i], 1.0 + (plays[i] - ones[i])
        centres[i], spreads[i] = log(a / b), np.sqrt(1.0 / a + 1.0 / b)
        left[i] = centres[i] - _SPREADS * spreads[i] - _NATS / a
        right[i] = centres[i] + _SPREADS * spreads[i] + _NATS / b
        peak = a * log(a / (a + b)) + b * log(b / (a + b))
        scales[i] = peak + log_gamma(a + b) - log_gamma(a) - log_gamma(b)
    density, above = np.empty((arms, nodes)), np.empty((arms, nodes))
    tails, others = np.zeros(arms), np.empty(arms)
    chances[:] = 0.0
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
                fall = a * d - (a + b) * log1p(share * expm1(d))
                density[i, m] = half * exp(scales[i] + fall)
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
                chances[i] += product * others[i] * density[i, m]
                product *= above[i, m]
        end = start
    chances /= chances.sum()
