# Problem   sums over one row in double precision, whatever the precision of the row.
# Given     x (d,) or the entries start..stop of data, float32 or float64; w (d,) float64.
# Returns   the inner product, or the squared length, in float64.
# Source    Sums are regrouped (REASSOC) to run at memory speed.
import numpy as np
from numba import njit

from assay.compiled.flags import EXACT, REASSOC


@njit(**REASSOC)
def wide_dot(x, w):
    total = 0.0
    for j in range(x.shape[0]):
        total += x[j] * w[j]
    return total


@njit(**REASSOC)
def wide_square(x):
    total = 0.0
    for j in range(x.shape[0]):
        value = np.float64(x[j])
        total += value * value
    return total


@njit(**EXACT)
def sparse_square(data, start, stop):
    return wide_square(data[start:stop])
