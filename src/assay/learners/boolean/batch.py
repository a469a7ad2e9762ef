"""What the batch learners of boolean concepts share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.errors import BadData
from assay.learners.boolean.online import not_boolean
from assay.learners.boolean.words import dense, first_bad
from assay.learners.common import kinds
from assay.learners.common.guaranteed import Certified
from assay.learners.common.rows import Rows, cell
from assay.learners.common.sign_labels import two_classes_or_more
from assay.learners.common.skipped_checks import OTHER_FEATURES
from assay.types import Array

# Checks that look only at learners with passes or chunks.
_ONLINE_ONLY = (
    "check_estimators_partial_fit_n_features",
    "check_non_transformer_estimators_n_iter",
)


class BatchBooleanClassifier(Certified, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the learners that look at a whole sample at once.

    `formula_` is what was learned, as text, in the form that all learners of boolean concepts share.
    """

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

    def _names(self) -> Sequence[Any] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(names)

    def _sample(self, X: Any, y: Any) -> tuple[Rows, Array]:
        """The rows and labels of a sample; at least two classes."""
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False
        )
        labels = np.asarray(y)
        classes = two_classes_or_more(self, labels)
        self.classes_ = classes
        return _summed(X), labels

    def _asked(self, X: Any) -> Rows:
        """The rows of a question to a learner that has learned."""
        check_is_fitted(self, "classes_")
        X = validate_data(
            self,
            X,
            reset=False,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )
        return _summed(X)

    def _cells(self, rows: Rows, *, boolean: bool) -> Array:
        """The rows as an array; refuses by row and column what is not a number, or not 0 or 1."""
        bad = first_bad(rows, boolean=boolean)
        if bad < len(rows):
            row = rows.row(bad)
            if not np.isfinite(row).all():
                where = rows.bad_cell(bad, self._names())
                raise BadData("Input X contains NaN or infinity: ", *where, ".")
            column = int(np.flatnonzero((row != 0) & (row != 1))[0])
            raise not_boolean(cell(bad, column, self._names()), row[column])
        return dense(rows)

    def predict(self, X: Any) -> Array:
        """The predicted label of every row."""
        scores: Array = self.decision_function(X)
        if scores.ndim == 1:
            return np.asarray(self.classes_[(scores >= 0).astype(int)])
        return np.asarray(self.classes_[scores.argmax(axis=1)])

    def decision_function(self, X: Any) -> Array:
        """The score of every row, zero or more where the concept is true."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _summed(X: Any) -> Rows:
    rows = Rows.of(X)
    if rows.dense is None and not rows.matrix.has_canonical_format:
        whole = rows.matrix.copy()
        whole.sum_duplicates()
        rows = Rows(matrix=whole)
    return rows
