# Problem   sums over one row in double precision, whatever the precision of the row.
# Given     x (d,) or the entries start..stop of data, float32 or float64; w (d,) float64.
# Returns   the inner product, or the squared length, in float64.
# Source    sums in lanes.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT, LENT
from assay.compiled.common.lanes import lane_wide_dot, lane_wide_square


@njit(**LENT)
def wide_dot(x, w):
    return lane_wide_dot(x, w)


@njit(**LENT)
def wide_square(x):
    return lane_wide_square(x)


@njit(**LENT)
def sparse_square(data, start, stop):
    return wide_square(data[start:stop])


@njit(**EXACT)
def row_squares(X):
    # The squared length of every row.
    found = np.empty(X.shape[0])
    for i in range(X.shape[0]):
        found[i] = wide_square(X[i])
    return found


@njit(**EXACT)
def row_squares_csr(data, indices, pointers):
    found = np.empty(pointers.shape[0] - 1)
    for i in range(found.shape[0]):
        found[i] = sparse_square(data, pointers[i], pointers[i + 1])
    return found
