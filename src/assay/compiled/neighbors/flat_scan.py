# Problem   the k nearest rows of each example by sums of absolute values, or all rows up to a limit; all are looked at.
# Given     Q (examples, d) float64, those from start to stop; P (blocks, d, room), n rows in their order, infinity
#           after the last.
# Writes    far and near (examples, k), ascending.
# Returns   nothing; the second how many rows each example has, and for all of them, one example after the other, the
#           values and the rows, in their order; how many these are in all.
# Source    `pair_distances`; as many blocks at a time as the processor keeps at hand.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.neighbors.nearest_list import empty_list, in_order, offer, wider, worst
from assay.compiled.neighbors.pair_distances import block_absolutes, how_many_within

# Numbers that are kept at hand, 8 bytes each.
_AT_HAND = 1 << 16


@njit(**EXACT)
def _tile(P):
    return max(1, _AT_HAND // (P.shape[1] * P.shape[2]))


@njit(**EXACT)
def scan_nearest(Q, start, stop, P, n, far, near):
    blocks, d, room = P.shape
    q, distances, last = np.empty(d), np.empty(room), worst(far[0])
    for i in range(start, stop):
        empty_list(far[i], near[i])
    tile = _tile(P)
    for begin in range(0, blocks, tile):
        for i in range(start, stop):
            mine, rows = far[i], near[i]
            for j in range(d):
                q[j] = Q[i, j]
            for block in range(begin, min(blocks, begin + tile)):
                block_absolutes(q, P, block, distances)
                if how_many_within(distances, mine[last]) == 0:
                    continue
                for t in range(min(room, n - block * room)):
                    if distances[t] < mine[last]:
                        offer(mine, rows, distances[t], block * room + t)
    for i in range(start, stop):
        in_order(far[i], near[i])


@njit(**EXACT)
def scan_within(Q, start, stop, P, n, limit):
    blocks, d, room = P.shape
    q, distances = np.empty(d), np.empty(room)
    many = np.zeros(stop - start, np.int64)
    values, numbers, used = np.empty(1024), np.empty(1024, np.int64), 0
    for i in range(start, stop):
        for j in range(d):
            q[j] = Q[i, j]
        for block in range(blocks):
            block_absolutes(q, P, block, distances)
            if how_many_within(distances, limit) == 0:
                continue
            if used + room > values.shape[0]:
                values, numbers = wider(values, numbers, used, 2 * (used + room))
            for t in range(min(room, n - block * room)):
                if distances[t] <= limit:
                    values[used], numbers[used] = distances[t], block * room + t
                    used += 1
                    many[i - start] += 1
    return many, values, numbers, used
