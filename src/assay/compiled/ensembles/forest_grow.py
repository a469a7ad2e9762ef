# Problem   grow a tree from the rows of a bag: at each node the best cut among features drawn at random, until a node
#           is pure, has no cut, or is as small or as deep as it may be.
# Given     task, criterion, sample, draw: as `find_cut` has them; calls, from `calls_of`; most_codes; rows (m,) int32,
#           the distinct rows of the bag, overwritten; limits = (the most depth, the least rows of a node that is cut,
#           the least rows and the least weight of a side, the least decrease of impurity, weighted by the node's share
#           of the bag); most_leaves: with that many, the cut that decreases impurity most comes next; 0 for no limit.
#           Writes    tree = (feature, before, after, missing_left, right, value, heavy, impurity, held), of every
#           node, in preorder: its feature (-1 at a leaf), the codes before and after the cut, whether missing cells go
#           left, the right child (the left one comes next), value (nodes, k), its weight, impurity and rows.
# Returns   how many nodes there are; at most 2 m - 1.
# Source    Breiman, Random forests, 2001; with a limit of leaves, Friedman, Hastie & Tibshirani, 2000 (best first).
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT, INNER, LENT
from assay.compiled.ensembles.forest_node import NUMBERS, find_cut, new_scratch, node_sums, part

# Decreases closer than this, as shares of the whole, are equal.
_ROUNDING = 2.0**-52


@njit(**EXACT, **INNER)
def _bag(task, criterion, sample, calls, most_codes, rows, draw, limits, outputs, weighed):
    # All that is the same at every node of a tree; what the bag weighs only where decreases are worked out.
    scratch = new_scratch(task, most_codes, rows.size, outputs)
    spare, sums, heavy = np.empty(rows.size, np.int32), np.empty(outputs), 0.0
    if weighed:
        _, heavy, _, _ = node_sums(task, criterion, sample, rows, np.int64(0), rows.size, sums)
    return task, criterion, sample, calls, rows, draw, limits, heavy, scratch, spare, sums


@njit(**LENT, **INNER)
def _open(bag, start, stop, depth, known, node, tree):
    # Fills a node, and parts its rows if it is cut. Returns where, how many features are constant, and the decrease.
    task, criterion, sample, _, rows, _, limits, everything, _, spare, sums = bag
    feature, before, after, missing_left, right, value, heavy, impurity, held = tree
    most_depth, least_split, least_rows, least_weight, least_decrease = limits
    packed_sum, w, impure, pure = node_sums(task, criterion, sample, rows, start, stop, sums)
    heavy[node], impurity[node], held[node] = w, impure, stop - start
    for c in range(sums.size):
        value[node, c] = sums[c] / w if task == NUMBERS else sums[c]
    feature[node], before[node], after[node] = -1, -1, -1
    missing_left[node], right[node] = 0, -1
    small = stop - start < max(least_split, 2 * least_rows) or w < 2 * least_weight
    if pure or small or depth == most_depth:
        return -1, known, 0.0
    f, a, b, gone_left, constant = find_cut(bag, start, stop, packed_sum, w, known)
    if f < 0:
        return -1, known, 0.0
    middle, missing = part(sample[0][f], sample[1][f], rows, start, stop, a, gone_left, spare)
    gained = 0.0
    if everything > 0.0:
        _, left, impure_left, _ = node_sums(task, criterion, sample, rows, start, middle, sums)
        _, rest, impure_right, _ = node_sums(task, criterion, sample, rows, middle, stop, sums)
        gained = (w * impure - left * impure_left - rest * impure_right) / everything
        if gained + _ROUNDING < least_decrease:
            return -1, known, 0.0
    feature[node], before[node], after[node] = f, a, b
    # Where no cell was missing, one that is missing later goes where most rows went.
    missing_left[node] = gone_left if missing else middle - start > stop - middle
    return middle, constant, gained


@njit(inline="always")
def _push(stack, at, start, stop, depth, known, parent):
    stack[at, 0], stack[at, 1], stack[at, 2] = start, stop, depth
    stack[at, 3], stack[at, 4] = known, parent


