# Problem   what all trees of a forest say about every row.
# Given     nodes, the packed records of all trees one after another, as `Tree.nodes` has those of one; starts (trees
#           + 1,) int64, where each begins; value (nodes, k); X (n, d) float32 C-contiguous.
# Writes    add_votes: to each row of out (n, k), the values of the leaves it ends in, tree by tree.  leaves: out (n,
#           trees) int32, the leaves, counted from the beginning of their tree.
# Returns   nothing; threads may share all but out.
# Source    Breiman, Random forests, 2001. So many rows at a time that they and a tree stay close to the processor.
import numpy as np
from numba import njit

from assay.compiled.common.flags import EXACT
from assay.compiled.trees.tree_walk import leaves_of

_ROWS = 512


@njit(**EXACT)
def add_votes(nodes, starts, value, X, out):
    n, k = out.shape
    leaf = np.empty(min(n, _ROWS), np.int32)
    for begin in range(0, n, _ROWS):
        end = min(n, begin + _ROWS)
        for t in range(starts.size - 1):
            here = starts[t]
            leaves_of(nodes[here : starts[t + 1]], X[begin:end], leaf[: end - begin])
            for i in range(begin, end):
                at = here + leaf[i - begin]
                for c in range(k):
                    out[i, c] += value[at, c]


@njit(**EXACT)
def leaves(nodes, starts, X, out):
    n = X.shape[0]
    leaf = np.empty(min(n, _ROWS), np.int32)
    for begin in range(0, n, _ROWS):
        end = min(n, begin + _ROWS)
        for t in range(starts.size - 1):
            leaves_of(nodes[starts[t] : starts[t + 1]], X[begin:end], leaf[: end - begin])
            for i in range(begin, end):
                out[i, t] = leaf[i - begin]


# Problem   what the trees that did not see a row say about it, and what each of them loses.
# Given     nodes, starts, value, X as above; left (n, trees) uint8, 1 where a tree's bag left a row out; label (n,)
#           int32, or for numbers target (n,), where k is 1.
# Writes    out (n, k): the sums of the values over the trees whose bags left the row out; loss (n, trees): of these
#           trees one minus the value of the row's label, or the squared difference to its target; else zero.
# Returns   nothing.
# Source    Breiman, Out-of-bag estimation, 1996.
@njit(**EXACT)
def left_out_votes(nodes, starts, value, X, left, label, target, out, loss):
    n, k = out.shape
    leaf = np.empty(n, np.int32)
    for t in range(starts.size - 1):
        here = starts[t]
        leaves_of(nodes[here : starts[t + 1]], X, leaf)
        for i in range(n):
            loss[i, t] = 0.0
            if left[i, t]:
                at = here + leaf[i]
                for c in range(k):
                    out[i, c] += value[at, c]
                if k == 1:
                    loss[i, t] = (value[at, 0] - target[i]) ** 2
                else:
                    loss[i, t] = 1.0 - value[at, label[i]]
