# Problem   predict + when a literal that is left is true; on a mistake drop every literal that is true.
# Given     rows of 0 and 1, dense (n, d) C-contiguous, or CSR with unsigned indices (no duplicates) and
#           pointers; y (n,) of -1 / +1; w (d,), 1 where a feature is left and 0 where not, and v (d,) the same
#           for the negations, or (0,) without them, are overwritten.
# Writes    missed (n,): the negative rows that were taken for positive, in order.
# Returns   how many of these there are, how many positive rows were taken for negative (there nothing is
#           true, so nothing is dropped), and the first row that holds anything but 0 and 1 (n if none).
# Source    Blum, Hopcroft & Kannan, Foundations of Data Science, section 6.4.1; Mansour, 2012, section 4.5.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.linear.winnow import impurity, weight_of_true


@njit(**EXACT)
def elimination_pass(X, y, w, v, missed):
    dropped = refused = 0
    for t in range(X.shape[0]):
        x = X[t]
        if impurity(x) != 0.0:  # also when it is NaN
            return dropped, refused, t
        holds = weight_of_true(x, w, v) > 0
        if holds == (y[t] > 0):
            continue
        if not holds:
            refused += 1
            continue
        _drop(x, w, v)
        missed[dropped] = t
        dropped += 1
    return dropped, refused, X.shape[0]


@njit(**EXACT)
def elimination_pass_csr(data, indices, pointers, y, w, v, missed):
    dropped = refused = 0
    x = np.zeros(v.shape[0])
    for t in range(y.shape[0]):
        total = 0.0
        for p in range(pointers[t], pointers[t + 1]):
            if data[p] != 1 and data[p] != 0:
                return dropped, refused, t
            total += data[p] * w[indices[p]]
        if v.shape[0]:
            x[:] = 0.0
            for p in range(pointers[t], pointers[t + 1]):
                x[indices[p]] = data[p]
            total = weight_of_true(x, w, v)
        if (total > 0) == (y[t] > 0):
            continue
        if not total > 0:
            refused += 1
            continue
        for p in range(pointers[t], pointers[t + 1]):
            if data[p] == 1:
                w[indices[p]] = 0.0
        for j in range(v.shape[0]):
            if x[j] == 0:
                v[j] = 0.0
        missed[dropped] = t
        dropped += 1
    return dropped, refused, y.shape[0]


@njit(**EXACT)
def _drop(x, w, v):
    for j in range(x.shape[0]):
        if x[j] == 1:
            w[j] = 0.0
        elif v.shape[0]:
            v[j] = 0.0
