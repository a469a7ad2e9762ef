"""What a fit leaves behind of its losses: their sum over the training rows, and how near to the least it is."""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.record.linear_fit import LinearFitRecord


@dataclass(frozen=True)
class TrainingLossRecord:
    """Losses and errors on the rows of the fit.

    Attributes
    ----------
    rows : int
        The training rows.
    errors : int
        How many of them are predicted wrongly.
    loss : str
        The name of the loss, as ``surrogate-upper-bounds`` knows it.
    total : float
        Its sum over the rows, without any weights of theirs, rounded up.
    fit : LinearFitRecord or None
        Of a linear classifier, its errors on the sample.

    Examples
    --------
    >>> TrainingLossRecord(100, 9, "hinge", 25.0).total
    25.0
    """

    rows: int
    errors: int
    loss: str
    total: float
    fit: LinearFitRecord | None = field(default=None, kw_only=True, repr=False)


@dataclass(frozen=True)
class PenalisedLossRecord(TrainingLossRecord):
    """The same of a fit with a squared penalty, with a point of the dual.

    Attributes
    ----------
    objective : float
        Of the weights that were found, rounded up.
    square : float
        The squared length of the weights that the dual point stands for, rounded up.
    conjugate : float
        The sum of the conjugates of the losses there, rounded up.

    Examples
    --------
    >>> PenalisedLossRecord(100, 9, "logistic", 25.0, 12.0, 2.0, -11.0).objective
    12.0
    """

    objective: float
    square: float
    conjugate: float
