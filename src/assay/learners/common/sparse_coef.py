"""Weights of which most are zero, kept as a sparse matrix on request."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from assay.types import Array


class SparseCoef:
    """Base of the classifiers that keep `coef_` as an attribute, dense or sparse."""

    coef_: Any

    def sparsify(self) -> Self:
        """Keep `coef_` as a sparse matrix from now on, which is smaller where more than half of it is zero.

        What the classifier predicts stays the same.
        """
        check_is_fitted(self, "coef_")
        self.coef_ = sparse.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Keep `coef_` as an array again."""
        check_is_fitted(self, "coef_")
        self.coef_ = dense_coef(self)
        return self


def dense_coef(model: Any) -> Array:
    """The weights of a linear model as an array.

    Examples
    --------
    >>> from assay import LogisticRegression
    >>> model = LogisticRegression(C=1e-9).fit([[0.0], [1.0]], [0, 1])
    >>> dense_coef(model.sparsify()).shape
    (1, 1)
    """
    coef = model.coef_
    return np.asarray(coef.toarray() if sparse.issparse(coef) else coef)
