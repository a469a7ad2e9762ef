"""What a model file may hold: the kind of every attribute.

Compiled loops follow arrays without looking, and theorems are asked about counts and lengths, so a
value from a file is taken only if a learner could have come to it. Most kinds follow from what a fresh part
holds in the same place. Where that is nothing yet, or an empty list, the kind is in a table here; an
attribute that stands in no table is refused, so a learner that needs a new one has to say what it is.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from assay.kernels import Kernel
from assay.learners.model_file.kinds import (
    LARGEST,
    MOST,
    Kind,
    array,
    each,
    group,
    is_amount,
    is_block,
    is_categories,
    is_comparator,
    is_count,
    is_encoder,
    is_examples,
    is_finite,
    is_finite_array,
    is_fitted_rows,
    is_index,
    is_label,
    is_labels,
    is_log,
    is_names,
    is_nodes,
    is_number,
    is_parameters,
    is_running_scale,
    is_shares,
    is_size,
    is_texts,
    is_tree,
    is_vector,
    is_whole,
    one_of,
    optional,
)

_WIDEST_SEED = 2**32

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
    "again_": one_of(False, True),
    "algorithm_": one_of("kd_tree", "brute"),
    "alone_": one_of("bag", "weights", "balanced", "bins", "estimator"),
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
    "defect_": group(one_of("eigenvalue", "asymmetry"), is_finite),
    "deviations_": array("<f8", least=0, most=LARGEST),
    "degree_": lambda value: is_count(value) and value > 0,
    "distance_": is_amount,
    "draws_": is_count,
    "dual_coef_": is_finite_array(1, 2),
    "edge_": is_size,
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
    "fitted_rows_": is_fitted_rows,
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
    "lone_": array("<i8", least=-1, most=MOST),
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
    "outlier_label_": optional(lambda value: each(is_label)(value) and len(value) == 1),
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
    "sample_": lambda value: type(value) is str and len(value) <= 64,
    "seed_": lambda value: type(value) is int and 0 <= value < 2**63,
    "sequences_": array("<f8", axes=2),
    "settings_": is_parameters,
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
    "Literal": lambda value: is_whole(value) or type(value) is str,
    "Loss": lambda value: value is None or type(value) is str,
    "None": one_of(None),
    "Number": lambda value: is_number(value) or is_whole(value) or type(value) is str,
    "SmoothLoss": one_of(),  # one of the user's own cannot be saved
    "bool": one_of(False, True, 0, 1),
    "float": lambda value: is_number(value) or is_whole(value),
    "int": lambda value: is_whole(value),
    "str": lambda value: type(value) is str,
    "tuple": lambda value: type(value) in (list, tuple) and all(map(is_label, value)),
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
