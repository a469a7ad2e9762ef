# Problem   predict + when the weights of the true literals sum to the threshold or more; on a mistake multiply
#           them by the factor if the label is +, divide them by it if it is -.
# Given     rows of 0 and 1, dense (n, d) C-contiguous, or CSR with unsigned indices (no duplicates) and
#           pointers; y (n,) of -1 / +1; w (d,) the weights of the features and v (d,) those of their negations,
#           or (0,) without negations, are overwritten; the factor, above one. With a factor of two weights stay
#           powers of two, which no product rounds.
# Writes    missed (n,): the rows on which a mistake was made, in order.
# Returns   the number of mistakes, and the first row that holds anything but 0 and 1 (n if none).
# Source    Littlestone, 1988. No weight falls below SMALLEST, so none is ever lost; a sum of positive numbers
#           is never rounded below one of them, which is all the proof asks of the arithmetic.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.common.lanes import lane_wide_dot, over_lanes
from assay.compiled.common.prefetch import prefetch_ahead

SMALLEST = 2.0**-1000

_negated = over_lanes(lambda x, v: (1.0 - x) * v, wide=True)
# Zero only at 0 and 1; no two can cancel.
_impurity = over_lanes(lambda x: abs(x * x - x), wide=True)


@njit(**EXACT)
def winnow_pass(X, y, w, v, threshold, factor, missed):
    mistakes = 0
    inverse = 1.0 / factor
    for t in range(X.shape[0]):
        x = X[t]
        prefetch_ahead(x)
        total = weight_of_true(x, w, v)
        if impurity(x) != 0.0:  # also when it is NaN
            return mistakes, t
        if (total >= threshold) == (y[t] > 0):
            continue
        change = factor if y[t] > 0 else inverse
        for j in range(x.shape[0]):
            if x[j] == 1:
                w[j] = max(w[j] * change, SMALLEST)
            elif v.shape[0]:
                v[j] = max(v[j] * change, SMALLEST)
        missed[mistakes] = t
        mistakes += 1
    return mistakes, X.shape[0]


@njit(**EXACT)
def winnow_pass_csr(data, indices, pointers, y, w, v, threshold, factor, missed):
    mistakes = 0
    inverse = 1.0 / factor
    x = np.zeros(v.shape[0])
    for t in range(y.shape[0]):
        total = 0.0
        for p in range(pointers[t], pointers[t + 1]):
            if data[p] != 1 and data[p] != 0:
                return mistakes, t
            total += data[p] * w[indices[p]]
        if v.shape[0]:
            # With negations a row sets as many literals as there are features, sparse or not.
            x[:] = 0.0
            for p in range(pointers[t], pointers[t + 1]):
                x[indices[p]] = data[p]
            total = weight_of_true(x, w, v)
        if (total >= threshold) == (y[t] > 0):
            continue
        change = factor if y[t] > 0 else inverse
        for p in range(pointers[t], pointers[t + 1]):
            if data[p] == 1:
                w[indices[p]] = max(w[indices[p]] * change, SMALLEST)
        for j in range(v.shape[0]):
            if x[j] == 0:
                v[j] = max(v[j] * change, SMALLEST)
        missed[mistakes] = t
        mistakes += 1
    return mistakes, y.shape[0]


@njit(**EXACT)
def weight_of_true(x, w, v):
    total = lane_wide_dot(x, w)
    return total + _negated(x, v) if v.shape[0] else total


@njit(**EXACT)
def impurity(x):
    return _impurity(x)
