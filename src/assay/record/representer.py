"""What the fit of a kernel machine of a differentiable loss leaves behind."""

from __future__ import annotations

from dataclasses import dataclass

from assay.record.kernel import Defect
from assay.record.training_loss import TrainingLossRecord


@dataclass(frozen=True)
class RepresenterRecord:
    """How near to the least the objective is.

    Attributes
    ----------
    gradient : float
        The length of its gradient, all problems together.
    penalty : float
        The weight of the squared norm.
    own_loss : bool
        Whether the loss is one of the user's, of which nothing is known.
    known_psd : bool
        Whether the kernel is positive semidefinite by construction.
    defect : (str, float) or None
        What its matrix on the sample has that that of a kernel has not.
    training : TrainingLossRecord or None
        The loss on the training rows, where it lies above the errors there.

    Examples
    --------
    >>> RepresenterRecord(1e-9, 2.0, False, True).curvature
    4.0
    """

    gradient: float
    penalty: float
    own_loss: bool
    known_psd: bool
    defect: Defect | None = None
    training: TrainingLossRecord | None = None

    @property
    def curvature(self) -> float:
        """By how much the objective bends at least."""
        return 2.0 * self.penalty
