"""What gradient boosting leaves behind: the loss before and after every round, and what was proven of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.types import Floats


@dataclass(frozen=True)
class GradientBoostingRecord:
    r"""A run of gradient boosting.

    Attributes
    ----------
    rows : int
        Examples that trees were fitted to; those of weight zero, and those set aside for early stopping, do not count.
    loss : str
        The loss that rounds are to lower.
    rate : float
        The share of its value that every leaf adds.
    losses : array
        The mean loss before the first round and after each: of squares the mean square.
    drops : array
        Of the squared error the share of the loss that each round removes at least, rounding included; of absolute and
        quantile loss the share that its whole steps would remove; of other losses zeros.
    even : bool
        Whether all examples have the same weight.
    proven : bool
        Whether leaves had the values that cost least, so that no round can raise the loss.
    stopped : str
        ``"rounds"`` after all rounds, ``"early"`` when further ones did not help.
    training_errors : int or None
        Examples whose label is not predicted; None for a target.

    Examples
    --------
    >>> record = GradientBoostingRecord(
    ...     4, "log_loss", 0.1, np.array([0.7, 0.6, 0.65]), np.zeros(2), True, False, "rounds", 1
    ... )
    >>> record.rounds, record.rises
    (2, 1)
    """

    rows: int
    loss: str
    rate: float
    losses: Floats
    drops: Floats
    even: bool
    proven: bool
    stopped: str
    training_errors: int | None = None

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return len(self.losses) - 1

    @property
    def rises(self) -> int:
        """After how many rounds the loss was larger than before."""
        return int(np.count_nonzero(np.diff(self.losses) > 0))
