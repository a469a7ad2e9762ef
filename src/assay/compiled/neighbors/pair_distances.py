# Problem   the distance of an example and a row, as a number that is the same to the bit by whatever way the pair was
#           come upon: the sum of squares or of absolute values of q - x, or (q - x)' V (q - x).
# Given     Q and X, matrices of d columns of any precision, row i of Q and row r of X; V (d, d), symmetric; gap (d,)
#           is overwritten. CSR: (data, indices, pointers, d) with sorted indices; parts, of four numbers or more, is
#           overwritten.
# Returns   the number, in double precision; not the root of it.
# Source    Features are added by fours, (a + b) + (c + d), after a head of one to four that leaves whole fours. A sum
#           of numbers that are not negative, in any fixed order, is off by at most d units in the last place, and
#           a sparse row, which leaves out zeros, has the same sum as a dense one.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT, LENT

# Calls from within the inner loops, which would cost more than what they do.
INLINED = EXACT | {"forceinline": True}


@njit(**INLINED)
def head_of(d):
    return ((d - 1) & 3) + 1


@njit(inline="always")
def _added(a, b, c, e, absolute):
    if absolute:
        return (abs(a) + abs(b)) + (abs(c) + abs(e))
    return (a * a + b * b) + (c * c + e * e)


@njit(**INLINED)
def _pair_sum(Q, i, X, r, absolute):
    d = X.shape[1]
    b = c = e = 0.0
    j = head_of(d)
    a = np.float64(Q[i, 0]) - np.float64(X[r, 0])
    if j > 1:
        b = np.float64(Q[i, 1]) - np.float64(X[r, 1])
    if j > 2:
        c = np.float64(Q[i, 2]) - np.float64(X[r, 2])
    if j > 3:
        e = np.float64(Q[i, 3]) - np.float64(X[r, 3])
    total = _added(a, b, c, e, absolute)
    while j < d:
        a = np.float64(Q[i, j]) - np.float64(X[r, j])
        b = np.float64(Q[i, j + 1]) - np.float64(X[r, j + 1])
        c = np.float64(Q[i, j + 2]) - np.float64(X[r, j + 2])
        e = np.float64(Q[i, j + 3]) - np.float64(X[r, j + 3])
        total += _added(a, b, c, e, absolute)
        j += 4
    return total


@njit(**EXACT)
def pair_squares(Q, i, X, r):
    return _pair_sum(Q, i, X, r, False)


@njit(**EXACT)
def pair_absolutes(Q, i, X, r):
    return _pair_sum(Q, i, X, r, True)


@njit(**EXACT)
def pair_form(Q, i, X, r, V, gap):
    # Each pair of features once: twice the part below the diagonal, and the diagonal.
    d = X.shape[1]
    total = 0.0
    for j in range(d):
        gap[j] = np.float64(Q[i, j]) - np.float64(X[r, j])
        s = t = u = v = 0.0
        p = 0
        while p + 4 <= j:
            s += V[j, p] * gap[p]
            t += V[j, p + 1] * gap[p + 1]
            u += V[j, p + 2] * gap[p + 2]
            v += V[j, p + 3] * gap[p + 3]
            p += 4
        while p < j:
            s += V[j, p] * gap[p]
            p += 1
        total += gap[j] * (V[j, j] * gap[j] + 2.0 * ((s + t) + (u + v)))
    return max(total, 0.0)


@njit(**LENT)
def _four(parts, absolute):
    a, b, c, e = parts[0], parts[1], parts[2], parts[3]
    parts[:4] = 0.0
    return _added(a, b, c, e, absolute)


@njit(**LENT)
def pair_sparse(Q, i, X, r, parts, absolute):
    # Both rows have their columns in order, so one walk along both meets every column that is not zero in both.
    data, indices, pointers, d = Q
    cells, columns, starts, _ = X
    p, stop, s, end = pointers[i], pointers[i + 1], starts[r], starts[r + 1]
    head, total, four = head_of(d), 0.0, -1
    parts[:4] = 0.0
    while p < stop or s < end:
        gap = 0.0
        column = indices[p] if p < stop else columns[s]
        if s < end and columns[s] < column:
            column = columns[s]
        if p < stop and indices[p] == column:
            gap = np.float64(data[p])
            p += 1
        if s < end and columns[s] == column:
            gap -= np.float64(cells[s])
            s += 1
        now = 0 if column < head else 1 + ((column - head) >> 2)
        if now != four:
            if four >= 0:
                total += _four(parts, absolute)
            four = now
        parts[column if column < head else (column - head) & 3] = gap
    return total + _four(parts, absolute)


