"""The bandit game: the policy plays one arm, and sees the loss of that one only."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from assay.errors import BadParameter
from assay.learners.bandits.inputs import mean_losses
from assay.play.expert_game import Past
from assay.record.bandit import BanditRecord
from assay.theory.needs import count
from assay.types import Floats


def play_bandit(policy: Any, opponent: Any, rounds: int | None = None) -> BanditRecord:
    """Play a bandit policy against losses that are fixed, drawn, or chosen in the light of its play.

    The opponent settles the losses of all arms before the arm is drawn. The policy sees only that of its
    arm; the others are noted down, so that the regret is known.

    Parameters
    ----------
    policy : policy
        Such as `assay.EXP3`; it learns in place.
    opponent : array-like of shape (rounds, arms), or function
        Losses that were fixed in advance; or a function that makes those of the coming round from what is
        `Past`: `Bernoulli`, which draws them, `against_the_favourite`, or your own.
    rounds : int, optional
        How many rounds are played, with a function.

    Returns
    -------
    BanditRecord

    Notes
    -----
    ``exp3-regret`` is about losses fixed in advance, and the theorems of `assay.UCB1` and its kind are about
    independent draws. An opponent that asks for ``past.weights`` answers to what the policy drew: the
    assumption is then violated, and `guarantees` promises nothing by these theorems. One that does
    not ask could have written down all its losses beforehand, unless it knows the policy in another way. (Against
    an opponent that answers, the regret to the best arm says less anyway: on another arm, it would have done
    something else.) `assay.EXP3IX` keeps its promise against both.

    Examples
    --------
    A policy that draws nothing is lost against an opponent that knows it; one that draws is not.

    >>> from assay import EXP3, UCB1
    >>> from assay.play.expert_adversaries import against_the_favourite
    >>> record = play_bandit(UCB1(arms=4), against_the_favourite, rounds=400)
    >>> record.loss, record.regret >= 300
    (400.0, True)
    >>> record = play_bandit(EXP3(arms=4, random_state=0), against_the_favourite, rounds=400)
    >>> bool(record.loss < 200)
    True
    """
    if not callable(opponent):
        if rounds is not None:
            raise BadParameter("rounds is for opponents that are functions; a table has its own.")
        policy.play(opponent)
    else:
        chances = partial(_chances, policy)
        now = policy.record_
        totals = np.zeros(len(now.plays)) if not now.rounds else now.arm_losses
        if totals is None:
            raise BadParameter(
                "policy must be new, or have met only losses that are known of every arm: of the rounds played "
                f"so far, {now.rounds} in all, the opponent cannot be told."
            )
        for t in range(now.rounds, now.rounds + count("rounds", rounds, at_least=1)):
            past = Past(t, totals.copy(), chances)
            losses = np.asarray(opponent(past), dtype=np.float64)
            policy.play(losses.reshape(1, -1))
            if past.watched:
                policy.opponent_looked_ = True
            totals += losses
    record: BanditRecord = policy.record_
    return record


class Bernoulli:
    """An opponent that draws: arm i loses 1 with probability `means[i]`, whatever happened before.

    Parameters
    ----------
    means : array-like of shape (arms,)
        Numbers between 0 and 1.
    random_state : int, optional
        The seed of the draws.

    Examples
    --------
    >>> from assay import UCB1
    >>> record = play_bandit(UCB1(arms=2), Bernoulli([0.9, 0.1], random_state=0), rounds=500)
    >>> bool(record.plays[1] > 400)
    True
    """

    def __init__(self, means: Any, random_state: Any = None) -> None:
        self.means = mean_losses(means, np.size(means))
        self._rng = np.random.default_rng(random_state)

    def __call__(self, past: Past) -> Floats:
        """The losses of the coming round."""
        return (self._rng.random(len(self.means)) < self.means).astype(np.float64)


def _chances(policy: Any) -> Floats:
    """The probabilities of the coming draw, which for a policy that draws nothing is one arm."""
    if hasattr(policy, "probabilities_"):
        return np.asarray(policy.probabilities_)
    return np.asarray(np.eye(policy.arms)[policy.next_arm()])
