# Problem   put the rows of one feature in order, and cut that order into at most 256 bins, none of which splits rows
#           of one value; a feature of at most 256 values gets a bin for each.
# Given     values (n,) float64, finite; keys (n,) uint64, sorted: the upper half orders the values rounded to single
#           precision, the lower half is the row.
# Writes    order (n,) int32, the rows by value, and those of one value by number; codes (n,) uint8, the bin of each
#           row; starts (257,) int32, where each bin begins in the order, n behind the last.
# Returns   the number of bins.
# Source    sorting packed keys is quicker than sorting places; bins of equal counts as in histogram trees.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT

BINS = 256
_FEW = 24
_HALF = np.uint64(32)
_LOWER = np.uint64(0xFFFFFFFF)


@njit(**EXACT)
def bin_feature(values, keys, order, codes, starts):
    n = len(values)
    for k in range(n):
        order[k] = np.int32(keys[k] & _LOWER)
    distinct = _in_order(values, keys, order)
    bins = 0
    k = 0
    starts[0] = 0
    while k < n:
        # The run of one value; the keys are at hand, the values far apart.
        stop = k + 1
        while (
            stop < n
            and keys[stop] >> _HALF == keys[k] >> _HALF
            and values[order[stop]] == values[order[k]]
        ):
            stop += 1
        for i in range(k, stop):
            codes[order[i]] = bins
        k = stop
        if distinct <= BINS or k * BINS >= (bins + 1) * n:
            bins += 1
            starts[bins] = k
    for b in range(bins + 1, BINS + 1):
        starts[b] = n
    return bins


@njit(**EXACT)
def _in_order(values, keys, order):
    # Rows that single precision cannot tell apart are put in order by their values; how many of these there are.
    n = len(values)
    distinct = 0
    k = 0
    while k < n:
        stop = k + 1
        while stop < n and keys[stop] >> _HALF == keys[k] >> _HALF:
            stop += 1
        distinct += 1
        if stop == k + 1:
            k = stop
            continue
        run = order[k:stop]
        if stop - k <= _FEW:
            for i in range(1, len(run)):
                row, j = run[i], i
                while j > 0 and values[run[j - 1]] > values[row]:
                    run[j] = run[j - 1]
                    j -= 1
                run[j] = row
        else:
            sorted_already = True
            for i in range(1, len(run)):
                sorted_already = sorted_already and values[run[i - 1]] <= values[run[i]]
            if not sorted_already:
                _merge_sort(values, run)
        for i in range(k + 1, stop):
            distinct += values[order[i - 1]] != values[order[i]]
        k = stop
    return distinct


@njit(**EXACT)
def _merge_sort(values, run):
    # From the bottom up; rows of one value stay in their order. numba's own would take a second to compile.
    n = len(run)
    spare = np.empty_like(run)
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            i, j = low, middle
            for k in range(low, high):
                if i < middle and (j == high or values[run[i]] <= values[run[j]]):
                    spare[k] = run[i]
                    i += 1
                else:
                    spare[k] = run[j]
                    j += 1
        run[:] = spare
        width *= 2
