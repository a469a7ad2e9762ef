"""Classifiers with an online learner inside: how they read samples, and what scikit-learn asks of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.learners.common.skipped_checks import NOT_RUN
from assay.play.turns import Examples, are_dicts, labels_of, takes_sparse
from assay.types import Array


class OnlineInside(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the classifiers that play a learner."""

    #: The checks of scikit-learn that are not run, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = NOT_RUN

    learner: Any
    #: What there is once the learner has played.
    _played: ClassVar[str]

    def _sample(self, X: Any, y: Any, *, reset: bool = True) -> tuple[Examples, Array]:
        if not are_dicts(X):
            X, y = validate_data(self, X, y, reset=reset, accept_sparse="csr")
        examples = Examples(X)
        return examples, labels_of(y, len(examples))

    def _examples(self, X: Any) -> Examples:
        check_is_fitted(self, self._played)
        if not are_dicts(X):
            X = validate_data(self, X, reset=False, accept_sparse="csr")
        return Examples(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = takes_sparse(self.learner)
        return tags
