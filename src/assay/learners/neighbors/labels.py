"""The classes of kept examples, as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Certified
from assay.learners.common.sign_labels import two_classes_or_more
from assay.learners.neighbors.base import NeighborsModel


class LabelsModel(Certified, NeighborsModel):
    """Base of the rules that predict classes."""

    classes_: NDArray[Any]
    codes_: NDArray[np.int64]

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
        if not hasattr(self, "X_fit_"):
            return
        for name in ("classes_", "codes_"):
            if not hasattr(self, name):
                raise ValueError(f"it has no {name}")
        if self.codes_.shape != (self.n_samples_fit_,):
            raise ValueError("its labels do not fit its examples")
        # Looked at first: a file that names a class far away must not ask for memory.
        last = len(self.classes_) - 1
        if self.codes_.max() != last or not np.bincount(self.codes_).all():
            raise ValueError("its labels do not fit its classes")
