"""What the fit of a linear classifier leaves behind of its sample: its size, and the errors that are left on it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LinearFitRecord:
    """A linear classifier on all rows of the fit, each counted once whatever its weight.

    Attributes
    ----------
    rows : int
        The rows of the sample.
    errors : int
        How many of them the classifier gets wrong as the fit left it.
    features : int
        The columns.
    varying : int
        Those among them that are not the same in all rows.
    constant : bool
        Whether there is an intercept.
    classes : int
        How many classes there are.
    hinge : float
        The total hinge loss on the rows, of all binary problems together, rounded up.
    rounds : int
        Of an online learner, the rounds that it had played when the errors were counted; else zero.

    Examples
    --------
    >>> LinearFitRecord(100, 9, 20, 18, True, 2, 25.0).numbers
    21
    """

    rows: int
    errors: int
    features: int
    varying: int
    constant: bool
    classes: int
    hinge: float
    rounds: int = 0

    @property
    def numbers(self) -> int:
        """How many numbers the classifier is."""
        return (1 if self.classes == 2 else self.classes) * (self.features + self.constant)
