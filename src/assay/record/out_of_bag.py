"""What the rows that bags leave out say about the members of an ensemble."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BagRecord:
    """The bags of an ensemble, and what its members depend on besides.

    Attributes
    ----------
    members : int
        How many there are.
    rows, draws : int
        Rows of the sample, and how many are drawn for each bag.
    replacement : bool
        Whether rows are drawn again.
    unseen : int
        How many rows the bags left out, all bags together.
    depends_on : str
        What members depend on besides their bags; ``"bag"`` for nothing.
    targets : tuple of (float, float) or None
        The least and the largest target of the sample; None for classes.

    Examples
    --------
    >>> BagRecord(10, 100, 100, True, 366).unseen
    366
    """

    members: int
    rows: int
    draws: int
    replacement: bool
    unseen: int
    depends_on: str = "bag"
    targets: tuple[float, float] | None = None


@dataclass(frozen=True)
class OutOfBagRecord:
    """Losses of the members on rows they were not fitted to, one by one and two by two.

    A member's loss at a row is one minus the share it gives to the true class: one where it is wrong and zero
    where it is right if its shares are whole. A regressor's is the squared error.

    Attributes
    ----------
    members : int
        How many there are.
    rows : int
        Rows of the sample.
    counted : int
        Rows that count in what follows: none of them was looked at for anything but bags.
    voted : int
        Rows that some bag left out, of all.
    errors : float
        How many of these the members that did not see them get wrong together; a regressor's, the sum of
        squared errors. It is an estimate, and the number of rows lends it no confidence.
    left_out : int
        The fewest counted rows that any bag left out.
    loss : float
        The mean over the members of their mean losses on the counted rows that their bags left out.
    left_out_by_both : int
        The fewest counted rows that any two bags both left out; 0 if nobody counted.
    tandem : float
        The mean over all pairs of members of the mean product of their losses on such rows.

    Examples
    --------
    >>> OutOfBagRecord(10, 100, 100, 98, 7.0, 33, 0.12, 9, 0.05).estimate
    0.07142857142857142
    """

    members: int
    rows: int
    counted: int
    voted: int
    errors: float
    left_out: int
    loss: float
    left_out_by_both: int
    tandem: float

    @property
    def estimate(self) -> float:
        """The out-of-bag estimate: errors per row that has a vote; NaN if there is none."""
        return self.errors / self.voted if self.voted else float("nan")


@dataclass(frozen=True, kw_only=True)
class JudgedBagRecord(OutOfBagRecord):
    """The same with the bags that left the rows out.

    Attributes
    ----------
    bags : BagRecord
    """

    bags: BagRecord
