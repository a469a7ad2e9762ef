# Problem   divide the rows of a node among its children, and put every column in their order.
# Given     a Sample and a Rule (see tree_sample), cells, the node's part of the column to divide by, with the cut and
#           the way that `search` found, and the node's mean of a target.
# Writes    to[row], the number of the child that a row goes to. Columns keep the ascending order of their cells within
#           each child: a stable partition, with room to work in of the size of the part.
# Returns   how many children there are, for each its rows, its state (see tree_search) and whether all are alike; for a
#           feature with categories the child of each, the one of missing cells last, -1 where no row went.
# Source    stable partition of presorted columns, as in Mehta, Agrawal & Rissanen, 1996.
import numpy as np
from numba import njit

from assay.compiled.trees.tree_groups import lines_of, order_by
from assay.compiled.trees.tree_sample import INNER
from assay.compiled.trees.tree_search import held

_LOW = np.uint64(2**32 - 1)
_ONE = np.uint64(1)


@njit(**INNER)
def send(sample, rule, cells, arity, cut, way, mean, to):
    mask = (_ONE << sample.shift) - _ONE
    if arity == 0:
        known = held(cells)
        for cell in cells[:cut]:
            to[cell & mask] = 0
        for cell in cells[cut:known]:
            to[cell & mask] = 1
        for cell in cells[known:]:
            to[cell & mask] = 0 if way == 1 else 1
        return 2, np.empty(0, np.int64)
    codes, rows, sums = lines_of(sample, cells, arity, mean)
    table, many = np.empty(arity + 1, np.int64), 2
    for c in range(arity + 1):
        table[c] = -1
    if rule.multiway:
        for c in range(arity):
            table[c] = c
        many = arity
        if codes[-1] == arity:
            table[arity] = arity
            many += 1
    else:
        order = order_by(sums, way)
        for i in range(codes.size):
            table[codes[order[i]]] = 0 if i < cut else 1
    at = 0
    for i in range(codes.size):
        for cell in cells[at : at + rows[i]]:
            to[cell & mask] = table[codes[i]]
        at += rows[i]
    return many, table


@njit(**INNER)
def states_of(sample, cells, to, many, mean):
    mask = (_ONE << sample.shift) - _ONE
    rows = np.zeros(many, np.int64)
    alike = np.zeros(many, np.bool_)
    weighted = sample.weights.size > 0
    if sample.classes > 0:
        state = np.zeros((many, sample.classes))
        for cell in cells:
            child = to[cell & mask]
            rows[child] += 1
            weight = sample.weights[cell & mask] if weighted else 1.0
            state[child, np.int64((cell & _LOW) >> sample.shift)] += weight
        for child in range(many):
            present = 0
            for weight in state[child]:
                present += weight > 0.0
            alike[child] = present <= 1
        return rows, state, alike
    state = np.zeros((many, 3))
    first = np.empty(many)
    for cell in cells:
        row = cell & mask
        child, value = to[row], sample.target[row]
        weight = sample.weights[row] if weighted else 1.0
        if rows[child] == 0:
            first[child] = value
        alike[child] = (rows[child] == 0 or alike[child]) and value == first[child]
        rows[child] += 1
        state[child, 0] += weight
        state[child, 1] += weight * (value - mean)
    for child in range(many):
        if alike[child] and rows[child] > 0:
            state[child, 1] = first[child]
        elif rows[child] > 0:
            state[child, 1] = mean + state[child, 1] / state[child, 0]
    for cell in cells:
        row = cell & mask
        weight = sample.weights[row] if weighted else 1.0
        state[to[row], 2] += weight * (sample.target[row] - state[to[row], 1]) ** 2
    return rows, state, alike


# Every cell is written to both places, and only one of them moves on: no processor could guess which. Unsigned numbers
# need no look whether they count from the end.
@njit(**INNER)
def _part_two(cells, mask, to, room):
    at, aside = np.uint64(0), np.uint64(0)
    for cell in cells:
        right = np.uint64(to[cell & mask])
        cells[at] = cell
        room[aside] = cell
        at += _ONE - right
        aside += right
    rest = cells[at:]
    for i in range(rest.size):
        rest[i] = room[i]


@njit(**INNER)
def _keep_left(cells, mask, to):
    at = np.uint64(0)
    for cell in cells:
        cells[at] = cell
        at += _ONE - np.uint64(to[cell & mask])


@njit(**INNER)
def _keep_right(cells, mask, to):
    at = np.uint64(cells.size)
    for i in range(cells.size - 1, -1, -1):
        cell = cells[i]
        cells[at - _ONE] = cell
        at -= np.uint64(to[cell & mask])


@njit(**INNER)
def _part_many(cells, mask, to, rows, room):
    at = np.zeros(rows.size, np.int64)
    for child in range(1, rows.size):
        at[child] = at[child - 1] + rows[child - 1]
    for i in range(cells.size):
        child = to[cells[i] & mask]
        room[at[child]] = cells[i]
        at[child] += 1
    for i in range(cells.size):
        cells[i] = room[i]


# Children that end, since they will be leaves, need no order.
@njit(**INNER)
def put_in_order(sample, features, start, stop, to, rows, ended, room):
    mask = (_ONE << sample.shift) - _ONE
    if rows.size > 2:
        for f in features:
            _part_many(sample.keys[f, start:stop], mask, to, rows, room)
    elif not (ended[0] or ended[1]):
        for f in features:
            _part_two(sample.keys[f, start:stop], mask, to, room)
    elif not ended[0]:
        for f in features:
            _keep_left(sample.keys[f, start:stop], mask, to)
    elif not ended[1]:
        for f in features:
            _keep_right(sample.keys[f, start:stop], mask, to)
