"""What the linear learners from whole samples share: reading a sample, predicting, model files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.learners.common import kinds
from assay.learners.common.guaranteed import CertifiedQuantity, Guaranteed
from assay.learners.common.row_weights import row_weights
from assay.learners.common.rows import Rows
from assay.learners.common.sign_labels import signs_of, two_classes_or_more
from assay.learners.common.skipped_checks import NOT_RUN
from assay.learners.common.training_promises import MarginPromises
from assay.types import Array, Floats


class BatchLinearModel(Guaranteed, BaseEstimator):  # type: ignore[misc]
    """Base of the learners that look at a whole sample and end with weights."""

    #: The checks of scikit-learn that are not run, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = NOT_RUN

    coef_: Array
    intercept_: Any

    def _read(self, X: Any, *, reset: bool = False) -> Any:
        return validate_data(self, X, reset=reset, accept_sparse="csr", dtype=np.float64)

    def _scores(self, X: Any) -> Floats:
        """The weights applied to every row, one column for each vector of weights."""
        check_is_fitted(self, "coef_")
        scores = self._read(X) @ self.coef_.T + self.intercept_
        return np.asarray(scores, dtype=np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class BatchLinearRegressor(RegressorMixin, CertifiedQuantity, BatchLinearModel):  # type: ignore[misc]
    """Base of the linear regressors from whole samples; several targets at once are columns of y."""

    state = kinds.declare(
        coef_=kinds.floats("n_features_in_") | kinds.floats(None, "n_features_in_"),
        intercept_=kinds.finite | kinds.floats(),
    )

    def _require_state(self) -> None:
        """Refuse, in a model file, intercepts of other targets."""
        if np.shape(self.intercept_) not in (self.coef_.shape[:-1], ()):
            raise ValueError("its weights do not fit its targets")

    def _sample(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Any, Floats, Floats | None, bool]:
        """The rows, the targets as columns, the weights of the rows if given, and whether y is one column."""
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=np.float64, y_numeric=True, multi_output=True
        )
        weights = None if sample_weight is None else row_weights(sample_weight, Rows.of(X))
        columns = np.asarray(y, dtype=np.float64)
        return X, columns.reshape(len(columns), -1), weights, columns.ndim == 1

    def _keep(self, coef: Floats, free: Floats, *, one: bool) -> None:
        """Store weights, one row for each target; for a single target as a vector and a number."""
        if not one:
            self.coef_ = np.ascontiguousarray(coef)
            self.intercept_ = free if self.fit_intercept else 0.0
        else:
            self.coef_, self.intercept_ = np.ascontiguousarray(coef[0]), float(free[0])

    def predict(self, X: Any) -> Floats:
        """The predicted number of every row."""
        return self._scores(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class BatchLinearClassifier(MarginPromises, ClassifierMixin, BatchLinearModel):  # type: ignore[misc]
    """Base of the linear classifiers from whole samples."""

    state = kinds.declare(
        classes_=kinds.labels,
        coef_=kinds.floats("problems", "n_features_in_"),
        intercept_=kinds.floats("problems"),
    )

    classes_: Array

    def _sample(self, X: Any, y: Any) -> tuple[Any, Array]:
        """The rows and labels of a sample; at least two classes."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        labels = np.asarray(y)
        classes = two_classes_or_more(self, labels)
        self.classes_ = classes
        return X, labels

    def _signs(self, labels: Array) -> list[Floats]:
        """The labels as -1 and +1: of the second class, or of every class against the rest."""
        wanted = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        return [signs_of(labels, one, self.classes_, np.dtype(np.float64)) for one in wanted]

    def decision_function(self, X: Any) -> Floats:
        """The score of every row; with more than two classes, one column for each."""
        scores = self._scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> Array:
        """The predicted label of every row: the second class where the score is zero or more."""
        return self._chosen(self.decision_function(X))

    def _chosen(self, scores: Floats) -> Array:
        if scores.ndim == 1:
            return np.asarray(self.classes_[(scores >= 0).astype(int)])
        return np.asarray(self.classes_[scores.argmax(axis=1)])

    def _chosen_of_columns(self, scores: Floats) -> Array:
        """The labels for scores that have a column for each problem."""
        return self._chosen(scores[:, 0] if len(self.classes_) == 2 else scores)
