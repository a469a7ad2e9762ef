# Problem   which of the rows that come one after another are kept: a place says which is the next one.
# Given     due, the place of the next row that is kept; end, the place behind the last row that has come.
# Writes    places: the places below end that are kept, as far as there is room.
# Returns   how many there are, and the next one behind them.
# Source    assay.record.fitted_rows.next_due, the same in Python, says why.
import numpy as np
from numba import njit

from assay.compiled.flags import EXACT

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


@njit(**EXACT)
def due_rows(due, end, places):
    count = 0
    while due < end and count < len(places):
        places[count] = due
        count += 1
        gap = max(min(due // 16, 256), due // 2048)
        step = np.uint64(0)
        if gap:
            z = np.uint64(due + 1) * _GOLDEN
            z = (z ^ (z >> np.uint64(30))) * _MIX
            step = (z >> np.uint64(33)) % np.uint64(2 * gap + 1)
        due += 1 + np.int64(step)
    return count, due
