# Problem   the k nearest rows of each example, in a tree of blocks; or all rows up to a distance.
# Given     the numbers in `order` of rows of S, the examples as the tree's rows are; a KdTree; measure = (kind, X, V,
#           stretch), of which kind says which distance. With FORM the tree only suggests rows, whose distance is
#           then found from Q and X, the examples and rows themselves, and V: a row whose form is f has a distance
#           of at most sqrt(f stretch) + slack_i to example i in the tree.
# Writes    far and near (examples, k): what `pair_distances` gives, ascending, and the rows.
# Returns   how many nodes and how many blocks were looked at.
# Source    Friedman, Bentley & Finkel, 1977. A box is passed over when it is farther than the worst row kept, by
#           more than rounding can do: the distance to it is summed along the way down, and only grows, so that each
#           step adds a few units in the last place. A box at the same distance is opened, for it may hold
#           a row with a smaller number.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.neighbors.nearest_list import empty_list, in_order, offer, wider, worst
from assay.compiled.neighbors.pair_distances import (
    INLINED,
    block_absolutes,
    block_squares,
    how_many_within,
    pair_form,
)

SQUARES, ABSOLUTES, FORM = 0, 1, 2
# The deepest tree of as many blocks as there can be.
_DEEPEST = 64
# Examples are grouped by the first so many turns of their way down.
_TURNS = 8


@njit(**EXACT)
def _grow(d):
    # Four operations for each level, d for the box around all, and as many for the distance itself.
    return 1.0 + (4.0 * _DEEPEST + 2.0 * d + 64.0) * 2.0**-52


@njit(**INLINED)
def _reach(bar, kind, stretch, slack, grow):
    if kind == FORM:
        length = np.sqrt(bar * stretch) + slack
        return length * length * grow
    return bar * grow


@njit(**INLINED)
def _term(gap, kind):
    return gap if kind == ABSOLUTES else gap * gap


@njit(**INLINED)
def _begin(S, i, low, high, kind, q, gaps):
    # The distance to the box around all rows, and its parts.
    distance = 0.0
    for j in range(q.shape[0]):
        x = S[i, j]
        q[j] = x
        gap = max(0.0, max(low[j] - x, x - high[j]))
        gaps[j] = gap
        distance += _term(gap, kind)
    return distance


@njit(**EXACT)
def kd_order(S, start, stop, tree, order):
    """Examples that go the same way first stand together, so that what they need is at hand."""
    feature, right, edge = tree.feature, tree.right, tree.edge
    many = np.zeros((1 << _TURNS) + 1, np.int64)
    way = np.empty(stop - start, np.int64)
    for i in range(start, stop):
        node, turns = 0, 1
        j = feature[0]
        while j >= 0 and turns < 1 << _TURNS:
            x = S[i, j]
            left = x - edge[node, 0] <= edge[node, 1] - x
            node = node + 1 if left else right[node]
            turns = 2 * turns + (0 if left else 1)
            j = feature[node]
        while turns < 1 << _TURNS:
            turns *= 2
        way[i - start] = turns - (1 << _TURNS)
        many[way[i - start] + 1] += 1
    for w in range(1 << _TURNS):
        many[w + 1] += many[w]
    for i in range(start, stop):
        w = way[i - start]
        order[many[w]] = i
        many[w] += 1


