"""What a model file may hold: the kind of every attribute.

Compiled loops follow arrays without looking, and theorems are asked about counts and lengths, so a
value from a file is taken only if a learner could have come to it. Most kinds follow from what a fresh part
holds in the same place. Where that is nothing yet, or an empty list, the kind is in a table here; an
attribute that stands in no table is refused, so a learner that needs a new one has to say what it is.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from assay.kernels import Kernel
from assay.learners.rows import Rows
from assay.learners.running_scale import LARGEST_CELL, RunningScale
from assay.learners.trees.structure import Tree
from assay.record.online import Comparator

Kind = Callable[[Any], bool]

# Counts are added to in 64 bits, and numbers beyond this would soon overflow.
MOST = 2**62
LARGEST = 1e300
_WIDEST_SEED = 2**32


# Kinds


def is_count(value: Any) -> bool:
    """A whole number, zero or more, that has room to grow."""
    return type(value) is int and 0 <= value < MOST


def is_finite(value: Any) -> bool:
    """A number, neither infinite nor NaN."""
    return type(value) is float and math.isfinite(value)


def is_number(value: Any) -> bool:
    """A number that may be infinite."""
    return type(value) is float and not math.isnan(value)


def is_amount(value: Any) -> bool:
    """Such a number, zero or more."""
    return is_number(value) and bool(value >= 0)


def is_size(value: Any) -> bool:
    """A finite number, zero or more."""
    return is_finite(value) and bool(value >= 0)


def _is_whole(value: Any) -> bool:
    return type(value) is int and abs(value) < MOST


def _is_label(value: Any) -> bool:
    return type(value) in (bool, str) or _is_whole(value) or is_finite(value)


def one_of(*values: Any) -> Kind:
    """One of these, of the same type."""
    return lambda value: any(type(value) is type(v) and value == v for v in values)


def optional(kind: Kind) -> Kind:
    """None, or this kind."""
    return lambda value: value is None or kind(value)


def each(kind: Kind) -> Kind:
    """A list of this kind."""
    return lambda value: type(value) is list and all(map(kind, value))


def group(*kinds: Kind) -> Kind:
    """A tuple of these kinds."""

    def fits(value: Any) -> bool:
        same = type(value) is tuple and len(value) == len(kinds)
        return same and all(kind(item) for kind, item in zip(kinds, value, strict=True))

    return fits


def array(dtype: str, axes: int = 1, least: float = -math.inf, most: float = math.inf) -> Kind:
    """An array of this type whose numbers lie within bounds; NaN lies within none."""

    def fits(value: Any) -> bool:
        same = isinstance(value, np.ndarray) and value.dtype == np.dtype(dtype)
        same = same and value.ndim == axes and value.flags.c_contiguous
        return same and bool(((value >= least) & (value <= most)).all())

    return fits


is_vector = array("<f8", least=-LARGEST, most=LARGEST)


def is_block(value: Any) -> bool:
    """Examples of finite numbers in double precision."""
    if not isinstance(value, Rows):
        return False
    cells = value.arrays[0]
    return cells.dtype == np.float64 and bool(np.isfinite(cells).all())


def is_comparator(value: Any) -> bool:
    """A vector with its length, its loss and its margin."""
    return (
        isinstance(value, Comparator)
        and is_vector(value.vector)
        and len(value.vector) > 0
        and is_amount(value.norm)
        and is_amount(value.loss)
        and (value.margin is None or (is_amount(value.margin) and value.margin > 0))
    )


def is_log(value: Any) -> bool:
    """Rounds with the same columns of numbers."""
    if type(value) is not list or not all(type(entry) is dict for entry in value):
        return False
    if not value:
        return True
    named = bool(value[0]) and all(type(name) is str for name in value[0])
    return named and all(
        entry.keys() == value[0].keys() and all(type(v) is float for v in entry.values())
        for entry in value
    )


def is_labels(value: Any) -> bool:
    """Two labels or more, of one type and in order."""
    if not isinstance(value, np.ndarray) or value.ndim != 1 or len(value) < 2:
        return False
    items = value.tolist()
    if len({type(item) for item in items}) != 1 or type(items[0]) not in (bool, int, float, str):
        return False
    return all(one < other for one, other in itertools.pairwise(items))


def is_names(value: Any) -> bool:
    """Names of features or experts, each once: rows are read from dicts by them."""
    return (
        isinstance(value, np.ndarray)
        and value.dtype == object
        and all(type(name) is str for name in value)
        and len(set(value)) == len(value)
    )


def is_parameters(value: Any) -> bool:
    """Plain values by name: what a policy compares with its own parameters."""
    plain = optional(_is_label)
    return type(value) is dict and all(
        type(name) is str and (plain(item) or (type(item) is tuple and all(map(plain, item))))
        for name, item in value.items()
    )


def is_running_scale(value: Any) -> bool:
    """Means within the sizes that cells may have, and sums of squares, zero or more, beside them."""
    return (
        isinstance(value, RunningScale)
        and is_count(value.rows)
        and value.rows > 0
        and array("<f8", least=-LARGEST_CELL, most=LARGEST_CELL)(value.mean)
        and array("<f8", least=0, most=LARGEST)(value.squares)
        and len(value.mean) == len(value.squares)
    )


def is_finite_array(*axes: int) -> Kind:
    """Finite numbers in single or double precision, on one of so many axes."""

    def fits(value: Any) -> bool:
        same = isinstance(value, np.ndarray) and value.dtype in (np.float32, np.float64)
        return same and value.ndim in axes and bool(np.isfinite(value).all())

    return fits


def is_texts(value: Any) -> bool:
    """A list of strings."""
    if not isinstance(value, np.ndarray) or value.dtype != object or value.ndim != 1:
        return False
    return all(type(text) is str for text in value.tolist())


def is_examples(value: Any) -> bool:
    """Examples of finite numbers, dense or sparse, or strings; sparse ones were looked at when they were read."""
    return sparse.issparse(value) or is_finite_array(2)(value) or is_texts(value)


def is_shares(axes: int, most: float = 1.0) -> Kind:
    """Numbers of at most that size, or NaN where there is none."""

    def fits(value: Any) -> bool:
        same = isinstance(value, np.ndarray) and value.dtype == np.float64 and value.ndim == axes
        return same and bool((np.isnan(value) | (np.abs(value) <= most)).all())

    return fits


_NODES: Mapping[str, Kind] = {
    "starts": array("<i8", least=0, most=MOST),
    "feature": array("<i4", least=-1),
    "threshold": lambda value: isinstance(value, np.ndarray) and value.dtype == np.float64,
    "right": array("<i4", least=-1),
    "value": array("<f8", axes=2, least=-LARGEST, most=LARGEST),
    "weight": array("<f8", least=0, most=LARGEST),
    "impurity": array("<f8", least=0, most=LARGEST),
    "missing_left": array("|i1", least=0, most=1),
    "rows": array("<i8", least=0, most=MOST),
}


def is_nodes(value: Any) -> bool:
    """The nodes of a forest's trees, each part of its kind; the learner sees whether they lead anywhere."""
    return (
        type(value) is dict
        and value.keys() == _NODES.keys()
        and all(kind(value[name]) for name, kind in _NODES.items())
    )


