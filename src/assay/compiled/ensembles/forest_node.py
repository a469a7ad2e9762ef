# Problem   what a grower does at one node of a tree: sum its rows up, find its best cut among features drawn at
#           random, and part its rows.
# Given     sample = (codes, gaps, packed, label, target, weight, logs): codes (d, n) unsigned, features as rows, the
#           place of each cell among the cells of its feature; gaps (d,), the code of missing cells of each feature,
#           beyond all codes where none is missing; for TWO_CLASSES packed (n,) and logs as `best_cut_of_counts` has
#           them, and no cell may be missing; for CLASSES label (n,) int32, for NUMBERS target (n,), for both weight
#           (n,) > 0. rows[start:stop], the node. draw = (features, most, generator): the numbers of the features to
#           draw from, the first `known` of which are constant at the node, permuted beyond those; how many are drawn.
#           limits, whose third and fourth are what both sides of a cut must have: rows, and weight. scratch, made by
#           `new_scratch`. bag = (task, criterion, sample, calls, rows, draw, limits, its weight, scratch, spare,
#           sums).
# Returns   node_sums: packed sum, weight, impurity, and whether the node is pure, with the weights of the classes or
#           the sum of targets in sums.  find_cut: the feature (-1 if none has a cut), the codes before and after the
#           cut, whether missing cells go left, and how many of the first features are now known to be constant.
#           part: where the right side starts, and how many cells are missing.
# Source    Breiman, Random forests, 2001. As in scikit-learn, `most` features are drawn without repetition, constant
#           ones among them, and further ones while all drawn so far are constant.
from typing import Any

import numpy as np
from numba import boolean, float64, from_dtype, int32, int64, njit, types, uint32, uint64

from assay.compiled.common.flags import EXACT, INNER, LENT
from assay.compiled.common.generator import next_word
from assay.compiled.common.opaque import NOWHERE, address_of, opaque
from assay.compiled.ensembles.forest_counts import best_cut_of_counts, packed_count, packed_ones
from assay.compiled.ensembles.forest_cuts import GINI, best_cut_of_classes, best_cut_of_numbers, xlx
from assay.compiled.ensembles.forest_order import order_rows

TWO_CLASSES, CLASSES, NUMBERS = 0, 1, 2

# How the loops that find cuts are called by their addresses: only those of a task are compiled.
_COUNTED = types.Tuple((float64, int64, int64, int64))
_WEIGHED = types.Tuple((float64, int64, int64, boolean))
_ROWS, _WORDS, _FLOATS = int32[::1], uint64[::1], float64[::1]
_LEAST = types.Tuple((int64, float64))
_IN_ORDER = (_ROWS, uint32[::1], int64)
_call_counts, _call_order, _call_cut = opaque(_COUNTED), opaque(int64), opaque(_WEIGHED)


def calls_of(task: int, code: Any) -> tuple[int, int]:
    """The addresses of the loops of a task, for codes of a type."""
    code = types.Array(from_dtype(code), 1, "C")
    if task == TWO_CLASSES:
        taken = (code, _ROWS, int64, int64, _WORDS, uint64, _FLOATS, int64, int64, float64)
        cut = address_of(best_cut_of_counts, _COUNTED(*taken, _WORDS, _WORDS, _WORDS))
        return cut, NOWHERE
    taken = (code, _ROWS, int64, int64, _ROWS, _ROWS, _WORDS, _WORDS, _ROWS, uint32[::1])
    order = address_of(order_rows, int64(*taken))
    if task == CLASSES:
        taken = (*_IN_ORDER, _ROWS, _FLOATS, int64, _FLOATS, float64, int64, _LEAST, float64)
        return address_of(best_cut_of_classes, _WEIGHED(*taken, _FLOATS)), order
    taken = (*_IN_ORDER, _FLOATS, _FLOATS, int64, float64, float64, _LEAST, float64)
    return address_of(best_cut_of_numbers, _WEIGHED(*taken)), order


_HALF = np.uint64(32)
_LOWER = np.uint64(0xFFFFFFFF)
_LN2 = np.log(2.0)


@njit(**LENT)
def below(generator, many):
    # A packed_sum number below `many`, each equally likely: the few words that would favour some are drawn again.
    n = np.uint64(many)
    product = (next_word(generator) >> _HALF) * n
    if (product & _LOWER) < n:
        least = ((np.uint64(1) << _HALF) - n) % n
        while (product & _LOWER) < least:
            product = (next_word(generator) >> _HALF) * n
    return np.int64(product >> _HALF)