@njit(**EXACT)
def kd_nearest(order, Q, S, tree, measure, slack, far, near):
    P, rows, feature, right, edge, first, low, high = tree
    kind, X, V, stretch = measure
    d, room, k = S.shape[1], P.shape[2], far.shape[1]
    grow = _grow(d)
    nodes, waiting = np.empty(_DEEPEST, np.int64), np.empty(_DEEPEST)
    kept, gaps = np.empty((_DEEPEST, d)), np.empty(d)
    q, distances, gap = np.empty(d), np.empty(room), np.empty(d)
    best, mine = np.empty(k), np.empty(k, np.int64)
    last = worst(best)
    opened, scanned = 0, 0
    for place in range(order.shape[0]):
        i = order[place]
        distance = _begin(S, i, low, high, kind, q, gaps)
        empty_list(best, mine)
        bar = reach = np.inf
        top, node = 0, 0
        while True:
            j = feature[node]
            while j >= 0:
                opened += 1
                x = q[j]
                to_left, to_right = x - edge[node, 0], edge[node, 1] - x
                # Of halves at the same distance the one with the smaller number comes first: with many equal
                # rows, the others are then passed over.
                if to_left < to_right or (
                    to_left == to_right and first[node + 1] < first[right[node]]
                ):
                    nearer, other, step, away = node + 1, right[node], to_left, to_right
                else:
                    nearer, other, step, away = right[node], node + 1, to_right, to_left
                rest = distance - _term(gaps[j], kind)
                away = max(away, gaps[j])
                beyond = rest + _term(away, kind)
                if beyond <= reach and (bar > 0.0 or first[other] < mine[last]):
                    nodes[top], waiting[top] = other, beyond
                    for t in range(d):
                        kept[top, t] = gaps[t]
                    kept[top, j] = away
                    top += 1
                if step > gaps[j]:
                    gaps[j] = step
                    distance = rest + _term(step, kind)
                node = nearer
                j = feature[node]
            block = right[node]
            scanned += 1
            if kind == ABSOLUTES:
                block_absolutes(q, P, block, distances)
            else:
                block_squares(q, P, block, distances)
            within = reach if kind == FORM else bar
            if how_many_within(distances, within) > 0:
                for t in range(room):
                    if distances[t] <= within and rows[block, t] >= 0:
                        r = rows[block, t]
                        value = pair_form(Q, i, X, r, V, gap) if kind == FORM else distances[t]
                        offer(best, mine, value, r)
                        bar = best[last]
                        if kind != FORM:
                            within = bar
                reach = _reach(bar, kind, stretch, slack[i] if kind == FORM else 0.0, grow)
            top -= 1
            while top >= 0 and (
                waiting[top] > reach or (bar == 0.0 and first[nodes[top]] > mine[last])
            ):
                top -= 1
            if top < 0:
                break
            node, distance = nodes[top], waiting[top]
            for t in range(d):
                gaps[t] = kept[top, t]
        in_order(best, mine)
        for t in range(k):
            far[i, t] = best[t]
            near[i, t] = mine[t]
    return opened, scanned


# Problem   all rows up to a distance.
# Given     as above; limit, the largest value of `pair_distances` that counts; start and stop, which examples.
# Returns   how many rows each example has, and for all of them, one example after the other, the values and the rows,
#           in no order; how many these are in all.
# Source    as above, with a bar that does not move.
@njit(**EXACT)
def kd_within(start, stop, Q, S, tree, measure, slack, limit):
    P, rows, feature, right, edge, _, low, high = tree
    kind, X, V, stretch = measure
    d, room = S.shape[1], P.shape[2]
    grow = _grow(d)
    nodes, waiting = np.empty(_DEEPEST, np.int64), np.empty(_DEEPEST)
    kept, gaps = np.empty((_DEEPEST, d)), np.empty(d)
    q, distances, gap = np.empty(d), np.empty(room), np.empty(d)
    many = np.zeros(stop - start, np.int64)
    values, numbers = np.empty(1024), np.empty(1024, np.int64)
    used = 0
    for i in range(start, stop):
        reach = _reach(limit, kind, stretch, slack[i] if kind == FORM else 0.0, grow)
        begun = used
        distance = _begin(S, i, low, high, kind, q, gaps)
        top, node = 0, 0
        while distance <= reach:
            j = feature[node]
            while j >= 0:
                x = q[j]
                to_left, to_right = x - edge[node, 0], edge[node, 1] - x
                if to_left <= to_right:
                    nearer, other, step, away = node + 1, right[node], to_left, to_right
                else:
                    nearer, other, step, away = right[node], node + 1, to_right, to_left
                rest = distance - _term(gaps[j], kind)
                away = max(away, gaps[j])
                beyond = rest + _term(away, kind)
                if beyond <= reach:
                    nodes[top], waiting[top] = other, beyond
                    for t in range(d):
                        kept[top, t] = gaps[t]
                    kept[top, j] = away
                    top += 1
                if step > gaps[j]:
                    gaps[j] = step
                    distance = rest + _term(step, kind)
                    if distance > reach:
                        break
                node = nearer
                j = feature[node]
            if distance <= reach:
                block = right[node]
                if kind == ABSOLUTES:
                    block_absolutes(q, P, block, distances)
                else:
                    block_squares(q, P, block, distances)
                if used + room > values.shape[0]:
                    values, numbers = wider(values, numbers, used, 2 * (used + room))
                for t in range(room):
                    if distances[t] <= reach and rows[block, t] >= 0:
                        r = rows[block, t]
                        value = pair_form(Q, i, X, r, V, gap) if kind == FORM else distances[t]
                        if value <= limit:
                            values[used], numbers[used] = value, r
                            used += 1
            top -= 1
            if top < 0:
                break
            node, distance = nodes[top], waiting[top]
            for t in range(d):
                gaps[t] = kept[top, t]
        many[i - start] = used - begun
    return many, values, numbers, used
