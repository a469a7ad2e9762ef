"""What is kept beside the examples: their classes, or their numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Certified
from assay.learners.common.sign_labels import classes_of
from assay.learners.common.skipped_checks import NOT_RUN
from assay.learners.common.target import codes_of_columns, column_or_columns
from assay.learners.neighbors.base import NeighborsModel
from assay.types import Array, Floats, Ints


class LabelsModel(Certified, NeighborsModel):
    """Base of the rules that predict classes."""

    skipped_checks: ClassVar[Mapping[str, str]] = NOT_RUN | {
        "check_classifiers_multilabel_output_format_decision_function": "neighbours have shares of classes, and no "
        "decision function, as in scikit-learn"
    }

    state = kinds.declare(
        classes_=kinds.labels_or_one
        | kinds.each(kinds.labels_or_one).where(lambda each: len(each) > 1),
        codes_=kinds.counts("rows", below="classes_") | kinds.counts("rows", None),
    )

    classes_: Any  # an array, or a list of them for several columns of y
    codes_: Ints

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Any:
        """Keep the examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)

        Returns
        -------
        self
        """
        name = self._require_parameters()
        X = self._read_rows(X, y)
        labels = column_or_columns(self, y, numeric=False)
        check_consistent_length(X, labels)
        classes: Any
        if labels.ndim > 1:
            classes = [classes_of(column) for column in labels.T]
            codes = codes_of_columns(classes, labels)
        else:
            classes = classes_of(labels)
            codes = np.searchsorted(classes, labels)
        self._keep(name, X)
        self.classes_, self.codes_ = classes, codes.astype(np.int64, copy=False)
        return self

    @property
    def _labels(self) -> list[Array]:
        """The labels of each column of y."""
        return self.classes_ if isinstance(self.classes_, list) else [self.classes_]

    @property
    def outputs_2d_(self) -> bool:
        """Whether y had several columns."""
        check_is_fitted(self, "classes_")
        return len(self._labels) > 1

    def _require_state(self) -> None:
        super()._require_state()
        if self.codes_.reshape(len(self.codes_), -1).shape[1] != len(self._labels):
            raise ValueError("its labels do not fit its columns")
        for labels, codes in zip(self._labels, self._columns, strict=True):
            if not np.array_equal(np.unique(codes), np.arange(len(labels))):
                raise ValueError("its labels do not fit its classes")

    @property
    def _columns(self) -> list[Ints]:
        """The numbers of the classes of each column of y."""
        return [*self.codes_.reshape(len(self.codes_), -1).T]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class TargetsModel(NeighborsModel):
    """Base of the rules that predict numbers."""

    state = kinds.declare(
        targets_=kinds.floats("rows", dtypes="<f8")
        | kinds.floats("rows", None, dtypes="<f8").where(lambda targets: targets.shape[1])
    )

    targets_: Floats

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Any:
        """Keep the examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)

        Returns
        -------
        self
        """
        name = self._require_parameters()
        X, y = self._read(X, y, multi_output=True, y_numeric=True)
        self._keep(name, X)
        self.targets_ = np.array(y, dtype=np.float64, order="C")
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
