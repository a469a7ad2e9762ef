"""What a fit by least squares leaves behind."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LeastSquaresRecord:
    """How far the normal equations are from being met, and how well they fix the weights.

    Attributes
    ----------
    gradient : float
        The length of what the normal equations of all targets lack, a misplaced intercept included, rounded up.
    singular : float
        The least singular value of the rows above zero, rounded down; zero where it is not known.
    rank : int
        How many singular values are above zero, those that rounding may have made not counted.
    directions : int
        How many there are.

    Examples
    --------
    >>> LeastSquaresRecord(1e-12, 2.0, 3, 4).full
    False
    """

    gradient: float = 0.0
    singular: float = 0.0
    rank: int = 0
    directions: int = 0

    @property
    def full(self) -> bool:
        """Whether no singular value was taken for rounding."""
        return self.rank == self.directions
