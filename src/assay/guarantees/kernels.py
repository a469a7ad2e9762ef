"""What is known about a kernel: that it is one, that it is none, or nothing but what its maker says."""

from __future__ import annotations

import numpy as np

from assay.guarantees.assumption import Assumption
from assay.record.kernel import Defect, KnownKernel
from assay.theory.mistake.kernel_perceptron import KERNEL
from assay.types import Array

_WHAT = {
    "eigenvalue": "its matrix has an eigenvalue of {:.3g} or less",
    "asymmetry": "its matrix is not symmetric: values across the diagonal differ by {:.3g}",
}


def taken_on_trust(kernel: KnownKernel, defect: Defect | None = None) -> tuple[Assumption, ...]:
    """That it is positive semidefinite, unless it is known to be: a function or a matrix may be anything.

    Examples
    --------
    >>> from assay.kernels import Linear, Precomputed
    >>> taken_on_trust(Linear())
    ()
    >>> [assumption.status for assumption in taken_on_trust(Precomputed())]
    ['assumed']
    >>> print(taken_on_trust(Precomputed(), ("eigenvalue", -2.0))[0].evidence)
    its matrix has an eigenvalue of -2 or less
    """
    if defect is not None:
        return (Assumption(KERNEL, "violated", defect_text(defect)),)
    if kernel.known_psd:
        return ()
    return (Assumption(KERNEL, "assumed", f"{kernel!r} is taken on trust"),)


def defect_text(defect: Defect) -> str:
    """A defect in words."""
    return _WHAT[defect[0]].format(defect[1])


def defect_of(values: Array) -> Defect | None:
    """What a square matrix has that no kernel matrix has, beyond what rounding explains; None for nothing.

    Examples
    --------
    >>> defect_of(np.array([[1.0, 2.0], [2.0, 1.0]]))
    ('eigenvalue', -1.0)
    >>> defect_of(np.ones((3, 3))) is None
    True
    """
    single = values.dtype == np.float32
    K = np.asarray(values, dtype=np.float64)
    if not K.size or not np.isfinite(K).all():
        return None
    # Values that were rounded to single precision on their way are known to no more digits.
    single = single or bool((K.astype(np.float32) == K).all() and (np.rint(K) != K).any())
    norm = float(np.abs(K).sum(axis=1).max())
    slack = 4 * len(K) * norm * float(np.finfo(np.float32 if single else np.float64).eps)
    apart = float(np.abs(K - K.T).max())
    if apart > slack:
        return "asymmetry", apart
    half = (K + K.T) / 2
    try:
        np.linalg.cholesky(half + slack * np.eye(len(K)))
        return None
    except np.linalg.LinAlgError:
        least = float(np.linalg.eigvalsh(half)[0])
    return ("eigenvalue", least) if least < -slack else None