_TREE: Mapping[str, Kind] = {name: kind for name, kind in _NODES.items() if name != "starts"} | {
    "left": array("<i4", least=-1),
    "branch": array("<i4", least=-1),
    "arity": array("<i4", least=0),
    "children": array("<i4", least=0),
}


def is_tree(value: Any) -> bool:
    """A tree, each part of its kind; the learner sees whether its nodes lead anywhere."""
    return isinstance(value, Tree) and all(
        kind(getattr(value, name)) for name, kind in _TREE.items()
    )


def is_categories(value: Any) -> bool:
    """For each feature None, or its categories, each once."""

    def fits(words: Any) -> bool:
        same = type(words) is list and len(words) > 0 and all(type(word) is str for word in words)
        return same and len(set(words)) == len(words)

    return each(optional(fits))(value)


def is_encoder(value: Any) -> bool:
    """How a table became features, as the command line keeps it; refuses by itself."""
    from assay.data.encode import encoder_from_json  # only here: it is slow to import

    encoder_from_json(value)
    return True


def is_index(value: Any) -> bool:
    """Features by name, numbered in their order."""
    return (
        type(value) is dict
        and all(type(name) in (str, int) for name in value)
        and all(type(place) is int for place in value.values())
        and list(value.values()) == list(range(len(value)))
    )


