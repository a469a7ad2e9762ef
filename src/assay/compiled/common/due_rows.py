# Problem   of rows that come one after another, the digests of those that are kept: a place says which is the next one.
# Given     due, the place of the next row that is kept; end, the place behind the last row that has come. For digests
#           also block (n, d), the last rows that came, numbers (n,) float64, their labels, the seeds of the columns and
#           of the label (see row_hash), and held, how many rows of digests are taken.
# Writes    places: the places below end that are kept, as far as there is room; digests (m, 2) from held on: of the
#           features, and of features and label.
# Returns   how many there are now, and the next one behind them.
# Source    assay.evidence.fitted_rows.next_due, the same in Python, says why.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.common.row_hash import _cell

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


@njit(**EXACT)
def _behind(due):
    gap = max(min(due // 16, 512), due // 2048)
    if not gap:
        return due + 1
    z = np.uint64(due + 1) * _GOLDEN
    z = (z ^ (z >> np.uint64(30))) * _MIX
    return due + 1 + np.int64((z >> np.uint64(33)) % np.uint64(2 * gap + 1))


@njit(**EXACT)
def due_rows(due, end, places):
    count = 0
    while due < end and count < len(places):
        places[count] = due
        count += 1
        due = _behind(due)
    return count, due


@njit(**EXACT)
def due_digests(block, numbers, due, end, seeds, label_seed, digests, held):
    first = end - len(block)
    width = block.shape[1]
    while due < end and held < len(digests):
        i = due - first
        total = np.uint64(0)
        for c in range(width):
            total += _cell(block[i, c], seeds[c])
        digests[held, 0] = total
        digests[held, 1] = total + _cell(numbers[i], label_seed)
        held += 1
        due = _behind(due)
    return held, due
