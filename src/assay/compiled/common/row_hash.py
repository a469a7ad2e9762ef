# Problem   the first lane of the digests of some rows: the sum over their cells of a mix of column and value.
# Given     block (n, d) of float64 or float32 in any layout, or data, indices and starts of compressed sparse rows;
#           places (k,) int64, which rows; seeds (d,) uint64, the seed of each column.
# Writes    sums (k,) uint64: the first eight bytes of each row's digest, as one little-endian number.
# Returns   sparse_lane: whether every row has its columns in rising order; where not, sums are not digests. Values of
#           one column that stand side by side are added.
# Source    assay.evidence.row_mix, the same in NumPy, says what is computed.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT

_START = np.uint64(0x243F6A8885A308D3)
_STEP = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_MISSING = np.uint64(0x7FF8000000000000)
_SINGLE = 2.0**24


@njit(**EXACT)
def _mixed(z):
    z = (z ^ (z >> np.uint64(30))) * _M1
    z = (z ^ (z >> np.uint64(27))) * _M2
    return z ^ (z >> np.uint64(31))


@njit(**EXACT)
def _seed(column):
    return _mixed(_START + (np.uint64(column) + np.uint64(1)) * _STEP)


@njit(**EXACT)
def _cell(value, seed):
    v = np.float64(value)
    if v != v:
        return _mixed(_MISSING ^ seed)
    if abs(v) < _SINGLE:
        v = np.float64(np.float32(v))
    if v == 0.0:
        return np.uint64(0)
    return _mixed(np.float64(v).view(np.uint64) ^ seed)


@njit(**EXACT)
def dense_lane(block, places, seeds, sums):
    width = block.shape[1]
    for k in range(len(places)):
        i = places[k]
        total = np.uint64(0)
        for c in range(width):
            total += _cell(block[i, c], seeds[c])
        sums[k] = total


@njit(**EXACT)
def sparse_lane(data, indices, starts, places, sums):
    ordered = True
    for k in range(len(places)):
        i = places[k]
        total = np.uint64(0)
        at, end = starts[i], starts[i + 1]
        while at < end:
            column = np.int64(indices[at])
            value = data[at]
            at += 1
            while at < end and indices[at] == column:
                value += data[at]
                at += 1
            if at < end and indices[at] < column:
                ordered = False
            total += _cell(value, _seed(column))
        sums[k] = total
    return ordered
