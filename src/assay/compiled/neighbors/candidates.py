# Problem   the distances of examples and the rows that may be near them, and the k nearest of those.
# Given     Q and X, matrices of d columns of any precision, or CSR with sorted indices; start, the first example;
#           many and found from `screened`: for each example how many rows, and which, counted from base; kind and V
#           as for `kd_search`; far and near (examples, k): the lists of `nearest_list`, which go on from block to
#           block.
# Writes    far and near.
# Returns   nothing.
# Source    `pair_distances`.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.neighbors.kd_search import ABSOLUTES, FORM
from assay.compiled.neighbors.nearest_list import in_order, offer, worst
from assay.compiled.neighbors.pair_distances import (
    head_of,
    pair_absolutes,
    pair_form,
    pair_sparse,
    pair_squares,
)


@njit(**EXACT)
def _pair(kind, Q, i, X, r, V, gap):
    if kind == FORM:
        return pair_form(Q, i, X, r, V, gap)
    if kind == ABSOLUTES:
        return pair_absolutes(Q, i, X, r)
    return pair_squares(Q, i, X, r)


@njit(**EXACT)
def offer_candidates(kind, Q, start, X, V, many, found, base, far, near):
    gap = np.empty(X.shape[1])
    p = 0
    for i in range(many.shape[0]):
        mine, rows = far[start + i], near[start + i]
        for _ in range(many[i]):
            r = base + found[p]
            p += 1
            offer(mine, rows, _pair(kind, Q, start + i, X, r, V, gap), r)


@njit(**EXACT)
def offer_sparse_candidates(
    kind, data, indices, pointers, start, cells, columns, starts, d, many, found, base, far, near
):
    parts, head = np.empty(4), head_of(d)
    p = 0
    for i in range(many.shape[0]):
        mine, rows = far[start + i], near[start + i]
        for _ in range(many[i]):
            r = base + found[p]
            p += 1
            value = pair_sparse(
                data,
                indices,
                pointers[start + i],
                pointers[start + i + 1],
                cells,
                columns,
                starts[r],
                starts[r + 1],
                head,
                parts,
                kind == ABSOLUTES,
            )
            offer(mine, rows, value, r)


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
def candidates_within(kind, Q, start, X, V, many, found, base, limit):
    gap, room = np.empty(X.shape[1]), many.sum()
    who, rows = np.empty(room, np.int64), np.empty(room, np.int64)
    values = np.empty(room)
    p, used = 0, 0
    for i in range(many.shape[0]):
        for _ in range(many[i]):
            r = base + found[p]
            p += 1
            value = _pair(kind, Q, start + i, X, r, V, gap)
            if value <= limit:
                who[used], rows[used], values[used] = start + i, r, value
                used += 1
    return who, rows, values, used


@njit(**EXACT)
def sparse_candidates_within(
    kind, data, indices, pointers, start, cells, columns, starts, d, many, found, base, limit
):
    parts, head, room = np.empty(4), head_of(d), many.sum()
    who, rows = np.empty(room, np.int64), np.empty(room, np.int64)
    values = np.empty(room)
    p, used = 0, 0
    for i in range(many.shape[0]):
        for _ in range(many[i]):
            r = base + found[p]
            p += 1
            value = pair_sparse(
                data,
                indices,
                pointers[start + i],
                pointers[start + i + 1],
                cells,
                columns,
                starts[r],
                starts[r + 1],
                head,
                parts,
                kind == ABSOLUTES,
            )
            if value <= limit:
                who[used], rows[used], values[used] = start + i, r, value
                used += 1
    return who, rows, values, used


# Problem   the squared length of each row, added up like distances.
# Given     X (n, d), or CSR with sorted indices and d columns.
# Writes    out (n,).
# Returns   nothing.
# Source    the distance to zero, so that dense and sparse rows have the same length to the bit.
@njit(**EXACT)
def squared_lengths(X, out):
    zero = np.zeros((1, X.shape[1]))
    for r in range(X.shape[0]):
        out[r] = pair_squares(zero, 0, X, r)


@njit(**EXACT)
def sparse_squared_lengths(data, indices, pointers, d, out):
    parts, head = np.empty(4), head_of(d)
    for r in range(pointers.shape[0] - 1):
        p, stop = pointers[r], pointers[r + 1]
        out[r] = pair_sparse(data, indices, p, stop, data, indices, stop, stop, head, parts, False)
