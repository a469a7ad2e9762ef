"""What has to be taken on trust about a kernel."""

from __future__ import annotations

from assay.certificates.assumption import Assumption
from assay.kernels import Kernel
from assay.theory.mistake.kernel_perceptron import KERNEL


def taken_on_trust(kernel: Kernel) -> tuple[Assumption, ...]:
    """That it is positive semidefinite, unless it is known to be: a function or a matrix may be anything.

    Examples
    --------
    >>> from assay.kernels import Linear, Precomputed
    >>> taken_on_trust(Linear())
    ()
    >>> [assumption.status for assumption in taken_on_trust(Precomputed())]
    ['assumed']
    """
    if kernel.known_psd:
        return ()
    return (Assumption(KERNEL, "assumed", f"{kernel!r} is taken on trust"),)
