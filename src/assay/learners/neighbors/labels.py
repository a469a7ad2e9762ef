"""The classes of kept examples, as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.certificates.certificate import Certificate
from assay.certificates.issue.certify import certify
from assay.errors import BadData
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.sign_labels import classes_of
from assay.learners.model_file import kinds
from assay.learners.neighbors.base import NeighborsModel


class LabelsModel(NeighborsModel):
    """Base of the rules that predict classes."""

    state = kinds.declare(classes_=kinds.labels, codes_=kinds.counts("rows", below="classes_"))

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
        classes = classes_of(labels)
        if len(classes) < 2:
            only = classes[0].item() if isinstance(classes[0], np.generic) else classes[0]
            raise BadData(
                f"{type(self).__name__} needs at least two classes, but y holds 1 class: {only!r}."
            )
        self._keep(name, X)
        self.classes_ = classes
        self.codes_ = np.searchsorted(classes, labels).astype(np.int64)
        return self

    def certificate(self, X: Any, y: Any, **terms: Any) -> Certificate:
        """A certificate from a holdout this learner has not seen; see `assay.certify`."""
        return certify(self, X, y, **terms)

    def _require_state(self) -> None:
        super()._require_state()
        if len(np.unique(self.codes_)) != len(self.classes_):
            raise ValueError("its labels do not fit its classes")