_is_trace = group(each(array("<i8")), each(array("<f8")), each(array("<f8")))

# What the attributes of parts are, where a fresh part does not say it all.
_PARTS: Mapping[str, Kind] = {
    "_best": group(is_count, optional(is_comparator)),
    "_blocks": each(is_block),
    "_constant": one_of(0.0, 1.0),
    "_log": is_log,
    "_ones": each(is_vector),
    "_signs": each(array("<f8", least=-1, most=1)),
    "_single_signs": one_of([]),
    "_singles": one_of([]),
    "_steps": each(is_finite),
    "_widest": group(is_count, is_number, optional(is_comparator), is_number),
    "constant": one_of(0.0, 1.0),
    "fixed": optional(is_comparator),
    "largest": is_amount,
    "norm": optional(is_amount),
    "numbers": array("<f8"),
    "passes": optional(is_count),
    "reached": is_number,
    "sample": optional(array("<u8", axes=2)),
    "signs": optional(array("<i8", least=-1, most=1)),
    "squared": lambda value: type(value) is int and value >= 0,
    "support": optional(array("<u8", axes=2)),
    "support_cells": optional(is_vector),
    "support_columns": optional(array("<i8", least=0, most=MOST)),
    "support_labels": optional(array("<f8", least=-1, most=1)),
    "support_places": optional(array("<i8", least=0, most=MOST)),
    "support_starts": optional(array("<i8", least=0, most=MOST)),
    "support_texts": optional(is_texts),
    "support_values": optional(array("<f8", axes=2, least=-LARGEST, most=LARGEST)),
    "support_vectors": optional(array("<f8", axes=2, least=-LARGEST, most=LARGEST)),
}
# These say how large other attributes are, so the learner's parameters decide.
_FIXED = ("kernel", "negations", "unit")

