# Problem   the probabilities of classes from their scores, what the right class costs, and how uncertain they are.
# Given     scores (n, k), those of one class may be zeros; places (n,), the number of each row's class.
# Writes    chances (n, k), losses (n,): -ln of the chance of the right class; entropies (n,): -sum of p ln p.
# Returns   nothing.
# Source    The definition, with the largest score taken away first. exp and log are our own, so that the bits are the
#           same on every processor.
import numpy as np
from numba import njit

from assay.compiled.common.elementary import exponential, log, log1p
from assay.compiled.common.flags import EXACT


@njit(**EXACT)
def soft_losses(scores, places, chances, losses):
    n, k = scores.shape
    for i in range(n):
        s, p = scores[i], chances[i]
        top, best = -np.inf, np.int64(0)
        for c in range(k):
            if s[c] > top:
                top, best = s[c], np.int64(c)
        rest = 0.0
        for c in range(k):
            p[c] = exponential(s[c] - top)
            if c != best:
                rest += p[c]
        for c in range(k):
            p[c] /= 1.0 + rest
        losses[i] = (top - s[places[i]]) + log1p(rest)


@njit(**EXACT)
def entropies(chances, out):
    for i in range(chances.shape[0]):
        total = 0.0
        for c in range(chances.shape[1]):
            p = chances[i, c]
            if p > 0.0:
                total -= p * log(p)
        out[i] = total
