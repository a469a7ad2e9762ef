"""When a node is not divided, as parameters of trees and forests say it, for a sample of a given size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.compiled.trees.tree_sample import Rule
from assay.compiled.trees.tree_scan import (
    ABSOLUTES,
    ENTROPY,
    GINI,
    MISCLASSIFICATION,
    POISSON,
    SQUARES,
)
from assay.errors import require
from assay.learners.common.number_kinds import is_number, is_real, is_whole

CRITERIA = {
    "gini": GINI,
    "entropy": ENTROPY,
    "log_loss": ENTROPY,
    "misclassification": MISCLASSIFICATION,
    "gain_ratio": ENTROPY,
}
#: Of numbers. The second is the first by another name, as in scikit-learn.
CRITERIA_OF_NUMBERS = {
    "squared_error": SQUARES,
    "friedman_mse": SQUARES,
    "absolute_error": ABSOLUTES,
    "poisson": POISSON,
}
#: What the algorithms of textbooks stand for: criterion and number of children.
ALGORITHMS = {
    "cart": ("gini", "binary"),
    "c4.5": ("gain_ratio", "multiway"),
    "c5.0": ("gain_ratio", "multiway"),
    "id3": ("entropy", "multiway"),
}
_NO_LIMIT = 2**31 - 1


@dataclass(eq=False, repr=False, kw_only=True)
class TreeParameters:
    """The parameters with which those of every tree begin."""

    criterion: str | None = None
    max_depth: int | None = None
    min_samples_split: int | float = 2
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: int | float | str | None = None
    random_state: Any = None
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    splitter: str = "best"
    monotonic_cst: Any = None


def require_limits(model: Any) -> None:
    """Refuse limits that mean nothing whatever the sample is."""
    depth, leaves = model.max_depth, model.max_leaf_nodes
    fine = depth is None or (is_whole(depth) and depth >= 1)
    require(fine, "max_depth", "None or a count of at least 1", depth)
    fine = leaves is None or (is_whole(leaves) and leaves >= 2)
    require(fine, "max_leaf_nodes", "None or a count of at least 2", leaves)
    split, leaf = model.min_samples_split, model.min_samples_leaf
    fine = (is_whole(split) and split >= 2) or (is_real(split) and 0 < split <= 1)
    require(fine, "min_samples_split", "a count of at least 2, or a share of the rows", split)
    fine = (is_whole(leaf) and leaf >= 1) or (is_real(leaf) and 0 < leaf < 1)
    require(fine, "min_samples_leaf", "a count of at least 1, or a share of the rows", leaf)
    share, least = model.min_weight_fraction_leaf, model.min_impurity_decrease
    fine = is_number(share) and 0 <= share <= 0.5
    require(fine, "min_weight_fraction_leaf", "a number from 0 to 0.5", share)
    fine = is_number(least) and 0 <= least < math.inf
    require(fine, "min_impurity_decrease", "a finite number, zero or more", least)


def rows_of(asked: Any, rows: int, at_least: int) -> int:
    """A count of rows, which may be given as a share of them.

    Examples
    --------
    >>> rows_of(5, 95, 2), rows_of(0.1, 95, 2), rows_of(0.001, 95, 2)
    (5, 10, 2)
    """
    return int(asked) if is_whole(asked) else max(at_least, math.ceil(asked * rows))


def features_of(most: Any, width: int) -> int:
    """How many features `max_features` asks for.

    Examples
    --------
    >>> [features_of(most, 20) for most in ("sqrt", "log2", 0.25, 3, None)]
    [4, 4, 5, 3, 20]
    """
    if most is None:
        return width
    if isinstance(most, str) and most in ("sqrt", "log2"):
        return max(1, int(math.sqrt(width) if most == "sqrt" else math.log2(width)))
    fine = (is_whole(most) and most >= 1) or (is_real(most) and 0 < most <= 1)
    must = "'sqrt', 'log2', None, a count of at least 1, or a share above 0 and at most 1"
    require(fine, "max_features", must, most)
    return min(int(most), width) if is_whole(most) else max(1, int(most * width))


def rule_of(model: Any, rows: int, width: int, weight: float) -> Rule:
    """The rule that the parameters of a tree stand for."""
    require_limits(model)
    depth, leaves = model.max_depth, model.max_leaf_nodes
    least = model.min_impurity_decrease
    code, multiway, ratio = _division(model)
    return Rule(
        criterion=code,
        multiway=multiway,
        ratio=ratio,
        most_depth=_NO_LIMIT if depth is None else int(depth),
        least_split=rows_of(model.min_samples_split, rows, 2),
        least_leaf=rows_of(model.min_samples_leaf, rows, 1),
        least_weight=float(model.min_weight_fraction_leaf * weight),
        # Rounding may leave a fall of nothing a little below it.
        least_fall=float(least - np.finfo(float).eps) * weight if least > 0 else -math.inf,
        most_features=features_of(model.max_features, width),
        most_leaves=0 if leaves is None else int(leaves),
        by_lot=model.random_state is not None,
    )


def _division(model: Any) -> tuple[int, bool, bool]:
    """The criterion, whether there is a child for each category, and whether by gain ratio."""
    if not hasattr(model, "algorithm"):
        return criterion_of_numbers(model), False, False
    names = ", ".join(map(repr, ALGORITHMS))
    require(model.algorithm in ALGORITHMS, "algorithm", f"one of {names}", model.algorithm)
    criterion, splits = ALGORITHMS[model.algorithm]
    criterion = criterion if model.criterion is None else model.criterion
    splits = splits if model.splits is None else model.splits
    names = ", ".join(map(repr, CRITERIA))
    require(criterion in CRITERIA, "criterion", f"None, or one of {names}", criterion)
    fine = splits in ("binary", "multiway")
    require(fine, "splits", "None, 'binary' or 'multiway'", splits)
    return CRITERIA[criterion], splits == "multiway", criterion == "gain_ratio"


def criterion_of_numbers(model: Any) -> int:
    """The criterion of a tree for targets."""
    names = ", ".join(map(repr, CRITERIA_OF_NUMBERS))
    known = model.criterion in CRITERIA_OF_NUMBERS
    require(known, "criterion", f"one of {names}", model.criterion)
    return CRITERIA_OF_NUMBERS[model.criterion]
