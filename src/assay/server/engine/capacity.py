"""How many numbers a model may come to hold, worked out before there is one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from assay.learners.registry import find_learner
from assay.server.engine.definition import Definition, kind_of, refusing
from assay.server.limits import Limits, how
from assay.server.refusals import Refusal

#: Numbers for each weight: itself, and what learners remember beside it, such as its mean or two moments.
_BESIDE = 3


@refusing()
def require_capacity(definition: Definition, limits: Limits) -> None:
    """Refuse a definition whose model would be too large; with how to allow it."""
    layers = _layers(definition)
    if len(layers) > limits.layers:
        raise Refusal(
            "refused",
            f"params.hidden_layer_sizes must be at most {limits.layers:,} in number, but are {len(layers):,}. "
            f"{how('layers')}",
        )
    numbers = _numbers(definition)
    if numbers > limits.parameters:
        raise Refusal(
            "refused",
            f"The model would hold {numbers:,} numbers, and may hold {limits.parameters:,}. Give fewer"
            f"{_fewer(definition)}. {how('parameters')}",
        )


def widest(definition: Definition, limits: Limits) -> int:
    """How many features a classifier may have that knows them only when rows come."""
    least = _of_classifier(definition, 0)
    each = _of_classifier(definition, 1) - least
    return max(1, (limits.parameters - least) // each)


def _fewer(definition: Definition) -> str:
    if kind_of(definition.algorithm) == "contextual":
        return " features or actions, or params.products=False"
    return (
        " features or classes, or smaller layers" if _layers(definition) else " features or classes"
    )


def _numbers(definition: Definition) -> int:
    kind = kind_of(definition.algorithm)
    if kind == "contextual":
        return _of_policy(definition)
    return _of_classifier(definition, _many(definition.features)) if kind == "classifier" else 0


def _of_classifier(definition: Definition, features: int) -> int:
    classes, layers = len(definition.classes or ()), _layers(definition)
    if layers:
        widths = [features, *layers, classes]
        return _BESIDE * sum((a + 1) * b for a, b in pairwise(widths))
    budget = definition.params.get("budget")
    rows = budget if isinstance(budget, int) and not isinstance(budget, bool) else 1
    return _BESIDE * classes * max(1, rows) * (features + 1)


def _of_policy(definition: Definition) -> int:
    """A matrix and its inverse's factor for each action that has a name, or for all together."""
    learner: Any = find_learner(definition.algorithm)()
    c, a = _many(definition.features), _many(definition.action_features)
    products = bool(definition.params.get("products", getattr(learner, "products", False)))
    size = 1 + c + a + (c * a if products else 0)
    return (size + 2) * size * len(definition.actions or [0])


def _layers(definition: Definition) -> Sequence[int]:
    """The hidden layers of a network; what is none is for the learner to refuse."""
    given = definition.params.get("hidden_layer_sizes")
    if given is None:
        learner: Any = find_learner(definition.algorithm)()
        given = getattr(learner, "hidden_layer_sizes", ())
    sizes = given if isinstance(given, list | tuple) else [given]
    return [size for size in sizes if isinstance(size, int) and not isinstance(size, bool)]


def _many(declared: list[str] | int | None) -> int:
    return len(declared) if isinstance(declared, list) else declared or 0
