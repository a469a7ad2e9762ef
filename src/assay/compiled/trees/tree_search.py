# Problem   find the best question to ask of the rows of a node: the best way to divide them by each of some features,
#           and the best of these.
# Given     a Sample, a Rule and Calls (see tree_sample); the node's part start:stop of every column, and its state: for
#           classes the weight of each, for a target weight, mean and sum of squares. counts and masses, as the scans
#           need them; seed (1,) uint64, for the features to look at.
# Writes    looks (3, d) int64: FEATURES, permuted, those looked at first; of each feature f looked at CUT, how many
#           cells or groups go left, 0 where no division is allowed, -1 where all rows are alike, and WAY, 1 where
#           missing cells go left, or the class that orders the groups. gains (2, d): of each FALL, by how much the
#           weighted impurity falls, and WORTH, what features are compared by, which is the fall, or the gain ratio.
# Returns   ask: the feature to divide by, -1 for none: the one of the largest worth, of equal ones the first, or one
#           drawn by lot. Gain ratios are compared among features whose gain is at least the average one.
# Source    Breiman, Friedman, Olshen & Stone, 1984; Quinlan, C4.5, 1993. A feature that is constant in a node is in all
#           nodes below, and is looked at no more.
import numpy as np
from numba import float64, int64, njit, uint64

from assay.compiled.common.opaque import opaque
from assay.compiled.trees.tree_aims import call_aimed
from assay.compiled.trees.tree_groups import call_all_groups, call_two_groups, weighted_impurity
from assay.compiled.trees.tree_sample import CALLS, FLOATS, LENT_INNER, RULE, SAMPLE
from assay.compiled.trees.tree_scan import GINI, call_counts, call_target, call_two, call_weights

FEATURES, CUT, WAY = range(3)
FALL, WORTH = range(2)

_SLACK = 1e-12
_NEXT = np.uint64(2**32)
_MISSING = np.uint64(0xFFFFFFFF00000000)
_ONE = np.uint64(1)
_MULTIPLIER = np.uint64(6364136223846793005)
_INCREMENT = np.uint64(1442695040888963407)
_HALF = np.uint64(32)


@njit(**LENT_INNER)
def weight_of(sample, state):
    if sample.classes == 0:
        return state[0]
    total = 0.0
    for weight in state:
        total += weight
    return total


@njit(**LENT_INNER)
def held(cells):
    """How many cells have a value; the others stand last."""
    n = cells.size
    while n > 0 and cells[n - 1] >= _MISSING:
        n -= 1
    return n


@njit(**LENT_INNER)
def not_constant(keys, features, start, stop):
    """Put the features first whose cells differ, in no order; how many they are."""
    many = features.size
    i = 0
    while i < many:
        f = features[i]
        if (keys[f, start] ^ keys[f, stop - 1]) < _NEXT:
            many -= 1
            features[i], features[many] = features[many], f
        else:
            i += 1
    return many


@njit(**LENT_INNER)
def _information(left, right):
    """The entropy of a division in two, times the weight of the rows."""
    total = left + right
    return -left * np.log2(left / total) - right * np.log2(right / total)


@njit(**LENT_INNER)
def _weight_left(weights, shift, cells, known, cut, on_left):
    mask = (_ONE << shift) - _ONE
    left = 0.0
    for i in range(cells.size):
        if i < cut or (i >= known and on_left):
            left += weights[cells[i] & mask] if weights.size > 0 else 1.0
    return left


