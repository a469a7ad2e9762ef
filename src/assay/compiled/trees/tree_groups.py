# Problem   divide the rows of a node by a feature with categories: in two groups of categories, so that the impurity
#           falls most, or with a group for each category.
# Given     cells, the node's cells of that feature, ascending, so that the rows of a category stand together, those
#           without a value last. They are summed up into one line for each category that occurs: how many rows, and
#           the weight of each class, or weight and sum of w (y - mean) of a target.
# Returns   by how much the impurity falls, how many groups in a certain order go left (or how many groups there are),
#           the class that the order is by, and the weight that goes left. A missing category is one like any other.
# Source    Breiman, Friedman, Olshen & Stone, 1984: with two classes or a target, the best of all two groups are found
#           by going through the categories in the order of the second class's share, or of the mean. With more
#           classes the order by each class's share is tried, which need not find the best.
import numpy as np
from numba import float64, int64, njit, types

from assay.compiled.common.opaque import opaque
from assay.compiled.trees.tree_sample import EXACT_INNER, KEYS, LENT_INNER, RULE, SAMPLE
from assay.compiled.trees.tree_scan import ENTROPY, GINI

_LOW = np.uint64(2**32 - 1)
_ONE = np.uint64(1)
_VALUE = np.uint64(32)


@njit(**LENT_INNER)
def weighted_impurity(criterion, part):
    """The impurity of a group of rows times its weight; part has the weight of each class."""
    total, sums = 0.0, 0.0
    for weight in part:
        total += weight
    if not total > 0.0:
        return 0.0
    for weight in part:
        if criterion == GINI:
            sums += weight * weight
        elif criterion == ENTROPY:
            sums += weight * np.log2(weight / total) if weight > 0.0 else 0.0
        else:
            sums = weight if weight > sums else sums
    if criterion == GINI:
        sums /= total
    # Rounding may leave a pure group a little below nothing.
    impurity = 0.0 - sums if criterion == ENTROPY else total - sums
    return impurity if impurity > 0.0 else 0.0


@njit(**LENT_INNER)
def _code(cell, arity):
    bits = np.int64(cell >> _VALUE)
    if bits == 0xFFFFFFFF:
        return np.int64(arity)
    # A whole number as float32, zero or more, so that of its bits only the sign was turned over.
    bits ^= 0x80000000
    exponent = (bits >> 23) - 127
    return ((bits & 0x7FFFFF) | 0x800000) >> (23 - exponent) if bits else np.int64(0)


@njit(**EXACT_INNER)
def lines_of(sample, cells, arity, mean):
    """For each category that occurs its number, its rows, and its sums."""
    width = 2 if sample.classes == 0 else sample.classes
    most = min(arity + 1, cells.size)
    codes = np.empty(most, np.int64)
    rows = np.empty(most, np.int64)
    sums = np.zeros((most, width))
    mask = (_ONE << sample.shift) - _ONE
    many, last = 0, np.uint64(0)
    for cell in cells:
        value = cell >> _VALUE
        if many == 0 or value != last:
            codes[many] = _code(cell, arity)
            rows[many] = 0
            last = value
            many += 1
        row = cell & mask
        weight = sample.weights[row] if sample.weights.size > 0 else 1.0
        rows[many - 1] += 1
        if sample.classes == 0:
            sums[many - 1, 0] += weight
            sums[many - 1, 1] += weight * (sample.target[row] - mean)
        else:
            sums[many - 1, np.int64((cell & _LOW) >> sample.shift)] += weight
    return codes[:many], rows[:many], sums[:many]


@njit(**EXACT_INNER)
def order_by(sums, way):
    """The lines in the order of a column's share of the line, or of its ratio to the first if that is all."""
    share = np.empty(sums.shape[0])
    order = np.empty(sums.shape[0], np.int64)
    for i in range(share.size):
        total = sums[i, 0]
        if way >= 0:
            for c in range(1, sums.shape[1]):
                total += sums[i, c]
        ratio = sums[i, way if way >= 0 else 1] / total
        at = i
        while at > 0 and share[at - 1] > ratio:
            share[at], order[at] = share[at - 1], order[at - 1]
            at -= 1
        share[at], order[at] = ratio, i
    return order


@njit(**EXACT_INNER)
def best_groups(sample, rule, cells, arity, mean, impurity, slack):
    codes, rows, sums = lines_of(sample, cells, arity, mean)
    width = sums.shape[1]
    best, bar, cut, way, taken = -1.0, -1.0, 0, 0, 0.0
    total, left, right = np.zeros(width), np.zeros(width), np.zeros(width)
    for i in range(codes.size):
        for c in range(width):
            total[c] += sums[i, c]
    first, stop = (-1, 0) if sample.classes == 0 else (1, 2) if width == 2 else (0, width)
    for by in range(first, stop):
        order = order_by(sums, by)
        k = 0
        for c in range(width):
            left[c] = 0.0
        for i in range(codes.size - 1):
            k += rows[order[i]]
            a, b = 0.0, 0.0
            for c in range(width):
                left[c] += sums[order[i], c]
                right[c] = total[c] - left[c]
                a += left[c]
                b += right[c]
            if sample.classes == 0:
                a, b = left[0], right[0]
            if k < rule.least_leaf or cells.size - k < rule.least_leaf:
                continue
            if a < rule.least_weight or b < rule.least_weight or b <= 0.0:
                continue
            if sample.classes == 0:
                score = left[1] * left[1] / a + right[1] * right[1] / b
            else:
                score = impurity - weighted_impurity(rule.criterion, left)
                score -= weighted_impurity(rule.criterion, right)
            if score > bar:
                best, bar, cut, way, taken = score, score + slack, i + 1, by, a
    return best, cut, way, taken


@njit(**EXACT_INNER)
def all_groups(sample, rule, cells, arity, impurity, weight):
    """A group for each category, none if one of them would be too small; and the entropy of the division."""
    codes, rows, sums = lines_of(sample, cells, arity, 0.0)
    fall, information = impurity, 0.0
    for i in range(codes.size):
        part = 0.0
        for c in range(sums.shape[1]):
            part += sums[i, c]
        if rows[i] < rule.least_leaf or part < rule.least_weight:
            return -1.0, 0, 0.0
        fall -= weighted_impurity(rule.criterion, sums[i])
        information -= part * np.log2(part / weight)
    return fall, codes.size, information


TWO_GROUPS = types.Tuple((float64, int64, int64, float64))(
    SAMPLE, RULE, KEYS, int64, float64, float64, float64
)
ALL_GROUPS = types.Tuple((float64, int64, float64))(SAMPLE, RULE, KEYS, int64, float64, float64)
call_two_groups, call_all_groups = opaque(TWO_GROUPS), opaque(ALL_GROUPS)
