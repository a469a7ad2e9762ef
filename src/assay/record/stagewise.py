"""What forward stagewise additive modelling leaves behind: the rounds, and what is left of the loss."""

from __future__ import annotations

from dataclasses import dataclass

from assay.types import Floats


@dataclass(frozen=True)
class StagewiseRecord:
    r"""A run of forward stagewise additive modelling.

    Attributes
    ----------
    rows : int
        Examples; those of weight zero do not count.
    loss : str
        The loss that every round lowered.
    start : float
        The mean loss before the first round, where nothing is predicted but zero.
    losses : array
        The mean loss after every round.
    edges : array
        How well each round's hypothesis went along with what was left: its weighted error for the exponential and the
        logistic loss, its correlation with the residuals for the square loss; nothing for the absolute loss.
    steps : array
        By how much of it the model grew.
    training_errors : int or None
        Examples whose label is not predicted; None for a target.
    training_error : float or None
        Their share of the weight; None for a target.
    even : bool
        Whether all examples have the same weight.
    stopped : str
        ``"rounds"`` after all rounds; ``"perfect"`` when no loss was left, or a hypothesis made no error and so
        outvotes all others; ``"useless"`` when no hypothesis lowered the loss any more.

    Examples
    --------
    >>> import numpy as np
    >>> half = np.array([0.5])
    >>> StagewiseRecord(4, "square", 1.0, np.array([0.75]), half, half, 1, 0.25, True, "rounds").rounds
    1
    """

    rows: int
    loss: str
    start: float
    losses: Floats
    edges: Floats
    steps: Floats
    training_errors: int | None
    training_error: float | None
    even: bool
    stopped: str

    @property
    def rounds(self) -> int:
        """The number of hypotheses."""
        return len(self.steps)
