# Problem   count in how many rows of every class each feature is on, that is, above a threshold; and add up, for
#           each row and class, the weights of the features that are on.
# Given     rows dense (n, d), or CSR with unsigned indices and pointers, no column twice in a row; threshold, at least
#           zero; codes (n,), the number of each row's class; weights (n,).  Scores: gains (k, d), starts (k,).
# Writes    counts (k, d) and totals (k,) are added to; scores (n, k).
# Returns   nothing. Sums over features are in lanes; sums over rows are in their order.
# Source    McCallum & Nigam, 1998: the multivariate Bernoulli model.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.common.lanes import over_lanes, where

_ONE = np.uint64(1)

_gained = over_lanes(lambda x, gains, threshold: where(x > threshold, gains, 0.0))


@njit(**EXACT)
def class_counts(X, threshold, codes, weights, counts, totals):
    for i in range(X.shape[0]):
        c, w = codes[i], weights[i]
        totals[c] += w
        x, row = X[i], counts[c]
        for j in range(x.shape[0]):
            row[j] += w if x[j] > threshold else 0.0


@njit(**EXACT)
def class_counts_csr(data, indices, pointers, threshold, codes, weights, counts, totals):
    for i in range(codes.shape[0]):
        c, w = codes[i], weights[i]
        totals[c] += w
        row = counts[c]
        p, stop = pointers[i], pointers[i + 1]
        while p < stop:
            if data[p] > threshold:
                row[indices[p]] += w
            p += _ONE


@njit(**EXACT)
def bernoulli_scores(X, threshold, gains, starts, scores):
    for i in range(X.shape[0]):
        for c in range(gains.shape[0]):
            scores[i, c] = starts[c] + _gained(X[i], gains[c], threshold)


@njit(**EXACT)
def bernoulli_scores_csr(data, indices, pointers, threshold, gains, starts, scores):
    for i in range(scores.shape[0]):
        for c in range(gains.shape[0]):
            row, total = gains[c], 0.0
            p, stop = pointers[i], pointers[i + 1]
            while p < stop:
                if data[p] > threshold:
                    total += row[indices[p]]
                p += _ONE
            scores[i, c] = starts[c] + total
