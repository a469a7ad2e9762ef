"""A kd-tree laid open: its boxes, and the way of one search through them."""

from __future__ import annotations

from dataclasses import dataclass

from assay.types import Floats, Ints


@dataclass(frozen=True, eq=False)
class KdCells:
    """The nodes of a kd-tree, each followed by all of its first half.

    Attributes
    ----------
    feature : array of int
        The feature by which a node is divided, -1 for a block of rows.
    threshold : array of float
        Halfway between the halves; NaN for a block.
    left, right : array of int
        The halves, -1 for a block.
    depth : array of int
        How many divisions lie above a node.
    low, high : array of shape (nodes, features)
        The box of a node: what is known of its rows from the divisions above, and the distance to which decides
        whether a search looks into it.
    rows : tuple of arrays of int
        The rows of each block; of a node that is divided, none.
    points : array of shape (n_rows, features)
        The rows themselves.

    Examples
    --------
    >>> import numpy as np
    >>> nothing = np.zeros((1, 2))
    >>> only = np.array([-1])
    >>> KdCells(only, np.array([np.nan]), only, only, np.array([0]), nothing, nothing, (np.array([0]),), nothing).blocks
    1
    """

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    depth: Ints
    low: Floats
    high: Floats
    rows: tuple[Ints, ...]
    points: Floats

    def __len__(self) -> int:
        return len(self.feature)

    @property
    def blocks(self) -> int:
        """How many blocks of rows there are."""
        return int((self.feature < 0).sum())


@dataclass(frozen=True)
class KdStep:
    """One step of a search: a block that was looked at, or a node that was passed over with all below it.

    Attributes
    ----------
    node : int
        Which one.
    looked : bool
        Whether its rows were looked at.
    distance : float
        From the query to its box.
    worst : float
        The distance of the worst row kept after this step; infinite while there are too few.
    nearest : tuple of int
        The rows kept after this step, nearest first.
    """

    node: int
    looked: bool
    distance: float
    worst: float
    nearest: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class KdSearch:
    """A search for the nearest rows, step by step.

    Attributes
    ----------
    query : array
        What the neighbours of were sought.
    metric : str
        The distance, ``"euclidean"`` or ``"manhattan"``.
    steps : tuple of KdStep
        In the order in which they were done.
    rows : tuple of int
        The neighbours, nearest first.
    distances : tuple of float
        How far they are.
    opened, scanned : int
        How many divided nodes and how many blocks were looked at.
    """

    query: Floats
    metric: str
    steps: tuple[KdStep, ...]
    rows: tuple[int, ...]
    distances: tuple[float, ...]
    opened: int
    scanned: int