# What learners hold themselves.
_LEARNED: Mapping[str, Kind] = {
    "algorithm_": one_of("kd_tree", "brute"),
    "alpha_": lambda value: is_amount(value) or array("<f8", least=0, most=LARGEST)(value),
    "awake_": array("<i8", least=0, most=MOST),
    "best_loss_": optional(is_amount),
    "best_validation_score_": optional(is_number),
    "broken_": is_count,
    "carries_": array("<f8", axes=2, least=-LARGEST, most=LARGEST),
    "categories_": is_categories,
    "ccp_alpha_": is_size,
    "center_": is_vector,
    "choice_": group(is_count, is_finite),
    "class_count_": array("<f8", least=0, most=LARGEST),
    "classes_": is_labels,
    "clean_": is_count,
    "codes_": array("<i8", least=0, most=MOST),
    "coef_": is_finite_array(1, 2),
    "columns_": array("<i8", axes=2, least=0, most=MOST),
    "curves_": each(array("<f8", axes=2)),
    "cv_alphas_": array("<f8", least=0, most=LARGEST),
    "cv_losses_": array("<f8", least=0, most=LARGEST),
    "deviations_": array("<f8", least=0, most=LARGEST),
    "degree_": lambda value: is_count(value) and value > 0,
    "distance_": is_amount,
    "draws_": is_count,
    "dual_coef_": is_finite_array(1, 2),
    "effective_metric_": one_of("euclidean", "manhattan", "mahalanobis", "cosine"),
    "encoder_": is_encoder,
    "errors_": array("<i8", least=0, most=MOST),
    "estimator_errors_": array("<f8", least=0, most=1),
    "estimator_weights_": array("<f8", least=0, most=LARGEST),
    "even_": one_of(False, True),
    "excess_": is_amount,
    "expert_names_": is_names,
    "facts_": array("<f8", axes=2, least=-LARGEST, most=LARGEST),
    "feature_count_": array("<f8", axes=2, least=0, most=LARGEST),
    "feature_index_": is_index,
    "feature_names_in_": is_names,
    "features_": array("<i8", least=-1, most=MOST),
    "gamma_": is_amount,
    "kernel_": lambda value: isinstance(value, Kernel),
    "gap_": array("<f8", least=0, most=LARGEST),
    "gates_": one_of("identity", "logistic", "relu", "tanh"),
    "gradient_": is_amount,
    "high_": is_finite_array(1),
    "hinge_": array("<f8", least=0, most=LARGEST),
    "intercept_": lambda value: is_finite(value) or is_finite_array(1)(value),
    "layers_": lambda value: type(value) is tuple and len(value) > 1 and all(map(is_count, value)),
    "learners_": each(lambda value: isinstance(value, BaseEstimator)),
    "left_": is_size,
    "log_": is_log,
    "log_weights_": array("<f8", most=LARGEST),
    "loo_errors_": array("<f8", least=0, most=LARGEST),
    "loo_predictions_": is_finite_array(1, 2),
    "loss_curve_": each(is_finite),
    "low_": is_finite_array(1),
    "max_features_": is_count,
    "missing_features_": array("|b1", least=0, most=1),
    "mistakes_": is_count,
    "moments_": is_finite_array(2),
    "n_features_in_": is_count,
    "n_iter_": is_count,
    "n_support_": array("<i8", least=0, most=MOST),
    "nodes_": is_nodes,
    "objective_": is_finite,
    "oob_decision_function_": is_shares(2),
    "oob_prediction_": is_shares(1, LARGEST),
    "oob_score_": is_finite,
    "outlier_label_": optional(lambda value: each(_is_label)(value) and len(value) == 1),
    "paid_": is_vector,
    "parameters_": is_finite_array(1),
    "penalty_": is_size,
    "played_": is_parameters,
    "proof_": array("<f8", least=-LARGEST, most=LARGEST),
    "range_": is_vector,
    "rank_": is_count,
    "rate_": is_size,
    "residual_": is_amount,
    "right_": array("<f8", least=0, most=1 + 1e-9),
    "risks_": array("<f8", least=0),
    "rounds_": is_count,
    "rows_": lambda value: is_count(value) and value > 0,
    "scale_": is_running_scale,
    "seed_": lambda value: type(value) is int and 0 <= value < 2**63,
    "sequences_": array("<f8", axes=2),
    "shares_": array("<f8", axes=2, least=0, most=1 + 1e-9),
    "sides_": array("<i8", axes=2, least=0, most=MOST),
    "singular_": array("<f8", least=0, most=LARGEST),
    "size_": array("<f8", least=0, most=LARGEST),
    "solver_": one_of("primal", "dual", "svd", "lsqr"),
    "spread_": array("<f8", least=0, most=LARGEST),
    "squares_": array("<f8", axes=2, least=0, most=LARGEST),
    "stalled_": is_count,
    "state_": array("<u8"),
    "steps_": is_count,
    "stopped_": one_of("rounds", "perfect", "useless"),
    "sums_": is_vector,
    "support_": array("<i8", least=0, most=MOST),
    "support_vectors_": is_examples,
    "t_": is_count,
    "targets_": is_finite_array(1, 2),
    "theta_": array("<f8", axes=2, least=-LARGEST, most=LARGEST),
    "thresholds_": is_vector,
    "totals_": array("<f8"),
    "trace_": lambda value: type(value) is list and _is_trace(tuple(value)),
    "training_error_": is_size,
    "training_errors_": is_count,
    "training_loss_": is_size,
    "training_rows_": lambda value: is_count(value) and value > 0,
    "tree_": is_tree,
    "validation_scores_": optional(each(is_size)),
    "votes_": is_count,
    "watched_": one_of(True),
    "weights_": array("<f8", least=0, most=LARGEST),
    "whole_": array("<f8", least=0, most=LARGEST),
    "VI_": array("<f8", axes=2, least=-LARGEST, most=LARGEST),
    "X_fit_": is_examples,
}

