"""The parameters of gradient boosting in bins: what they may be, and what they mean for so many features."""

from __future__ import annotations

import itertools
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import get_scorer_names

from assay.errors import require
from assay.learners.common.number_kinds import is_count, is_number, is_whole


@dataclass(eq=False, repr=False)
class HistParameters:
    """The parameters that both learners have."""

    _: KW_ONLY
    learning_rate: float = 0.1
    max_iter: int = 100
    max_leaf_nodes: int | None = 31
    max_depth: int | None = None
    min_samples_leaf: int = 20
    l2_regularization: float = 0.0
    max_features: float = 1.0
    max_bins: int = 255
    categorical_features: Any = "from_dtype"
    monotonic_cst: Any = None
    interaction_cst: Any = None
    warm_start: bool = False
    early_stopping: Any = "auto"
    scoring: Any = "loss"
    validation_fraction: float | int | None = 0.1
    n_iter_no_change: int = 10
    tol: float = 1e-7
    verbose: int = 0
    random_state: Any = None
    n_jobs: int | None = None


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool | np.bool_)


def require_hist(model: Any) -> None:
    """Refuse parameters that mean nothing whatever the sample is."""
    for name in ("max_iter", "min_samples_leaf", "n_iter_no_change"):
        value = getattr(model, name)
        require(is_count(value), name, "a whole number of at least 1", value)
    for name, least in (("max_leaf_nodes", 2), ("max_depth", 1)):
        value = getattr(model, name)
        fine = value is None or (is_whole(value) and value >= least)
        require(fine, name, f"None, or a whole number of at least {least}", value)
    rate = model.learning_rate
    fine = is_number(rate) and 0 < rate < np.inf
    require(bool(fine), "learning_rate", "a finite number above zero", rate)
    for name in ("l2_regularization", "tol"):
        value = getattr(model, name)
        fine = is_number(value) and 0 <= value < np.inf
        require(bool(fine), name, "a finite number, zero or more", value)
    share = model.max_features
    fine = is_number(share) and 0 < share <= 1
    require(bool(fine), "max_features", "a share above 0 and at most 1", share)
    bins = model.max_bins
    require(
        bool(is_whole(bins) and 2 <= bins <= 255), "max_bins", "a whole number from 2 to 255", bins
    )
    fine = _is_flag(model.early_stopping) or (
        isinstance(model.early_stopping, str) and model.early_stopping == "auto"
    )
    require(fine, "early_stopping", "'auto', True or False", model.early_stopping)
    named = isinstance(model.scoring, str)
    fine = (
        model.scoring in ("loss", *get_scorer_names())
        if named
        else model.scoring is None or callable(model.scoring)
    )
    must = "'loss', None, the name of a score of scikit-learn, or a function of model, X and y"
    require(fine, "scoring", must, model.scoring)
    part = model.validation_fraction
    fine = (
        part is None or is_count(part) or (is_number(part) and not is_whole(part) and 0 < part < 1)
    )
    must = "None, a count of at least 1, or a share strictly between 0 and 1"
    require(bool(fine), "validation_fraction", must, part)
    fine = is_whole(model.verbose) and model.verbose >= 0
    require(bool(fine), "verbose", "a whole number, zero or more", model.verbose)
    chosen = model.categorical_features
    fine = not isinstance(chosen, str) or chosen == "from_dtype"
    must = "'from_dtype', None, or a list of names, places or truth values"
    require(fine, "categorical_features", must, chosen)


def together_of(given: Any, width: int) -> NDArray[np.uint8]:
    """The sets of features that may be asked for on one way down, one row each; none where all may.

    Features that no set names are one more set, as in scikit-learn.

    Examples
    --------
    >>> together_of([{0, 1}], 4).tolist(), together_of("no_interactions", 2).tolist()
    ([[1, 1, 0, 0], [0, 0, 1, 1]], [[1, 0], [0, 1]])
    """
    places = range(width)
    if given is None:
        return np.zeros((0, width), np.uint8)
    must = f"None, 'pairwise', 'no_interactions', or a list of sets of places from 0 to {width - 1}"
    named = {"pairwise": 2, "no_interactions": 1}
    if isinstance(given, str):
        require(given in named, "interaction_cst", must, given)
        sets: list[Any] = list(itertools.combinations(places, named[given]))
    else:
        fine = isinstance(given, list | tuple) and all(
            isinstance(one, list | tuple | set | frozenset)
            and all(is_whole(place) and 0 <= place < width for place in one)
            for one in given
        )
        require(fine, "interaction_cst", must, given)
        sets = [{int(place) for place in one} for one in given]
    rest = set(places).difference(*sets)
    rows = np.zeros((len(sets) + bool(rest), width), np.uint8)
    for row, one in zip(rows, [*sets, rest], strict=False):
        row[list(one)] = 1
    return rows
