# Problem   cut a sorted column in two where more is predicted than one class or one mean: several columns of classes or
#           of numbers, medians, means judged by Poisson deviance, and predictions that rise or fall with features.
#           Impurities are means over the columns of y: of squares about the mean, of |y - median|, of y log(y / mean),
#           or of a criterion of classes.
# Given     a Sample with an Aim, and a Rule (see tree_sample); f, the feature, with its cells, ascending, of which the
#           first `known` have a value; the others go left if `before`, which is then how many they are, else right.
#           state of the node: WEIGHT, IMPURITY (weighted by the rows), LOWER and UPPER, between what a prediction must
#           lie, and from HEAD on its values: what is predicted of each column, or the weight of each class of each.
# Writes    states: those of the children, with their sizes and whether all rows are alike (see tree_divide).
#           bound: between what the predictions of two children must lie. predicted: those of a node, kept within; where
#           that is asked of two classes, their shares, and else their weights.
# Returns   cuts: by how much the impurity falls, and how many cells go left, zero for no cut. What is larger by less
#           than `slack` counts as equal, and of equal cuts the first is taken.
# Source    Breiman, Friedman, Olshen & Stone, 1984. Medians of all rows up to one: Fenwick, 1994, sums over ranks.
import numpy as np
from numba import float64, int64, njit, types

from assay.compiled.common.opaque import opaque
from assay.compiled.trees.tree_groups import weighted_impurity
from assay.compiled.trees.tree_sample import EXACT_INNER, FLOATS, KEYS, LENT_INNER, RULE, SAMPLE
from assay.compiled.trees.tree_scan import POISSON

WEIGHT, IMPURITY, LOWER, UPPER, HEAD = 0, 2, 3, 4, 5

_NEXT = np.uint64(2**32)
_ONE = np.uint64(1)
# So small a share of a sum may be what rounding left of nothing.
_NOTHING = 1e-12


@njit(**LENT_INNER)
def _allowed(aim, f, left, right, state):
    """Whether predictions on both sides go the right way, and lie where those of the node may."""
    if aim.rising.size == 0 or aim.rising[f] == 0:
        return True
    lower, upper = state[LOWER], state[UPPER]
    within = lower <= left <= upper and lower <= right <= upper
    return within and (left - right) * aim.rising[f] <= 0.0


@njit(**LENT_INNER)
def bound(aim, f, state, below):
    for child in range(2):
        below[child, LOWER], below[child, UPPER] = state[LOWER], state[UPPER]
    if aim.rising.size > 0 and aim.rising[f] != 0:
        middle = 0.0
        for child in range(2):
            share = aim.starts.size > 0
            value = below[child, HEAD + 1] if share else below[child, HEAD]
            middle += value / (below[child, WEIGHT] if share else 1.0) / 2.0
        low = 0 if aim.rising[f] > 0 else 1
        below[low, UPPER], below[1 - low, LOWER] = middle, middle


@njit(**LENT_INNER)
def predicted(aim, state, out):
    for c in range(out.size):
        out[c] = state[HEAD + c]
    if aim.rising.size == 0:
        return
    if aim.starts.size == 0:
        out[0] = min(max(out[0], state[LOWER]), state[UPPER])
    else:
        out[1] = min(max(out[1] / state[WEIGHT], state[LOWER]), state[UPPER])
        out[0] = 1.0 - out[1]


@njit(**LENT_INNER)
def _too_light(rule, left, right):
    return left < rule.least_weight or right < rule.least_weight or right <= 0.0


# Means: with s the sum of w (y - mean) on the left, the sum of squares falls by s^2 (1 / w_left + 1 / w_right); with l
# and r the sums of w y, that of y log(y / mean) by l log(l / w_left) + r log(r / w_right) - (l + r) log(mean).
@njit(**EXACT_INNER)
def cut_means(sample, rule, f, cells, known, before, state, slack):
    aim, target, weights = sample.aim, sample.target, sample.weights
    columns, rows, poisson = aim.outputs, cells.size, aim.criterion == POISSON
    mask = (_ONE << sample.shift) - _ONE
    weighted = weights.size > 0
    weight, left = state[WEIGHT], np.zeros(columns)
    a, best, bar, cut = 0.0, -1.0, -1.0, 0
    for i in range(-before, known if known + before < rows else known - 1):
        cell = cells[i if i >= 0 else known - 1 - i]
        row = np.int64(cell & mask)
        w = weights[row] if weighted else 1.0
        a += w
        for k in range(columns):
            value = target[row * columns + k]
            left[k] += w * (value if poisson else value - state[HEAD + k])
        taken = before + i + 1
        if i < 0 or taken < rule.least_leaf or (i + 1 < known and (cells[i + 1] ^ cell) < _NEXT):
            continue
        if rows - taken < rule.least_leaf:
            break
        b = weight - a
        if _too_light(rule, a, b):
            continue
        score = _fall(poisson, left, a, b, state) / columns
        about = 0.0 if poisson else state[HEAD]
        rest = state[HEAD] * weight - left[0] if poisson else -left[0]
        if score > bar and _allowed(aim, f, about + left[0] / a, about + rest / b, state):
            best, bar, cut = score, score + slack, i + 1
    return best, cut


