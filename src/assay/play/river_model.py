"""Models of River on assay's streams: what is promised of any predictor is promised of them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

from assay.errors import BadData, BadParameter, MissingExtra, UnknownName, Where
from assay.learners.common.sign_labels import plain

#: Names of River's models begin with this where names of learners are asked for.
PREFIX = "river:"


def is_rivers(name: str | None) -> bool:
    """Whether a name is that of a model of River.

    Examples
    --------
    >>> is_rivers("river:linear_model.PAClassifier"), is_rivers("perceptron")
    (True, False)
    """
    return name is not None and name.startswith(PREFIX)


class RiverModel:
    """A classifier of River that a stream can play: one example at a time, labels of any kind.

    A model of River for two classes expects truth values; here the first label it is told becomes False, the second
    True. No theorem speaks of its run, so `guarantees` is empty; how often it is wrong, a stream promises of any
    predictor.

    Parameters
    ----------
    model : river.base.Classifier
        It learns in place.

    Attributes
    ----------
    called : str
        Its class, as a stream names it.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self.called = f"{type(model).__name__} of River"
        self._two = not model._multiclass
        self._labels: list[Any] = []

    @classmethod
    def named(cls, name: str, parameters: Mapping[str, Any]) -> RiverModel:
        """The model of a name such as ``river:linear_model.LogisticRegression``, with these parameters.

        Only classifiers within the package ``river`` are ever made from a name.
        """
        module, _, kind = name.removeprefix(PREFIX).rpartition(".")
        try:
            from river import base
        except ImportError:
            raise MissingExtra(
                f"{name} needs River, which is not installed. Run: pip install river"
            ) from None
        try:
            found = getattr(importlib.import_module(f"river.{module}"), kind)
        except (ImportError, AttributeError, ValueError):
            raise UnknownName(
                f"River has no {name.removeprefix(PREFIX)!r}. Name module and class, as in "
                "river:linear_model.LogisticRegression."
            ) from None
        if not isinstance(found, type) or not issubclass(found, base.Classifier):
            raise BadParameter(f"{name} is no classifier, and a stream counts wrong labels.")
        try:
            return cls(found(**parameters))
        except TypeError as problem:
            raise BadParameter(f"{name} cannot be made from its parameters: {problem}.") from None

    def predict_one(self, x: Mapping[Any, Any]) -> Any:
        """The label predicted for one example; None before anything was learned. Changes nothing."""
        answer = plain(self._asked("predict_one", x))
        if not self._two or answer is None:
            return answer
        place = int(answer)
        return self._labels[place] if place < len(self._labels) else None

    def learn_one(self, x: Mapping[Any, Any], y: Any) -> None:
        """Learn from one example."""
        label = plain(y)
        if self._two:
            if label not in self._labels:
                if len(self._labels) == 2:
                    raise BadData(
                        f"y must be one of the labels {self._labels[0]!r} and {self._labels[1]!r}, for {self.called} "
                        f"knows two classes, but is {label!r}."
                    )
                self._labels.append(label)
                if isinstance(label, bool):
                    self._labels = [False, True]
            label = bool(self._labels.index(label))
        self._asked("learn_one", x, label)

    def _asked(self, method: str, *given: Any) -> Any:
        try:
            return getattr(self.model, method)(*given)
        except Exception as problem:  # whatever River's code says of an example
            why = " ".join(str(problem).split()) or type(problem).__name__
            raise BadData(f"{self.called} cannot use ", Where(row=0), f": {why}.") from problem

    def guarantees(self, **_: Any) -> list[Any]:
        """What theorems say of its run: nothing."""
        return []
