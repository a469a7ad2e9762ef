# Problem   minimise ||u||^2 / 2 + sum_i c_i max(0, 1 - y_i <u, x_i>): the comparator of a hinge bound,
#           and for unbounded c the separator of largest margin.
# Given     rows dense (n, d) float64, or CSR with unsigned indices and pointers; ones (n,) the values of the
#           constant feature; y (n,) of -1.0 / +1.0; c (n,) caps; squares (n,) the squared lengths with the
#           constant feature; order (n,) a permutation, shuffled in place; alpha (n,), u (d,) and u0 (1,),
#           with u = sum_i alpha_i y_i x_i, are overwritten. The search also ends once no separator can have
#           a margin of `least`: none exceeds ||u|| / sum(alpha).
# Returns   the passes made, and the largest violation of the last pass.
# Source    Hsieh, Chang, Lin, Keerthi & Sundararajan, 2008: dual coordinate descent.
import numpy as np
from numba import njit

from assay.compiled.common.either_rows import add_row, row_dot, row_square
from assay.compiled.common.flags import EXACT
from assay.compiled.common.rows import dot


@njit(**EXACT)
def dual_descent(rows, ones, y, c, squares, order, alpha, u, u0, most_passes, tolerance, least):
    worst = np.inf
    for done in range(most_passes):
        np.random.shuffle(order)
        worst = 0.0
        for i in order:
            if squares[i] == 0.0:
                continue
            slope = y[i] * (row_dot(rows, i, u) + ones[i] * u0[0]) - 1.0
            if (alpha[i] == 0.0 and slope > 0.0) or (alpha[i] == c[i] and slope < 0.0):
                continue
            worst = max(worst, abs(slope))
            moved = min(max(alpha[i] - slope / squares[i], 0.0), c[i])
            step = (moved - alpha[i]) * y[i]
            add_row(rows, i, step, u)
            u0[0] += step * ones[i]
            alpha[i] = moved
        if worst < tolerance or _none_so_wide(alpha, u, u0, least):
            return done + 1, worst
    return most_passes, worst


@njit(**EXACT)
def _none_so_wide(alpha, u, u0, least):
    return least > 0.0 and dot(u, u) + u0[0] ** 2 < (least * alpha.sum()) ** 2


@njit(**EXACT)
def seed(number):
    """The generator inside compiled code is its own; it is seeded for the same result every time."""
    np.random.seed(number)


# Problem   how long some rows are at most.
# Given     rows of any precision; places, the rows meant.
# Returns   the largest squared length, the constant feature left out.
# Source    The radius in a mistake bound is that of the mistaken examples.
@njit(**EXACT)
def largest_square(rows, places):
    largest = 0.0
    for i in places:
        largest = max(largest, row_square(rows, i))
    return largest
