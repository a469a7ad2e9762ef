# Problem   for every node, the price of a leaf from which on the smallest of the best pruned trees does not ask what
#           the node asks: again and again the node whose question saves least per leaf becomes a leaf.
# Given     parent (n,) int64 of the nodes in preorder, -1 for the root; risk (n,), what each node costs as a leaf; many
#           (n,) int64, how many children it has.
# Writes    price (n,): from which on a node is a leaf or gone; infinite for leaves, which ask nothing.
# Returns   nothing. A parent's price is never below that of its children: the pruned trees are nested.
# Source    Breiman, Friedman, Olshen & Stone, 1984, section 3.3.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT


@njit(**EXACT)
def _less(saved, one, other):
    return saved[one] < saved[other] or (saved[one] == saved[other] and one < other)


@njit(**EXACT)
def _settle(heap, place, size, saved, at):
    """Move the entry at a place of the heap to where it belongs."""
    node = heap[at]
    while at > 0 and _less(saved, node, heap[(at - 1) // 2]):
        heap[at] = heap[(at - 1) // 2]
        place[heap[at]] = at
        at = (at - 1) // 2
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and _less(saved, heap[below + 1], heap[below]):
            below += 1
        if not _less(saved, heap[below], node):
            break
        heap[at] = heap[below]
        place[heap[at]] = at
        at = below
    heap[at] = node
    place[node] = at


@njit(**EXACT)
def weakest_links(parent, risk, many, price):
    n = parent.size
    leaves, cost = np.zeros(n, np.int64), np.zeros(n)
    end = np.arange(1, n + 1)
    for node in range(n - 1, -1, -1):
        if many[node] == 0:
            leaves[node], cost[node] = 1, risk[node]
        if node > 0:
            leaves[parent[node]] += leaves[node]
            cost[parent[node]] += cost[node]
            end[parent[node]] = max(end[parent[node]], end[node])
    heap, place, saved = np.empty(n, np.int64), np.full(n, -1), np.empty(n)
    size = 0
    for node in range(n):
        price[node] = np.inf
        if many[node] > 0:
            saved[node] = (risk[node] - cost[node]) / (leaves[node] - 1)
            heap[size] = node
            size += 1
            _settle(heap, place, size, saved, size - 1)
    reached = 0.0
    while size > 0:
        node = heap[0]
        # Rounding may put a price a little below the one before.
        reached = max(reached, saved[node])
        for below in range(node, end[node]):
            at = place[below]
            if at >= 0:
                price[below] = reached
                place[below] = -1
                size -= 1
                if at < size:
                    heap[at] = heap[size]
                    place[heap[at]] = at
                    _settle(heap, place, size, saved, at)
        fewer, more = leaves[node] - 1, risk[node] - cost[node]
        above = parent[node]
        while above >= 0:
            leaves[above] -= fewer
            cost[above] += more
            saved[above] = (risk[above] - cost[above]) / (leaves[above] - 1)
            _settle(heap, place, size, saved, place[above])
            above = parent[above]


# Problem   add up over every subtree.
# Given     parent (n,) int64 of nodes in preorder, -1 for the root.
# Writes    sums (n, k): to what stands at a node, all that stands below it is added.
@njit(**EXACT)
def sum_up(parent, sums):
    for node in range(parent.size - 1, 0, -1):
        for c in range(sums.shape[1]):
            sums[parent[node], c] += sums[node, c]
