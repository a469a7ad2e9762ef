"""What happened in a run of online gradient descent, and what it leaves for its theorems."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from assay.record.online import Comparator, KeptExamples, OnlineRecord


class KeptSteps(KeptExamples, Protocol):
    """The examples behind the steps as they were kept, or the rival that was fixed when there was no more room."""

    def rival(self, rate: float, loss_since: float = 0.0) -> Comparator:
        """The best vector in hindsight, its length and its hinge loss over all rounds with a step."""


@dataclass(frozen=True, kw_only=True)
class GradientRecord(OnlineRecord):
    """The run of online gradient descent: sums over the rounds with a step, and the rival over them.

    Attributes
    ----------
    loss : float
        The hinge loss of the learner.
    squares, weighted_squares : float
        The sum of the squared lengths of the steps' gradients, and the same weighted by the rates.
    rate : float
        The rate of the last step.
    falling : bool
        Whether rates fall with the steps.
    counted_loss : float
        The part of the rival's loss that was added up in the run, after the rival had been fixed.
    max_norm : float
        The radius of the ball that the weights stay in; 0 for none.
    known_radius : float
        The length of examples that the learner was told; 0 for none.
    proximal : bool
        Whether steps end where the loss is zero.
    hinge : bool
        Whether the loss is the hinge loss, which the theorems are about.
    hindsight : KeptSteps
        The examples behind the steps.
    rival : Comparator
        The best vector in hindsight.
    """

    # What is printed and compared are the numbers of every run.
    loss: float = field(repr=False, compare=False)
    squares: float = field(repr=False, compare=False)
    weighted_squares: float = field(repr=False, compare=False)
    rate: float = field(repr=False, compare=False)
    falling: bool = field(repr=False, compare=False)
    counted_loss: float = field(repr=False, compare=False)
    max_norm: float = field(repr=False, compare=False)
    known_radius: float = field(repr=False, compare=False)
    proximal: bool = field(repr=False, compare=False)
    hinge: bool = field(repr=False, compare=False)
    hindsight: KeptSteps = field(repr=False, compare=False)

    @cached_property
    def rival(self) -> Comparator:
        """The best vector in hindsight over the rounds with a step."""
        return self.hindsight.rival(self.rate, self.counted_loss)
