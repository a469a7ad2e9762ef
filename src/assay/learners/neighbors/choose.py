"""Which way to search: a tree, or all rows.

The answers are the same to the bit, so only time is at stake. With ``algorithm="auto"`` a tree is built over rows of
up to 24 features, and as many nodes and blocks are counted as it opens for some of the rows. Its time is then
estimated and compared with that of looking at all rows, both for one example in nanoseconds:

- a tree: 40 for each node and 9 d for each block of 32 rows,
- products of matrices: 4300 + (0.64 + 0.015 d) n,
- absolute values, pair by pair: 1400 + (0.28 + 0.15 d) n.

These are rounded fits to what ``bench/neighbors.py --costs`` measures in processor time on one thread of the machine of
the benches (a Xeon with AVX-512): 5 neighbours of normally distributed rows, d = 2 to 24, in microseconds

======== ======== ======= ======= ======= ======= ======= =======
n        search   d = 2   4       8       12      16      24
======== ======== ======= ======= ======= ======= ======= =======
2,000    tree     0.6     1.1     3.4     6.2     7.6     12
2,000    all rows 5.4     5.3     5.6     5.4     7.9     6.2
20,000   tree     0.6     1.4     9.5     35      75      145
20,000   all rows 19      20      19      22      21      26
100,000  tree     0.7     1.6     20      142     484     825
100,000  all rows 70      71      80      79      91      102
======== ======== ======= ======= ======= ======= ======= =======

So a tree is faster up to about 10 features that have nothing to do with each other; rows that lie near a surface of
fewer dimensions go on being found by it in more.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np

from assay.compiled.neighbors.kd_search import ABSOLUTES
from assay.learners.neighbors.pairwise_index import PairwiseIndex
from assay.learners.neighbors.scan_index import ScanIndex
from assay.learners.neighbors.screen_index import ScreenIndex
from assay.learners.neighbors.space import Space
from assay.learners.neighbors.sparse_index import SparseIndex
from assay.learners.neighbors.tree_index import TreeIndex

Index: TypeAlias = TreeIndex | ScanIndex | ScreenIndex | SparseIndex | PairwiseIndex

_MOST_FEATURES = 24
_PROBED = 64
# Blocks are this many rows, or a multiple.
_LANES = 8


def make_index(
    space: Space, algorithm: Literal["auto", "kd_tree", "brute"], leaf_size: int, k: int
) -> Index:
    """The index that was asked for, or the faster one.

    Parameters
    ----------
    space : Space
    algorithm : {"auto", "kd_tree", "brute"}
    leaf_size : int
        About how many rows a block of a tree holds.
    k : int
        How many neighbours will be asked for.
    """
    if space.sparse:
        return SparseIndex(space)
    if algorithm == "brute" or (algorithm == "auto" and space.rows.shape[1] > _MOST_FEATURES):
        return _all_rows(space, k)
    room = min(-(-leaf_size // _LANES) * _LANES, -(-len(space) // _LANES) * _LANES)
    tree = TreeIndex(space, room)
    if algorithm == "kd_tree" or tree_cost(tree, room, k) <= all_rows_cost(space):
        return tree
    return _all_rows(space, k)


def _all_rows(space: Space, k: int) -> Index:
    return ScanIndex(space) if space.kind == ABSOLUTES else ScreenIndex(space, k)


def tree_cost(tree: TreeIndex, room: int, k: int) -> float:
    """The nanoseconds that a tree takes for one example, from what it opens for some of the rows."""
    rows = tree.space.rows
    step = max(1, len(rows) // _PROBED)
    probe = np.ascontiguousarray(rows[::step][:_PROBED], dtype=np.float64)
    # A row finds itself, which an example does not.
    _, _, nodes, blocks = tree.counted(probe, min(k + 1, len(rows)))
    each = 9 * rows.shape[1] * room / 32
    return float((40 * nodes + each * blocks) / len(probe))


def all_rows_cost(space: Space) -> float:
    """The nanoseconds that looking at all rows takes for one example."""
    n, width = space.rows.shape
    if space.kind == ABSOLUTES:
        return float(1400 + (0.28 + 0.15 * width) * n)
    return float(4300 + (0.64 + 0.015 * width) * n)
