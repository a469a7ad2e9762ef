# Problem   keep the k nearest of many rows that are offered one at a time; of two at the same distance the one with
#           the smaller number is nearer.
# Given     far (k,) and rows (k,), emptied first; a distance and the number of a row.
# Writes    far and rows: with up to FEW in their order; with more as a heap whose worst one comes first, which
#           `in_order` brings into order at the end.
# Returns   `worst`: the place of the worst one. A row farther than that need not be offered.
# Source    Insertion, and Williams, 1964: heapsort.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.neighbors.pair_distances import INLINED

FEW = 64
NOBODY = np.iinfo(np.int64).max


@njit(**EXACT)
def empty_list(far, rows):
    for t in range(far.shape[0]):
        far[t] = np.inf
        rows[t] = NOBODY


@njit(**INLINED)
def worst(far):
    return far.shape[0] - 1 if far.shape[0] <= FEW else 0


@njit(**INLINED)
def offer(far, rows, distance, row):
    last = worst(far)
    if distance > far[last] or (distance == far[last] and row > rows[last]):
        return
    if far.shape[0] > FEW:
        _sift(far, rows, 0, far.shape[0], distance, row)
        return
    place = last
    while place > 0 and (
        far[place - 1] > distance or (far[place - 1] == distance and rows[place - 1] > row)
    ):
        far[place] = far[place - 1]
        rows[place] = rows[place - 1]
        place -= 1
    far[place] = distance
    rows[place] = row


@njit(**EXACT)
def _sift(far, rows, place, many, distance, row):
    # The new one comes to `place`, and goes down below all that are worse.
    while True:
        child = 2 * place + 1
        if child >= many:
            break
        other = child + 1
        if other < many and (
            far[other] > far[child] or (far[other] == far[child] and rows[other] > rows[child])
        ):
            child = other
        if distance > far[child] or (distance == far[child] and row > rows[child]):
            break
        far[place] = far[child]
        rows[place] = rows[child]
        place = child
    far[place] = distance
    rows[place] = row


@njit(**EXACT)
def in_order(far, rows):
    if far.shape[0] <= FEW:
        return
    for many in range(far.shape[0] - 1, 0, -1):
        distance, row = far[many], rows[many]
        far[many], rows[many] = far[0], rows[0]
        _sift(far, rows, 0, many, distance, row)


# Problem   make room for more rows, where nobody knows how many there will be.
# Given     values and numbers, of which the first `used` count; room, how many are to fit.
# Returns   longer arrays with the same beginning.
# Source    doubling.
@njit(**EXACT)
def wider(values, numbers, used, room):
    more, rows = np.empty(room), np.empty(room, np.int64)
    for t in range(used):
        more[t] = values[t]
        rows[t] = numbers[t]
    return more, rows
