"""The parameters of forests: what they may be, and what they mean for a sample of a given size."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

from assay.errors import require
from assay.learners.common.number_kinds import is_count, is_number, is_real, is_whole
from assay.learners.ensembles.grower import Limits
from assay.learners.trees.limits import features_of, require_limits, rows_of

_MOST_BINS = 65_535


@dataclass(eq=False, repr=False)
class GrowthParameters:
    """The parameters with which those of every forest begin."""

    n_estimators: int = 100
    _: KW_ONLY
    criterion: str = "gini"
    max_depth: int | None = None
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: Literal["sqrt", "log2"] | float | None = "sqrt"
    max_leaf_nodes: int | None = None
    min_impurity_decrease: float = 0.0
    bootstrap: bool = True
    oob_score: bool | Any = False
    n_jobs: int | None = None
    random_state: Any = None
    verbose: int = 0
    warm_start: bool = False


@dataclass(eq=False, repr=False, kw_only=True)
class BagParameters:
    """The parameters with which those of every forest end."""

    max_samples: float | None = None
    features_per: Literal["split", "tree"] = "split"
    max_bins: int | None = None
    ccp_alpha: float = 0.0
    monotonic_cst: Any = None


def require_forest(model: Any) -> None:
    """Refuse parameters that mean nothing whatever the sample is."""
    require_count("n_estimators", model.n_estimators)
    known = ("split", "tree")
    require(model.features_per in known, "features_per", "'split' or 'tree'", model.features_per)
    bins = model.max_bins
    fine = bins is None or (is_whole(bins) and 2 <= bins <= _MOST_BINS)
    require(fine, "max_bins", f"None, or a count from 2 to {_MOST_BINS}", bins)
    most = model.max_samples
    fine = most is None or is_count(most) or (is_real(most) and 0 < most < math.inf)
    require(fine, "max_samples", "None, a count of at least 1, or a share above 0", most)
    alpha = model.ccp_alpha
    fine = is_number(alpha) and 0 <= alpha < math.inf
    require(fine, "ccp_alpha", "a finite number, zero or more", alpha)
    given = model.max_samples is not None and not model.bootstrap
    hint = "Without a bootstrap every tree sees every row."
    require(not given, "max_samples", "None if bootstrap is False", model.max_samples, hint)
    asked = bool(model.oob_score) and not model.bootstrap
    hint = "Only a bag leaves rows out."
    require(not asked, "oob_score", "False if bootstrap is False", model.oob_score, hint)
    fine = is_whole(model.verbose) and model.verbose >= 0
    require(fine, "verbose", "a whole number, zero or more", model.verbose)


def forest_limits(model: Any, rows: int, width: int) -> tuple[Limits, int]:
    """When nodes are not cut, and how many features are drawn."""
    require_limits(model)
    depth, leaves = model.max_depth, model.max_leaf_nodes
    limits = Limits(
        most_depth=-1 if depth is None else int(depth),
        least_split=rows_of(model.min_samples_split, rows, 2),
        least_rows=rows_of(model.min_samples_leaf, rows, 1),
        least_share=float(model.min_weight_fraction_leaf),
        least_decrease=float(model.min_impurity_decrease),
        most_leaves=0 if leaves is None else int(leaves),
    )
    return limits, features_of(model.max_features, width)


def require_count(name: str, value: Any) -> None:
    """Refuse what is no count of at least one."""
    require(is_count(value), name, "a count of at least 1", value)


def require_share(name: str, value: Any, *, optional: bool = False) -> None:
    """Refuse what is neither a count of at least one nor a share."""
    fine = is_count(value) or (is_real(value) and 0 < value <= 1)
    must = "a count of at least 1, or a share above 0 and at most 1"
    none = optional and value is None
    require(none or fine, name, f"None, {must}" if optional else must, value)
