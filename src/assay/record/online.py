"""What happened in an online run: rounds, mistakes, and what the theorems need of the examples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from assay.record.linear_fit import LinearFitRecord
from assay.types import Array, Floats


class KeptExamples(Protocol):
    """The examples behind the updates as they were kept, and what searches over them find.

    A search gives the same whenever it is made, so that it can wait until somebody asks.
    """

    count: int
    kept: int

    @property
    def complete(self) -> bool:
        """Whether every example was kept."""

    def examples(self) -> tuple[Any, Floats, Floats]:
        """The kept examples as one block, their constant features, and their labels."""

    def best(self, total: Array | None = None) -> Comparator | None:
        """The separator of largest margin if there is one, else the comparator of the least bound."""

    def widest(self, least: float) -> tuple[Comparator | None, float]:
        """The separator of largest margin, and a number that no separator's margin exceeds."""


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
    largest_square : float
        The square of the radius, before it was rounded up.
    threshold : float
        The margin that the learner insists on.
    constant : bool
        Whether a constant feature of one is appended.
    weights : array or None
        The weights in their own precision, that of the constant feature last.
    hindsight : KeptExamples or None
        The examples behind the updates.
    fit : LinearFitRecord or None
        Errors on the sample of a `fit` after which nothing was learned, in the record of the first problem.
    comparator : Comparator or None
        The best fixed vector in hindsight, for a learner whose weights are the sum of its mistaken examples.
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
    # What is printed and compared are the numbers above.
    largest_square: float = field(default=0.0, repr=False, compare=False)
    threshold: float = field(default=0.0, repr=False, compare=False)
    constant: bool = field(default=False, repr=False, compare=False)
    weights: Array | None = field(default=None, repr=False, compare=False)
    hindsight: KeptExamples | None = field(default=None, repr=False, compare=False)
    fit: LinearFitRecord | None = field(default=None, repr=False, compare=False)

    def with_margin(self, margin: float) -> OnlineRecord:
        """The record of a run whose last pass changed nothing, with the smallest margin met there."""
        return replace(self, margin=margin)

    @property
    def width(self) -> int:
        """The number of features."""
        return 0 if self.weights is None else len(self.weights) - 1

    @cached_property
    def comparator(self) -> Comparator | None:
        """The best fixed vector in hindsight; the weights stand for examples that were not kept."""
        return None if self.hindsight is None else self.hindsight.best(self.weights)


@dataclass(frozen=True)
class MarginPerceptronRecord(OnlineRecord):
    """The run of the margin perceptron on one binary problem.

    Attributes
    ----------
    declared_margin : float
        The margin that the examples were said to have.
    eps : float
        The share of it that the learner may stay below.
    """

    declared_margin: float = 0.1
    eps: float = 0.5


@dataclass(frozen=True)
class WinnowRecord(OnlineRecord):
    """The run of Winnow on one binary problem.

    Attributes
    ----------
    literals : int
        The threshold: the number of features, negated ones included.
    negations : bool
        Whether features may be negated.
    late : bool
        Whether features appeared after a mistake, so that the threshold was not that of all of them.
    names : sequence or None
        What the features are called.
    factor : float
        By what weights are multiplied, or divided, on a mistake.
    """

    literals: int = 0
    negations: bool = False
    late: bool = False
    names: Sequence[Any] | None = field(default=None, repr=False, compare=False)
    factor: float = 2.0


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
