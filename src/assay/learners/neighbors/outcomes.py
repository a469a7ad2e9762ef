"""What is kept beside the examples: their classes, or their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Certified
from assay.learners.common.sign_labels import two_classes_or_more
from assay.learners.neighbors.base import NeighborsModel
from assay.types import Array, Floats, Ints


class LabelsModel(Certified, NeighborsModel):
    """Base of the rules that predict classes."""

    state = kinds.declare(classes_=kinds.labels, codes_=kinds.counts("rows", below="classes_"))

    classes_: Array
    codes_: Ints

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Any:
        """Keep the examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        name = self._require_parameters()
        X, labels = self._read(X, y)
        classes = two_classes_or_more(self, labels)
        self._keep(name, X)
        self.classes_ = classes
        self.codes_ = np.searchsorted(classes, labels).astype(np.int64)
        return self

    def _require_state(self) -> None:
        super()._require_state()
        if len(np.unique(self.codes_)) != len(self.classes_):
            raise ValueError("its labels do not fit its classes")


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
