"""The parameters of forests: what they may be, and what they mean for a sample of a given size."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.errors import require
from assay.learners.ensembles.grower import Limits

_MOST_BINS = 65_535


def require_forest(model: Any) -> None:
    """Refuse parameters that mean nothing whatever the sample is."""
    require_count("n_estimators", model.n_estimators)
    known = ("split", "tree")
    require(model.features_per in known, "features_per", "'split' or 'tree'", model.features_per)
    bins = model.max_bins
    fine = bins is None or (is_whole(bins) and 2 <= bins <= _MOST_BINS)
    require(fine, "max_bins", f"None, or a count from 2 to {_MOST_BINS}", bins)
    require_share("max_samples", model.max_samples, optional=True)
    given = model.max_samples is not None and not model.bootstrap
    hint = "Without a bootstrap every tree sees every row."
    require(not given, "max_samples", "None if bootstrap is False", model.max_samples, hint)
    asked = bool(model.oob_score) and not model.bootstrap
    hint = "Only a bag leaves rows out."
    require(not asked, "oob_score", "False if bootstrap is False", model.oob_score, hint)
    fine = is_whole(model.verbose) and model.verbose >= 0
    require(fine, "verbose", "a whole number, zero or more", model.verbose)


def require_limits(model: Any, rows: int, width: int) -> tuple[Limits, int]:
    """When nodes are not cut, and how many features are drawn."""
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
    fine = (is_real(share) or is_whole(share)) and 0 <= share <= 0.5
    require(fine, "min_weight_fraction_leaf", "a number from 0 to 0.5", share)
    fine = (is_real(least) or is_whole(least)) and 0 <= least < math.inf
    require(fine, "min_impurity_decrease", "a finite number, zero or more", least)
    limits = Limits(
        most_depth=-1 if depth is None else int(depth),
        least_split=int(split) if is_whole(split) else max(2, math.ceil(split * rows)),
        least_rows=int(leaf) if is_whole(leaf) else math.ceil(leaf * rows),
        least_share=float(share),
        least_decrease=float(least),
        most_leaves=0 if leaves is None else int(leaves),
    )
    return limits, features_of(model.max_features, width)


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


def require_count(name: str, value: Any) -> None:
    """Refuse what is no count of at least one."""
    require(is_whole(value) and value >= 1, name, "a count of at least 1", value)


def require_share(name: str, value: Any, *, optional: bool = False) -> None:
    """Refuse what is neither a count of at least one nor a share."""
    fine = (is_whole(value) and value >= 1) or (is_real(value) and 0 < value <= 1)
    must = "a count of at least 1, or a share above 0 and at most 1"
    none = optional and value is None
    require(none or fine, name, f"None, {must}" if optional else must, value)


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number, and not a truth value."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_real(value: Any) -> bool:
    """Whether a value is a floating-point number."""
    return isinstance(value, float | np.floating)
