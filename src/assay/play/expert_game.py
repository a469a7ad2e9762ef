"""The games of advice and of allocation: a policy and an opponent, round by round.

An opponent that fixed everything in advance is a table. One that answers to the policy is asked anew in
every round, and may know all that was played before; it never sees what is still to be drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, Protocol

import numpy as np

from assay.errors import BadParameter
from assay.record.experts import ExpertRecord
from assay.theory.needs import count
from assay.types import Floats


class Past:
    """What an opponent may know before a round.

    Parameters
    ----------
    rounds : int
        How many rounds were played.
    totals : array
        What every expert, or arm, would have lost in them.
    weights : function
        Works out `weights`, when somebody asks for them.

    Attributes
    ----------
    weights : array
        The probabilities with which the policy plays in the coming round.
    watched : bool
        Whether somebody asked for them.
    """

    def __init__(self, rounds: int, totals: Floats, weights: Callable[[], Any]) -> None:
        self.rounds, self.totals, self._weights = rounds, totals, weights

    @cached_property
    def weights(self) -> Floats:
        """The probabilities with which the policy plays in the coming round."""
        return np.asarray(self._weights(), dtype=np.float64)

    @property
    def watched(self) -> bool:
        """Whether somebody asked for the weights, which tell what the policy drew before."""
        return "weights" in vars(self)


#: Makes the losses of all experts, or arms, for the coming round.
Losses = Callable[[Past], Any]


class Adviser(Protocol):
    """An opponent in the game of advice: it owns the experts, and says what comes true."""

    def advise(self) -> Any | None:
        """What the experts say in the coming round; None ends the game."""

    def answer(self, advice: Any, prediction: Any) -> Any:
        """What comes true, once the policy has predicted."""


def play_experts(policy: Any, opponent: Adviser, rounds: int) -> ExpertRecord:
    """Play a policy with advice, one round after the other: advice, prediction, outcome.

    Parameters
    ----------
    policy : policy
        One that takes advice, such as `assay.WeightedMajority`; it learns in place.
    opponent : Adviser
        Gives the advice, and the outcome when it knows the prediction.
    rounds : int
        The most rounds that are played.

    Returns
    -------
    ExpertRecord

    Examples
    --------
    >>> from assay import WeightedMajority
    >>> from assay.play.expert_adversaries import WeightSplitting
    >>> policy = WeightedMajority(beta=0.5)
    >>> play_experts(policy, WeightSplitting(experts=12, beta=0.5), rounds=100).mistakes
    7
    """
    for _ in range(count("rounds", rounds, at_least=1)):
        advice = opponent.advise()
        if advice is None:
            break
        policy.update(advice, opponent.answer(advice, policy.predict(advice)))
    record: ExpertRecord = policy.record_
    return record


def play_allocation(
    policy: Any, opponent: Any, rounds: int | None = None, *, experts: int | None = None
) -> ExpertRecord:
    """Play a policy that spreads weight over experts, and is told what each of them lost.

    Parameters
    ----------
    policy : policy
        One that takes losses, such as `assay.Hedge`; it learns in place.
    opponent : array-like of shape (rounds, experts), or function
        Losses that were fixed in advance; or a function that makes those of the coming round from what
        is `Past`, the policy's weights included.
    rounds : int, optional
        How many rounds are played, with a function.
    experts : int, optional
        How many experts there are, with a function and a policy that has not played yet.

    Returns
    -------
    ExpertRecord

    Examples
    --------
    >>> from assay import Hedge
    >>> from assay.play.expert_adversaries import against_the_favourite
    >>> record = play_allocation(Hedge(rounds=100), against_the_favourite, rounds=100, experts=4)
    >>> record.expert_losses.tolist()
    [25.0, 25.0, 25.0, 25.0]
    """
    if not callable(opponent):
        _no_rounds(rounds)
        policy.play(opponent)
    else:
        for _ in range(count("rounds", rounds, at_least=1)):
            policy.update(opponent(_past(policy, experts)))
    record: ExpertRecord = policy.record_
    return record


def _past(policy: Any, experts: int | None) -> Past:
    if hasattr(policy, "rounds_"):
        now = policy.record_
        return Past(now.rounds, now.expert_losses, policy.predict)
    # A policy asks for the number of experts only while it has met none.
    first = partial(policy.predict, experts=experts)
    return Past(0, np.zeros(len(first())), first)


def _no_rounds(rounds: int | None) -> None:
    if rounds is not None:
        raise BadParameter("rounds is for opponents that are functions; a table has its own.")
