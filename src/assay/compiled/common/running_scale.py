# Problem   centre and scale every feature by the mean and the deviation of all rows up to its own.
# Given     X (n, d) float64 C-contiguous; mean (d,) and squares (d,), the sums of the squared deviations from
#           the mean, are overwritten; seen, the rows before these; largest, the size no cell may exceed.
# Writes    out (n, d): the scaled rows; 0 for a feature that has not varied yet.
# Returns   the rows scaled: all, or those before one with a cell that is too large or NaN, which changes nothing.
# Source    Welford, Note on a method for calculating corrected sums of squares and products, 1962. Features do
#           not meet, so the bits are the same however the compiler groups them.
from math import sqrt

from numba import njit

from assay.compiled.common.flags import EXACT


@njit(**EXACT)
def running_scale_pass(X, mean, squares, seen, largest, out):
    for t in range(X.shape[0]):
        if _beyond(X[t], largest):
            return t
        _step(X[t], mean, squares, float(seen + t + 1), out[t])
    return X.shape[0]


@njit(**EXACT)
def _beyond(row, largest):
    odd = 0
    for j in range(row.shape[0]):
        odd += 0 if abs(row[j]) <= largest else 1
    return odd > 0


@njit(**EXACT)
def _step(row, mean, squares, rows, out):
    for j in range(row.shape[0]):
        before = row[j] - mean[j]
        mean[j] += before / rows
        after = row[j] - mean[j]
        squares[j] += before * after
        variance = squares[j] / rows
        out[j] = after / sqrt(variance) if variance > 0.0 else 0.0
