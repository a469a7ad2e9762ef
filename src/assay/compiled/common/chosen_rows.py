# Problem   which rows belong to a part of all possible rows, of a stated size: those whose key is small.
# Given     block (n, d) of float64 or float32 and columns (k,) int64, or data, indices and starts of compressed
#           sparse rows and how many cells of each count; seeds (k,) uint64; most, uint64, the largest small key.
# Writes    keys (n,) uint64 and places (n,) int64: of the rows chosen, in their order.
# Returns   how many they are.
# Source    derived: a sum of values times odd numbers, mixed; equal rows have equal keys.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.common.row_hash import _mixed, _seed

_ODD = np.uint64(1)


@njit(**EXACT)
def _bits(value):
    return np.uint64(np.float32(np.float64(value) + 0.0).view(np.uint32))


@njit(**EXACT)
def choose_dense(block, columns, seeds, most, keys, places):
    count = 0
    for i in range(block.shape[0]):
        total = np.uint64(0)
        for k in range(len(columns)):
            total += _bits(block[i, columns[k]]) * (seeds[k] | _ODD)
        total = _mixed(total)
        if total <= most:
            keys[count], places[count] = total, i
            count += 1
    return count


@njit(**EXACT)
def choose_sparse(data, indices, starts, cells, most, keys, places):
    count = 0
    for i in range(len(starts) - 1):
        total = np.uint64(0)
        for at in range(starts[i], min(starts[i] + cells, starts[i + 1])):
            total += _bits(data[at]) * (_seed(np.int64(indices[at])) | _ODD)
        total = _mixed(total)
        if total <= most:
            keys[count], places[count] = total, i
            count += 1
    return count
