# Problem   the values of a kernel for pairs of examples, the kernel being a short program.
# Given     code (c,) of the numbers below and numbers (c,), one for each step; what (3, 4, b): products, squared and
#           absolute distances, and products of 1 + x_i t_i, of up to b pairs, of x with itself and of each t
#           with itself; many, how many pairs; stack (c, b) is overwritten.
# Writes    stack: the values are its first row.
# Returns   nothing.
# Source    reverse Polish notation, each step on all pairs. A pair has one value, to the bit, whatever other
#           pairs stand beside it.
import numpy as np
from numba import njit

from assay.compiled.common.elementary import exp
from assay.compiled.common.flags import EXACT
from assay.compiled.common.lanes import rows_over_lanes

DOT, SQUARED, ABSOLUTE, PRODUCTS = 0, 1, 2, 3
NUMBER, TIMES, PLUS, POWER, EXP, SERIES, ADD, MULTIPLY, NORMALIZE, SIDE = range(4, 14)
# Pairs that are worked on at a time.
ROOM = 128

_dots = rows_over_lanes(lambda x, t: x * t)
_squared = rows_over_lanes(lambda x, t: (x - t) * (x - t))
_absolute = rows_over_lanes(lambda x, t: abs(x - t))
_products = rows_over_lanes(lambda x, t: 1.0 + x * t, product=True)


@njit(**EXACT)
def run_program(code, numbers, what, stack, many):
    top, side = 0, 0
    for i in range(code.shape[0]):
        step, number = code[i], numbers[i]
        if step <= PRODUCTS:
            for q in range(many):
                stack[top, q] = what[side, step, q]
            top += 1
        elif step == NUMBER:
            for q in range(many):
                stack[top, q] = number
            top += 1
        elif step == TIMES:
            for q in range(many):
                stack[top - 1, q] *= number
        elif step == PLUS:
            for q in range(many):
                stack[top - 1, q] += number
        elif step == POWER:
            for q in range(many):
                stack[top - 1, q] = whole_power(stack[top - 1, q], int(number))
        elif step == EXP:
            for q in range(many):
                stack[top - 1, q] = exp(stack[top - 1, q])
        elif step == SERIES:
            for q in range(many):
                value = 1.0
                for k in range(int(number), 0, -1):
                    value = 1.0 + value * stack[top - 1, q] / k
                stack[top - 1, q] = value
        elif step == ADD:
            top -= 1
            for q in range(many):
                stack[top - 1, q] += stack[top, q]
        elif step == MULTIPLY:
            top -= 1
            for q in range(many):
                stack[top - 1, q] *= stack[top, q]
        elif step == NORMALIZE:
            top -= 2
            for q in range(many):
                x, t = stack[top, q], stack[top + 1, q]
                scaled = stack[top - 1, q] / np.sqrt(x) / np.sqrt(t) if x > 0 and t > 0 else 0.0
                stack[top - 1, q] = scaled
        else:
            side = int(number)


@njit(**EXACT)
def whole_power(base, left):
    power = 1.0
    while left:
        if left & 1:
            power *= base
        base *= base
        left >>= 1
    return power


# Problem   what a kernel's program needs to know about one example and several others: row r of one matrix, rows start
#           to stop of another.
# Given     of both matrices either all rows and twice None, or the cells, columns and starts of sparse rows, their
#           columns in ascending order and none twice; needs (4,): which of the four sums and products, of which
#           sparse rows have all at once; side, where they go.
# Writes    what (3, 4, b).
# Returns   nothing.
# Source    their definitions; distances as sums of differences, so that nothing cancels. Two sparse rows are merged.
#           The compiler drops the branch of the form that was not given.
@njit(**EXACT)
def pair_sums(x, x_column, x_start, r, t, t_column, t_start, start, stop, needs, what, side):
    if x.ndim == 2:
        if needs[DOT]:
            _dots(x, r, t, start, stop, what, side, DOT)
        if needs[SQUARED]:
            _squared(x, r, t, start, stop, what, side, SQUARED)
        if needs[ABSOLUTE]:
            _absolute(x, r, t, start, stop, what, side, ABSOLUTE)
        if needs[PRODUCTS]:
            _products(x, r, t, start, stop, what, side, PRODUCTS)
    else:
        for q in range(start, stop):
            product, squared, absolute, products = 0.0, 0.0, 0.0, 1.0
            i, x_end = x_start[r], x_start[r + 1]
            j, t_end = t_start[q], t_start[q + 1]
            while i < x_end or j < t_end:
                if j == t_end or (i < x_end and x_column[i] < t_column[j]):
                    difference = x[i]
                    i += 1
                elif i == x_end or t_column[j] < x_column[i]:
                    difference = t[j]
                    j += 1
                else:
                    difference = x[i] - t[j]
                    product += x[i] * t[j]
                    products *= 1.0 + x[i] * t[j]
                    i += 1
                    j += 1
                squared += difference * difference
                absolute += abs(difference)
            what[side, DOT, q - start] = product
            what[side, SQUARED, q - start] = squared
            what[side, ABSOLUTE, q - start] = absolute
            what[side, PRODUCTS, q - start] = products


# Problem   the kernel's values for row r of one matrix and rows start to stop of another.
# Given     the program; own, whether it asks for each example with itself; both matrices as above, each as a tuple.
# Writes    stack: the values are its first row; what is overwritten.
# Returns   nothing.
# Source    as above.
@njit(**EXACT)
def pair_values(code, numbers, needs, own, X, r, T, start, stop, what, stack):
    pair_sums(*X, r, *T, start, stop, needs, what, 0)
    if own:
        pair_sums(*X, r, *X, r, r + 1, needs, what, 1)
        for k in range(4):
            what[1, k, : stop - start] = what[1, k, 0]
        for q in range(start, stop):
            pair_sums(*T, q, *T, q, q + 1, needs, what[:, :, q - start :], 2)
    run_program(code, numbers, what, stack, stop - start)