@njit(**EXACT)
def new_scratch(task, most_codes, many, outputs):
    counted = task == TWO_CLASSES
    return (
        np.zeros(most_codes if counted else 0, np.uint64),
        np.zeros(most_codes // 64 + 1, np.uint64),
        np.zeros(most_codes // 4096 + 1, np.uint64),
        np.full(0 if counted else most_codes, -1, np.int32),
        np.empty(0 if counted else many, np.int32),
        np.empty(0 if counted else many, np.int32),
        np.empty(0 if counted else many, np.uint32),
        np.empty(outputs),
    )


@njit(**LENT)
def _impurity_of_classes(criterion, sums, heavy):
    total = 0.0
    if criterion == GINI:
        for c in range(sums.size):
            share = sums[c] / heavy
            total += share * share
        return 1.0 - total
    for c in range(sums.size):
        total -= xlx(sums[c] / heavy)
    return total / _LN2


@njit(**LENT)
def node_sums(task, criterion, sample, rows, start, stop, sums):
    _, _, packed, label, target, weight, _ = sample
    packed_sum, heavy = np.uint64(0), 0.0
    if task == TWO_CLASSES:
        for i in range(start, stop):
            packed_sum += packed[rows[i]]
        count, ones = packed_count(packed_sum), packed_ones(packed_sum)
        heavy = np.float64(count)
        sums[0], sums[1] = np.float64(count - ones), np.float64(ones)
        pure = ones == 0 or ones == count
        impurity = 0.0 if pure else _impurity_of_classes(criterion, sums, heavy)
        return packed_sum, heavy, impurity, pure
    if task == CLASSES:
        sums[:] = 0.0
        pure, first = True, label[rows[start]]
        for i in range(start, stop):
            row = rows[i]
            sums[label[row]] += weight[row]
            heavy += weight[row]
            pure &= label[row] == first
        impurity = 0.0 if pure else _impurity_of_classes(criterion, sums, heavy)
        return packed_sum, heavy, impurity, pure
    total, squares, pure, same = 0.0, 0.0, True, target[rows[start]]
    for i in range(start, stop):
        t, w = target[rows[i]], weight[rows[i]]
        heavy += w
        total += w * t
        squares += w * t * t
        pure &= t == same
    sums[0] = total
    impurity = 0.0 if pure else max(squares / heavy - (total / heavy) ** 2, 0.0)
    return packed_sum, heavy, impurity, pure


@njit(**LENT, **INNER)
def find_cut(bag, start, stop, packed_sum, heavy, known):
    task, criterion, sample, calls, rows, draw, limits, _, scratch, _, sums = bag
    call_cut, call_order = calls
    _, _, least_rows, least_weight, _ = limits
    least = (least_rows, least_weight)
    codes, gaps, packed, label, target, weight, logs = sample
    features, most, generator = draw
    counted, words, tops, head, chain, order, place, side = scratch
    least_count = np.int64(max(np.ceil(least_weight), 1.0))
    best, feature, missing = -np.inf, np.int64(-1), False
    before, after = np.int64(-1), np.int64(-1)
    undrawn, visited, newly, drawn, constant = features.size, 0, 0, 0, known
    while undrawn > constant and (visited < most or visited <= newly + drawn):
        visited += 1
        j = drawn + below(generator, undrawn - newly - drawn)
        if j < known:
            drawn += 1  # which of the constant features it is makes no difference
            continue
        j += newly
        f = features[j]
        code, gap = codes[f], gaps[f]
        value, a, b, gone_left = best, np.int64(-1), np.int64(-1), False
        if task == TWO_CLASSES:
            value, a, b, distinct = _call_counts(
                call_cut, code, rows, start, stop, packed, packed_sum, logs, least_rows, least_count, best,
                counted, words, tops,
            )  # fmt: skip
        else:
            distinct = _call_order(
                call_order, code, rows, start, stop, head, chain, words, tops, order, place
            )
            many = stop - start
            if distinct > 1 and task == CLASSES:
                value, a, b, gone_left = _call_cut(
                    call_cut, order, place, many, label, weight, gap, sums, heavy, criterion, least,
                    best, side,
                )  # fmt: skip
            elif distinct > 1:
                value, a, b, gone_left = _call_cut(
                    call_cut, order, place, many, target, weight, gap, sums[0], heavy, least, best
                )
        if distinct == 1:
            features[j], features[constant] = features[constant], f
            newly += 1
            constant += 1
            continue
        undrawn -= 1
        features[j], features[undrawn] = features[undrawn], f
        if a >= 0:
            best, feature, before, after, missing = value, np.int64(f), a, b, gone_left
    return feature, before, after, missing, constant


@njit(**LENT)
def part(code, gap, rows, start, stop, before, missing_left, spare):
    into, aside, missing = start, 0, 0
    for i in range(start, stop):
        row = rows[i]
        k = np.int64(code[row])
        missing += k == gap
        if missing_left if k == gap else k <= before:
            rows[into] = row
            into += 1
        else:
            spare[aside] = row
            aside += 1
    for i in range(aside):
        rows[into + i] = spare[i]
    return into, missing
