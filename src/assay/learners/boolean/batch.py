"""What the batch learners of boolean concepts share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import validate_data

from assay.learners.boolean.online import BooleanClassifier, canonical
from assay.learners.common import kinds
from assay.learners.common.guaranteed import Certified
from assay.learners.common.rows import Rows
from assay.learners.common.sign_labels import two_classes_or_more
from assay.learners.common.skipped_checks import OTHER_FEATURES
from assay.types import Array

# Checks that look only at learners with passes or chunks.
_ONLINE_ONLY = (
    "check_estimators_partial_fit_n_features",
    "check_non_transformer_estimators_n_iter",
)


class BatchBooleanClassifier(BooleanClassifier, Certified, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the learners that look at a whole sample at once."""

    #: The checks of scikit-learn that cannot hold, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = {
        check: why for check, why in OTHER_FEATURES.items() if check not in _ONLINE_ONLY
    }

    state = kinds.declare(
        classes_=kinds.labels, players_=kinds.parts("problems"), rows_=kinds.whole(1)
    )

    def _require_state(self) -> None:
        """Refuse, in a model file, errors on more rows than there are, and a log, which no batch leaves."""
        if (self.errors_ > self.rows_).any() or any(player._log for player in self.players_):
            raise ValueError("its errors do not fit its examples")

    def _sample(self, X: Any, y: Any) -> tuple[Rows, Array]:
        """The rows and labels of a sample; at least two classes."""
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False
        )
        labels = np.asarray(y)
        self.classes_ = two_classes_or_more(self, labels)
        return canonical(Rows.of(X)), labels

    def predict(self, X: Any) -> Array:
        """The predicted label of every row."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.asarray(self.classes_[(scores >= 0).astype(int)])
        return np.asarray(self.classes_[scores.argmax(axis=1)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
