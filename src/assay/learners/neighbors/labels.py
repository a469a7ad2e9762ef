"""The classes of kept examples, as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Certified
from assay.learners.common.sign_labels import two_classes_or_more
from assay.learners.neighbors.base import NeighborsModel
from assay.types import Array, Ints


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
