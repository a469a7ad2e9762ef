# Problem   start at y_1 x_1; then move (w, b) by y_t x_t whenever y_t <w, x_t> / ||w|| is below the threshold.
#           Every row is scaled to length one, its constant feature included.
# Given     rows dense (n, d) C-contiguous, or CSR with unsigned indices and pointers; y (n,) of -1 / +1;
#           order as in perceptron_pass; w (d,), b (1,) and state (3,) are overwritten; bias is 0 or 1, the value
#           of the constant feature.
#           state: whether the first row was seen; ||(w, b)||^2; updates since that was computed afresh.
# Writes    moved (n,): the rows that moved the weights, in the order of play, the very first one included.
# Returns   the mistakes (sgn(0) = +1), the rows written, the rows played (n, or those before one whose length is zero
#           or not finite, or whose score is not finite), and the smallest margin met.
# Source    Mansour, Introduction to Machine Learning, lecture 4, 2012.
import numpy as np
from numba import njit

from assay.compiled.common.either_rows import add_row, fetch_turn, row_square, wide_row_dot
from assay.compiled.common.flags import EXACT
from assay.compiled.common.rows import wide_square

STARTED, NORM, SINCE = range(3)


@njit(**EXACT)
def margin_perceptron_pass(rows, y, order, w, b, bias, threshold, state, moved):
    mistakes = moves = 0
    smallest = np.inf
    for turn in range(y.shape[0]):
        t = fetch_turn(rows, order, turn)
        length = np.sqrt(row_square(rows, t) + bias)
        score = (wide_row_dot(rows, t, w) + b[0] * bias) / length
        if not (np.isfinite(score) and 0.0 < length < np.inf):
            return mistakes, moves, turn, smallest
        margin = _margin(y[t] * score, state)
        mistakes += state[STARTED] == 1.0 and _wrong(score, y[t])
        if margin < threshold:
            add_row(rows, t, y[t] / length, w)
            b[0] += y[t] / length * bias
            margin = _after_move(y[t] * score, margin, w, b, state)
            moved[moves] = t
            moves += 1
        smallest = min(smallest, margin)
    return mistakes, moves, y.shape[0], smallest


@njit(**EXACT)
def _wrong(score, label):
    return label * score < 0.0 or (score == 0.0 and label < 0.0)


@njit(**EXACT)
def _margin(signed, state):
    # Weights of zero, at the start or when opposite examples met, have no margin at all.
    return signed / np.sqrt(state[NORM]) if state[NORM] > 0.0 else -np.inf


@njit(**EXACT)
def _after_move(signed, margin, w, b, state):
    # The length afresh once per d moves: the cost stays that of a row, and rounding cannot add up.
    state[NORM] = max(0.0, state[NORM] + 2.0 * signed + 1.0)
    state[SINCE] += 1.0
    if state[SINCE] > w.shape[0]:
        state[NORM], state[SINCE] = wide_square(w) + b[0] * b[0], 0.0
    if state[STARTED] == 0.0:
        state[STARTED] = 1.0
        return 1.0  # the first row is the weights
    return margin
