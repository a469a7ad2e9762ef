# Problem   pull the weights of a row's features towards zero, each by what it owes since it was pulled last, and
#           never beyond zero; and how large these weights are.
# Given     v (d,): the weights are scale * v. owed, what every weight should have been pulled by, all in all;
#           pulled (d,), what each was pulled by so far, with its sign: overwritten. lag (d,), or empty: what a
#           sum total * v - lag of weights must be told of, so that it stays as it was.
#           dense: all features. sparse: those of the entries start..stop of indices (unsigned).
#           truncate_row and norms_at_row: of row t of either kind, see either_rows.py.
# Writes    v, pulled and lag.
# Returns   truncate: nothing. norms: the sum of squares and of absolute values of v.
# Source    Tsuruoka, Tsujii and Ananiadou, 2009, figure 2: the penalty is paid when a feature is seen.
import numpy as np
from numba import njit

from assay.compiled.common.either_rows import either
from assay.compiled.common.flags import LENT

_ONE = np.uint64(1)


@njit(**LENT)
def truncate(x, v, lag, pulled, owed, scale, total):
    for j in range(x.shape[0]):
        _pull(j, v, lag, pulled, owed, scale, total)


@njit(**LENT)
def sparse_truncate(indices, start, stop, v, lag, pulled, owed, scale, total):
    p = start
    while p < stop:
        _pull(indices[p], v, lag, pulled, owed, scale, total)
        p += _ONE


@njit(**LENT)
def norms(x, v):
    squares = sizes = 0.0
    for j in range(x.shape[0]):
        squares += v[j] * v[j]
        sizes += abs(v[j])
    return squares, sizes


@njit(**LENT)
def sparse_norms(indices, start, stop, v):
    squares = sizes = 0.0
    p = start
    while p < stop:
        squares += v[indices[p]] * v[indices[p]]
        sizes += abs(v[indices[p]])
        p += _ONE
    return squares, sizes


@njit(**LENT)
def _pull(j, v, lag, pulled, owed, scale, total):
    before = v[j]
    if before > 0.0:
        v[j] = max(0.0, before - (owed + pulled[j]) / scale)
    elif before < 0.0:
        v[j] = min(0.0, before + (owed - pulled[j]) / scale)
    moved = v[j] - before
    pulled[j] += scale * moved
    if total > 0.0:
        lag[j] += total * moved


truncate_row = either(
    lambda X, t, v, lag, pulled, owed, scale, total: truncate(
        X[t], v, lag, pulled, owed, scale, total
    ),
    lambda csr, t, v, lag, pulled, owed, scale, total: sparse_truncate(
        csr[1], csr[2][t], csr[2][t + 1], v, lag, pulled, owed, scale, total
    ),
)
norms_at_row = either(
    lambda X, t, v: norms(X[t], v),
    lambda csr, t, v: sparse_norms(csr[1], csr[2][t], csr[2][t + 1], v),
)
