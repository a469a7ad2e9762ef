# Problem   e to the power of every number of a block, where the numbers are at most zero: values of a Gaussian kernel.
# Given     block (m, c) float32; out (r, n) float32; first and start, the row and the column of out that
#           the block begins at.
# Writes    out[first : first + m, start : start + c].
# Returns   nothing.
# Source    x = k log 2 + r with |r| <= log(2) / 2, and e^x = 2^k e^r, with Cephes' polynomial for e^r (Moshier); the
#           relative error is below 2^-23. What rounding left above zero counts as zero. 2^k is added to the exponent
#           bits; its smallest is 2^-126, so all below -87, and what is no number, counts as -87.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT

_LOWEST, _ZERO, _ONE = np.float32(-87.0), np.float32(0.0), np.float32(1.0)
_LOG2_E = np.float32(1.44269504)
# log 2 in two parts, of which the first times k is exact.
_LOG_2, _LOG_2_REST = np.float32(0.693359375), np.float32(-2.12194440e-4)
_C7, _C6, _C5 = map(np.float32, (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3))
_C4, _C3, _C2 = map(np.float32, (4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1))
# What lies beyond its last bit is rounded away, so adding and taking it away rounds to a whole number, which
# is then found in the last bits of the sum.
_ROUNDER = np.float32(1.5 * 2**23)
_EXPONENT = np.int32(23)


@njit(**EXACT)
def gaussian_rows(block, out, first, start):
    m, c = block.shape
    for i in range(m):
        given = block[i]
        row = out[first + i, start : start + c]
        for j in range(c):
            x = given[j]
            x = x if x > _LOWEST else _LOWEST
            x = x if x < _ZERO else _ZERO
            shifted = np.float32(x * _LOG2_E + _ROUNDER)
            k = shifted - _ROUNDER
            r = (x - k * _LOG_2) - k * _LOG_2_REST
            p = ((((_C7 * r + _C6) * r + _C5) * r + _C4) * r + _C3) * r + _C2
            value = np.float32(p * (r * r) + r + _ONE)
            bits = value.view(np.int32) + (shifted.view(np.int32) << _EXPONENT)
            row[j] = np.int32(bits).view(np.float32)
