"""A learner described: what it is for, what it promises, what it can do, and its parameters."""

from __future__ import annotations

import inspect
import re
from dataclasses import asdict, dataclass
from typing import Any

from sklearn.base import ClassifierMixin, is_regressor

from assay.learners.registry import family_of, find_learner, learner_names, purpose_of

#: What a learner predicts, and how that is called.
PREDICTS = {
    "classes": "Predict classes",
    "quantities": "Predict quantities",
    "forecasts": "Combine forecasters (assay stream --experts)",
    "actions": "Choose actions (assay stream --bandit)",
    "contextual actions": "Choose actions by context (assay stream --bandit --context)",
}
# What scikit-learn's names mean where a learner does not say it again.
_COMMON = {
    "random_state": "The seed of whatever is drawn at random.",
    "gamma": "The scale of the kernel, where it has one.",
    "degree": "The degree of a polynomial kernel.",
    "coef0": "The constant of a polynomial kernel.",
}
_POLICIES = {"experts": "forecasts", "bandits": "actions", "contextual": "contextual actions"}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a learner: its default, and what it means."""

    name: str
    default: str
    meaning: str


@dataclass(frozen=True)
class LearnerCard:
    """What there is to know before a learner is chosen.

    Attributes
    ----------
    name, family, python : str
        Its registered name, its family, and its class.
    predicts : str
        classes, quantities, forecasts (it combines experts), actions (it plays bandits) or contextual actions.
    use, promise : str
        What it is for; what its theorems promise beside the certificate of a holdout.
    streams, sparse, probabilities : bool
        Whether it learns row by row, takes sparse rows, and gives probabilities.
    parameters : tuple of Parameter
    """

    name: str
    family: str
    python: str
    predicts: str
    use: str
    promise: str
    streams: bool
    sparse: bool
    probabilities: bool
    parameters: tuple[Parameter, ...]

    def to_json(self) -> dict[str, Any]:
        """The same as plain data."""
        return asdict(self) | {"parameters": [asdict(one) for one in self.parameters]}


def describe_learner(name: str) -> LearnerCard:
    """What there is to know of a learner, by its name.

    Examples
    --------
    >>> card = describe_learner("perceptron")
    >>> card.predicts, card.streams, card.probabilities
    ('classes', True, False)
    """
    kind = find_learner(name)
    model, family, purpose = kind(), family_of(name), purpose_of(name)
    # A policy is no estimator, and has no tags.
    policy = _POLICIES.get(family)
    tags = None if policy else model.__sklearn_tags__()
    predicts = policy or ("quantities" if is_regressor(model) else "classes")
    return LearnerCard(
        name,
        family,
        f"{kind.__module__.partition('.')[0]}.{kind.__name__}",
        predicts,
        purpose.use,
        purpose.promise,
        policy is not None or hasattr(model, "partial_fit"),
        tags is not None and bool(tags.input_tags.sparse),
        hasattr(model, "predict_proba"),
        _parameters(kind, model),
    )


def row_by_row() -> list[str]:
    """The names of the classifiers that learn row by row.

    Examples
    --------
    >>> "perceptron" in row_by_row(), "svc" in row_by_row(), "hedge" in row_by_row()
    (True, False, False)
    """
    kinds = {
        name: find_learner(name) for name in learner_names() if family_of(name) not in _POLICIES
    }
    return [
        name
        for name, kind in kinds.items()
        if issubclass(kind, ClassifierMixin) and hasattr(kind(), "partial_fit")
    ]


def _parameters(kind: type, model: Any) -> tuple[Parameter, ...]:
    described = _documented(kind)
    return tuple(
        Parameter(name, repr(value), described.get(name, _COMMON.get(name, "")))
        for name, value in model.get_params(deep=False).items()
    )


def _documented(kind: type) -> dict[str, str]:
    """What the docstring says of each parameter, in its first sentence."""
    text = inspect.getdoc(kind) or ""
    head = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", text, re.M | re.S)
    meanings: dict[str, str] = {}
    if head is None:
        return meanings
    for entry in re.finditer(r"^(\w[\w, ]*?) *:.*\n((?:(?:    .*)?\n)+)", head[1] + "\n", re.M):
        words = " ".join(entry[2].split())
        first = re.split(r"(?<=[.;])\s", words, maxsplit=1)[0]
        for name in entry[1].split(","):
            meanings[name.strip()] = _plain(first)
    return meanings


def _plain(text: str) -> str:
    """Without the marks of the documentation."""
    text = re.sub(r":\w+:`([^`]*)`", r"\1", text)
    return text.replace("``", "").replace("`", "").rstrip(";")
