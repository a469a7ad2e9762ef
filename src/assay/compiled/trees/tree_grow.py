# Problem   grow a decision tree: divide the rows by the best question and go on with the children, the first child
#           first, or, with a limit on the leaves, that one first whose question takes most of the impurity away.
# Given     a Sample, a Rule and Calls (see tree_sample); same, whether all rows are alike; seed (1,)
#           uint64, for the features to look at. below (children, classes or 3), whose first line is the state of all
#           rows, as in tree_search, or in tree_aims: room for as many children as a node may have, as are sizes and
#           flags (2, .). looks, gains, counts and masses, as `ask` has them, looks with all features.
# Writes    the columns are put in the order of the leaves; to (n,), spare (n,) and table (the most categories + 1,) are
#           overwritten, as is all the rest.
# Returns   how many nodes there are; in the order in which they were asked about, which is preorder without a limit,
#           numbers (nodes or more, 9) int64 with the columns named below; masses, with weight, impurity and value
#           (classes or 1); how many places are used of children (., 1), the table of all nodes that ask for a category.
# Source    Breiman, Friedman, Olshen & Stone, 1984. Columns are sorted once and then only divided.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.trees.tree_aims import HEAD, bound, predicted
from assay.compiled.trees.tree_divide import call_arrange, call_send, call_states, send_two
from assay.compiled.trees.tree_groups import weighted_impurity
from assay.compiled.trees.tree_sample import EXACT_INNER, LENT_INNER
from assay.compiled.trees.tree_search import CUT, FALL, FEATURES, WAY, call_ask, held, weight_of

# The columns of `numbers`. LOW and HIGH are the cells on both sides of a threshold, as bits in the order of numbers.
FEATURE, LEFT, RIGHT, LOW, HIGH, MISSING_LEFT, ROWS, BRANCH, ARITY = range(9)
# Those of `masses` before the value.
WEIGHT, IMPURITY, VALUE = range(3)
# Of a node that waits: its part of the columns, its depth, its parent and its number among the parent's children,
# whether it is the last of them, and its question; then its fall and its state.
_START, _STOP, _DEPTH, _PARENT, _CHILD, _FINAL, _FEATURE, _CUT, _WAY = range(9)
_COLUMNS = 9

_BITS = np.uint64(32)
_FIRST = 64


@njit(**EXACT_INNER)
def _longer(array, size):
    if size <= array.shape[0]:
        return array
    more = 2 * array.shape[0]
    longer = np.empty((size if size > more else more, array.shape[1]), array.dtype)
    for i in range(array.shape[0]):
        for c in range(array.shape[1]):
            longer[i, c] = array[i, c]
    return longer


@njit(**LENT_INNER)
def _ends(sample, rule, rows, state, depth):
    """Whether nothing is to be asked of these rows, were they not alike."""
    return (
        depth >= rule.most_depth
        or rows < rule.least_split
        or rows < 2
        or rows < 2 * rule.least_leaf
        or weight_of(sample, state) < 2.0 * rule.least_weight
    )


@njit(**LENT_INNER)
def _to_the_end(queue, states, best, last):
    """Let a node that waits change places with the last one."""
    for c in range(queue.shape[1]):
        queue[best, c], queue[last, c] = queue[last, c], queue[best, c]
    for c in range(states.shape[1]):
        states[best, c], states[last, c] = states[last, c], states[best, c]


@njit(**LENT_INNER)
def _open(sample, criterion, node, rows, state, numbers, masses):
    """Fill a node that asks nothing."""
    for c in range(_COLUMNS):
        numbers[node, c] = -1
    numbers[node, MISSING_LEFT] = 0
    numbers[node, ROWS] = rows
    masses[node, WEIGHT], masses[node, IMPURITY] = 0.0, 0.0
    if rows > 0:
        weight = weight_of(sample, state)
        impurity = state[2] if sample.classes == 0 else weighted_impurity(criterion, state)
        masses[node, WEIGHT], masses[node, IMPURITY] = weight, impurity / weight
    if sample.aim.outputs > 0:
        predicted(sample.aim, state, masses[node, VALUE:])
        return
    for c in range(masses.shape[1] - VALUE):
        masses[node, VALUE + c] = state[c] if sample.classes > 0 else state[1]


@njit(**LENT_INNER)
def _hang(node, parent, child, final, numbers, children):
    """Tell its parent where a node is."""
    offset = numbers[parent, BRANCH]
    if child == 0:
        numbers[parent, LEFT] = node
    if final == 1:
        numbers[parent, RIGHT] = node
    for c in range(numbers[parent, ARITY] + 1 if offset >= 0 else 0):
        # Until a child is made its number, below zero, stands for it.
        if children[offset + c, 0] == -1 - child:
            children[offset + c, 0] = node


