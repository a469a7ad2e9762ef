"""When a node is not divided, as parameters say it, for a sample of a given size."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.compiled.tree_sample import Rule
from assay.compiled.tree_scan import ENTROPY, GINI, MISCLASSIFICATION, SQUARES
from assay.errors import require

CRITERIA = {
    "gini": GINI,
    "entropy": ENTROPY,
    "log_loss": ENTROPY,
    "misclassification": MISCLASSIFICATION,
    "gain_ratio": ENTROPY,
}
#: What the algorithms of textbooks stand for: criterion and number of children.
ALGORITHMS = {
    "cart": ("gini", "binary"),
    "c4.5": ("gain_ratio", "multiway"),
    "id3": ("entropy", "multiway"),
}
_NO_LIMIT = 2**31 - 1


def rule_of(model: Any, rows: int, width: int, weight: float) -> Rule:
    """The rule that the parameters of a tree stand for."""
    depth, leaves = model.max_depth, model.max_leaf_nodes
    _require("max_depth", "None or a whole number of at least 1", depth, depth is None, depth, 1)
    _require(
        "max_leaf_nodes", "None or a whole number of at least 2", leaves, leaves is None, leaves, 2
    )
    split, leaf = model.min_samples_split, model.min_samples_leaf
    must = "a whole number of at least {}, or a share of the rows"
    _require("min_samples_split", must.format(2), split, _is_share(split, 1.0), split, 2)
    _require("min_samples_leaf", must.format(1), leaf, _is_share(leaf, 1.0), leaf, 1)
    fraction, least = model.min_weight_fraction_leaf, model.min_impurity_decrease
    fine = _is_real(fraction) and 0 <= fraction <= 0.5
    require(fine, "min_weight_fraction_leaf", "a number from 0 to 0.5", fraction)
    fine = _is_real(least) and 0 <= least < math.inf
    require(fine, "min_impurity_decrease", "a finite number, zero or more", least)
    code, multiway, ratio = _division(model)
    return Rule(
        criterion=code,
        multiway=multiway,
        ratio=ratio,
        most_depth=_NO_LIMIT if depth is None else int(depth),
        least_split=int(split) if _is_whole(split) else max(2, math.ceil(split * rows)),
        least_leaf=int(leaf) if _is_whole(leaf) else math.ceil(leaf * rows),
        least_weight=float(fraction * weight),
        # Rounding may leave a fall of nothing a little below it.
        least_fall=float(least - np.finfo(float).eps) * weight if least > 0 else -math.inf,
        most_features=_features(model.max_features, width),
        most_leaves=0 if leaves is None else int(leaves),
    )


def _division(model: Any) -> tuple[int, bool, bool]:
    """The criterion, whether there is a child for each category, and whether by gain ratio."""
    if not hasattr(model, "algorithm"):
        must = "'squared_error'"
        require(model.criterion == "squared_error", "criterion", must, model.criterion)
        return SQUARES, False, False
    names = ", ".join(map(repr, ALGORITHMS))
    require(model.algorithm in ALGORITHMS, "algorithm", f"one of {names}", model.algorithm)
    criterion, splits = settled(model)
    names = ", ".join(map(repr, CRITERIA))
    require(criterion in CRITERIA, "criterion", f"None, or one of {names}", criterion)
    fine = splits in ("binary", "multiway")
    require(fine, "splits", "None, 'binary' or 'multiway'", splits)
    return CRITERIA[criterion], splits == "multiway", criterion == "gain_ratio"


def settled(model: Any) -> tuple[str, str]:
    """The criterion and the number of children, by the algorithm where they are not given."""
    criterion, splits = ALGORITHMS[model.algorithm]
    return (
        criterion if model.criterion is None else model.criterion,
        splits if model.splits is None else model.splits,
    )


def _features(asked: Any, width: int) -> int:
    if asked is None:
        return width
    if asked in ("sqrt", "log2") and isinstance(asked, str):
        return max(1, int(math.sqrt(width) if asked == "sqrt" else math.log2(width)))
    must = f"None, 'sqrt', 'log2', a count from 1 to {width}, or a share of the features"
    fine = (_is_whole(asked) and 1 <= asked <= width) or _is_share(asked, 1.0)
    require(fine, "max_features", must, asked)
    return int(asked) if _is_whole(asked) else max(1, int(asked * width))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _is_real(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _is_share(value: Any, most: float) -> bool:
    return isinstance(value, float | np.floating) and bool(0.0 < value <= most)


def _require(name: str, must: str, shown: Any, otherwise: bool, value: Any, at_least: int) -> None:
    require(otherwise or (_is_whole(value) and value >= at_least), name, must, shown)
