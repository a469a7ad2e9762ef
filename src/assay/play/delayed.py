"""Delayed feedback: predict now, be told later, in any order, each trial at most once."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from assay.certificates.format.quantity import ON_ITS_ROW
from assay.certificates.issue.stream import predicted_first
from assay.errors import BadData, BadParameter, UnknownName
from assay.guarantees.assumption import Assumption
from assay.guarantees.decimals import decimal_ratio
from assay.guarantees.error_rates import error_guarantee
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import when_learned
from assay.learners.common.sign_labels import plain
from assay.play.game import Game
from assay.theory.needs import inside_unit
from assay.theory.rounding import Number
from assay.theory.tail.binomial import IID
from assay.theory.tail.progressive_anytime import progressive_anytime


class Trial(NamedTuple):
    """A prediction that waits for its label.

    Attributes
    ----------
    id : hashable
        What the label must be told with.
    prediction : label
    """

    id: Hashable
    prediction: Any


@dataclass(frozen=True)
class Told:
    """What became of a label.

    Attributes
    ----------
    applied : bool
        Whether it was learned now; False when this trial had been told the same before.
    mistake : bool
        Whether the prediction had been wrong.
    """

    applied: bool
    mistake: bool


def delayed(learner: Any, classes: Any = None, *, delta: Number = 0.05) -> Delayed:
    """Let a learner predict now and be told the labels later.

    Parameters
    ----------
    learner : object
        An online learner of assay, or any with ``partial_fit``, or with ``predict_one`` and
        ``learn_one``. It learns in place.
    classes : array-like, optional
        All labels there are; needed unless the learner knows them already or needs none.
    delta : number, default=0.05
        The probability with which the bound may fail.

    Returns
    -------
    Delayed
        With ``predict(x)``, which gives a trial, and ``feedback(trial, label)``.

    Examples
    --------
    >>> from assay import Perceptron, delayed
    >>> game = delayed(Perceptron(), classes=["ham", "spam"])
    >>> first = game.predict({"free": 1.0, "money": 1.0})
    >>> second = game.predict({"lunch": 1.0})
    >>> first, second
    (Trial(id=0, prediction='spam'), Trial(id=1, prediction='spam'))
    >>> game.feedback(second.id, "ham").mistake
    True
    >>> game.feedback(second.id, "ham").applied
    False
    >>> game.mistakes, game.pending
    (1, 1)
    """
    return Delayed(learner, classes, delta=delta)


class Delayed:
    """A learner whose labels arrive late.

    Every trial is told at most once. The same label told again changes nothing; another label for the
    same trial, or a trial that was never predicted, is refused.

    Attributes
    ----------
    learner : object
        It learns in the order in which labels arrive.
    trials, told, pending : int
        Predictions made, labels learned, predictions that still wait.
    mistakes : int
        Predictions that turned out wrong.
    """

    def __init__(self, learner: Any, classes: Any = None, *, delta: Number = 0.05) -> None:
        inside_unit("delta", delta)
        known = getattr(learner, "classes_", None) if classes is None else classes
        self._game = Game(learner, None if known is None else np.unique(np.asarray(known)))
        if known is None and hasattr(learner, "partial_fit"):
            raise BadData("classes must be given: all labels there are.")
        self.learner, self.delta = learner, delta
        self._waiting: dict[Hashable, tuple[Any, Any]] = {}
        self._labels: dict[Hashable, Any] = {}
        self._next = 0
        self._missed: set[Hashable] = set()

    @property
    def mistakes(self) -> int:
        """Predictions that turned out wrong."""
        return self._game.errors

    @property
    def trials(self) -> int:
        """Predictions made."""
        return len(self._waiting) + len(self._labels)

    @property
    def told(self) -> int:
        """Labels learned."""
        return len(self._labels)

    @property
    def pending(self) -> int:
        """Predictions that wait for their label."""
        return len(self._waiting)

    def predict(self, x: Any, trial: Hashable | None = None) -> Trial:
        """Predict one example and remember it until its label is told.

        Parameters
        ----------
        x : vector or dict
        trial : hashable, optional
            A name for the trial; a running number when not given.
        """
        name = self._fresh_name() if trial is None else trial
        if name in self._waiting or name in self._labels:
            raise BadParameter(f"trial must be a new name, but {name!r} has been predicted before.")
        kept = copy.copy(x) if isinstance(x, Mapping) else np.array(x)
        answer = self._game.ask(kept)
        self._waiting[name] = kept, answer
        return Trial(name, answer)

    def _fresh_name(self) -> int:
        while self._next in self._waiting or self._next in self._labels:
            self._next += 1
        return self._next

    def feedback(self, trial: Hashable, label: Any) -> Told:
        """Tell the label of a trial; the learner learns it, unless it was told before.

        Parameters
        ----------
        trial : hashable
            The id of a prediction.
        label : label
            What was true.
        """
        if trial in self._labels:
            if self._labels[trial] != label:
                raise BadParameter(
                    f"label must be {self._labels[trial]!r} as told before for trial {trial!r}, "
                    f"but is {label!r}."
                )
            return Told(applied=False, mistake=trial in self._missed)
        if trial not in self._waiting:
            raise UnknownName(f"No trial {trial!r} has been predicted.")
        x, answer = self._waiting[trial]
        classes = self._game.classes
        if classes is not None and label not in classes.tolist():
            listed = ", ".join(repr(plain(c)) for c in classes[:10])
            raise BadData(f"label must be one of the classes {listed}, but is {label!r}.")
        wrong = self._game.learn_answered(x, label, answer)  # a refusal leaves the trial waiting
        del self._waiting[trial]
        self._labels[trial] = label
        if wrong:
            self._missed.add(trial)
        return Told(applied=True, mistake=wrong)

    @property
    def error(self) -> float | None:
        """Mistakes per label told; None before the first."""
        return self.mistakes / self.told if self.told else None

    @property
    def bound(self) -> float:
        """An upper bound on the mean, over the predictions, of the chance to be wrong given all before, at any moment.

        It is 1 where examples came again more than chance allows: their labels were known. Every
        prediction that still waits for its label counts as wrong, since which labels come late may
        have to do with which predictions are wrong.
        """
        if not self.trials or self._predicted_first().status == "violated":
            return 1.0
        return progressive_anytime(self.mistakes + self.pending, self.trials, self.delta)

    def _predicted_first(self) -> Assumption:
        return predicted_first(self._game.repeats())

    def guarantees(self, **declared: Any) -> list[Guarantee]:
        """The bound on the mean error, and what the learner's own theorems say.

        Those count mistakes when labels are learned, not when examples were predicted: a mistake bound says
        nothing about predictions made before earlier labels had arrived.

        Parameters
        ----------
        **declared
            Constants that were fixed before the run, such as ``radius`` and ``margin``.
        """
        guarantees = []
        if self.trials:
            wrong = self.mistakes + self.pending
            guarantees.append(
                error_guarantee(
                    "progressive-anytime",
                    {"errors": wrong, "rows": self.trials, "delta": self.delta},
                    of="mean error of the hypotheses that predicted, the pending counted as wrong",
                    formula="mean_t err_D(h_t)",
                    certified=ON_ITS_ROW,
                    observed=decimal_ratio(wrong, self.trials),
                    known=[self._predicted_first(), Assumption(IID, "not asked")],
                )
            )
        if self.told and hasattr(self.learner, "guarantees"):
            guarantees += [
                replace(guarantee, of=when_learned(guarantee.of))
                for guarantee in self.learner.guarantees(**declared)
            ]
        return guarantees
