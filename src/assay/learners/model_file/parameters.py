"""What a model file may hold as the parameters of a learner, by their annotations."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from assay.kernels import Kernel
from assay.learners.common import kinds

_integer = kinds.whole(1 - kinds.MOST)

# What parameters are, by the words of their annotations; others are left to the learner.
_PARAMETERS: Mapping[str, kinds.Kind] = {
    "Kernel": kinds.instance(Kernel),
    "Literal": _integer | kinds.text,
    "Loss": kinds.optional(kinds.text),
    "None": kinds.one_of(None),
    "Number": kinds.number | _integer | kinds.text,
    "SmoothLoss": kinds.one_of(),  # one of the user's own cannot be saved
    "bool": kinds.flag | kinds.one_of(0, 1),
    "float": kinds.number | _integer,
    "int": _integer,
    "str": kinds.text,
    "tuple": kinds.plain(
        lambda value: type(value) in (list, tuple) and all(map(kinds.label, value))
    ),
}
_weights_of_classes = kinds.plain(
    lambda value: (
        type(value) is dict
        and all(kinds.finite(weight) or kinds.count(weight) for weight in value.values())
    )
)
_NAMED_PARAMETERS: Mapping[str, kinds.Kind] = {
    "class_weight": kinds.one_of(None, "balanced", "balanced_subsample")
    | _weights_of_classes
    | kinds.each(_weights_of_classes),
    "estimator": kinds.optional(kinds.instance(BaseEstimator)),
    "kernel": kinds.text | kinds.instance(Kernel),
    "random_state": kinds.optional(kinds.whole(most=2**32 - 1)),
}


def require_parameter(learner: type, name: str, value: Any) -> None:
    """Refuse a parameter whose type is none of those that the learner names."""
    value = value.item() if isinstance(value, np.generic) else value
    annotation = _annotations(learner)[name]
    allowed = [_PARAMETERS.get(word.split("[")[0]) for word in annotation.split(" | ")]
    if name in _NAMED_PARAMETERS:
        allowed = [_NAMED_PARAMETERS[name]]
    if None not in allowed and not any(kind(value) for kind in allowed if kind):
        raise ValueError(f"the parameter {name} is of another kind")


@functools.cache
def _annotations(learner: type) -> dict[str, str]:
    listed = inspect.signature(learner).parameters.values()
    return {parameter.name: str(parameter.annotation) for parameter in listed}
