# Problem   predict sign(<w, x_t> + b) row by row; on a mistake move (w, b) by y_t (x_t, 1).
# Given     rows dense (n, d) C-contiguous, or CSR with unsigned indices and pointers; y (n,) of -1 / +1; order, the
#           rows in the order of play, or empty for their own;
#           w (d,) and b (1,) are overwritten; bias is 0 or 1, the value of the constant feature;
#           zero is the sign given to a score of exactly zero, or 0 when such a score counts as wrong.
# Writes    missed (n,): the rows on which a mistake was made, in the order of play.
# Returns   the number of mistakes, and the rows played before one whose score is not finite (n if none).
# Source    Rosenblatt, 1958; Novikoff, 1962. No learning rate: from zero it only rescales w.
import numpy as np
from numba import njit

from assay.compiled.common.either_rows import add_row, fetch_turn, row_dot
from assay.compiled.common.flags import EXACT


@njit(**EXACT)
def perceptron_pass(rows, y, order, w, b, bias, zero, missed):
    mistakes = 0
    for turn in range(y.shape[0]):
        t = fetch_turn(rows, order, turn)
        score = row_dot(rows, t, w) + b[0]
        if 0 < y[t] * score < np.inf or (score == 0 and zero == y[t]):
            continue
        if not np.isfinite(score):
            return mistakes, turn
        add_row(rows, t, y[t], w)
        b[0] += y[t] * bias
        missed[mistakes] = t
        mistakes += 1
    return mistakes, y.shape[0]


@njit(**EXACT)
def perceptron_one(x, sign, w, b, bias, zero):
    # The same loop over a block of one row, for callers that have no block; 1 for a mistake, -1 for NaN.
    y = np.full(1, sign, w.dtype)
    missed = np.empty(1, np.int64)
    own = missed[:0]
    mistakes, played = perceptron_pass(x.reshape((1, x.shape[0])), y, own, w, b, bias, zero, missed)
    return mistakes if played else -1
