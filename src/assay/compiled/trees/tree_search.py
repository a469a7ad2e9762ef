# Problem   find the best way to divide the rows of a node by each of some features.
# Given     a Sample and a Rule (see tree_sample), the features (m,) int64 to look at, the node's part start:stop of
#           every column, and its state: for classes the weight of each, for a target weight, mean and sum of squares.
#           room = (counts, masses) as the scans need them.
# Writes    for each feature f looked at fall[f], by how much the weighted impurity falls; worth[f], what features are
#           compared by, which is fall, or the gain ratio; cut[f], how many cells or groups go left, 0 where no division
#           is allowed, -1 where all rows are alike; way[f], 1 where missing cells go left, or the class that orders
#           the groups.
# Returns   nothing. `choose` returns the feature to divide by, -1 for none: the one of the largest worth, of equal ones
#           the first. Gain ratios are compared among features whose gain is at least the average one.
# Source    Breiman, Friedman, Olshen & Stone, 1984; Quinlan, C4.5, 1993.
import numpy as np
from numba import njit

from assay.compiled.trees.tree_groups import all_groups, best_groups, weighted_impurity
from assay.compiled.trees.tree_sample import INNER
from assay.compiled.trees.tree_scan import GINI, scan_counts, scan_target, scan_two, scan_weights

_SLACK = 1e-12
_NEXT = np.uint64(2**32)
_MISSING = np.uint64(0xFFFFFFFF00000000)
_ONE = np.uint64(1)


@njit(**INNER)
def weight_of(sample, state):
    if sample.classes == 0:
        return state[0]
    total = 0.0
    for weight in state:
        total += weight
    return total


@njit(**INNER)
def held(cells):
    """How many cells have a value; the others stand last."""
    n = cells.size
    while n > 0 and cells[n - 1] >= _MISSING:
        n -= 1
    return n


@njit(**INNER)
def _information(left, right):
    """The entropy of a division in two, times the weight of the rows."""
    total = left + right
    return -left * np.log2(left / total) - right * np.log2(right / total)


@njit(**INNER)
def _weight_left(sample, cells, known, cut, on_left):
    mask = (_ONE << sample.shift) - _ONE
    left = 0.0
    for i in range(cells.size):
        if i < cut or (i >= known and on_left):
            left += sample.weights[cells[i] & mask] if sample.weights.size > 0 else 1.0
    return left


@njit(**INNER)
def search(sample, rule, features, start, stop, state, room, fall, worth, cut, way):
    weight = weight_of(sample, state)
    impurity = state[2] if sample.classes == 0 else weighted_impurity(rule.criterion, state)
    slack = _SLACK * (impurity if sample.classes == 0 else weight)
    # Taken out once: every look into the sample takes hold of the impurity array.
    counts, masses = room
    keys, arities, shift = sample.keys, sample.arity, sample.shift
    weights, target = sample.weights, sample.target
    inverse, xlog, unit = sample.inverse, sample.xlog, sample.unit
    criterion, least, least_weight = rule.criterion, max(rule.least_leaf, 1), rule.least_weight
    if weights.size == 0:
        least = max(least, np.int64(np.ceil(least_weight)))
    # The common case takes the short way.
    two = sample.classes == 2 and criterion == GINI and weights.size == 0
    ones = np.int64(state[1])
    for f in features:
        cells = keys[f, start:stop]
        fall[f], worth[f], cut[f], way[f] = -1.0, -1.0, -1, 0
        if (cells[0] ^ cells[-1]) < _NEXT:
            continue
        arity = arities[f]
        if two and arity == 0 and cells[-1] < _MISSING:
            fall[f], cut[f] = scan_two(cells, cells.size, 0, shift, ones, least, inverse, slack)
            worth[f] = fall[f]
            continue
        information = 1.0
        if arity > 0 and rule.multiway:
            fall[f], cut[f], information = all_groups(sample, rule, cells, arity, impurity, weight)
        elif arity > 0:
            mean = state[1] if sample.classes == 0 else 0.0
            fall[f], cut[f], way[f], left = best_groups(
                sample, rule, cells, arity, mean, impurity, slack
            )
            if rule.ratio and cut[f] > 0:
                information = _information(left, weight - left)
        else:
            known = held(cells)
            cut[f] = 0
            for gone in range(2 if known < cells.size else 1):
                part = (cells, known, gone * (cells.size - known), shift)
                if sample.classes == 0:
                    gain, place = scan_target(
                        *part, state, target, weights, least, least_weight, slack
                    )
                elif weights.size > 0:
                    gain, place = scan_weights(
                        *part, criterion, state, masses, weights, least, least_weight, slack
                    )
                elif two:
                    gain, place = scan_two(*part, ones, least, inverse, slack)
                else:
                    gain, place = scan_counts(
                        *part, criterion, state, counts, least, inverse, xlog, unit, slack
                    )
                if place > 0 and (cut[f] == 0 or gain > fall[f] + slack):
                    fall[f], cut[f], way[f] = gain, place, gone
            if rule.ratio and cut[f] > 0:
                left = _weight_left(sample, cells, known, cut[f], way[f] == 1)
                information = _information(left, weight - left)
        worth[f] = fall[f] / information if rule.ratio and cut[f] > 0 else fall[f]


@njit(**INNER)
def choose(sample, rule, features, state, fall, worth, cut):
    slack = _SLACK * (state[2] if sample.classes == 0 else weight_of(sample, state))
    least = -np.inf
    if rule.ratio:
        total, many = 0.0, 0
        for f in features:
            if cut[f] > 0:
                total += fall[f]
                many += 1
        least = total / max(many, 1) - slack
        slack = _SLACK
    best, chosen = -np.inf, -1
    for f in features:
        if cut[f] > 0 and fall[f] >= least:
            best = max(best, worth[f])
    for f in features:
        equal = cut[f] > 0 and fall[f] >= least and worth[f] >= best - slack
        if equal and (chosen < 0 or f < chosen):
            chosen = f
    return chosen
