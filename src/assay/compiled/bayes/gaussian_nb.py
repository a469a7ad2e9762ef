# Problem   the mean and the spread of every feature within every class, in two passes; and the logarithm of the
#           joint density of each row with each class, where features are independent and normal.
# Given     rows dense (n, d) or CSR with unsigned indices and pointers; codes (n,), the number of each row's class;
#           weights (n,).  Scores: means and inverse variances (k, d), starts (k,).
# Writes    sums (k, d) and totals (k,) are added to; then squares and drift (k, d), the sums of (x - mean)^2 and of
#           x - mean, the second being what rounding left of the mean; scores (n, k).
# Returns   nothing. Sums over features are in lanes; sums over rows are in their order.
# Source    Chan, Golub & LeVeque, 1979, for the correction of two-pass sums.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.common.lanes import over_lanes

_ONE = np.uint64(1)

_distance = over_lanes(lambda x, mean, inverse: (x - mean) * (x - mean) * inverse)


@njit(**EXACT)
def class_sums(X, codes, weights, sums, totals):
    for i in range(X.shape[0]):
        c, w = codes[i], weights[i]
        totals[c] += w
        x, row = X[i], sums[c]
        for j in range(x.shape[0]):
            row[j] += w * x[j]


@njit(**EXACT)
def class_sums_csr(data, indices, pointers, codes, weights, sums, totals):
    for i in range(codes.shape[0]):
        c, w = codes[i], weights[i]
        totals[c] += w
        row = sums[c]
        p, stop = pointers[i], pointers[i + 1]
        while p < stop:
            row[indices[p]] += w * data[p]
            p += _ONE


@njit(**EXACT)
def class_squares(X, codes, weights, means, squares, drift):
    for i in range(X.shape[0]):
        c, w = codes[i], weights[i]
        x, mean, square, left = X[i], means[c], squares[c], drift[c]
        for j in range(x.shape[0]):
            off = x[j] - mean[j]
            square[j] += w * off * off
            left[j] += w * off


@njit(**EXACT)
def class_squares_csr(data, indices, pointers, codes, weights, means, totals, squares, drift):
    present = np.zeros(means.shape)
    for i in range(codes.shape[0]):
        c, w = codes[i], weights[i]
        mean, square, left, there = means[c], squares[c], drift[c], present[c]
        p, stop = pointers[i], pointers[i + 1]
        while p < stop:
            j = indices[p]
            off = data[p] - mean[j]
            square[j] += w * off * off
            left[j] += w * off
            there[j] += w
            p += _ONE
    for c in range(means.shape[0]):
        for j in range(means.shape[1]):
            absent = max(totals[c] - present[c, j], 0.0)
            squares[c, j] += absent * means[c, j] * means[c, j]
            drift[c, j] -= absent * means[c, j]


@njit(**EXACT)
def gaussian_scores(X, means, inverse, starts, scores):
    for i in range(X.shape[0]):
        for c in range(means.shape[0]):
            scores[i, c] = starts[c] - 0.5 * _distance(X[i], means[c], inverse[c])


@njit(**EXACT)
def gaussian_scores_csr(data, indices, pointers, means, inverse, starts, scores):
    # A row at a time is written out: differences of squares would lose digits where variances are small.
    row = np.zeros(means.shape[1])
    for i in range(scores.shape[0]):
        start, stop = pointers[i], pointers[i + 1]
        p = start
        while p < stop:
            row[indices[p]] += data[p]
            p += _ONE
        for c in range(means.shape[0]):
            scores[i, c] = starts[c] - 0.5 * _distance(row, means[c], inverse[c])
        p = start
        while p < stop:
            row[indices[p]] = 0.0
            p += _ONE