@njit(**LENT_INNER)
def _fall(poisson, left, a, b, state):
    fall = 0.0
    for k in range(left.size):
        if not poisson:
            fall += left[k] * left[k] * (a + b) / (a * b)
            continue
        mean = state[HEAD + k]
        total = mean * (a + b)
        right = total - left[k]
        # A mean of zero is none that a Poisson variable could have.
        if left[k] <= _NOTHING * total or right <= _NOTHING * total:
            return -np.inf
        fall += left[k] * np.log(left[k] / a) + right * np.log(right / b) - total * np.log(mean)
    return fall


@njit(**EXACT_INNER)
def mean_states(sample, cells, to, many, mean, sizes, state, alike):
    aim, target, weights = sample.aim, sample.target, sample.weights
    columns, poisson = aim.outputs, aim.criterion == POISSON
    mask = (_ONE << sample.shift) - _ONE
    _begin(sample, cells, to, many, sizes, state, alike)
    for cell in cells:
        row = np.int64(cell & mask)
        w = weights[row] if weights.size > 0 else 1.0
        for k in range(columns):
            state[to[row], HEAD + k] += w * target[row * columns + k]
    first = np.full(many, -1)
    for cell in cells:
        row = np.int64(cell & mask)
        child = to[row]
        if first[child] < 0:
            first[child] = row
            for k in range(columns):
                same = alike[child]
                state[child, HEAD + k] /= state[child, WEIGHT]
                # Of numbers that are all alike the mean is theirs, whatever rounding makes of the sum.
                if same:
                    state[child, HEAD + k] = target[row * columns + k]
        w = weights[row] if weights.size > 0 else 1.0
        for k in range(columns):
            y, about = target[row * columns + k], state[child, HEAD + k]
            off = y * np.log(y / about) if poisson and y > 0.0 else 0.0
            off = off if poisson else (y - about) ** 2
            state[child, IMPURITY] += w * off / columns
    for child in range(many):
        state[child, IMPURITY] = max(state[child, IMPURITY], 0.0)


@njit(**LENT_INNER)
def _begin(sample, cells, to, many, sizes, state, alike):
    """Sizes, weights, and whether all rows of a child are alike."""
    target, weights, columns = sample.target, sample.weights, sample.aim.outputs
    mask = (_ONE << sample.shift) - _ONE
    for child in range(many):
        sizes[child] = 0
        alike[child] = True
        for c in range(state.shape[1]):
            state[child, c] = 0.0
    for cell in cells:
        row = np.int64(cell & mask)
        child = to[row]
        # Until values are known, their places hold those of the child's first row.
        for k in range(columns):
            if sizes[child] == 0:
                state[child, HEAD + k] = target[row * columns + k]
            elif target[row * columns + k] != state[child, HEAD + k]:
                alike[child] = False
        sizes[child] += 1
        state[child, WEIGHT] += weights[row] if weights.size > 0 else 1.0
    for child in range(many):
        for k in range(columns):
            state[child, HEAD + k] = 0.0


# Classes, those of each column by themselves.
@njit(**LENT_INNER)
def _impurity(aim, part):
    total = 0.0
    for k in range(aim.outputs):
        total += weighted_impurity(aim.criterion, part[aim.starts[k] : aim.starts[k + 1]])
    return total / aim.outputs


@njit(**EXACT_INNER)
def cut_labels(sample, rule, f, cells, known, before, state, slack):
    aim, target, weights = sample.aim, sample.target, sample.weights
    columns, rows = aim.outputs, cells.size
    mask = (_ONE << sample.shift) - _ONE
    weighted = weights.size > 0
    left, right = np.zeros(state.size - HEAD), np.zeros(state.size - HEAD)
    a, best, bar, cut = 0.0, -1.0, -1.0, 0
    for i in range(-before, known if known + before < rows else known - 1):
        cell = cells[i if i >= 0 else known - 1 - i]
        row = np.int64(cell & mask)
        w = weights[row] if weighted else 1.0
        a += w
        for k in range(columns):
            left[aim.starts[k] + np.int64(target[row * columns + k])] += w
        taken = before + i + 1
        if i < 0 or taken < rule.least_leaf or (i + 1 < known and (cells[i + 1] ^ cell) < _NEXT):
            continue
        if rows - taken < rule.least_leaf:
            break
        b = state[WEIGHT] - a
        if _too_light(rule, a, b):
            continue
        for c in range(left.size):
            right[c] = max(state[HEAD + c] - left[c], 0.0)
        score = state[IMPURITY] - _impurity(aim, left) - _impurity(aim, right)
        if score > bar and _allowed(aim, f, left[1] / a, right[1] / b, state):
            best, bar, cut = score, score + slack, i + 1
    return best, cut


