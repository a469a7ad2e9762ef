"""What a fit with a squared penalty leaves behind."""

from __future__ import annotations

from dataclasses import dataclass

from assay.record.kernel import Defect


@dataclass(frozen=True)
class RidgeRecord:
    """How far the weights can be from the best ones.

    Attributes
    ----------
    penalty : float
        The weight of the penalty, the least of any target.
    distance : float
        The length from the weights of all targets to the best ones, in units of each target's penalty and rounded
        up: penalty times its square is the excess of the objective.

    Examples
    --------
    >>> RidgeRecord(2.0, 0.5)
    RidgeRecord(penalty=2.0, distance=0.5)
    """

    penalty: float
    distance: float


@dataclass(frozen=True)
class KernelRidgeRecord(RidgeRecord):
    """The same in the space of features of a kernel.

    Attributes
    ----------
    known_psd : bool
        Whether the kernel is positive semidefinite by construction.
    defect : (str, float) or None
        What its matrix on the sample has that that of a kernel has not.

    Examples
    --------
    >>> KernelRidgeRecord(2.0, 0.5, True).defect is None
    True
    """

    known_psd: bool
    defect: Defect | None = None
