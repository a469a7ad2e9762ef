# Problem   cells as bins of one byte, once by rows for histograms and once by features to part rows.
# Given     X (n, d) float64, C-contiguous, NaN where a cell is missing; cuts (d, 256) ascending, infinity behind the
#           last: the bin of a cell is how many cuts are below it, and 255 where it is missing. Rows start to stop.
#           place, stride (d,): feature f of row i is at place[f] + i * stride[f] of records.
# Writes    records, and cols (d, n) if both is set.
# Source    Eight halvings without a branch, feature by feature over 256 rows, whose cuts stay in the cache.
import numpy as np
from numba import njit

from assay.compiled.common.flags import LENT

U = np.uint64
BINS = 256  # of one feature's histogram; the last is that of missing cells
MISSING = 255


@njit(**LENT)
def bin_rows(X, cuts, start, stop, cols, records, place, stride, both):
    d = X.shape[1]
    for begin in range(start, stop, 256):
        end = min(begin + 256, stop)
        for f in range(d):
            cut = cuts[f]
            step = stride[f]
            at = place[f] + begin * step
            for i in range(begin, end):
                x = X[i, f]
                k = U(0)
                k += U(128) * U(x > cut[k + U(127)])
                k += U(64) * U(x > cut[k + U(63)])
                k += U(32) * U(x > cut[k + U(31)])
                k += U(16) * U(x > cut[k + U(15)])
                k += U(8) * U(x > cut[k + U(7)])
                k += U(4) * U(x > cut[k + U(3)])
                k += U(2) * U(x > cut[k + U(1)])
                k += U(x > cut[k])
                k |= U(MISSING) * U(x != x)
                records[at] = k
                at += step
                if both:
                    cols[f, i] = k
