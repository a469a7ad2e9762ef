"""A learner of another package, with its record, its theorem and its guarantee: it predicts the label it saw last."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.guarantees.mistakes import mistake_guarantee
from assay.learners.common import kinds
from assay.learners.registry import register
from assay.theory.registry import theorem


@theorem("", "last-label-changes", kind="mistakes", holds="always", statement=r"M \le 1 + C")
def last_label_changes(changes: int) -> int:
    r"""Predicting the label seen last errs once in the beginning, and once for each change of the label.

    Statement  :math:`M \le 1 + C`
    Needs      the number of times C that the label changed
    Holds      always
    Source     this package
    """
    return 1 + changes


@dataclass(frozen=True)
class LastLabelRecord:
    """What happened: rounds, mistakes, and how often the label changed."""

    rounds: int
    mistakes: int
    changes: int


@register("last-label")
class LastLabel(ClassifierMixin, BaseEstimator):
    """Predicts the label it saw last, whatever the features are."""

    state = kinds.declare(
        classes_=kinds.labels,
        rounds_=kinds.count,
        mistakes_=kinds.count,
        steps_=kinds.count,
        t_=kinds.count,
    )

    def fit(self, X: Any, y: Any) -> LastLabel:
        for name in ("classes_", "rounds_"):
            vars(self).pop(name, None)
        return self.partial_fit(X, y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> LastLabel:
        X, y = validate_data(self, X, y, reset=not hasattr(self, "rounds_"))
        if not hasattr(self, "rounds_"):
            self.classes_ = np.unique(y if classes is None else classes)
            self.rounds_ = self.mistakes_ = self.steps_ = 0
            self.t_ = 0  # the place of the label seen last
        for label in np.searchsorted(self.classes_, y).tolist():
            changed = self.rounds_ > 0 and label != self.t_
            self.steps_ += changed
            self.mistakes_ += label != self.t_
            self.t_ = label
            self.rounds_ += 1
        return self

    def predict(self, X: Any) -> Any:
        check_is_fitted(self, "rounds_")
        X = validate_data(self, X, reset=False)
        return np.full(len(X), self.classes_[self.t_])

    def learn_one(self, x: Any, y: Any, classes: Any = None) -> LastLabel:
        return self.partial_fit(self._row(x), [y], classes=classes)

    def predict_one(self, x: Any) -> Any:
        return self.predict(self._row(x))[0] if hasattr(self, "rounds_") else None

    @staticmethod
    def _row(x: Any) -> Any:
        return np.asarray(list(x.values()) if isinstance(x, dict) else x, dtype=float).reshape(
            1, -1
        )

    @property
    def record_(self) -> LastLabelRecord:
        check_is_fitted(self, "rounds_")
        return LastLabelRecord(self.rounds_, self.mistakes_, self.steps_)

    def guarantees(self, *, delta: float = 0.05, sample: Any = None) -> list[Any]:
        record = self.record_
        return [
            mistake_guarantee(
                "last-label-changes",
                {"changes": record.changes},
                record.mistakes,
                of="mistakes",
                assumptions=(),
            )
        ]
