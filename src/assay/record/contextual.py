"""What happened to a policy that decides with context."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.types import Floats, Ints


@dataclass(frozen=True)
class ContextualRecord:
    """The run of a policy that decides with context.

    Attributes
    ----------
    asked : int
        Rounds in which an action was chosen.
    rounds : int
        Losses that were learned.
    loss : float
        Their sum.
    late : int
        Losses learned otherwise than in turn: of an earlier round, or of a log.
    untold : int
        Rounds whose loss was never told, the standing one left out.
    most_actions : int
        The most actions there were to choose from in a round.
    regret : float or None
        What the choices cost on average beyond the best action of every round; None unless the mean losses of
        all actions were known in every round.
    settings : mapping
        The parameters that the run was played with.
    trace : dict of str to array, or None
        Round by round, when asked for: the action, its probability and its loss.
    """

    asked: int
    rounds: int
    loss: float
    late: int
    untold: int
    most_actions: int
    regret: float | None
    settings: Mapping[str, Any] = field(default_factory=dict, repr=False)
    trace: dict[str, Floats | Ints] | None = None

    @property
    def mean_loss(self) -> float:
        """The mean of the losses learned; NaN if there are none."""
        return self.loss / self.rounds if self.rounds else float("nan")

    @property
    def in_turn(self) -> bool:
        """Whether every loss was learned before the next choice."""
        return not self.late and not self.untold


@dataclass(frozen=True)
class RidgeRecord(ContextualRecord):
    """The same of a policy that forecasts losses by least squares.

    Attributes
    ----------
    dimension : int
        How many numbers the models have together.
    feature_norm : float
        The length of the longest features of any action met.
    explored : int
        Rounds in which another action was drawn than the one that the policy holds for the best.
    weighted : int
        Losses that were learned with a weight.
    gaps : float
        Summed over the rounds, how much the choice could cost by the intervals of the losses.
    log_determinant : float
        By how much the logarithm of the determinant of V has grown.
    squared_errors : float
        Of the forecasts of the losses that were learned.
    best_squared_errors : float
        Those of the best linear forecaster in hindsight, with its penalty.
    """

    dimension: int = 0
    feature_norm: float = 0.0
    explored: int = 0
    weighted: int = 0
    gaps: float = 0.0
    log_determinant: float = 0.0
    squared_errors: float = 0.0
    best_squared_errors: float = 0.0


@dataclass(frozen=True)
class AdvisedActionsRecord(ContextualRecord):
    """The same of a policy that weighs experts.

    Attributes
    ----------
    expert_losses : array of shape (experts,)
        What each expert is estimated to have lost.
    learning_rate : float or None
        The rate, where it was the same in every round.
    best_loss : float or None
        What the best expert lost on average over its own draws, where the losses of all actions were known.
    expected_loss : float or None
        What the policy lost on average over its draws, likewise.
    """

    expert_losses: Floats = field(default_factory=lambda: np.zeros(0))
    learning_rate: float | None = None
    best_loss: float | None = None
    expected_loss: float | None = None
