# Problem   write every cell of a table as a number whose order is that of the cells, with the row's class and number
#           behind it, so that sorting a column puts its rows in order and nothing has to be looked up.
# Given     bits (n, d) uint32, the float32 cells as they lie in memory; tails (n,) uint32, class and number of rows.
# Writes    keys (d, n) uint64, a row for each feature: the cell above, the tail below. Missing cells are all ones, and
#           so the last of all; minus zero is zero.
# Source    order of IEEE 754 numbers: turn all bits over if the sign is set, else the sign alone.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT

_ROWS = 256
_SIGN = np.uint32(0x80000000)
_ALL = np.uint32(0xFFFFFFFF)
_INFINITY = np.uint32(0x7F800000)
_VALUE = np.uint64(32)
_LAST = np.uint32(31)


@njit(**EXACT)
def keys_of(bits, tails, keys):
    n, d = bits.shape
    for start in range(0, n, _ROWS):
        part, ends = bits[start : start + _ROWS], tails[start : start + _ROWS]
        for f in range(d):
            out = keys[f, start : start + _ROWS]
            for i in range(out.size):
                cell = part[i, f]
                cell = np.uint32(0) if cell == _SIGN else cell
                # All ones for a negative number, else none.
                turned = np.uint32(0) - (cell >> _LAST)
                key = cell ^ (turned | _SIGN)
                key = _ALL if (cell & ~_SIGN) > _INFINITY else key
                out[i] = (np.uint64(key) << _VALUE) | np.uint64(ends[i])
