"""Pruning without a price: by a pessimistic estimate of the errors, and back to the smallest tree about as good.

Neither is a promise about new examples: the estimate takes the examples that chose a question for fresh ones.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betaincinv

from assay.learners.trees.pruning import leaf_costs, path_of, pruned, subtree
from assay.learners.trees.structure import Tree
from assay.types import Floats

# Sums of the same estimates in another order may differ by rounding.
_SAME = 1e-9


def pessimistic_rate(errors: Floats, rows: Floats, factor: float) -> Floats:
    """The error rate at which so few errors, or fewer, among the rows would have this probability.

    Exact by the binomial distribution, which the program C4.5 approximates once there are errors.

    Examples
    --------
    >>> pessimistic_rate(np.array([0.0, 0, 0, 1]), np.array([6.0, 9, 1, 16]), 0.25).round(3).tolist()
    [0.206, 0.143, 0.75, 0.16]
    """
    right = np.maximum(rows - errors, np.finfo(float).tiny)
    return np.asarray(betaincinv(errors + 1.0, right, 1.0 - factor))


def error_pruned(tree: Tree, factor: float) -> Tree:
    """The subtree with the fewest errors by the pessimistic estimate, of equal ones the smallest.

    Quinlan, C4.5: Programs for Machine Learning (1993), chapter 4: subtrees are replaced by leaves, not raised.
    """
    rows = int(tree.rows[0])
    # Weights of mean one: what they are relative to each other is all that they say.
    missed, came = leaf_costs(tree, errors=True) * rows, tree.weight / tree.weight[0] * rows
    held = came > 0
    guess = np.zeros(len(tree))
    guess[held] = came[held] * pessimistic_rate(missed[held], came[held], factor)
    below, leaf = np.zeros(len(tree)), tree.feature < 0
    for node in range(len(tree) - 1, -1, -1):  # children come after their parent
        leaf[node] |= guess[node] <= below[node] + _SAME * guess[0]
        if node:
            below[tree.parent[node]] += guess[node] if leaf[node] else below[node]
    stays = np.ones(len(tree), dtype=bool)
    for node in range(1, len(tree)):
        above = tree.parent[node]
        stays[node] = stays[above] and not leaf[above]
    return subtree(tree, stays, stays & leaf)


def globally_pruned(tree: Tree) -> Tree:
    """The smallest subtree on the path of weakest links whose errors are within a standard error of the tree's.

    Kuhn and Johnson, Applied Predictive Modeling (2013), section 14.6, on C5.0.
    """
    path = path_of(tree, errors=True)
    rate = float(path.impurities[0])
    most = rate + math.sqrt(max(rate * (1 - rate), 0.0) / int(tree.rows[0]))
    last = int(np.flatnonzero(path.impurities <= most + _SAME)[-1])
    # A little above the price, which rounding may have put below that of its own nodes.
    return pruned(tree, float(path.ccp_alphas[last]) * (1 + _SAME) + 1e-15, errors=True)
