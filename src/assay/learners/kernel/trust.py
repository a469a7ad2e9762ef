"""A look at the kernel matrix of a sample: whether a machine's kernel is one."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from assay.evidence.fitted_rows import places
from assay.guarantees.kernels import defect_of
from assay.kernels import Kernel, Precomputed
from assay.learners.common import kinds
from assay.learners.kernel.examples import shape_of

#: A defect that a machine has written down.
defect = kinds.maybe(kinds.group(kinds.one_of("eigenvalue", "asymmetry"), kinds.finite))

# So many rows are looked at; a matrix that lacks something on some of its rows lacks it.
_MOST = 1000


def look_at_kernel(model: Any, kernel: Kernel, X: Any) -> None:
    """Let a machine write down, as `defect_`, what its kernel matrix has that that of a kernel has not.

    A kernel that is one by construction need not be looked at. Of many rows a thousand are.
    """
    model.__dict__.pop("defect_", None)
    if kernel.known_psd:
        return
    rows = places(shape_of(X)[0], _MOST)
    part = X[rows]
    if isinstance(kernel, Precomputed):
        part = part[:, rows]
        values = part.toarray() if sparse.issparse(part) else np.asarray(part)
    else:
        values = np.asarray(kernel(part))
    defect = defect_of(values)
    if defect is not None:
        model.defect_ = defect
