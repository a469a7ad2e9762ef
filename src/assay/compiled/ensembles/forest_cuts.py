# Problem   the best cut of one feature at a node, for any number of classes and any weights, or for numbers: over all
#           cuts between neighbouring codes, the largest sum over both sides of sum_c w_c^2 / w (Gini), of sum_c
#           xlx(w_c) - xlx(w) (entropy; xlx(x) = x ln x), or of s^2 / w (squared error; s is the weighted sum of the
#           targets), where w is the weight of a side and w_c that of class c in it.
# Given     order, place: the `many` rows of the node and their codes, ascending by code; label (n,) int32 or target
#           (n,) float64; weight (n,) float64, above zero; gap, the code of missing cells, which is the last; sums, of
#           the whole node: the weights of the classes, or one sum of targets; heavy, its weight; least, the rows and
#           the weight that either side must have; best, what a cut must exceed. Scratch: side, as long as sums.
# Returns   the best value, the code before the cut (-1 if there is none), the code after it, and whether missing
#           cells go left.
# Source    Breiman, Friedman, Olshen & Stone, 1984. The largest sum has the smallest impurity, whose other terms are
#           the same for all cuts; a row that changes sides changes two terms.
import numpy as np
from numba import njit

from assay.compiled.common.flags import LENT

GINI, ENTROPY = 0, 1


@njit(inline="always")
def xlx(x):
    return x * np.log(x) if x > 0.0 else 0.0


@njit(**LENT)
def _term(criterion, x):
    return x * x if criterion == GINI else xlx(x)


@njit(inline="always")
def _of_sides(criterion, left_terms, left, right_terms, right):
    if criterion == GINI:
        return left_terms / left + right_terms / right
    return (left_terms - xlx(left)) + (right_terms - xlx(right))


@njit(**LENT)
def best_cut_of_classes(
    order, place, many, label, weight, gap, sums, heavy, criterion, least, best, side
):
    least_rows, least_weight = least
    present = many
    while present > 0 and place[present - 1] == gap:
        present -= 1
    before, after, missing_left = np.int64(-1), np.int64(-1), False
    # First with the missing cells at the right, then, if there are any, at the left.
    for joined in range(1 if present == many else 2):
        left, left_terms, right_terms = 0.0, 0.0, 0.0
        side[:] = 0.0
        if joined:
            for i in range(present, many):
                row = order[i]
                side[label[row]] += weight[row]
                left += weight[row]
        for c in range(sums.size):
            left_terms += _term(criterion, side[c])
            right_terms += _term(criterion, sums[c] - side[c])
        extra = many - present if joined else 0
        last = present - 1 if joined or present == many else present
        for i in range(last):
            row = order[i]
            c, w = label[row], weight[row]
            old, moved = side[c], side[c] + w
            rest = sums[c] - old
            side[c] = moved
            if criterion == GINI:  # what two squares differ by
                left_terms += w * (old + moved)
                right_terms -= w * (2.0 * rest - w)
            else:
                left_terms += xlx(moved) - xlx(old)
                right_terms += xlx(rest - w) - xlx(rest)
            left += w
            at = i + 1 + extra
            if place[i + 1] == place[i] or at < least_rows or many - at < least_rows:
                continue
            right = heavy - left
            if left < least_weight or right < least_weight or right <= 0.0:
                continue
            value = _of_sides(criterion, left_terms, left, right_terms, right)
            if value > best:
                best, before, after = value, np.int64(place[i]), np.int64(place[i + 1])
                missing_left = joined == 1
    return best, before, after, missing_left


@njit(**LENT)
def best_cut_of_numbers(order, place, many, target, weight, gap, total, heavy, least, best):
    least_rows, least_weight = least
    present = many
    while present > 0 and place[present - 1] == gap:
        present -= 1
    before, after, missing_left = np.int64(-1), np.int64(-1), False
    for joined in range(1 if present == many else 2):
        left, sum_left = 0.0, 0.0
        if joined:
            for i in range(present, many):
                row = order[i]
                left += weight[row]
                sum_left += weight[row] * target[row]
        extra = many - present if joined else 0
        last = present - 1 if joined or present == many else present
        for i in range(last):
            row = order[i]
            left += weight[row]
            sum_left += weight[row] * target[row]
            at = i + 1 + extra
            if place[i + 1] == place[i] or at < least_rows or many - at < least_rows:
                continue
            right = heavy - left
            if left < least_weight or right < least_weight or right <= 0.0:
                continue
            sum_right = total - sum_left
            value = sum_left * sum_left / left + sum_right * sum_right / right
            if value > best:
                best, before, after = value, np.int64(place[i]), np.int64(place[i + 1])
                missing_left = joined == 1
    return best, before, after, missing_left
