"""What a rule of nearest neighbours is, and how it does on its own examples."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NeighborsRecord:
    """A rule of a fixed number of neighbours.

    Attributes
    ----------
    rows : int
        The examples.
    neighbors : int
        How many neighbours of a row are asked.
    equal_votes : bool
        Whether every neighbour has one vote.
    no_norm : str
        Why the distance is not that of a fixed norm, if it is not.

    Examples
    --------
    >>> NeighborsRecord(100, 5, True).no_norm
    ''
    """

    rows: int
    neighbors: int
    equal_votes: bool
    no_norm: str = ""


@dataclass(frozen=True, kw_only=True)
class NeighborVotesRecord(NeighborsRecord):
    """The same of a classifier.

    Attributes
    ----------
    classes : int
        How many were seen; 0 where there are several columns of labels.
    left_out_errors : int or None
        How many examples are wrong when they are left out; None where there are too few others.
    made_from_rows : str
        Why the distance was not fixed before the rows were seen, if it was not.
    any_function : bool
        Whether the weights or the distance come from a function of the user's.
    """

    classes: int
    left_out_errors: int | None
    made_from_rows: str = ""
    any_function: bool = False
