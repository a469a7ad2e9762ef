# Problem   divide the rows of a node among its children, and put every column in their order.
# Given     a Sample and a Rule (see tree_sample), cells, the node's part of the column to divide by, with the cut and
#           the way that `ask` found, the node's mean of a target, and how many children there are.
# Writes    to[row], the number of the child that a row goes to. Columns keep the ascending order of their cells within
#           each child: a stable partition, with room to work in of the size of the part. table (arity + 1,): for a
#           feature with categories the child of each, the one of missing cells last, -1 where no row went. For each
#           child sizes, its rows, state (see tree_search), and alike, whether all its rows are.
# Returns   send_groups: how many children there are.
# Source    stable partition of presorted columns, as in Mehta, Agrawal & Rissanen, 1996.
import numpy as np
from numba import boolean, float64, int64, njit, uint16, void

from assay.compiled.common.opaque import opaque
from assay.compiled.trees.tree_groups import lines_of, order_by
from assay.compiled.trees.tree_sample import EXACT_INNER, KEYS, LENT_INNER, NUMBERS, RULE, SAMPLE
from assay.compiled.trees.tree_search import held, not_constant

_LOW = np.uint64(2**32 - 1)
_ONE = np.uint64(1)


@njit(**LENT_INNER)
def send_two(cells, shift, cut, way, to):
    mask = (_ONE << shift) - _ONE
    known = held(cells)
    for i in range(cells.size):
        left = i < cut if i < known else way == 1
        to[cells[i] & mask] = 0 if left else 1


@njit(**EXACT_INNER)
def send_groups(sample, rule, cells, arity, cut, way, mean, to, table):
    mask = (_ONE << sample.shift) - _ONE
    codes, rows, sums = lines_of(sample, cells, arity, mean)
    many = 2
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
    return many


@njit(**LENT_INNER)
def class_states(sample, cells, to, many, mean, sizes, state, alike):
    mask = (_ONE << sample.shift) - _ONE
    weights, shift = sample.weights, sample.shift
    weighted = weights.size > 0
    for child in range(many):
        sizes[child] = 0
        for c in range(state.shape[1]):
            state[child, c] = 0.0
    for cell in cells:
        child = to[cell & mask]
        sizes[child] += 1
        weight = weights[cell & mask] if weighted else 1.0
        state[child, np.int64((cell & _LOW) >> shift)] += weight
    for child in range(many):
        present = 0
        for c in range(state.shape[1]):
            present += state[child, c] > 0.0
        alike[child] = present <= 1


@njit(**LENT_INNER)
def target_states(sample, cells, to, many, mean, sizes, state, alike):
    mask = (_ONE << sample.shift) - _ONE
    weights, target = sample.weights, sample.target
    weighted = weights.size > 0
    for child in range(many):
        sizes[child] = 0
        alike[child] = False
        for c in range(3):
            state[child, c] = 0.0
    # Until the sum of squares is known, its place holds the child's first value.
    for cell in cells:
        row = cell & mask
        child, value = to[row], target[row]
        weight = weights[row] if weighted else 1.0
        if sizes[child] == 0:
            state[child, 2] = value
        alike[child] = (sizes[child] == 0 or alike[child]) and value == state[child, 2]
        sizes[child] += 1
        state[child, 0] += weight
        state[child, 1] += weight * (value - mean)
    for child in range(many):
        if alike[child] and sizes[child] > 0:
            state[child, 1] = state[child, 2]
        elif sizes[child] > 0:
            state[child, 1] = mean + state[child, 1] / state[child, 0]
        state[child, 2] = 0.0
    for cell in cells:
        row = cell & mask
        weight = weights[row] if weighted else 1.0
        state[to[row], 2] += weight * (target[row] - state[to[row], 1]) ** 2


# Every cell is written to both places, and only one of them moves on: no processor could guess which. Unsigned numbers
# need no look whether they count from the end.
@njit(**LENT_INNER)
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


@njit(**LENT_INNER)
def _keep_left(cells, mask, to):
    at = np.uint64(0)
    for cell in cells:
        cells[at] = cell
        at += _ONE - np.uint64(to[cell & mask])


@njit(**LENT_INNER)
def _keep_right(cells, mask, to):
    at = np.uint64(cells.size)
    for i in range(cells.size - 1, -1, -1):
        cell = cells[i]
        cells[at - _ONE] = cell
        at -= np.uint64(to[cell & mask])


@njit(**EXACT_INNER)
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


# Children that end, since they will be leaves, need no order. Features that are constant come last from here on.
@njit(**LENT_INNER)
def arrange(sample, features, start, stop, to, sizes, ended, room):
    keys = sample.keys
    mask = (_ONE << sample.shift) - _ONE
    many = not_constant(keys, features, start, stop)
    if ended[0] and ended[1]:
        return
    for i in range(many):
        cells = keys[features[i], start:stop]
        if ended[1]:
            _keep_left(cells, mask, to)
        elif ended[0]:
            _keep_right(cells, mask, to)
        else:
            _part_two(cells, mask, to, room)


@njit(**EXACT_INNER)
def arrange_many(sample, features, start, stop, to, sizes, ended, room):
    keys = sample.keys
    mask = (_ONE << sample.shift) - _ONE
    for i in range(not_constant(keys, features, start, stop)):
        _part_many(keys[features[i], start:stop], mask, to, sizes, room)


_TO, _FLAGS = uint16[::1], boolean[::1]
SEND = int64(SAMPLE, RULE, KEYS, int64, int64, int64, float64, _TO, NUMBERS)
STATES = void(SAMPLE, KEYS, _TO, int64, float64, NUMBERS, float64[:, ::1], _FLAGS)
ARRANGE = void(SAMPLE, NUMBERS, int64, int64, _TO, NUMBERS, _FLAGS, KEYS)
call_send, call_states, call_arrange = opaque(SEND), opaque(STATES), opaque(ARRANGE)