# What parameters are, by the words of their annotations; others are left to the learner.
_PARAMETERS: Mapping[str, Kind] = {
    "Kernel": lambda value: isinstance(value, Kernel),
    "Literal": lambda value: _is_whole(value) or type(value) is str,
    "Loss": lambda value: value is None or type(value) is str,
    "None": one_of(None),
    "Number": lambda value: is_number(value) or _is_whole(value) or type(value) is str,
    "bool": one_of(False, True, 0, 1),
    "float": lambda value: is_number(value) or _is_whole(value),
    "int": lambda value: _is_whole(value),
    "str": lambda value: type(value) is str,
    "tuple": lambda value: type(value) in (list, tuple) and all(map(_is_label, value)),
}
_NAMED_PARAMETERS: Mapping[str, Kind] = {
    "class_weight": lambda value: (
        value in (None, "balanced")
        if type(value) is not dict
        else all(is_finite(weight) or is_count(weight) for weight in value.values())
    ),
    "estimator": optional(lambda value: isinstance(value, BaseEstimator)),
    "kernel": lambda value: type(value) is str or isinstance(value, Kernel),
    "random_state": optional(lambda value: is_count(value) and value < _WIDEST_SEED),
}


# Taking values


def require_parameter(learner: type, name: str, value: Any) -> None:
    """Refuse a parameter whose type is none of those that the learner names."""
    value = value.item() if isinstance(value, np.generic) else value
    annotation = str(inspect.signature(learner).parameters[name].annotation)
    kinds = [_PARAMETERS.get(word.split("[")[0]) for word in annotation.split(" | ")]
    if name in _NAMED_PARAMETERS:
        kinds = [_NAMED_PARAMETERS[name]]
    if None not in kinds and not any(kind(value) for kind in kinds if kind):
        raise ValueError(f"the parameter {name} is of another kind")


def is_learned(model: Any, name: str) -> bool:
    """Whether an attribute of this name is one that learners have, or a policy's fresh state."""
    return name in _LEARNED or name == "players_" or hasattr(model, "_fresh")


def require_learned(model: Any, learned: Mapping[str, Any]) -> None:
    """Refuse learned attributes that are not what their names say, or that are not known."""
    fresh: Mapping[str, Any] = {}
    if hasattr(model, "_fresh") and _LEARNED["totals_"](learned.get("totals_")):
        fresh = model._begin(len(learned["totals_"]))
    for name, value in learned.items():
        if name in fresh and name not in _LEARNED:
            require_attribute(name, fresh[name], value)
        elif name not in _LEARNED or not _LEARNED[name](value):
            raise ValueError(f"{name} is of another kind")


def require_attribute(name: str, fresh: Any, value: Any) -> None:
    """Refuse what cannot stand where a fresh part has something else."""
    kind = _PARTS.get(name)
    fits = _alike(fresh, value) if kind is None else kind(value) and _same_room(fresh, value)
    if not fits or (name in _FIXED and value != fresh):
        raise ValueError(f"{name} is of another kind")


def _same_room(fresh: Any, value: Any) -> bool:
    """Whether an array is as large as a fresh one: compiled loops write where that has room."""
    return not isinstance(fresh, np.ndarray) or (
        isinstance(value, np.ndarray) and value.dtype == fresh.dtype and value.shape == fresh.shape
    )


def _alike(fresh: Any, value: Any) -> bool:
    """Whether a value is of the kind that a fresh part holds in its place, where that says it all."""
    if type(value) is not type(fresh) or fresh is None or type(fresh) in (list, dict):
        return False
    if isinstance(fresh, np.ndarray):
        if not _same_room(fresh, value):
            return False
        if value.dtype.kind == "i":
            return bool(((value >= 0) & (value < MOST)).all())
        return value.dtype.kind != "f" or float(np.abs(value).max(initial=0)) <= LARGEST
    if type(fresh) is int:
        return is_count(value)
    if type(fresh) is float:
        return is_finite(value)
    if type(fresh) is tuple:
        return len(value) == len(fresh) and all(map(_alike, fresh, value))
    return True


def require_record(record: Any, fresh: Any) -> None:
    """Refuse a record whose fields are not like those that the learner's parameters make."""
    for name, value in vars(fresh).items():
        found = getattr(record, name)
        if not _alike(value, found) or (type(found) is float and found < 0):
            raise ValueError(f"{name} is of another kind")
