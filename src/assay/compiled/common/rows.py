# Problem   sums over one row, dense or sparse, at memory speed: its inner product with the weights, its length.
# Given     dense: x (d,), w (d,).  sparse: the entries start..stop of data and indices (unsigned, so
#           that no sign is checked), w (d,).
# Returns   dot, sparse_dot: the inner product, in the precision of the data and the weights. wide_dot: in double
#           precision, whatever that of the row; and so the squared length by wide_square and sparse_square.
# Source    Sums are kept in parts, side by side, that are added at the end in a fixed order.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT, LENT
from assay.compiled.common.lanes import lane_dot, lane_wide_dot, lane_wide_square

_ONE = np.uint64(1)
_EIGHT = np.uint64(8)


@njit(**LENT)
def dot(x, w):
    return lane_dot(x, w)


@njit(**LENT)
def wide_dot(x, w):
    return lane_wide_dot(x, w)


@njit(**LENT)
def wide_square(x):
    return lane_wide_square(x)


@njit(**LENT)
def sparse_square(data, start, stop):
    return wide_square(data[start:stop])


@njit(**LENT)
def affine(x, w, b):
    return dot(x, w) + b[0]


@njit(**EXACT)
def affine_packed(raw, w, b):
    # The row as bytes, which cost less to make of Python's numbers than an array does.
    return dot(np.frombuffer(raw, w.dtype), w) + b[0]


@njit(**LENT)
def sparse_dot(data, indices, start, stop, w):
    zero = w.dtype.type(0)
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = zero
    p = start
    while p + _EIGHT <= stop:
        s0 += w[indices[p]] * data[p]
        s1 += w[indices[p + np.uint64(1)]] * data[p + np.uint64(1)]
        s2 += w[indices[p + np.uint64(2)]] * data[p + np.uint64(2)]
        s3 += w[indices[p + np.uint64(3)]] * data[p + np.uint64(3)]
        s4 += w[indices[p + np.uint64(4)]] * data[p + np.uint64(4)]
        s5 += w[indices[p + np.uint64(5)]] * data[p + np.uint64(5)]
        s6 += w[indices[p + np.uint64(6)]] * data[p + np.uint64(6)]
        s7 += w[indices[p + np.uint64(7)]] * data[p + np.uint64(7)]
        p += _EIGHT
    while p < stop:
        s0 += w[indices[p]] * data[p]
        p += _ONE
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))


@njit(**LENT)
def add_to(w, x, step):
    for j in range(x.shape[0]):
        w[j] += step * x[j]


@njit(**LENT)
def sparse_add_to(w, data, indices, start, stop, step):
    p = start
    while p < stop:
        w[indices[p]] += step * data[p]
        p += _ONE