@njit(**LENT_INNER)
def _search(
    sample, rule, calls, first, last, start, stop, state, weight, counts, masses, looks, gains
):
    """Look at some of the features, by their places."""
    impurity = state[2] if sample.classes == 0 else weighted_impurity(rule.criterion, state)
    slack = _SLACK * (impurity if sample.classes == 0 else weight)
    keys, arities, shift = sample.keys, sample.arity, sample.shift
    weights, classes = sample.weights, sample.classes
    criterion, least, least_weight = rule.criterion, rule.least_leaf, rule.least_weight
    least = least if least > 1 else 1
    if weights.size == 0:
        rows = np.int64(np.ceil(least_weight))
        least = rows if rows > least else least
    # The common case takes the short way.
    two = classes == 2 and criterion == GINI and weights.size == 0
    ones = np.int64(state[1])
    for i in range(first, last):
        f = looks[FEATURES, i]
        cells = keys[f, start:stop]
        end = cells[cells.size - 1]
        fall, worth, cut, way = -1.0, -1.0, np.int64(-1), np.int64(0)
        if (cells[0] ^ end) < _NEXT:
            looks[CUT, f], looks[WAY, f] = cut, way
            gains[FALL, f], gains[WORTH, f] = fall, worth
            continue
        arity = arities[f]
        information = 1.0
        if two and arity == 0 and end < _MISSING:
            fall, cut = call_two(
                calls.two, cells, cells.size, 0, shift, ones, least, sample.inverse, slack
            )
        elif arity > 0 and rule.multiway:
            fall, cut, information = call_all_groups(
                calls.all_groups, sample, rule, cells, arity, impurity, weight
            )
        elif arity > 0:
            mean = state[1] if classes == 0 else 0.0
            fall, cut, way, left = call_two_groups(
                calls.two_groups, sample, rule, cells, arity, mean, impurity, slack
            )
            if rule.ratio and cut > 0:
                information = _information(left, weight - left)
        else:
            known = held(cells)
            missing = cells.size - known
            cut = np.int64(0)
            for gone in range(2 if missing > 0 else 1):
                before = missing if gone == 1 else 0
                if sample.aim.outputs > 0:
                    gain, place = call_aimed(
                        calls.aimed, sample, rule, f, cells, known, before, state, slack
                    )
                elif classes == 0:
                    gain, place = call_target(
                        calls.target,
                        cells, known, before, shift,
                        state, sample.target, weights, least, least_weight, slack,
                    )  # fmt: skip
                elif weights.size > 0:
                    gain, place = call_weights(
                        calls.weights,
                        cells, known, before, shift,
                        criterion, state, masses, weights, least, least_weight, slack,
                    )  # fmt: skip
                elif two:
                    gain, place = call_two(
                        calls.two,
                        cells, known, before, shift, ones, least, sample.inverse, slack,
                    )  # fmt: skip
                else:
                    gain, place = call_counts(
                        calls.counts,
                        cells, known, before, shift,
                        criterion, state, counts, least, sample.inverse, sample.xlog, sample.unit, slack,
                    )  # fmt: skip
                if place > 0 and (cut == 0 or gain > fall + slack):
                    fall, cut, way = gain, place, gone
            if rule.ratio and cut > 0:
                left = _weight_left(weights, shift, cells, known, cut, way == 1)
                information = _information(left, weight - left)
        worth = fall / information if rule.ratio and cut > 0 else fall
        looks[CUT, f], looks[WAY, f] = cut, way
        gains[FALL, f], gains[WORTH, f] = fall, worth


@njit(**LENT_INNER)
def _drawn(seed, many):
    """A number below `many`."""
    seed[0] = seed[0] * _MULTIPLIER + _INCREMENT
    return np.int64(((seed[0] >> _HALF) * np.uint64(many)) >> _HALF)


@njit(**LENT_INNER)
def _choose(ratio, many, slack, looks, gains, by_lot, seed):
    least = -np.inf
    if ratio:
        total, dividing = 0.0, 0
        for i in range(many):
            f = looks[FEATURES, i]
            if looks[CUT, f] > 0:
                total += gains[FALL, f]
                dividing += 1
        least = total / (dividing if dividing > 1 else 1) - slack
        slack = _SLACK
    best, chosen = -np.inf, -1
    for i in range(many):
        f = looks[FEATURES, i]
        if looks[CUT, f] > 0 and gains[FALL, f] >= least and gains[WORTH, f] > best:
            best = gains[WORTH, f]
    among = 0
    for i in range(many):
        f = looks[FEATURES, i]
        if looks[CUT, f] > 0 and gains[FALL, f] >= least and gains[WORTH, f] >= best - slack:
            among += 1
            if chosen < 0 or (_drawn(seed, among) == 0 if by_lot else f < chosen):
                chosen = f
    return chosen


@njit(**LENT_INNER)
def ask(sample, rule, calls, start, stop, state, counts, masses, looks, gains, seed):
    features = looks[FEATURES]
    weight = weight_of(sample, state)
    many = not_constant(sample.keys, features, start, stop)
    # All at once, or one after the other, until there are enough and one of them divides.
    step = 1
    if rule.most_features >= features.size:
        step = many if many > 1 else 1
    drawn, allowed = np.int64(0), False
    while drawn < many and (drawn < rule.most_features or not allowed):
        if step < many:
            # One more, drawn from those that were not, next to those that were.
            place = drawn + _drawn(seed, many - drawn)
            features[drawn], features[place] = features[place], features[drawn]
        end = drawn + step
        _search(
            sample, rule, calls, drawn, end, start, stop, state, weight, counts, masses, looks, gains
        )  # fmt: skip
        allowed = allowed or looks[CUT, features[drawn]] > 0
        drawn = end
    slack = _SLACK * (state[2] if sample.classes == 0 else weight)
    chosen = _choose(rule.ratio, drawn, slack, looks, gains, rule.by_lot, seed)
    return chosen if chosen >= 0 and gains[FALL, chosen] >= rule.least_fall else -1


ASK = int64(
    SAMPLE, RULE, CALLS, int64, int64, FLOATS,
    int64[:, ::1], float64[:, ::1], int64[:, ::1], float64[:, ::1], uint64[::1],
)  # fmt: skip
call_ask = opaque(ASK)
