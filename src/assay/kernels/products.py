"""The kernel of all products of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from assay.compiled.kernel.all_products import all_products, all_products_csr
from assay.kernels.feature_maps import dense, subsets
from assay.kernels.kernel import Kernel
from assay.kernels.points import dots
from assay.types import Array


@dataclass(frozen=True)
class AllProducts(Kernel):
    r""":math:`k(x,t)=\prod_i(1+x_it_i)`: one feature for every product of different features, the empty one too.

    On features of 0 and 1 it is two to the number of ones that both examples have, and is exact. It is
    also called the ANOVA kernel.

    Examples
    --------
    >>> from assay.kernels import AllProducts
    >>> AllProducts()([[1, 0, 1, 1, 0]], [[1, 1, 1, 0, 0]]).tolist()
    [[4.0]]
    """

    def _block(self, A: Any, B: Any) -> Array:
        if _boolean(A) and (A is B or _boolean(B)):
            block = dots(A, B)
            np.exp2(block, out=block)
            return block
        block = np.empty((A.shape[0], B.shape[0]), dtype=A.dtype)
        if sparse.issparse(A) or sparse.issparse(B):
            left = sparse.csr_matrix(A)
            right = left if A is B else sparse.csr_matrix(B)
            all_products_csr(
                left.data, left.indices, left.indptr, right.data, right.indices, right.indptr, block
            )
        else:
            all_products(np.ascontiguousarray(A), np.ascontiguousarray(B), block)
        if not np.isfinite(block).all():
            raise self._too_large()
        return block

    def _diagonal(self, A: Any) -> Array:
        if sparse.issparse(A):
            logs = A.copy()
            logs.data = np.log1p(logs.data * logs.data)
            return np.asarray(np.exp(np.asarray(logs.sum(axis=1)).ravel()))
        return np.asarray(np.prod(1.0 + A * A, axis=1))

    def _map(self, A: Any) -> Array:
        return subsets(dense(A))


def _boolean(A: Any) -> bool:
    values = A.data if sparse.issparse(A) else A
    return bool(((values == 0) | (values == 1)).all())


#: The kernel of all products by its other name.
ANOVA = AllProducts
