"""What the linear learners from whole samples share: reading a sample, predicting, model files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.learners.common import kinds
from assay.learners.common.guaranteed import CertifiedQuantity, Guaranteed
from assay.learners.common.row_weights import row_weights
from assay.learners.common.rows import Rows
from assay.learners.common.sign_labels import signs_of, two_classes_or_more
from assay.learners.common.skipped_checks import NOT_RUN
from assay.learners.common.sparse_coef import SparseCoef
from assay.learners.common.training_promises import MarginPromises
from assay.types import Array, Floats

# Single precision is kept; anything else is read in double precision.
_PRECISIONS = [np.float64, np.float32]


def double(X: Any) -> Any:
    """Rows or weights in double precision: what is found and promised is computed in it, whatever they come in."""
    return X.astype(np.float64, copy=False)


def stored(dtype: np.dtype[Any], coef: Floats, free: Floats) -> tuple[Array, Array]:
    """Weights and intercepts in this precision, or in double precision where it has no room for them."""
    with np.errstate(over="ignore"):
        coefs, frees = np.ascontiguousarray(coef, dtype=dtype), np.asarray(free, dtype=dtype)
    if np.isfinite(coefs).all() and np.isfinite(frees).all():
        return coefs, frees
    return np.ascontiguousarray(coef), np.asarray(free)


class BatchLinearModel(Guaranteed, BaseEstimator):  # type: ignore[misc]
    """Base of the learners that look at a whole sample and end with weights."""

    #: The checks of scikit-learn that are not run, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = NOT_RUN

    coef_: Array
    intercept_: Any

    def _read(self, X: Any, *y: Any, **how: Any) -> Any:
        """The rows, and targets where they are given, in the precision that they come in."""
        return validate_data(self, X, *y, accept_sparse="csr", dtype=_PRECISIONS, **how)

    def _scores(self, X: Any) -> Floats:
        """The weights applied to every row, one column for each vector of weights, in double precision."""
        return self._scored(X)[0]

    def _scored(self, X: Any) -> tuple[Floats, np.dtype[Any]]:
        """The same, and the precision in which whoever asked shall see them."""
        check_is_fitted(self, "coef_")
        X = self._read(X, reset=False)
        scores = double(X) @ double(self.coef_).T
        if sparse.issparse(scores):
            scores = scores.toarray()
        return np.asarray(scores + self.intercept_, dtype=np.float64), np.result_type(X, self.coef_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class _Sample(NamedTuple):
    """What a regressor is fitted to.

    Attributes
    ----------
    X : array or CSR matrix
        The rows.
    targets : array of shape (n, t)
        The targets, as columns.
    weights : array or None
        The weights of the rows, if given.
    one : bool
        Whether y was given as a vector.
    dtype : dtype
        The precision in which the rows came.
    """

    X: Any
    targets: Floats
    weights: Floats | None
    one: bool
    dtype: np.dtype[Any]


class BatchLinearRegressor(RegressorMixin, CertifiedQuantity, BatchLinearModel):  # type: ignore[misc]
    """Base of the linear regressors from whole samples; several targets at once are columns of y."""

    enough: ClassVar[tuple[str, ...]] = ("coef_", "intercept_")
    state = kinds.declare(
        coef_=kinds.floats("n_features_in_") | kinds.floats(None, "n_features_in_"),
        intercept_=kinds.finite | kinds.float_scalar | kinds.floats(),
    )

    fit_intercept: bool

    def _require_state(self) -> None:
        """Refuse, in a model file, intercepts of other targets."""
        targets = self.coef_.shape[:-1]
        if np.shape(self.intercept_) not in (targets, targets or (1,), ()):
            raise ValueError("its weights do not fit its targets")

    def _sample(self, X: Any, y: Any, sample_weight: Any) -> _Sample:
        """What a fit looks at, in double precision."""
        X, y = self._read(X, y, y_numeric=True, multi_output=True)
        weights = None if sample_weight is None else row_weights(sample_weight, Rows.of(X))
        columns = np.asarray(y, dtype=np.float64)
        targets = columns.reshape(len(columns), -1)
        return _Sample(double(X), targets, weights, columns.ndim == 1, X.dtype)

    def _keep(self, sample: _Sample, coef: Floats, free: Floats) -> tuple[Floats, Floats]:
        """Store weights, one row for each target, in the precision of the sample; gives them as they were stored."""
        return self._store(*stored(sample.dtype, coef, free), vector=sample.one)

    def _store(self, coef: Floats, free: Floats, *, vector: bool) -> tuple[Floats, Floats]:
        """Store weights, one row for each target; y was a vector, or had columns."""
        one = vector or (self._flat and len(coef) == 1)
        self.coef_ = coef[0] if one else coef
        if not self.fit_intercept:
            self.intercept_ = 0.0
        else:
            self.intercept_ = free[0] if vector else free
        return double(coef), double(free)

    #: Whether the weights for a y of a single column are a vector, as they are for a y that is one.
    _flat: ClassVar[bool] = False

    def predict(self, X: Any) -> Floats:
        """The predicted number of every row."""
        scores, dtype = self._scored(X)
        return scores.astype(dtype, copy=False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class BatchLinearClassifier(MarginPromises, SparseCoef, ClassifierMixin, BatchLinearModel):  # type: ignore[misc]
    """Base of the linear classifiers from whole samples."""

    enough: ClassVar[tuple[str, ...]] = ("classes_", "coef_", "intercept_", "settings_")
    state = kinds.declare(
        classes_=kinds.labels,
        coef_=kinds.table("problems", "n_features_in_"),
        intercept_=kinds.floats("problems"),
    )

    classes_: Array

    def _sample(self, X: Any, y: Any) -> tuple[Any, Array]:
        """The rows, in the precision in which they come, and the labels of a sample; at least two classes."""
        X, y = self._read(X, y)
        labels = np.asarray(y)
        classes = two_classes_or_more(self, labels)
        self.classes_ = classes
        return X, labels

    def _signs(self, labels: Array) -> list[Floats]:
        """The labels as -1 and +1: of the second class, or of every class against the rest."""
        wanted = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        return [signs_of(labels, one, self.classes_, np.dtype(np.float64)) for one in wanted]

    def _scored(self, X: Any) -> tuple[Floats, np.dtype[Any]]:
        scores, dtype = super()._scored(X)
        # Whoever puts weights there by hand may put a vector.
        return scores.reshape(len(scores), -1), dtype

    def decision_function(self, X: Any) -> Floats:
        """The score of every row; with more than two classes, one column for each."""
        scores, dtype = self._scored(X)
        scores = scores.astype(dtype, copy=False)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> Array:
        """The predicted label of every row: the second class where the score is above zero."""
        return self._chosen_of_columns(self._scores(X))

    def _chosen(self, scores: Floats) -> Array:
        if scores.ndim == 1:
            return np.asarray(self.classes_[(scores > 0).astype(int)])
        return np.asarray(self.classes_[scores.argmax(axis=1)])

    def _chosen_of_columns(self, scores: Floats) -> Array:
        """The labels for scores that have a column for each problem."""
        return self._chosen(scores[:, 0] if scores.shape[1] == 1 else scores)
