"""What the naive Bayes classifiers share: samples, chunks, posteriors, what their size says about their error."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.errors import BadData, require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.stored_numbers import record_guarantees
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing, forget
from assay.learners.common.blocks import Block, Blocks, coded
from assay.learners.common.guaranteed import Certified, Terms
from assay.learners.common.one_example import OneExample, codes_of, known_classes
from assay.learners.common.row_weights import row_weights
from assay.learners.common.rows import Rows
from assay.learners.common.sign_labels import classes_of
from assay.record.stored_numbers import StoredNumbersRecord
from assay.types import Array, Floats, Ints


class NaiveBayes(OneExample, Certified, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the naive Bayes classifiers; a subclass says how likely a row is in each class."""

    state = kinds.declare(
        classes_=kinds.labels_or_one,
        class_count_=kinds.amounts("classes_").where(lambda counts: counts.sum() > 0),
        rows_=kinds.whole(1),
        settings_=kinds.parameters,
        training_errors_=kinds.maybe(kinds.whole(most="rows_")),
    )

    enough: ClassVar[tuple[str, ...]] = ("classes_", "class_count_", "rows_", "settings_")

    #: Its record is of the rows it holds, not of rounds in which it predicted them.
    plays_rounds = False

    class_count_: Floats
    rows_: int
    #: The parameters that the rows were learned with: later ones would make another classifier, about which
    #: nothing was counted.
    settings_: dict[str, Any]

    def _require_parameters(self, classes: int, width: int) -> None:
        """Refuse parameters that do not fit the sample."""
        raise NotImplementedError

    def _joint(self, rows: Rows) -> Floats:
        """The logarithm of the probability of each row together with each class."""
        raise NotImplementedError

    def _described(self) -> dict[str, Any]:
        """How many numbers the classifier is, and how it can be written down."""
        raise NotImplementedError

    # Learning

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn from a sample.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            How often each example counts.

        Returns
        -------
        self
        """
        forget(self)
        rows, labels = self._sample(X, y, reset=True)
        classes = classes_of(labels)
        self._require_parameters(len(classes), rows.width)
        weights = None if sample_weight is None else row_weights(sample_weight, rows)
        self._open(classes, rows.width)
        codes = np.searchsorted(classes, labels).astype(np.int64)
        self._learn(rows, codes, weights)
        self.training_errors_ = int(np.count_nonzero(self._places(rows) != codes))
        return self

    @all_or_nothing
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Learn some more examples; all chunks together give what `fit` on all of them does.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like, optional
            All labels there are; needed in the first call.
        sample_weight : array-like of shape (n_samples,), optional
            How often each example counts.

        Returns
        -------
        self
        """
        first = not hasattr(self, "classes_")
        rows, labels = self._sample(X, y, reset=first)
        known = known_classes(self, classes, least=1)
        self._require_parameters(len(known), rows.width)
        codes = codes_of(labels, known)
        weights = None if sample_weight is None else row_weights(sample_weight, rows)
        if first:
            self._open(known, rows.width)
        self._learn(rows, codes, weights)
        return self

    def _fit_blocks(self, blocks: Blocks) -> Any:
        """Learn from blocks of rows: `fit`, where rows are only read and added up."""
        classes, blocks = coded(blocks)
        self._require_parameters(len(classes), blocks.width)
        self._open(classes, blocks.width)
        self.rows_ = blocks.rows
        self._hold_parameters()
        self._learn_blocks(blocks)
        if not self.class_count_.sum() > 0:
            raise BadData("sample_weight must be above zero for some row.")
        self.training_errors_ = blocks.total(_wrong, self)
        return self

    def _learn_blocks(self, blocks: Blocks) -> None:
        """Add up what the blocks say, labels being places of classes."""
        raise NotImplementedError

    def _open(self, classes: Array, width: int) -> None:
        self.classes_, self.rows_ = classes, 0
        self.class_count_ = np.zeros(len(classes))

    def _learn(self, rows: Rows, codes: Ints, weights: Floats | None) -> None:
        self.rows_ += len(rows)
        self._hold_parameters()
        # The errors that were counted were those of another classifier.
        self.__dict__.pop("training_errors_", None)

    def _hold_parameters(self) -> None:
        self.settings_ = {
            name: tuple(np.ravel(value).tolist()) if np.ndim(value) else _plain(value)
            for name, value in self.get_params(deep=False).items()
        }

    def _sample(self, X: Any, y: Any, *, reset: bool) -> tuple[Rows, Array]:
        X, y = validate_data(
            self, X, y, reset=reset, accept_sparse="csr", dtype=np.float64, order="C"
        )
        return _summed(X), np.asarray(y)

    # Predicting

    def _asked(self, X: Any) -> Rows:
        check_is_fitted(self, "classes_")
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64, order="C")
        return _summed(X)

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """The logarithm of the probability (or density) of every row together with every class."""
        return self._joint(self._asked(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of the probabilities."""
        joint = self._joint(self._asked(X))
        return np.asarray(joint - logsumexp(joint, axis=1, keepdims=True))

    def predict_proba(self, X: Any) -> Floats:
        """The probability of every class in every row."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> Array:
        """The most likely label of every row; of equally likely ones the first."""
        rows = self._asked(X)
        return np.asarray(self.classes_[self._places(rows)])

    def _places(self, rows: Rows) -> Ints:
        return np.asarray(self._joint(rows).argmax(axis=1))

    # What is known about it

    @property
    def record_(self) -> StoredNumbersRecord:
        """What the rows left behind."""
        check_is_fitted(self, "classes_")
        errors = getattr(self, "training_errors_", None)
        return StoredNumbersRecord(rows=self.rows_, errors=errors, **self._described())

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """What the length of the description says about the error (``occam-exact``, ``occam-float64``).

        It holds whether or not the features are independent: it is a promise about the classifier, not about
        its probabilities. After `partial_fit` the errors on the training rows are not known, and the promise
        is about how far the error can be above their share.
        """
        return record_guarantees(self.record_, terms.delta) if hasattr(self, "record_") else []

    def _require_state(self) -> None:
        """Refuse, in a model file, settings that the rows cannot have been learned with."""
        if self.settings_.keys() != self.get_params(deep=False).keys():
            raise ValueError("its settings are not those of its parameters")
        learned = type(self)(**self.settings_)
        learned._require_parameters(len(self.classes_), self.n_features_in_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _wrong(block: Block, model: NaiveBayes) -> int:
    return int(np.count_nonzero(model._places(Rows.of(block.X)) != block.y))


def require_prior(name: str, given: Any, classes: int) -> Floats:
    """Probabilities of the classes as they were given; refuses what are none."""
    try:
        prior = np.asarray(given, dtype=np.float64)
    except (OverflowError, TypeError, ValueError):
        prior = np.zeros(0)
    good = prior.shape == (classes,) and bool((np.isfinite(prior) & (prior >= 0)).all())
    good = good and bool(np.isclose(prior.sum(), 1.0))
    require(good, name, f"{classes} numbers, zero or more, that add up to 1", given)
    return prior


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic | np.ndarray) else value


def _summed(X: Any) -> Rows:
    """Rows in which no column stands twice."""
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return Rows.of(X)
