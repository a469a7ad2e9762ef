# Problem   divide rows into blocks of near ones: halve them at the median of the feature in which they spread most,
#           and each half again, until a block holds all.
# Given     X (n, d) float64, finite; room, how many rows a block holds at most. Halves are whole blocks but for the
#           last, so that all blocks are full but one.
# Returns   a KdTree. blocks (blocks, d, room): the rows of each block side by side, infinity where there is none; rows
#           (blocks, room): their numbers, -1 where there is none; low and high (d,): the corners of the box around all
#           rows; and of the nodes, each followed by its left half: feature (-1 for a block), right (the right half's
#           node, or the number of the block), edge (nodes, 2): the largest value of the left half and the smallest of
#           the right one, and first: the smallest row number.
# Source    Friedman, Bentley & Finkel, 1977; the median by Floyd & Rivest, 1975.
import math
from collections import namedtuple

import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT

KdTree = namedtuple("KdTree", "blocks rows feature right edge first low high")

# Up to here a sample of the rows is not worth its pains.
_MANY = 600


@njit(**EXACT)
def _swap(Y, numbers, i, k):
    for j in range(Y.shape[1]):
        v = Y[i, j]
        Y[i, j] = Y[k, j]
        Y[k, j] = v
    n = numbers[i]
    numbers[i] = numbers[k]
    numbers[k] = n


@njit(**EXACT)
def _select(Y, numbers, low, high, middle, j):
    # Afterwards what is left of the middle is at most, and what is right of it at least, as large.
    while high > low:
        if high - low > _MANY:
            n, i = high - low + 1, middle - low + 1
            z = math.log(n)
            s = 0.5 * math.exp(2.0 * z / 3.0)
            off = math.copysign(0.5 * math.sqrt(z * s * (n - s) / n), i - n / 2)
            a = max(low, int(middle - i * s / n + off))
            b = min(high, int(middle + (n - i) * s / n + off))
            _select(Y, numbers, a, b, middle, j)
        pivot = Y[middle, j]
        i, k = low, high
        while i <= k:
            while Y[i, j] < pivot:
                i += 1
            while Y[k, j] > pivot:
                k -= 1
            if i <= k:
                _swap(Y, numbers, i, k)
                i += 1
                k -= 1
        if middle <= k:
            high = k
        elif middle >= i:
            low = i
        else:
            return


@njit(**EXACT)
def _widest(Y, start, stop, low, high):
    d = Y.shape[1]
    for j in range(d):
        low[j] = Y[start, j]
        high[j] = Y[start, j]
    for t in range(start + 1, stop):
        for j in range(d):
            v = Y[t, j]
            low[j] = v if v < low[j] else low[j]
            high[j] = v if v > high[j] else high[j]
    widest = 0
    for j in range(1, d):
        if high[j] - low[j] > high[widest] - low[widest]:
            widest = j
    return widest


@njit(**EXACT)
def kd_build(X, room):
    n, d = X.shape
    Y, numbers = X.copy(), np.arange(n)
    blocks = (n + room - 1) // room
    nodes = 2 * blocks - 1
    P = np.full((blocks, d, room), np.inf)
    rows = np.full((blocks, room), -1, np.int64)
    feature, right = np.full(nodes, -1, np.int32), np.zeros(nodes, np.int32)
    edge, first = np.zeros((nodes, 2)), np.zeros(nodes, np.int64)
    low, high, box = np.empty(d), np.empty(d), np.empty((2, d))
    # Halves still to be divided: where they start and stop, and whose right half they are.
    starts, stops = np.zeros(64, np.int64), np.zeros(64, np.int64)
    parents = np.full(64, -1, np.int64)
    stops[0] = n
    waiting, node = 1, -1
    while waiting > 0:
        waiting -= 1
        node += 1
        start, stop = starts[waiting], stops[waiting]
        if parents[waiting] >= 0:
            right[parents[waiting]] = node
        smallest = numbers[start]
        for t in range(start + 1, stop):
            smallest = min(smallest, numbers[t])
        first[node] = smallest
        widest = 0
        if node == 0 or stop - start > room:
            widest = _widest(Y, start, stop, low, high)
        if node == 0:
            for j in range(d):
                box[0, j], box[1, j] = low[j], high[j]
        if stop - start <= room:
            block = start // room
            right[node] = block
            for t in range(start, stop):
                rows[block, t - start] = numbers[t]
                for j in range(d):
                    P[block, j, t - start] = Y[t, j]
            continue
        j = widest
        middle = start + (((stop - start + room - 1) // room + 1) // 2) * room
        if high[j] > low[j]:
            _select(Y, numbers, start, stop - 1, middle, j)
        largest = Y[start, j]
        for t in range(start + 1, middle):
            largest = max(largest, Y[t, j])
        feature[node] = j
        edge[node, 0], edge[node, 1] = largest, Y[middle, j]
        starts[waiting], stops[waiting], parents[waiting] = middle, stop, node
        starts[waiting + 1], stops[waiting + 1], parents[waiting + 1] = start, middle, -1
        waiting += 2
    return KdTree(P, rows, feature, right, edge, first, box[0], box[1])
