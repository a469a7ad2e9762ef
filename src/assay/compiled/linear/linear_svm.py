# Problem   minimise ||w||^2 / 2 + sum_i c_i l(1 - y_i <w, x_i>) with l(z) = max(0, z) or its square, through the
#           dual: minimise ||sum_i a_i y_i x_i||^2 / 2 + sum_i r_i a_i^2 / 2 - sum_i a_i over 0 <= a_i <= cap_i,
#           with cap = c and r = 0 for the hinge, cap = inf and r = 1 / (2 c) for its square.
# Given     rows dense (n, d) or CSR with unsigned indices and pointers, of any precision; constant, the value of
#           a feature that all rows share (zero for none); y (n,) of -1.0 / +1.0; cap, ridge, squares (n,), the
#           last with the constant; order (m,) the rows meant, whose first `active` are looked at; block, how many that
#           follow each other there are visited together; alpha (n,), w (d,) and w0 (1,), with
#           w = sum_i a_i y_i x_i; state (1,) of the generator, uint64; bars (2,), the gradients beyond
#           which rows are set aside, at first inf and -inf. All of these arrays are overwritten.
# Returns   the passes made, how many rows are still looked at, and the spread of their projected gradients in the
#           last pass. The search ends when it is at most `tolerance`; whether the rows set aside agree is for
#           the caller to see, who needs all scores for the duality gap anyway.
# Source    Hsieh, Chang, Lin, Keerthi & Sundararajan, 2008: dual coordinate descent with shrinking. Every pass has a
#           new order. Where rows lie in memory in a random order already, blocks of them need be shuffled only: a pass
#           then reads memory on and on, and converges as well.
import numpy as np
from numba import njit

from assay.compiled.common.either_rows import add_row, row_dot
from assay.compiled.common.flags import EXACT

_MULTIPLIER = np.uint64(6364136223846793005)
_INCREMENT = np.uint64(1442695040888963407)
_HALF = np.uint64(32)


@njit(**EXACT)
def _shuffle(order, active, state):
    s = state[0]
    for k in range(active - 1):
        s = s * _MULTIPLIER + _INCREMENT
        # The upper bits, scaled to the number of those left: no division.
        r = k + np.int64(((s >> _HALF) * np.uint64(active - k)) >> _HALF)
        order[k], order[r] = order[r], order[k]
    state[0] = s


@njit(**EXACT)
def _arrange(order, active, block, state, blocks, visits):
    # The first block is short by chance, so that other rows come together in every pass.
    s = state[0] * _MULTIPLIER + _INCREMENT
    state[0] = s
    short = np.int64(((s >> _HALF) * np.uint64(block)) >> _HALF)
    many = (active + short + block - 1) // block
    for k in range(many):
        blocks[k] = k
    _shuffle(blocks, many, state)
    at = 0
    for k in range(many):
        start = blocks[k] * block - short
        for t in range(max(start, 0), min(start + block, active)):
            visits[at] = order[t]
            at += 1


@njit(**EXACT)
def _part(order, active, aside, buffer):
    # Those set aside go behind the others; both stay in their order.
    kept, gone = 0, 0
    for k in range(active):
        i = order[k]
        if aside[i]:
            aside[i] = False
            buffer[gone] = i
            gone += 1
        else:
            order[kept] = i
            kept += 1
    for k in range(gone):
        order[kept + k] = buffer[k]
    return kept


@njit(**EXACT)
def _bars(high, low):
    # What lies beyond these in the next pass is set aside.
    return (high if high > 0.0 else np.inf), (low if low < 0.0 else -np.inf)


@njit(**EXACT)
def linear_descent(
    rows,
    constant,
    y,
    cap,
    ridge,
    squares,
    order,
    active,
    block,
    alpha,
    w,
    w0,
    state,
    bars,
    most_passes,
    tolerance,
):
    spread = np.inf
    high_bar, low_bar = bars
    blocks = np.empty(order.shape[0] // block + 2, np.int64)
    visits = np.empty(order.shape[0], np.int64)
    aside = np.zeros(y.shape[0], np.bool_)
    for done in range(most_passes):
        high, low = -np.inf, np.inf
        _arrange(order, active, block, state, blocks, visits)
        for k in range(active):
            i = visits[k]
            a = alpha[i]
            slope = y[i] * (row_dot(rows, i, w) + constant * w0[0]) - 1.0 + ridge[i] * a
            if (a == 0.0 and slope > high_bar) or (a == cap[i] and slope < low_bar):
                aside[i] = True
                continue
            if (a == 0.0 and slope > 0.0) or (a == cap[i] and slope < 0.0):
                high, low = max(high, 0.0), min(low, 0.0)
                continue
            high, low = max(high, slope), min(low, slope)
            bent = squares[i] + ridge[i]
            moved = min(max(a - slope / bent, 0.0), cap[i]) if bent > 0.0 else cap[i]
            if moved != a:
                step = (moved - a) * y[i]
                add_row(rows, i, step, w)
                w0[0] += step * constant
                alpha[i] = moved
        active = _part(order, active, aside, visits)
        spread = high - low if active > 0 else 0.0
        high_bar, low_bar = _bars(high, low)
        bars[0], bars[1] = high_bar, low_bar
        if spread <= tolerance:
            return done + 1, active, spread
    return most_passes, active, spread