@njit(**EXACT_INNER)
def label_states(sample, cells, to, many, mean, sizes, state, alike):
    aim, target, weights = sample.aim, sample.target, sample.weights
    mask = (_ONE << sample.shift) - _ONE
    _begin(sample, cells, to, many, sizes, state, alike)
    for cell in cells:
        row = np.int64(cell & mask)
        w = weights[row] if weights.size > 0 else 1.0
        for k in range(aim.outputs):
            label = np.int64(target[row * aim.outputs + k])
            state[to[row], HEAD + aim.starts[k] + label] += w
    for child in range(many):
        state[child, IMPURITY] = _impurity(aim, state[child, HEAD:])


# Medians: sums of weights and of w y over the ranks, kept so that any row is added, and any median found, in about as
# many steps as the number of rows has digits.
@njit(**LENT_INNER)
def _add(room, rank, w, y):
    place = rank + 1
    while place < room.shape[1]:
        room[0, place] += w
        room[1, place] += w * y
        place += place & -place


@njit(**LENT_INNER)
def _clear(room, rank):
    place = rank + 1
    while place < room.shape[1]:
        room[0, place], room[1, place] = 0.0, 0.0
        place += place & -place


@njit(**LENT_INNER)
def _seek(room, half, beyond):
    """The first rank up to which half the weight lies, or more than that; weight and sum of those before it."""
    place, weight, total = 0, 0.0, 0.0
    step = 1
    while 2 * step < room.shape[1]:
        step *= 2
    while step > 0:
        at = place + step
        if at < room.shape[1]:
            reached = weight + room[0, at]
            if reached < half or (beyond and reached == half):
                place, weight, total = at, reached, total + room[1, at]
        step //= 2
    return min(place, room.shape[1] - 2), weight, total


@njit(**LENT_INNER)
def _median(room, ordered, weight, total):
    """The median of what was added, halfway between two where both are, and the sum of the distances to it."""
    low, before, below = _seek(room, weight / 2.0, False)
    high, _, _ = _seek(room, weight / 2.0, True)
    middle = ordered[low] / 2.0 + ordered[max(low, high)] / 2.0
    y = ordered[low]
    lost = (total - below) - y * (weight - before) + y * before - below
    return middle, max(lost, 0.0)


@njit(**EXACT_INNER)
def cut_medians(sample, rule, f, cells, known, before, state, slack):
    aim, target, weights = sample.aim, sample.target, sample.weights
    columns, rows, room = aim.outputs, cells.size, aim.room
    mask = (_ONE << sample.shift) - _ONE
    # Of the first rows up to each, and of those after it: distances to the medians, which are those of one column.
    lost, medians = np.zeros((2, rows)), np.zeros((2, rows))
    lead = np.zeros(rows)
    for k in range(columns):
        for side in range(2):
            weight, total = 0.0, 0.0
            for j in range(rows):
                at = j if side == 0 else rows - 1 - j
                cell = cells[at - before if at >= before else known + at]
                row = np.int64(cell & mask)
                w, y = weights[row] if weights.size > 0 else 1.0, target[row * columns + k]
                if side == 1:
                    # Of the rows from the next on.
                    medians[1, at], off = _median(room, aim.ordered[k], weight, total)
                    lost[1, at] += off
                weight += w
                total += w * y
                _add(room, aim.ranks[k, row], w, y)
                if side == 0:
                    lead[at] = weight
                    medians[0, at], off = _median(room, aim.ordered[k], weight, total)
                    lost[0, at] += off
            for cell in cells:
                _clear(room, aim.ranks[k, np.int64(cell & mask)])
    best, bar, cut = -1.0, -1.0, 0
    for i in range(known if known + before < rows else known - 1):
        at = before + i
        if at + 1 < rule.least_leaf or (i + 1 < known and (cells[i + 1] ^ cells[i]) < _NEXT):
            continue
        if rows - at - 1 < rule.least_leaf:
            break
        if _too_light(rule, lead[at], state[WEIGHT] - lead[at]):
            continue
        score = state[IMPURITY] - (lost[0, at] + lost[1, at]) / columns
        if score > bar and _allowed(aim, f, medians[0, at], medians[1, at], state):
            best, bar, cut = score, score + slack, i + 1
    return best, cut


@njit(**EXACT_INNER)
def median_states(sample, cells, to, many, mean, sizes, state, alike):
    aim, target, weights = sample.aim, sample.target, sample.weights
    columns, room = aim.outputs, aim.room
    mask = (_ONE << sample.shift) - _ONE
    _begin(sample, cells, to, many, sizes, state, alike)
    for k in range(columns):
        for child in range(many):
            total = 0.0
            for cell in cells:
                row = np.int64(cell & mask)
                if to[row] == child:
                    w, y = weights[row] if weights.size > 0 else 1.0, target[row * columns + k]
                    total += w * y
                    _add(room, aim.ranks[k, row], w, y)
            weight = state[child, WEIGHT]
            state[child, HEAD + k], off = _median(room, aim.ordered[k], weight, total)
            state[child, IMPURITY] += off / columns
            for cell in cells:
                _clear(room, aim.ranks[k, np.int64(cell & mask)])


AIMED = types.Tuple((float64, int64))(SAMPLE, RULE, int64, KEYS, int64, int64, FLOATS, float64)
call_aimed = opaque(AIMED)
