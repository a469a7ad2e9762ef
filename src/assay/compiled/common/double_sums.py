# Problem   sums over one row in double precision, whatever the precision of the row.
# Given     x (d,) or the entries start..stop of data, float32 or float64; w (d,) float64.
# Returns   the inner product, or the squared length, in float64.
# Source    sums in lanes.
from numba import njit

from assay.compiled.common.flags import LENT
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
