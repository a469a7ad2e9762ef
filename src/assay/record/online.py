"""What happened in an online run: rounds, mistakes, and what the theorems need of the examples."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assay.types import Floats


@dataclass(frozen=True)
class OnlineRecord:
    """The run of one binary online learner.

    Attributes
    ----------
    rounds : int
        Examples played, repeated passes included.
    mistakes : int
        Rounds on which the prediction was wrong.
    updates : int
        Rounds on which the weights changed.
    passes : int or None
        Passes over one sample, when the run was a `fit`; the last one was free of mistakes if `clean`.
    clean : bool
        Whether the last pass made no mistake.
    radius : float
        The largest length of an example on which the weights changed, the constant feature included.
    margin : float or None
        The smallest margin over the last pass of a `fit`, when that pass changed nothing and the learner
        insists on a margin; examples have length one.
    kept : int
        How many of the examples behind the updates were kept for hindsight.
    trace : dict of str to array, or None
        Per-update columns, when asked for.
    """

    rounds: int = 0
    mistakes: int = 0
    updates: int = 0
    passes: int | None = None
    clean: bool = False
    radius: float = 0.0
    margin: float | None = None
    kept: int = 0
    trace: dict[str, Floats] | None = None

    def with_margin(self, margin: float) -> OnlineRecord:
        """The record of a run whose last pass changed nothing, with the smallest margin met there."""
        return replace(self, margin=margin)


@dataclass(frozen=True)
class Comparator:
    """A fixed vector to compare an online run with.

    Attributes
    ----------
    vector : array
        The vector u, the weight of the constant feature last.
    norm : float
        Its length, rounded up.
    loss : float
        Its total hinge loss on the rounds of the updates, rounded up.
    margin : float or None
        The smallest y <u, x> / ||u|| over those rounds, rounded down; None unless it is above zero.
    """

    vector: Floats
    norm: float
    loss: float
    margin: float | None
