# Problem   grow a decision tree: divide the rows by the best question and go on with the children, the first child
#           first, or, with a limit on the leaves, that one first whose question takes most of the impurity away.
# Given     a Sample and a Rule (see tree_sample); the state of all rows as in tree_search, and whether they are all
#           alike; seed (1,) uint64, for the features to look at.
# Writes    the columns are put in the order of the leaves; to (n,) and spare (n,) are overwritten.
# Returns   the nodes in the order in which they were asked about, which is preorder without a limit: numbers (nodes, 9)
#           int64 with the columns named below, masses (nodes, 2) with weight and impurity, value (nodes, classes or 1),
#           and children, the table of all nodes that ask for a category.
# Source    Breiman, Friedman, Olshen & Stone, 1984. Columns are sorted once and then only divided; a feature that is
#           constant in a node is in all nodes below, and is looked at no more.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.trees.tree_divide import put_in_order, send, states_of
from assay.compiled.trees.tree_groups import weighted_impurity
from assay.compiled.trees.tree_sample import INNER
from assay.compiled.trees.tree_search import choose, held, search, weight_of

# The columns of `numbers`. LOW and HIGH are the cells on both sides of a threshold, as bits in the order of numbers.
FEATURE, LEFT, RIGHT, LOW, HIGH, MISSING_LEFT, ROWS, BRANCH, ARITY = range(9)

_VALUE = np.uint64(32)
_NEXT = np.uint64(2**32)
_MULTIPLIER = np.uint64(6364136223846793005)
_INCREMENT = np.uint64(1442695040888963407)
_HALF = np.uint64(32)


@njit(**INNER)
def _ends(sample, rule, rows, state, alike, depth):
    """Whether nothing is to be asked of these rows."""
    return (
        alike
        or depth >= rule.most_depth
        or rows < max(rule.least_split, 2)
        or rows < 2 * rule.least_leaf
        or weight_of(sample, state) < 2.0 * rule.least_weight
    )


@njit(**INNER)
def _not_constant(sample, features, start, stop):
    """Put the features first whose cells differ, in no order; how many they are."""
    many = features.size
    i = 0
    while i < many:
        f = features[i]
        if (sample.keys[f, start] ^ sample.keys[f, stop - 1]) < _NEXT:
            many -= 1
            features[i], features[many] = features[many], f
        else:
            i += 1
    return many


@njit(**INNER)
def _draw(features, seed, drawn):
    """Put one more feature, drawn from those that were not, next to those that were."""
    seed[0] = seed[0] * _MULTIPLIER + _INCREMENT
    place = drawn + np.int64(((seed[0] >> _HALF) * np.uint64(features.size - drawn)) >> _HALF)
    features[drawn], features[place] = features[place], features[drawn]


@njit(**INNER)
def _longer(array, size):
    if size <= array.shape[0]:
        return array
    more = np.empty((max(size, 2 * array.shape[0]), array.shape[1]), array.dtype)
    for i in range(array.shape[0]):
        for c in range(array.shape[1]):
            more[i, c] = array[i, c]
    return more


@njit(**INNER)
def _describe(cells, cut, way, rows, node):
    """Write down a threshold."""
    known = held(cells)
    node[LOW] = np.int64(cells[cut - 1] >> _VALUE)
    node[HIGH] = np.int64(cells[cut] >> _VALUE) if cut < known else -1
    node[MISSING_LEFT] = way if known < cells.size else rows[0] > rows[1]


@njit(**INNER)
def _heaviest(rows):
    most = 0
    for child in range(rows.size):
        if rows[child] > rows[most]:
            most = child
    return most


