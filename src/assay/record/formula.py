"""What the search for a formula or a concept that fits a sample leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class DisjunctionRecord:
    """A disjunction that was learned from a whole sample.

    Attributes
    ----------
    rows : int
        The size of the sample.
    errors : int
        On how many of its examples the disjunction errs.
    features : int
        How many there are.
    negations : bool
        Whether each of them also stands for its negation.
    bits : int
        The length of the disjunction in a prefix-free code.
    label : label or None
        The class that it tells from the rest; None of two classes.

    Examples
    --------
    >>> DisjunctionRecord(500, 0, 2, True, 5).class_size
    10
    """

    rows: int
    errors: int
    features: int
    negations: bool
    bits: int
    label: Any = None

    @property
    def class_size(self) -> int:
        """How many disjunctions there are."""
        return 3**self.features + 1 if self.negations else 1 << self.features


@dataclass(frozen=True)
class FiniteClassRecord:
    """A concept that was chosen from a finite class by its errors on a sample.

    Attributes
    ----------
    rows : int
        The size of the sample.
    errors : int
        On how many of its examples the concept errs.
    class_size : int
        How many concepts there are.
    bits : int or None
        The length of the concept in a prefix-free code by which it was chosen; None where the fewest errors chose.

    Examples
    --------
    >>> FiniteClassRecord(1000, 97, 27).bits is None
    True
    """

    rows: int
    errors: int
    class_size: int
    bits: int | None = None
