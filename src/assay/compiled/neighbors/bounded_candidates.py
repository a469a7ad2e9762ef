# Problem   which rows can be among the k nearest of an example, by inner products whose rounding is bounded.
# Given     V (examples, w): half the squared length of each row, less what rounding can take away, less its product
#           with the example, from a product of matrices in single or double precision. With e = allowance, one for
#           each example, and o = twice the row's own: v - e <= v* <= v + o + e, where v* = |s - x|^2 / 2 - half is
#           what no rounding would give for the example s and the row x. The distances themselves, which
#           `pair_distances` squares, lie between (|s - x| - slack) / stretch and (|s - x| + slack) stretch in
#           these units. bars (examples,): the square of a distance that is not to be exceeded, infinity for none.
# Returns   how many rows each example has, and the rows, one example after the other, counted from the first of V, and
#           how many these are in all: no row within the bar is left out that could be among the k nearest of this V.
# Source    The k-th smallest upper bound is above the k-th nearest; a row whose lower bound is above that is out.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.neighbors.nearest_list import empty_list, offer, worst
from assay.compiled.neighbors.pair_distances import INLINED

# Values that are looked at together.
_RUN = 64


@njit(**INLINED)
def _bound(bar, half, allowance, slack, stretch):
    # The largest v that a row at the square root of the bar can have, with the rounding of this line.
    length = np.sqrt(bar) * stretch + slack
    return 0.5 * length * length * (1.0 + 1e-12) - half + (allowance + 1e-15 * half)


@njit(**INLINED)
def _seen(upper, half, allowance, slack, stretch):
    # The square of the largest distance that a row with v* up to this can have.
    length = np.sqrt(max(0.0, 2.0 * (upper + allowance + half)) * (1.0 + 1e-12))
    root = (length + slack) * stretch
    return root * root


@njit(**INLINED)
def _as_type_above(V, number):
    rounded = V.dtype.type(number)
    if rounded < number:
        rounded = np.nextafter(rounded, V.dtype.type(np.inf))
    return rounded


@njit(**INLINED)
def _any_within(V, i, start, stop, bar):
    hit = False
    # Unsigned, or a sign would be looked for at every step.
    for j in range(np.uint64(start), np.uint64(stop)):
        hit |= V[i, j] <= bar
    return hit


@njit(**EXACT)
def _longer(rows, used, room):
    more = np.empty(room, np.int64)
    for t in range(used):
        more[t] = rows[t]
    return more


@njit(**EXACT)
def screen_nearest(V, own, half, allowance, slack, stretch, bars, k):
    many = np.zeros(V.shape[0], np.int64)
    rows, used = np.empty(1024, np.int64), 0
    w = V.shape[1]
    upper, places = np.empty(k), np.empty(k, np.int64)
    last = worst(upper)
    for i in range(V.shape[0]):
        if used + w > rows.shape[0]:
            rows = _longer(rows, used, 2 * (used + w))
        begun = used
        empty_list(upper, places)
        bound = _bound(bars[i], half[i], allowance[i], slack[i], stretch)
        bar = _as_type_above(V, bound)
        for start in range(0, w, _RUN):
            stop = min(w, start + _RUN)
            if not _any_within(V, i, start, stop, bar):
                continue
            for j in range(start, stop):
                if V[i, j] <= bar:
                    rows[used] = j
                    used += 1
                    offer(upper, places, np.float64(V[i, j]) + own[j], j)
            if upper[last] < np.inf:
                nearer = _seen(upper[last], half[i], allowance[i], slack[i], stretch)
                nearer = _bound(nearer, half[i], allowance[i], slack[i], stretch)
                if nearer < bound:
                    bound = nearer
                    bar = _as_type_above(V, bound)
        # The bar has come down since the first ones passed it.
        kept = begun
        for p in range(begun, used):
            if V[i, rows[p]] <= bar:
                rows[kept] = rows[p]
                kept += 1
        used = kept
        many[i] = used - begun
    return many, rows, used


@njit(**EXACT)
def screen_within(V, half, allowance, slack, stretch, limit):
    many = np.zeros(V.shape[0], np.int64)
    rows, used = np.empty(1024, np.int64), 0
    w = V.shape[1]
    for i in range(V.shape[0]):
        if used + w > rows.shape[0]:
            rows = _longer(rows, used, 2 * (used + w))
        begun = used
        bound = _bound(limit, half[i], allowance[i], slack[i], stretch)
        bar = _as_type_above(V, bound)
        for start in range(0, w, _RUN):
            stop = min(w, start + _RUN)
            if _any_within(V, i, start, stop, bar):
                for j in range(start, stop):
                    if V[i, j] <= bar:
                        rows[used] = j
                        used += 1
        many[i] = used - begun
    return many, rows, used
