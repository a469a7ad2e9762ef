"""Weakest-link pruning: the nested subtrees that are best for some price of a leaf, and that price by validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.compiled.trees.tree_prune import sum_up, weakest_links
from assay.learners.trees.structure import Tree
from assay.types import Bools, Floats, Ints

# Prices that differ by less than rounding are one.
_SAME = 1e-12


def leaf_costs(tree: Tree, *, errors: bool = False) -> Floats:
    """What each node costs as a leaf: its impurity, or the share that it errs on, weighted by its examples.

    The first is measured by the criterion that the tree was grown with, the second by counting.
    """
    if not errors:
        return np.asarray(tree.weight / tree.weight[0] * tree.impurity)
    # Where no example came, the value is the parent's, and nothing is lost.
    missed = np.where(tree.weight > 0, tree.weight - tree.value.max(axis=1), 0.0)
    return np.asarray(np.maximum(missed, 0.0) / tree.weight[0])


def prices(tree: Tree, *, errors: bool = False) -> Floats:
    """For each node the price of a leaf from which on the best subtree does not ask its question."""
    price = np.empty(len(tree))
    many = np.bincount(tree.parent[1:], minlength=len(tree))
    weakest_links(tree.parent, leaf_costs(tree, errors=errors), many, price)
    return price


@dataclass(frozen=True)
class PruningPath:
    """The subtrees on the way from the whole tree to its root.

    Attributes
    ----------
    ccp_alphas : array
        The prices at which the best subtree changes, ascending; the first is zero.
    impurities : array
        The summed impurity of the leaves of the best subtree at each; or what else a leaf was said to cost.
    leaves : array of int
        How many leaves it has.
    """

    ccp_alphas: Floats
    impurities: Floats
    leaves: Ints


def path_of(tree: Tree, *, errors: bool = False) -> PruningPath:
    """The whole path of weakest links."""
    price, above = _spans(tree, errors)
    inner = price[tree.feature >= 0]
    alphas = np.unique(np.concatenate([[0.0], inner]))
    fresh = np.concatenate([[True], np.diff(alphas) > _SAME * alphas[-1]])
    # Of prices that are one but for rounding the last counts, so that all of their nodes are leaves.
    last = np.concatenate([np.flatnonzero(fresh)[1:] - 1, [len(alphas) - 1]])
    shown = alphas[last]
    shown[0] = 0.0
    cost = leaf_costs(tree, errors=errors)
    return PruningPath(
        shown,
        _while_leaf(price, above, cost, alphas[last]),
        np.rint(_while_leaf(price, above, np.ones(len(tree)), alphas[last])).astype(np.int64),
    )


def _spans(tree: Tree, errors: bool) -> tuple[Floats, Floats]:
    """From which price on a node is a leaf of the best subtree, and up to which."""
    price = prices(tree, errors=errors)
    above = np.full(len(tree), np.inf)
    above[1:] = price[tree.parent[1:]]
    return np.where(tree.feature < 0, -np.inf, price), above


def _while_leaf(price: Floats, above: Floats, cost: Floats, alphas: Floats) -> Floats:
    """For each price the sum over the leaves of its best subtree."""
    total = np.zeros(len(alphas) + 1)
    np.add.at(total, np.searchsorted(alphas, price), cost)
    np.subtract.at(total, np.searchsorted(alphas, above), cost)
    return np.cumsum(total)[:-1]


def pruned(tree: Tree, alpha: float, *, errors: bool = False) -> Tree:
    """The smallest of the subtrees that minimise what leaves cost plus alpha times leaves."""
    price, above = _spans(tree, errors)
    stays = above > alpha
    stays[0] = True  # at any price
    return subtree(tree, stays, stays & (price <= alpha))


def subtree(tree: Tree, stays: Bools, leaf: Bools) -> Tree:
    """The nodes that stay, of which some become leaves."""
    if not (leaf & (tree.feature >= 0)).any():
        return tree
    place = np.cumsum(stays) - 1
    ends = leaf[stays]
    feature = np.where(ends, -1, tree.feature[stays]).astype(np.int32)
    branch, arity, children = _tables(tree, stays, feature, place)
    return Tree(
        feature=feature,
        threshold=np.where(ends, np.nan, tree.threshold[stays]),
        left=np.where(ends, -1, place[tree.left[stays]]).astype(np.int32),
        right=np.where(ends, -1, place[tree.right[stays]]).astype(np.int32),
        value=tree.value[stays],
        weight=tree.weight[stays],
        impurity=tree.impurity[stays],
        missing_left=np.where(ends, 0, tree.missing_left[stays]).astype(np.int8),
        rows=tree.rows[stays] if len(tree.rows) else tree.rows,
        branch=branch,
        arity=arity,
        children=children,
    )


def _tables(
    tree: Tree, stays: Bools, feature: NDArray[np.int32], place: Ints
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """The tables of the nodes that still ask for a category."""
    none = np.zeros(0, np.int32)
    if not tree.has_categories:
        return none, none, none
    asks = (tree.branch[stays] >= 0) & (feature >= 0)
    if not asks.any():
        return none, none, none
    arity = np.where(asks, tree.arity[stays], 0).astype(np.int32)
    sizes = np.where(asks, arity + 1, 0)
    starts = np.cumsum(sizes) - sizes
    parts = [
        place[tree.children[start : start + size]]
        for start, size in zip(tree.branch[stays][asks], sizes[asks], strict=True)
    ]
    branch = np.where(asks, starts, -1).astype(np.int32)
    return branch, arity, np.concatenate(parts).astype(np.int32)


def weakest_link(tree: Tree, *, errors: bool = False) -> tuple[float, float, int] | None:
    """What the node that saves least per leaf costs as a leaf, what its leaves cost, and how many they are."""
    inner = np.flatnonzero(tree.feature >= 0)
    if not inner.size:
        return None
    cost = leaf_costs(tree, errors=errors)
    leaf = tree.feature < 0
    sums = np.column_stack([np.where(leaf, cost, 0.0), leaf.astype(np.float64)])
    sum_up(tree.parent, sums)
    # Rounding may leave a question that lowers nothing a little below that.
    below = np.minimum(sums[inner, 0], cost[inner])
    weakest = int(((cost[inner] - below) / (sums[inner, 1] - 1)).argmin())
    node = inner[weakest]
    return float(cost[node]), float(below[weakest]), int(sums[node, 1])


def price_by_validation(
    tree: Tree,
    folds: Iterable[tuple[Ints, Ints]],
    grow: Callable[[Ints], Tree],
    lost: Callable[[Tree, Ints], Floats],
    *,
    errors: bool = False,
) -> tuple[float, Floats, Floats]:
    """The price whose pruned trees lose least on rows that they were not grown from.

    Parameters
    ----------
    tree : Tree
        Grown from all rows; between two of its prices the geometric mean is tried.
    folds : iterable of (rows, others)
    grow : function
        Grows a tree from some rows.
    lost : function
        For each node of a tree what predicting by that node loses on those of some rows that come to it.
    errors : bool
        Whether leaves cost what they err on, and not their impurity.

    Returns
    -------
    price : float
        Of equally good ones the largest, which gives the smallest tree.
    tried, losses : arrays
        All prices that were tried, and the loss of each, summed over the folds.
    """
    alphas = path_of(tree, errors=errors).ccp_alphas
    tried = np.concatenate([np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1:]])
    total = np.zeros(len(tried))
    for rows, others in folds:
        part = grow(rows)
        price, above = _spans(part, errors)
        total += _while_leaf(price, above, lost(part, others), tried)
    # Sums of the same losses in another order may differ by rounding.
    slack = 1e-9 * max(float(total.max()), 1e-300)
    best = np.flatnonzero(total <= total.min() + slack)[-1]
    return float(tried[best]), tried, total


def summed_at_nodes(tree: Tree, leaf: NDArray[np.int32], sums: Floats) -> Floats:
    """What rows bring to their leaves, added up at every node that they pass."""
    totals = np.zeros((len(tree), sums.shape[1]))
    np.add.at(totals, leaf, sums)
    sum_up(tree.parent, totals)
    return totals
