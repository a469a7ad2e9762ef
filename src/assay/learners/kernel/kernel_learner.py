"""What all learners with a kernel share: parameters that say which one, whether it is one, and sums of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.guarantees.assumption import Assumption
from assay.guarantees.kernels import taken_on_trust
from assay.kernels import Kernel, as_kernel
from assay.kernels.strings import takes_strings
from assay.learners.common import kinds
from assay.learners.kernel.examples import is_precomputed
from assay.learners.kernel.trust import defect, look_at_kernel
from assay.types import Floats


class KernelLearner:
    """Base of the learners with a kernel; it stands before that of scikit-learn."""

    state = kinds.declare(defect_=defect)

    kernel: Any
    gamma: Any
    degree: int
    coef0: float
    kernel_: Any

    def _kernel_of(self, X: Any) -> Kernel:
        """The kernel that is meant; what a name leaves open is read from these rows."""
        terms = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        return as_kernel(self._given_kernel, **terms, X=X)

    @property
    def _given_kernel(self) -> Any:
        """The kernel as a parameter names it."""
        return self.kernel

    def _looked_at(self, X: Any) -> Kernel:
        """The same; `defect_` says then what its matrix has that that of a kernel has not."""
        kernel = self._kernel_of(X)
        look_at_kernel(self, kernel, X)
        return kernel

    @property
    def _trusted(self) -> tuple[Assumption, ...]:
        return taken_on_trust(self.kernel_, getattr(self, "defect_", None))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.pairwise = is_precomputed(self.kernel)
        tags.input_tags.string = takes_strings(self.kernel)
        tags.input_tags.sparse = not tags.input_tags.string
        return tags


def block_sums(kernel: Kernel, X: Any, T: Any, weights: Floats, cells: int) -> Floats:
    """The sums over t of k(x, t) times the weights of t, for every x: so many values at a time."""
    step = max(1, cells // T.shape[0])
    parts = [kernel(X[i : i + step], T) @ weights for i in range(0, X.shape[0], step)]
    return np.concatenate(parts)
