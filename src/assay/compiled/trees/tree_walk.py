# Problem   find the leaf of every row: at a node, a row whose feature is at most the threshold goes to the next node,
#           any other to `right`, until it is at a leaf.
# Given     nodes, one packed record for each node in preorder, as `Tree.nodes` has them; X (n, d) float32 C-contiguous.
#           NaN goes to the next node where `missing` is 1, else to `right`. At a leaf the threshold is NaN, the
#           feature is 0 and `right` is the leaf itself: one more step changes nothing, and nothing is asked.
# Writes    leaf (n,) int32.
# Returns   nothing; neither array of nodes nor of rows is changed, so threads may share both.
# Source    Breiman, Friedman, Olshen & Stone, 1984. Eight rows at a time: while one waits for memory the others go on,
#           and the next node is computed, not branched to, since no processor could guess the way.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT

NODE = np.dtype(
    [
        ("threshold", np.float32),
        ("feature", np.uint32),
        ("right", np.uint32),
        ("missing", np.uint32),
    ]
)

_TOGETHER = 8
_U0, _U1 = np.uint64(0), np.uint64(1)
_U2, _U3, _U4 = np.uint64(2), np.uint64(3), np.uint64(4)
_U5, _U6, _U7 = np.uint64(5), np.uint64(6), np.uint64(7)


@njit(inline="always")
def _next(nodes, cells, row, at):
    node = nodes[at]
    cell = cells[row + np.uint64(node.feature)]
    left = (cell <= node.threshold) | ((cell != cell) & (node.missing != 0))
    right = np.uint64(node.right)
    # All ones where the row goes left, else all zeros.
    chosen = _U0 - np.uint64(left)
    return right ^ ((right ^ (at + _U1)) & chosen)


@njit(**EXACT)
def leaves_of(nodes, X, leaf):
    width = np.uint64(X.shape[1])
    cells = X.reshape(-1)
    n = X.shape[0]
    full = n - n % _TOGETHER
    for i in range(0, full, _TOGETHER):
        r = np.uint64(i) * width
        a = b = c = d = e = f = g = h = _U0
        while True:
            a_ = _next(nodes, cells, r, a)
            b_ = _next(nodes, cells, r + width, b)
            c_ = _next(nodes, cells, r + _U2 * width, c)
            d_ = _next(nodes, cells, r + _U3 * width, d)
            e_ = _next(nodes, cells, r + _U4 * width, e)
            f_ = _next(nodes, cells, r + _U5 * width, f)
            g_ = _next(nodes, cells, r + _U6 * width, g)
            h_ = _next(nodes, cells, r + _U7 * width, h)
            moved = (a ^ a_) | (b ^ b_) | (c ^ c_) | (d ^ d_)
            moved |= (e ^ e_) | (f ^ f_) | (g ^ g_) | (h ^ h_)
            if moved == _U0:
                break
            a, b, c, d, e, f, g, h = a_, b_, c_, d_, e_, f_, g_, h_
        leaf[i], leaf[i + 1], leaf[i + 2], leaf[i + 3] = a, b, c, d
        leaf[i + 4], leaf[i + 5], leaf[i + 6], leaf[i + 7] = e, f, g, h
    for i in range(full, n):
        r = np.uint64(i) * width
        a = _U0
        while True:
            a_ = _next(nodes, cells, r, a)
            if a_ == a:
                break
            a = a_
        leaf[i] = a


# Problem   the same where nodes may also ask for a category.
# Given     besides, branch (nodes,) int32: at such a node the start of its part of `children` (int32), else -1. A
#           category c < arity goes to children[start + c]; NaN, a category that is not among them, and what is no
#           whole number, go to children[start + arity]. Cells of such features are the numbers of categories.
# Writes    leaf (n,) int32.
# Source    Quinlan, 1986 (a child for each category); Breiman et al., 1984 (two groups of categories).
@njit(**EXACT)
def leaves_of_mixed(nodes, branch, arity, children, X, leaf):
    width = np.uint64(X.shape[1])
    cells = X.reshape(-1)
    for i in range(X.shape[0]):
        row = np.uint64(i) * width
        at = _U0
        while True:
            start = branch[at]
            if start >= 0:
                cell = cells[row + np.uint64(nodes[at].feature)]
                many = arity[at]
                among = cell >= 0 and cell < many and cell == np.floor(cell)
                code = np.int64(cell) if among else np.int64(many)
                at = np.uint64(children[start + code])
                continue
            to = _next(nodes, cells, row, at)
            if to == at:
                break
            at = to
        leaf[i] = at
