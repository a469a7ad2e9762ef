"""What the fit of a decision tree leaves behind."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TreeRecord:
    """One tree: its size, and how it does on the rows it was grown from.

    Attributes
    ----------
    rows : int
        Training rows, those of weight zero among them.
    errors : int or None
        How many of them the tree gets wrong; None for a target.
    loss : float or None
        The sum of squared differences on them; None for classes.
    nodes, leaves, depth : int
        Of the tree as it is, pruned.
    features, classes : int
        How many there are to choose from; no classes for a target.
    thresholds : int
        How many nodes ask for a threshold.
    bits : int or None
        The length of its description in a prefix-free code; None for a target, whose leaves are numbers.
    language : str
        What must be known to read the description, and so before the examples.
    price : float
        The price of a leaf that the tree was pruned by.
    weakest : tuple of (float, float, int) or None
        Of the node that saves least per leaf: what it costs as a leaf, what its leaves cost, how many they are;
        None for a single leaf.

    Examples
    --------
    >>> TreeRecord(10, 0, None, 7, 5, 2, 4, 2, 0, 16).internal
    2
    """

    rows: int
    errors: int | None
    loss: float | None
    nodes: int
    leaves: int
    depth: int
    features: int
    classes: int
    thresholds: int
    bits: int | None
    language: str = ""
    price: float = 0.0
    weakest: tuple[float, float, int] | None = None

    @property
    def internal(self) -> int:
        """Nodes that ask a question."""
        return self.nodes - self.leaves
