# Problem   the best cut of one feature at a node of a tree for two classes, where every row counts a whole number of
#           times: over all cuts between neighbouring codes, the largest sum of l1^2 / l + r1^2 / r (Gini) or of
#           xlx(l1) + xlx(l - l1) - xlx(l) and the same at the right (entropy; xlx(x) = x ln x), where l and r are the
#           counts of both sides, and l1 and r1 those of the second class.
# Given     code (n,) unsigned; rows[start:stop], the node, where no cell is missing; packed (n,) uint64, for each row a
#           one, how often it counts, and the same again if it is of the second class, in three fields; total, the sum
#           of the node; logs, the table of xlx, empty for Gini; least_rows and least_count, what either side must have;
#           best, what a cut must exceed. Scratch: sums (m,), words and tops, as `order_rows` has them.
# Returns   the best value, the code before the cut (-1 if there is none), the code after it, and how many distinct
#           codes there are.
# Source    Breiman, Friedman, Olshen & Stone, 1984. The largest sum has the smallest impurity, whose other terms are
#           the same for all cuts. One addition of a packed word keeps all three sums.
import numpy as np
from numba import njit

from assay.compiled.common.flags import LENT
from assay.compiled.ensembles.forest_order import NONE, ONE, SIX, lowest_bit, mark

FIELD = np.uint64(21)
_TWO_FIELDS = np.uint64(42)
_MASK = np.uint64((1 << 21) - 1)


@njit(inline="always")
def packed_rows(word):
    return np.int64(word >> _TWO_FIELDS)


@njit(inline="always")
def packed_count(word):
    return np.int64((word >> FIELD) & _MASK)


@njit(inline="always")
def packed_ones(word):
    return np.int64(word & _MASK)


@njit(inline="always")
def _value(left, left_ones, count, ones, logs):
    if logs.size == 0:
        # One division for both sides.
        a, b = np.float64(left), np.float64(left_ones)
        c, d = count - a, ones - b
        return (b * b * c + d * d * a) / (a * c)
    right, right_ones = np.int64(count) - left, np.int64(ones) - left_ones
    left_rest, right_rest = left - left_ones, right - right_ones
    return (logs[left_ones] + logs[left_rest] - logs[left]) + (
        logs[right_ones] + logs[right_rest] - logs[right]
    )


@njit(**LENT)
def best_cut_of_counts(
    code, rows, start, stop, packed, total, logs, least_rows, least_count, best, sums, words, tops
):
    for i in range(start, stop):
        row = rows[i]
        k = np.uint64(code[row])
        sums[k] += packed[row]
        mark(words, tops, k)
    count, ones = np.float64(packed_count(total)), np.float64(packed_ones(total))
    most_rows, most_count = stop - start - least_rows, packed_count(total) - least_count
    before, after = np.int64(-1), np.int64(-1)
    passed, distinct, pending = NONE, 0, False
    for z in range(tops.size):
        top = tops[z]
        tops[z] = NONE
        while top != NONE:
            w = (np.uint64(z) << SIX) | lowest_bit(top)
            top &= top - ONE
            word = words[w]
            words[w] = NONE
            while word != NONE:
                k = (w << SIX) | lowest_bit(word)
                word &= word - ONE
                distinct += 1
                if pending:
                    after, pending = np.int64(k), False
                passed += sums[k]
                sums[k] = NONE
                left, left_ones = packed_count(passed), packed_ones(passed)
                value = _value(left, left_ones, count, ones, logs)
                # What both sides must have is asked last, since few cuts come so far.
                if value > best:
                    left_rows = packed_rows(passed)
                    if least_rows <= left_rows <= most_rows and least_count <= left <= most_count:
                        best, before, pending = value, np.int64(k), True
    return best, before, after, distinct
