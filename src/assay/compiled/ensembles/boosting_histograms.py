# Problem   the sums of gradients and hessians of a leaf's rows, for every bin of every feature.
# Given     records, the bins by rows (boosting_bins); base and stride, where the first feature wanted of row i is:
#           base + i * stride; width, how many features follow; rows[start:stop], the leaf's; words (n,) int32, packed
#           gradients (boosting_gradients); shift, the bits of a sum of hessians.
# Writes    hist (width * 256,) int64: the sum of gradients << shift, plus that of hessians, is added to.
# Source    One load, addition and store for each row and feature, and exact: sums of whole numbers do not depend on
#           order, so not on threads, and a leaf's sibling is one subtraction. Rows of a leaf lie far apart: they
#           are prefetched.
import numpy as np
from numba import njit
from numba.extending import overload

from assay.compiled.common.flags import LENT
from assay.compiled.common.prefetch import prefetch_at
from assay.compiled.ensembles.boosting_bins import BINS, MISSING

U = np.uint64
AHEAD = 24  # rows


@njit(inline="always")
def _add_record(hist, records, at, width, word):
    h = U(0)
    for _ in range(width >> U(1)):
        a, b = U(records[at]), U(records[at + U(1)])
        hist[h + a] += word
        hist[h + U(BINS) + b] += word
        h += U(2 * BINS)
        at += U(2)
    if width & U(1):
        hist[h + U(records[at])] += word


@njit(inline="always")
def _wide(word, shift):
    return (np.int64(word >> 16) << shift) + np.int64(word & 0xFFFF)


@njit(**LENT)
def add_rows(hist, records, base, stride, width, rows, start, stop, words, shift):
    for i in range(U(start), U(stop)):
        ahead = U(rows[min(i + U(AHEAD), U(stop) - U(1))])
        prefetch_at(records, base + ahead * stride)
        prefetch_at(words, ahead)
        row = U(rows[i])
        _add_record(hist, records, base + row * stride, width, _wide(words[row], shift))


@njit(**LENT)
def add_block(hist, records, base, stride, width, start, stop, words, shift):
    # All rows from start to stop, which lie one behind the other.
    at = base + U(start) * stride
    for i in range(U(start), U(stop)):
        _add_record(hist, records, at, width, _wide(words[i], shift))
        at += stride  # a product here costs a tenth


@njit(**LENT)
def clear(hist, begin, end):
    for i in range(U(begin), U(end)):
        hist[i] = 0


def _counted_rows(cols, f, rows, begin, end, leaf, counts):
    for k in range(BINS):
        counts[k] = 0
    for t in range(begin.shape[0]):
        for i in range(begin[t, leaf], end[t, leaf]):
            counts[U(cols[f, rows[i]])] += 1


def _counted_before(cols, f, rows, begin, end, leaf, counts):
    for k in range(BINS):
        counts[k] = cols[f * BINS + k]


def count_bins(cols, f, rows, begin, end, leaf, counts):
    # How many of the leaf's rows have each bin of one feature: counted, or looked up where cols are the counts.
    raise NotImplementedError("only for compiled loops")


@overload(count_bins, strict=False, jit_options=LENT | {"cache": False, "forceinline": True})
def _count_bins(cols, f, rows, begin, end, leaf, counts):
    return _counted_rows if cols.ndim == 2 else _counted_before


@njit(**LENT)
def count_below(cols, f, rows, begin, end, leaf, counts):
    # How many have that bin or a lower one; missing cells by themselves.
    count_bins(cols, f, rows, begin, end, leaf, counts)
    for k in range(1, MISSING):
        counts[k] += counts[k - 1]
