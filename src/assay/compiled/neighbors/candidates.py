# Problem   the distances of examples and the rows that may be near them, and the k nearest of those.
# Given     Q and X, matrices of d columns of any precision, or CSR with sorted indices, as `pair_distances` has them;
#           start, the first example; many and chosen from `bounded_candidates`: for each example how many rows, and
#           which, counted from base; kind and V as for `kd_search`; far and near (examples, k): the lists of
#           `nearest_list`, which go on from block to block.
# Writes    far and near.
# Returns   nothing.
# Source    `pair_distances`. What pairs are compared by follows from the types of Q and X when the loop is compiled.
import numpy as np
from numba import njit, types
from numba.extending import overload

from assay.compiled.common.flags import EXACT
from assay.compiled.neighbors.kd_search import ABSOLUTES, FORM, SQUARES
from assay.compiled.neighbors.nearest_list import in_order, offer, worst
from assay.compiled.neighbors.pair_distances import (
    pair_absolutes,
    pair_form,
    pair_sparse,
    pair_squares,
)


def _pair(kind, Q, i, X, r, V, gap):
    raise NotImplementedError("compiled only")


@overload(_pair, jit_options=EXACT)
def _pair_of(kind, Q, i, X, r, V, gap):
    def dense(kind, Q, i, X, r, V, gap):
        if kind == FORM:
            return pair_form(Q, i, X, r, V, gap)
        if kind == ABSOLUTES:
            return pair_absolutes(Q, i, X, r)
        return pair_squares(Q, i, X, r)

    def thin(kind, Q, i, X, r, V, gap):
        return pair_sparse(Q, i, X, r, gap, kind == ABSOLUTES)

    return thin if isinstance(Q, types.BaseTuple) else dense


@njit(**EXACT)
def offer_candidates(kind, Q, start, X, V, many, chosen, base, far, near):
    gap = np.empty(max(4, V.shape[1]))
    p = 0
    for i in range(many.shape[0]):
        mine, rows = far[start + i], near[start + i]
        for _ in range(many[i]):
            r = base + chosen[p]
            p += 1
            offer(mine, rows, _pair(kind, Q, start + i, X, r, V, gap), r)


@njit(**EXACT)
def bars_of(far, bars):
    for i in range(far.shape[0]):
        bars[i] = far[i, worst(far[i])]


@njit(**EXACT)
def order_lists(far, near):
    for i in range(far.shape[0]):
        in_order(far[i], near[i])


# Problem   the same candidates, those within a limit.
# Given     as above.
# Returns   for all pairs within the limit, one example after the other: the example, the row and the value; how many
#           these are.
# Source    as above.
@njit(**EXACT)
def candidates_within(kind, Q, start, X, V, many, chosen, base, limit):
    gap, room = np.empty(max(4, V.shape[1])), many.sum()
    who, rows = np.empty(room, np.int64), np.empty(room, np.int64)
    values = np.empty(room)
    p, used = 0, 0
    for i in range(many.shape[0]):
        for _ in range(many[i]):
            r = base + chosen[p]
            p += 1
            value = _pair(kind, Q, start + i, X, r, V, gap)
            if value <= limit:
                who[used], rows[used], values[used] = start + i, r, value
                used += 1
    return who, rows, values, used


# Problem   the squared length of each row, added up like distances.
# Given     X and one row of zeros, both as above.
# Writes    out (n,).
# Returns   nothing.
# Source    the distance to zero, so that dense and sparse rows have the same length to the bit.
@njit(**EXACT)
def squared_lengths(X, zero, out):
    gap, V = np.empty(4), np.empty((0, 0))
    for r in range(out.shape[0]):
        out[r] = _pair(SQUARES, X, r, zero, 0, V, gap)