@njit(**LENT, **INNER)
def _depth_first(bag, stack, tree):
    # Of each node that waits the stack has where its rows start and stop, its depth, how many features are known
    # to be constant, and the node whose right child it is, or -1. No row waits twice, so it has room enough.
    right = tree[4]
    _push(stack, 0, 0, bag[4].size, 0, 0, -1)
    waiting, nodes = 1, np.int64(0)
    while waiting > 0:
        waiting -= 1
        start, stop, depth = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
        known, parent = stack[waiting, 3], stack[waiting, 4]
        if parent >= 0:
            right[parent] = nodes
        middle, constant, _ = _open(bag, start, stop, depth, known, nodes, tree)
        if middle >= 0:
            _push(stack, waiting, middle, stop, depth + 1, constant, nodes)
            _push(stack, waiting + 1, start, middle, depth + 1, constant, -1)
            waiting += 2
        nodes += 1
    return nodes


@njit(**EXACT)
def grow_tree(task, criterion, sample, calls, most_codes, rows, draw, limits, tree):
    outputs = tree[5].shape[1]
    bag = _bag(
        task, criterion, sample, calls, most_codes, rows, draw, limits, outputs, limits[4] > 0.0
    )
    stack = np.empty((rows.size + 1, 5), np.int64)
    return _depth_first(bag, stack, tree)


@njit(**LENT, **INNER)
def _best_first(bag, most_leaves, place, gains, tree):
    # Of each node, place has where its rows start, part and stop, its depth, and its left child.
    nodes, opened, leaves = np.int64(0), 1, 1
    place[0, 0], place[0, 2], place[0, 3] = 0, bag[4].size, 0
    while True:
        while nodes < opened:
            start, stop, depth = place[nodes, 0], place[nodes, 2], place[nodes, 3]
            place[nodes, 1], _, gains[nodes] = _open(
                bag, start, stop, depth, np.int64(0), nodes, tree
            )
            nodes += 1
        best = -1
        for node in range(nodes):
            waits = place[node, 1] >= 0 and place[node, 4] < 0
            if waits and (best < 0 or gains[node] > gains[best]):
                best = node
        if best < 0 or leaves == most_leaves:
            return nodes
        depth, middle = place[best, 3] + 1, place[best, 1]
        place[best, 4] = opened
        place[opened, 0], place[opened, 2], place[opened, 3] = place[best, 0], middle, depth
        opened += 1
        place[opened, 0], place[opened, 2], place[opened, 3] = middle, place[best, 2], depth
        opened += 1
        leaves += 1


@njit(**EXACT)
def grow_best_first(
    task, criterion, sample, calls, most_codes, rows, draw, limits, most_leaves, tree
):
    outputs = tree[5].shape[1]
    bag = _bag(task, criterion, sample, calls, most_codes, rows, draw, limits, outputs, True)
    most = 2 * min(most_leaves, rows.size) - 1
    place, gains = np.full((most, 5), -1, np.int64), np.empty(most)
    nodes = _best_first(bag, most_leaves, place, gains, tree)
    _renumber(place[:nodes, 4], tree)
    return nodes


@njit(**EXACT, **INNER)
def _renumber(lefts, tree):
    # From the order in which nodes were opened, where both children stand together, to preorder.
    feature, before, after, missing_left, right, value, heavy, impurity, held = tree
    nodes = lefts.size
    old, parent = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    stack = np.empty((nodes + 1, 2), np.int64)
    stack[0] = (0, -1)
    waiting, done = 1, 0
    while waiting > 0:
        waiting -= 1
        node, parent[done] = stack[waiting]
        old[done] = node
        if lefts[node] >= 0:
            stack[waiting] = (lefts[node] + 1, done)
            stack[waiting + 1] = (lefts[node], -1)
            waiting += 2
        done += 1
    for array in (feature, before, after):
        array[:nodes] = array[:nodes][old]
    for array in (heavy, impurity):
        array[:nodes] = array[:nodes][old]
    missing_left[:nodes] = missing_left[:nodes][old]
    held[:nodes] = held[:nodes][old]
    value[:nodes] = value[:nodes][old]
    for node in range(nodes):
        right[node] = -1
        if lefts[old[node]] < 0:
            feature[node], before[node], after[node], missing_left[node] = -1, -1, -1, 0
        if parent[node] >= 0:
            right[parent[node]] = node