@njit(**EXACT)
def grow(sample, rule, state, alike, seed, to, spare):
    columns, n = sample.keys.shape
    width, outputs = state.size, max(sample.classes, 1)
    room = (np.zeros((2, outputs), np.int64), np.zeros((4, outputs)))
    cut, way = np.zeros(columns, np.int64), np.zeros(columns, np.int64)
    fall, worth = np.zeros(columns), np.zeros(columns)
    features = np.arange(columns)
    numbers, weighed = np.empty((64, 9), np.int64), np.empty((64, 2))
    value, children = np.empty((64, outputs)), np.empty((64, 1), np.int64)
    queue, states, falls = np.empty((64, 9), np.int64), np.empty((64, width)), np.empty((64, 1))
    made, tabled, waiting, leaves = 0, 0, 0, 1
    rows, below = np.full(1, n), state.reshape(1, -1)
    last = np.zeros(1, np.bool_)
    last[0] = _ends(sample, rule, n, state, alike, 0)
    node, end, depth = -1, n, 0
    while True:
        # The children of the last node wait, each with its part of the columns, where it hangs, and the best question.
        queue, states = _longer(queue, waiting + rows.size), _longer(states, waiting + rows.size)
        falls = _longer(falls, waiting + rows.size)
        for child in range(rows.size - 1, -1, -1):
            start, stop = end - rows[child], end
            end = start
            f = -1
            if not last[child]:
                many = _not_constant(sample, features, start, stop)
                # All at once, or one after the other, until there are enough and one of them divides.
                step = 1 if rule.most_features < columns else max(many, 1)
                drawn, allowed = 0, False
                while drawn < many and (drawn < rule.most_features or not allowed):
                    if step < many:
                        _draw(features[:many], seed, drawn)
                    looked = features[drawn : drawn + step]
                    search(
                        sample, rule, looked, start, stop, below[child], room, fall, worth, cut, way
                    )
                    allowed = allowed or cut[features[drawn]] > 0
                    drawn += step
                f = choose(sample, rule, features[:drawn], below[child], fall, worth, cut)
                if f >= 0 and fall[f] < rule.least_fall:
                    f = -1
            at, fall_here, way_here = 0, -1.0, 0
            if f >= 0:
                at, fall_here, way_here = cut[f], fall[f], way[f]
            final = 1 if child == rows.size - 1 else 0
            queue[waiting] = (start, stop, depth, node, child, final, f, at, way_here)
            falls[waiting, 0] = fall_here
            for c in range(width):
                states[waiting, c] = below[child, c]
            waiting += 1
        if waiting == 0:
            break
        waiting -= 1
        if rule.most_leaves > 0:
            best = waiting
            for i in range(waiting):
                if falls[i, 0] > falls[best, 0]:
                    best = i
            for c in range(9):
                queue[best, c], queue[waiting, c] = queue[waiting, c], queue[best, c]
            for c in range(width):
                states[best, c], states[waiting, c] = states[waiting, c], states[best, c]
            falls[best, 0], falls[waiting, 0] = falls[waiting, 0], falls[best, 0]
        start, stop, depth, parent, child, final, f, at, way_here = queue[waiting]
        node = made
        made += 1
        numbers, weighed = _longer(numbers, made), _longer(weighed, made)
        value = _longer(value, made)
        for c in range(9):
            numbers[node, c] = -1
        numbers[node, MISSING_LEFT] = 0
        numbers[node, ROWS] = stop - start
        state = states[waiting]
        weighed[node, 0], weighed[node, 1] = 0.0, 0.0
        if stop > start:
            weight = weight_of(sample, state)
            weighed[node, 0] = weight
            if sample.classes == 0:
                weighed[node, 1] = state[2] / weight
            else:
                weighed[node, 1] = weighted_impurity(rule.criterion, state) / weight
        for c in range(outputs):
            value[node, c] = state[c] if sample.classes > 0 else state[1]
        if parent >= 0:
            offset = numbers[parent, BRANCH]
            if child == 0:
                numbers[parent, LEFT] = node
            if final == 1:
                numbers[parent, RIGHT] = node
            for c in range(numbers[parent, ARITY] + 1 if offset >= 0 else 0):
                # Until a child is made its number, below zero, stands for it.
                if children[offset + c, 0] == -1 - child:
                    children[offset + c, 0] = node
        rows = np.empty(0, np.int64)
        if f < 0:
            continue
        arity = sample.arity[f]
        cells = sample.keys[f, start:stop]
        mean = state[1] if sample.classes == 0 else 0.0
        parts, table = send(sample, rule, cells, arity, at, way_here, mean, to)
        if rule.most_leaves > 0 and leaves + parts - 1 > rule.most_leaves:
            continue
        rows, below, pure = states_of(sample, cells, to, parts, mean)
        numbers[node, FEATURE] = f
        if arity == 0:
            _describe(cells, at, way_here, rows, numbers[node])
        else:
            numbers[node, BRANCH], numbers[node, ARITY] = tabled, arity
            children = _longer(children, tabled + arity + 1)
            for c in range(arity + 1):
                to_child = table[c] if table[c] >= 0 else _heaviest(rows)
                children[tabled + c, 0] = -1 - to_child
            tabled += arity + 1
        depth += 1
        leaves += parts - 1
        last = np.empty(parts, np.bool_)
        for child in range(parts):
            last[child] = _ends(sample, rule, rows[child], below[child], pure[child], depth)
            if rows[child] == 0:
                # Where no row came, what holds for the parent is said.
                for c in range(width):
                    below[child, c] = state[c]
        many = _not_constant(sample, features, start, stop)
        put_in_order(sample, features[:many], start, stop, to, rows, last, spare)
        end = stop
    return numbers[:made], weighed[:made], value[:made], children[:tabled, 0]
