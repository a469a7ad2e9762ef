"""What happened in a game with experts: rounds, losses, and what the theorems need beside them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.types import Floats, Ints


@dataclass(frozen=True)
class ExpertRecord:
    """The run of one policy among its experts.

    Losses are in the units of the theorems: of outcomes and advice scaled into [0, 1] where the policy
    has such a range.

    Attributes
    ----------
    rounds : int
        Rounds played.
    loss : float
        The policy's own loss: of its predictions, or the weighted mean of the experts' losses, which is
        what following an expert drawn by weight costs on average.
    expert_losses : array
        The loss of each expert; of one that slept, in the rounds in which it was awake.
    mistakes : int or None
        Wrong predictions, where predictions are labels.
    names : tuple of str or None
        What the experts are called.
    awake : array of int or None
        In how many rounds each expert was awake, where experts may sleep.
    paid : array or None
        The policy's loss in the rounds in which each expert was awake, where experts may sleep.
    sequence_loss : float or None
        The least loss of a sequence of experts with as many switches as were declared.
    squared_losses : float or None
        The sum of the weighted means of the squared losses.
    gap : float or None
        The sum of the mixability gaps.
    variance : float or None
        The sum of the variances of the losses under the weights.
    spread : float or None
        The largest difference between two losses of one round.
    drawn_loss : float or None
        The loss of the experts that were drawn, where they were.
    abstained : int
        Rounds in which nobody was awake, where experts may sleep; they count among no others.
    trace : dict of str to array, or None
        Round by round what the proofs follow, when asked for; with it ``expert_losses``, the losses of all
        experts until then, a row for each round, and ``regret``, against the one who was best until then.
    """

    rounds: int
    loss: float
    expert_losses: Floats
    mistakes: int | None = None
    names: tuple[str, ...] | None = None
    awake: Ints | None = None
    paid: Floats | None = None
    sequence_loss: float | None = None
    squared_losses: float | None = None
    gap: float | None = None
    variance: float | None = None
    spread: float | None = None
    drawn_loss: float | None = None
    abstained: int = 0
    trace: dict[str, Floats] | None = None

    @property
    def regrets(self) -> Floats:
        """How much more the policy lost than each expert, in the rounds in which that one was awake."""
        lost = self.loss if self.paid is None else self.paid
        return np.asarray(lost - self.expert_losses)

    @property
    def best(self) -> int:
        """The expert against whom the policy regrets most: where all are awake, the best of them."""
        return int(np.argmax(self.regrets))

    @property
    def best_loss(self) -> float:
        """The loss of that expert."""
        return float(self.expert_losses[self.best])

    @property
    def regret(self) -> float:
        """How much more the policy lost than that expert; below zero if it did better than all."""
        return float(self.regrets[self.best])

    def name(self, expert: int) -> str:
        """What an expert is called: its name, or its number."""
        return str(expert) if self.names is None else self.names[expert]


@dataclass(frozen=True)
class WeighingRecord(ExpertRecord):
    """The run of a policy that weighs its experts by their losses.

    Attributes
    ----------
    loss_name : str or None
        ``"square"``, ``"absolute"``, ``"entropic"``, or ``"function"`` for any other; None where losses are given.
    not_convex : int
        The first round in which a function lost more than the mean of the experts, so is not convex; 0 if none.
    learning_rate : float or None
        The rate, where it was the same in every round.
    largest_loss : float
        The largest loss that was allowed; infinite where there is none.
    """

    loss_name: str | None = None
    not_convex: int = 0
    learning_rate: float | None = None
    largest_loss: float = math.inf


@dataclass(frozen=True)
class HedgeRecord(WeighingRecord):
    """The run of exponential weights.

    Attributes
    ----------
    divergence_before : float
        How far the equal weights of the beginning are from being all on one expert, by their relative entropy
        (``simplex-relative-entropy``).
    divergences : array or None
        How far the weights are from being all on each expert, at a rate that was the same in every round; infinite
        for one who has lost all weight.
    """

    divergence_before: float = 0.0
    divergences: Floats | None = None


@dataclass(frozen=True)
class AdaHedgeRecord(WeighingRecord):
    """The run of AdaHedge.

    Attributes
    ----------
    mixtures : bool
        Whether its weights followed the slope of the loss, so that it is compared with mixtures of the experts.
    size : float
        The sum of the sizes of the losses: those below zero cancel others, but not the rounding of their sums.
    """

    mixtures: bool = False
    size: float = 0.0


@dataclass(frozen=True)
class FixedShareRecord(WeighingRecord):
    """The run of fixed share.

    Attributes
    ----------
    share : float
        The share of all weight that was handed out evenly after each round.
    switches : int
        How many switches there are at most in the sequences it is compared with.
    """

    share: float = 0.0
    switches: int = 0


@dataclass(frozen=True)
class SleepingRecord(ExpertRecord):
    """The run among experts who may sleep.

    Attributes
    ----------
    epsilon : float
        The step of the weights.
    """

    epsilon: float = 0.0


@dataclass(frozen=True)
class MajorityRecord(ExpertRecord):
    """The run of the weighted majority; one that followed experts drawn by weight has a `drawn_loss`.

    Attributes
    ----------
    beta : float or None
        The factor on the weight of a wrong expert; None for 1/e, which the theorems take by themselves.
    """

    beta: float | None = None