@njit(**EXACT)
def grow(
    sample, rule, calls, same, seed, to, spare, table, below, sizes, flags, looks, gains, counts, masses
):  # fmt: skip
    width, features = below.shape[1], looks[FEATURES]
    alike, last = flags[0], flags[1]
    outputs = width if sample.classes > 0 else width - HEAD if sample.aim.outputs > 0 else 1
    numbers, weighed = np.empty((_FIRST, _COLUMNS), np.int64), np.empty((_FIRST, VALUE + outputs))
    queue, states = np.empty((_FIRST, _COLUMNS), np.int64), np.empty((_FIRST, 1 + width))
    children = np.empty((_FIRST, 1), np.int64)
    # A bare 0, handed to a loop, would have it compiled for that number, and then for all others.
    made, depth, tabled, waiting, leaves = np.int64(0), np.int64(0), 0, 0, 1
    node, parts, end = np.int64(-1), 1, sample.keys.shape[1]
    sizes[0], last[0] = end, same or _ends(sample, rule, end, below[0], depth)
    while True:
        # The children of the last node wait, each with its part of the columns, where it hangs, and the best question.
        queue, states = _longer(queue, waiting + parts), _longer(states, waiting + parts)
        for child in range(parts - 1, -1, -1):
            start, stop = end - sizes[child], end
            end = start
            f = -1
            if not last[child]:
                f = call_ask(
                    calls.ask, sample, rule, calls, start, stop, below[child], counts, masses,
                    looks, gains, seed,
                )  # fmt: skip
            queue[waiting, _START], queue[waiting, _STOP] = start, stop
            queue[waiting, _DEPTH], queue[waiting, _PARENT] = depth, node
            queue[waiting, _CHILD] = child
            queue[waiting, _FINAL] = 1 if child == parts - 1 else 0
            queue[waiting, _FEATURE] = f
            states[waiting, 0] = -1.0
            if f >= 0:
                queue[waiting, _CUT], queue[waiting, _WAY] = looks[CUT, f], looks[WAY, f]
                states[waiting, 0] = gains[FALL, f]
            for c in range(width):
                states[waiting, 1 + c] = below[child, c]
            waiting += 1
        if waiting == 0:
            break
        waiting -= 1
        if rule.most_leaves > 0:
            best = waiting
            for i in range(waiting):
                if states[i, 0] > states[best, 0]:
                    best = i
            _to_the_end(queue, states, best, waiting)
        start, stop, depth = queue[waiting, _START], queue[waiting, _STOP], queue[waiting, _DEPTH]
        parent, f = queue[waiting, _PARENT], queue[waiting, _FEATURE]
        state = states[waiting, 1:]
        node = made
        made += 1
        numbers, weighed = _longer(numbers, made), _longer(weighed, made)
        _open(sample, rule.criterion, node, stop - start, state, numbers, weighed)
        if parent >= 0:
            child, final = queue[waiting, _CHILD], queue[waiting, _FINAL]
            _hang(node, parent, child, final, numbers, children)
        parts = 0
        if f < 0:
            continue
        cut, way = queue[waiting, _CUT], queue[waiting, _WAY]
        arity, many = sample.arity[f], 2
        cells = sample.keys[f, start:stop]
        mean = state[1] if sample.classes == 0 else 0.0
        if arity == 0:
            send_two(cells, sample.shift, cut, way, to)
        else:
            many = call_send(calls.send, sample, rule, cells, arity, cut, way, mean, to, table)
        if rule.most_leaves > 0 and leaves + many - 1 > rule.most_leaves:
            continue
        parts = many
        call_states(calls.states, sample, cells, to, parts, mean, sizes, below, alike)
        if sample.aim.outputs > 0:
            bound(sample.aim, f, state, below)
        numbers[node, FEATURE] = f
        if arity == 0:
            known = held(cells)
            left_more = 1 if sizes[0] > sizes[1] else 0
            numbers[node, LOW] = np.int64(cells[cut - 1] >> _BITS)
            numbers[node, HIGH] = np.int64(cells[cut] >> _BITS) if cut < known else -1
            numbers[node, MISSING_LEFT] = way if known < cells.size else left_more
        else:
            numbers[node, BRANCH], numbers[node, ARITY] = tabled, arity
            heaviest = 0
            for child in range(parts):
                heaviest = child if sizes[child] > sizes[heaviest] else heaviest
            children = _longer(children, tabled + arity + 1)
            for c in range(arity + 1):
                children[tabled + c, 0] = -1 - (table[c] if table[c] >= 0 else heaviest)
            tabled += arity + 1
        depth += 1
        leaves += parts - 1
        for child in range(parts):
            last[child] = alike[child] or _ends(sample, rule, sizes[child], below[child], depth)
            if sizes[child] == 0:
                # Where no row came, what holds for the parent is said.
                for c in range(width):
                    below[child, c] = state[c]
        arranged = calls.arrange if parts == 2 else calls.arrange_many
        call_arrange(arranged, sample, features, start, stop, to, sizes[:parts], last, spare)
        end = stop
    return made, numbers, weighed, tabled, children
