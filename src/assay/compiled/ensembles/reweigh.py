# Problem   one round of boosting: how much weight a hypothesis misses, and the weights after it.
# Given     w (n,) float64 above zero; predicted and labels (n,) int64, classes by their numbers; factor, by which the
#           weight of a missed row is multiplied.
# Writes    w: multiplied where predicted differs from labels, then divided by the sum, and never below 1e-300, so that
#           no row is lost for good; ballots (K, n): the vote added where it was cast.
# Returns   missed_weight: the weight missed and all weight. reweigh: all weight before it is divided by.
# Source    Freund & Schapire, 1997; only the ratio of the two factors matters, so right rows keep theirs.
from numba import njit

from assay.compiled.common.flags import EXACT

LEAST = 1e-300


@njit(**EXACT)
def missed_weight(w, predicted, labels):
    # Four sums that do not wait for each other.
    n = len(w)
    m0, m1, m2, m3 = 0.0, 0.0, 0.0, 0.0
    h0, h1, h2, h3 = 0.0, 0.0, 0.0, 0.0
    i = 0
    while i + 4 <= n:
        wrong = predicted[i] != labels[i]
        m0 += w[i] if wrong else 0.0
        h0 += 0.0 if wrong else w[i]
        wrong = predicted[i + 1] != labels[i + 1]
        m1 += w[i + 1] if wrong else 0.0
        h1 += 0.0 if wrong else w[i + 1]
        wrong = predicted[i + 2] != labels[i + 2]
        m2 += w[i + 2] if wrong else 0.0
        h2 += 0.0 if wrong else w[i + 2]
        wrong = predicted[i + 3] != labels[i + 3]
        m3 += w[i + 3] if wrong else 0.0
        h3 += 0.0 if wrong else w[i + 3]
        i += 4
    while i < n:
        wrong = predicted[i] != labels[i]
        m0 += w[i] if wrong else 0.0
        h0 += 0.0 if wrong else w[i]
        i += 1
    missed = (m0 + m1) + (m2 + m3)
    return missed, missed + ((h0 + h1) + (h2 + h3))


@njit(**EXACT)
def reweigh(w, predicted, labels, factor):
    n = len(w)
    for i in range(n):
        w[i] *= factor if predicted[i] != labels[i] else 1.0
    _, total = missed_weight(w, labels, labels)
    for i in range(n):
        w[i] = max(w[i] / total, LEAST)
    return total


@njit(**EXACT)
def cast(ballots, predicted, vote):
    for c in range(len(ballots)):
        out = ballots[c]
        for i in range(len(predicted)):
            out[i] += vote if predicted[i] == c else 0.0
