# Problem   predict the sign of sum_q y_q k(s_q, x) over the support; on a mistake the example joins it.
# Given     code, numbers, needs and own: the kernel's program, see kernel_pairs, and whether it asks for k(x, x);
#           X (n, d), columns and starts None; or sparse rows in canonical CSR with signed indices, X being their
#           cells; y (n,) of -1 / +1; order, the rows in the order of play; zero as in perceptron_pass;
#           held, held_columns and held_starts, room for the support in the same form, and labels (c,), of
#           which those from span[0] to span[1] are in use; budget, the most that may be (0: any number); sums (n,)
#           with begun and known (n,): row t's sum over the support from begun[t] up to known[t], so
#           that no pair is computed twice; tally (2,): the squared length of the weights and the largest k(x, x)
#           of a mistake.
# Writes    all of these but code, numbers, needs, X, y and order; missed: the rows of mistakes, as played.
# Returns   the number of mistakes, and the rows played: not all of them when the support is full (state 1), or a
#           score or a cell is not finite (state 2); and the state, else 0.
# Source    Aizerman, Braverman & Rozonoer, 1964. A sum is added up in the order of the mistakes, whatever
#           part of it was known, so that chunks, a whole and single rows give the same bits. Beyond
#           the budget the oldest mistake is forgotten: Crammer, Kandola & Singer, 2004.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.kernel.kernel_pairs import ROOM, pair_values


@njit(**EXACT)
def kernel_perceptron_pass(
    code,
    numbers,
    needs,
    own,
    X,
    columns,
    starts,
    y,
    order,
    zero,
    held,
    held_columns,
    held_starts,
    labels,
    span,
    budget,
    sums,
    begun,
    known,
    tally,
    missed,
):
    what, stack = np.zeros((3, 4, ROOM)), np.zeros((code.shape[0], ROOM))
    rows, support = (X, columns, starts), (held, held_columns, held_starts)
    mistakes = 0
    for turn in range(order.shape[0]):
        t = order[turn]
        if begun[t] != span[0]:
            sums[t], begun[t], known[t] = 0.0, span[0], span[0]
        for start in range(known[t], span[1], ROOM):
            stop = min(start + ROOM, span[1])
            pair_values(code, numbers, needs, own, rows, t, support, start, stop, what, stack)
            for q in range(start, stop):
                sums[t] += labels[q] * stack[0, q - start]
        known[t] = span[1]
        score = sums[t]
        pair_values(code, numbers, needs, own, rows, t, rows, t, t + 1, what, stack)
        square = stack[0, 0]
        x = cells_of(*rows, t)
        if not (np.isfinite(score) and np.isfinite(square) and all_finite(x)):
            return mistakes, turn, 2
        if y[t] * score > 0 or (score == 0 and zero == y[t]):
            continue
        if span[1] == labels.shape[0] or not joins(x, columns, starts, t, *support, span[1]):
            return mistakes, turn, 1
        labels[span[1]] = y[t]
        span[1] += 1
        if budget and span[1] - span[0] > budget:
            span[0] += 1
        tally[0] += 2 * y[t] * score + square
        tally[1] = max(tally[1], square)
        missed[mistakes] = t
        mistakes += 1
    return mistakes, order.shape[0], 0


@njit(**EXACT)
def cells_of(X, columns, starts, t):
    if X.ndim == 2:
        return X[t]
    return X[starts[t] : starts[t + 1]]


@njit(**EXACT)
def all_finite(x):
    fine = True
    for i in range(x.shape[0]):
        fine &= np.isfinite(x[i])
    return fine


# Problem   write a row into a place of the support.
# Given     x, the cells of row t, and the columns and starts that it comes from; held and its columns and starts.
# Writes    these three.
# Returns   whether there was room for the cells.
# Source    as above.
@njit(**EXACT)
def joins(x, columns, starts, t, held, held_columns, held_starts, place):
    if held.ndim == 2:
        held[place] = x
    else:
        a = held_starts[place]
        b = a + x.shape[0]
        if b > held.shape[0]:
            return False
        held[a:b] = x
        held_columns[a:b] = columns[starts[t] : starts[t + 1]]
        held_starts[place + 1] = b
    return True