# Problem   the same for one example and all rows of a block, side by side.
# Given     q (d,) and P (blocks, d, room), where a block holds one row in each column and infinity where there
#           is none; block, which one.
# Writes    out (room,): the sums of squares, or of absolute values.
# Returns   nothing.
# Source    Rows side by side fill the processor's wide registers without any sum being regrouped. The loops are
#           written out, twice: with one for both, chosen by a flag, queries take an eighth longer.
@njit(**INLINED)
def block_squares(q, P, block, out):
    d, room = P.shape[1], P.shape[2]
    j = head_of(d)
    if j == 1:
        x0 = q[0]
        for t in range(room):
            z0 = x0 - P[block, 0, t]
            out[t] = z0 * z0
    elif j == 2:
        x0, x1 = q[0], q[1]
        for t in range(room):
            z0, z1 = x0 - P[block, 0, t], x1 - P[block, 1, t]
            out[t] = z0 * z0 + z1 * z1
    elif j == 3:
        x0, x1, x2 = q[0], q[1], q[2]
        for t in range(room):
            z0, z1, z2 = x0 - P[block, 0, t], x1 - P[block, 1, t], x2 - P[block, 2, t]
            out[t] = (z0 * z0 + z1 * z1) + z2 * z2
    else:
        x0, x1, x2, x3 = q[0], q[1], q[2], q[3]
        for t in range(room):
            z0, z1 = x0 - P[block, 0, t], x1 - P[block, 1, t]
            z2, z3 = x2 - P[block, 2, t], x3 - P[block, 3, t]
            out[t] = (z0 * z0 + z1 * z1) + (z2 * z2 + z3 * z3)
    while j < d:
        x0, x1, x2, x3 = q[j], q[j + 1], q[j + 2], q[j + 3]
        for t in range(room):
            z0, z1 = x0 - P[block, j, t], x1 - P[block, j + 1, t]
            z2, z3 = x2 - P[block, j + 2, t], x3 - P[block, j + 3, t]
            out[t] = out[t] + ((z0 * z0 + z1 * z1) + (z2 * z2 + z3 * z3))
        j += 4


@njit(**EXACT)
def block_absolutes(q, P, block, out):
    d, room = P.shape[1], P.shape[2]
    j = head_of(d)
    if j == 1:
        x0 = q[0]
        for t in range(room):
            out[t] = abs(x0 - P[block, 0, t])
    elif j == 2:
        x0, x1 = q[0], q[1]
        for t in range(room):
            out[t] = abs(x0 - P[block, 0, t]) + abs(x1 - P[block, 1, t])
    elif j == 3:
        x0, x1, x2 = q[0], q[1], q[2]
        for t in range(room):
            first = abs(x0 - P[block, 0, t]) + abs(x1 - P[block, 1, t])
            out[t] = first + abs(x2 - P[block, 2, t])
    else:
        x0, x1, x2, x3 = q[0], q[1], q[2], q[3]
        for t in range(room):
            first = abs(x0 - P[block, 0, t]) + abs(x1 - P[block, 1, t])
            out[t] = first + (abs(x2 - P[block, 2, t]) + abs(x3 - P[block, 3, t]))
    while j < d:
        x0, x1, x2, x3 = q[j], q[j + 1], q[j + 2], q[j + 3]
        for t in range(room):
            first = abs(x0 - P[block, j, t]) + abs(x1 - P[block, j + 1, t])
            rest = abs(x2 - P[block, j + 2, t]) + abs(x3 - P[block, j + 3, t])
            out[t] = out[t] + (first + rest)
        j += 4


# Problem   how many numbers are at most a bar.
# Given     values (room,).
# Returns   the count: asked for before they are looked at one by one, which is seldom needed.
# Source    counting, which the compiler does many at a time.
@njit(**INLINED)
def how_many_within(values, bar):
    many = 0
    for t in range(values.shape[0]):
        many += values[t] <= bar
    return many
