# Problem   predict sign(<w, x_t> + b) row by row; on a mistake move (w, b) by y_t (x_t, 1).
# Given     rows dense (n, d) C-contiguous, or CSR with unsigned indices and pointers; y (n,) of -1 / +1;
#           w (d,) and b (1,) are overwritten; bias is 0 or 1, the value of the constant feature;
#           zero is the sign given to a score of exactly zero, or 0 when such a score counts as wrong.
# Writes    missed (n,): the rows on which a mistake was made, in order.
# Returns   the number of mistakes, and the first row whose score is not finite (n if none).
# Source    Rosenblatt, 1958; Novikoff, 1962. No learning rate: from zero it only rescales w.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.common.prefetch import prefetch_ahead
from assay.compiled.common.rows import add_to, dot, sparse_add_to, sparse_dot


@njit(**EXACT)
def perceptron_pass(X, y, w, b, bias, zero, missed):
    mistakes = 0
    for t in range(X.shape[0]):
        x = X[t]
        prefetch_ahead(x)
        score = dot(x, w) + b[0]
        if 0 < y[t] * score < np.inf or (score == 0 and zero == y[t]):
            continue
        if not np.isfinite(score):
            return mistakes, t
        add_to(w, x, y[t])
        b[0] += y[t] * bias
        missed[mistakes] = t
        mistakes += 1
    return mistakes, X.shape[0]


@njit(**EXACT)
def perceptron_one(x, sign, w, b, bias, zero):
    # The same loop over a block of one row, for callers that have no block; 1 for a mistake, -1 for NaN.
    y = np.full(1, sign, w.dtype)
    missed = np.empty(1, np.int64)
    mistakes, played = perceptron_pass(x.reshape((1, x.shape[0])), y, w, b, bias, zero, missed)
    return mistakes if played else -1


@njit(**EXACT)
def perceptron_pass_csr(data, indices, pointers, y, w, b, bias, zero, missed):
    mistakes = 0
    for t in range(y.shape[0]):
        start, stop = pointers[t], pointers[t + 1]
        score = sparse_dot(data, indices, start, stop, w) + b[0]
        if 0 < y[t] * score < np.inf or (score == 0 and zero == y[t]):
            continue
        if not np.isfinite(score):
            return mistakes, t
        sparse_add_to(w, data, indices, start, stop, y[t])
        b[0] += y[t] * bias
        missed[mistakes] = t
        mistakes += 1
    return mistakes, y.shape[0]
