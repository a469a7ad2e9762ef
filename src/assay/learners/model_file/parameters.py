"""What a model file may hold as the parameters of a learner, by their annotations."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from assay.kernels import Kernel
from assay.learners.common.kinds import (
    MOST,
    Kind,
    count,
    finite,
    flag,
    instance,
    label,
    number,
    one_of,
    optional,
    plain,
    text,
    whole,
)

_integer = whole(1 - MOST)

# What parameters are, by the words of their annotations; others are left to the learner.
_PARAMETERS: Mapping[str, Kind] = {
    "Kernel": instance(Kernel),
    "Literal": _integer | text,
    "Loss": optional(text),
    "None": one_of(None),
    "Number": number | _integer | text,
    "SmoothLoss": one_of(),  # one of the user's own cannot be saved
    "bool": flag | one_of(0, 1),
    "float": number | _integer,
    "int": _integer,
    "str": text,
    "tuple": plain(lambda value: type(value) in (list, tuple) and all(map(label, value))),
}
_NAMED_PARAMETERS: Mapping[str, Kind] = {
    "class_weight": plain(
        lambda value: (
            value in (None, "balanced")
            if type(value) is not dict
            else all(finite(weight) or count(weight) for weight in value.values())
        )
    ),
    "estimator": optional(instance(BaseEstimator)),
    "kernel": text | instance(Kernel),
    "random_state": optional(whole(most=2**32 - 1)),
}


def require_parameter(learner: type, name: str, value: Any) -> None:
    """Refuse a parameter whose type is none of those that the learner names."""
    value = value.item() if isinstance(value, np.generic) else value
    annotation = str(inspect.signature(learner).parameters[name].annotation)
    kinds = [_PARAMETERS.get(word.split("[")[0]) for word in annotation.split(" | ")]
    if name in _NAMED_PARAMETERS:
        kinds = [_NAMED_PARAMETERS[name]]
    if None not in kinds and not any(kind(value) for kind in kinds if kind):
        raise ValueError(f"the parameter {name} is of another kind")
