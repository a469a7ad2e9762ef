"""EXP4: as good as the best of many experts, each of whom advises actions, with only the loss of one action seen."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.compiled.bandits.exp4 import choose_advised, learn_advised
from assay.compiled.common.elementary import log
from assay.errors import BadData, BadParameter
from assay.guarantees.contextual import exp4_guarantees
from assay.learners.common import kinds
from assay.learners.contextual.inputs import (
    action_of,
    allowed_of,
    loss_of,
    numbers,
    require_finite,
    table_of_losses,
)
from assay.learners.contextual.policy import ContextualPolicy
from assay.learners.registry import register
from assay.record.contextual import AdvisedActionsRecord
from assay.theory.needs import count, positive
from assay.types import Bools, Floats

_ASKED, _TOLD, _LATE, _MOST, _KNOWN = range(5)


@register(
    "exp4",
    use="choosing actions by the advice of several rules or policies",
    promise="bounds its expected regret against the best of them",
)
@dataclass(eq=False, repr=False)
class EXP4(ContextualPolicy):
    r"""Weigh N experts by :math:`\exp(-\eta\hat L_i)`; draw an action by what they advise.

    An expert's loss is estimated by the share it gave to the action drawn, times the loss, over the probability of
    the action. The expected regret against the best expert is at most :math:`\sqrt{2TK\ln N}`, whatever the
    losses are [1]_.

    The context of a round is the advice: for each expert an action, or a probability for every action. Shares that an
    expert gives to excluded actions go to the others in proportion, and its losses are those of that advice.

    Parameters
    ----------
    arms : int, default=2
        The number of actions, called 0, 1, ...
    rounds : int or None, default=None
        How many rounds there will be; the rate is then :math:`\sqrt{2\ln N/(TK)}`. If nobody knows, None: the rate
        of round t is :math:`\sqrt{\ln N/(tK)}`, which costs a factor :math:`\sqrt2` in the bound.
    learning_rate : float or None, default=None
        Another rate, instead of `rounds`.
    least_propensity : float, default=0.0
        The probability that every allowed action has at least in every round.
    random_state : int, RandomState instance or None, default=None
        The seed of the draws.
    trace : bool, default=False
        Whether actions, probabilities and losses are kept round by round.

    Attributes
    ----------
    record_ : AdvisedActionsRecord
        What happened: losses, and what each expert is estimated to have lost.
    probabilities_ : array
        With which probability every action was chosen in the round that stands.

    References
    ----------
    .. [1] Auer, Cesa-Bianchi, Freund & Schapire (2002). The nonstochastic multiarmed bandit problem.

    Examples
    --------
    >>> from assay import EXP4
    >>> policy = EXP4(arms=3, rounds=500, random_state=0)
    >>> for t in range(500):
    ...     action, probability = policy.choose([t % 3, 0, (t + 1) % 3])
    ...     policy.update(action, 0.0 if action == t % 3 else 1.0)
    >>> int(policy.record_.expert_losses.argmin())
    0
    """

    _guarantees = staticmethod(exp4_guarantees)
    settings: ClassVar[tuple[str, ...]] = ("least_propensity", "learning_rate", "rounds")
    state = kinds.declare(
        losses_=kinds.amounts(),
        arms_=kinds.whole(1, 2**27),
        rate_=kinds.real(0),
        tally_=kinds.counts(5, most=2**53),
        loss_=kinds.size,
        shares_=kinds.maybe(kinds.array("<f8", "losses_", least=0, most=1), along="choice_"),
        known_losses_=kinds.maybe(kinds.amounts("losses_")),
        expected_loss_=kinds.maybe(kinds.size, along="known_losses_"),
    )

    arms: int = 2
    rounds: int | None = None
    learning_rate: float | None = None
    least_propensity: float = 0.0
    random_state: Any = None
    trace: bool = False

    def choose(
        self, context: Any, actions: None = None, excluded: Iterable[int] = ()
    ) -> tuple[int, float]:
        """Choose an action for a round. Asked again, it is another round.

        Parameters
        ----------
        context : array-like of shape (experts,) or (experts, actions)
            The action that each expert advises, or the probabilities that it gives to all.
        actions : None
            Experts know what there is to know of actions.
        excluded : iterable of int
            The actions that may not be chosen in this round.

        Returns
        -------
        action : int
        probability : float
            With which it was chosen, given all that came before.
        """
        if actions is not None:
            raise BadParameter("actions must be left out: EXP4 knows nothing but the advice.")
        if not hasattr(self, "losses_"):
            advice = self._advice(context, count("arms", self.arms, at_least=1))
            self._open(len(advice))
        else:
            advice = self._advice(context, self.arms_)
        k = self.arms_
        allowed = np.ones(k, dtype=np.bool_) if excluded == () else allowed_of(excluded, k)
        self._require_floor(int(allowed.sum()))
        chances, shares = np.empty(k), np.empty_like(advice)
        action = self._choose(advice, allowed, chances, shares)
        self.choice_ = action, float(chances[action])
        self.chances_, self.shares_ = chances, np.ascontiguousarray(shares[:, action])
        self.told_ = False
        return self.choice_

    def _choose(self, advice: Floats, allowed: Bools, chances: Floats, shares: Floats) -> int:
        tally = self.tally_
        tally[_ASKED] += 1
        tally[_MOST] = max(tally[_MOST], allowed.sum())
        rate = self.rate_ or math.sqrt(
            float(log(float(len(self.losses_)))) / (int(tally[_ASKED]) * self.arms_)
        )
        floor = float(self.settings_["least_propensity"])
        given = advice, allowed, rate, floor, chances, shares
        return int(choose_advised(self.generator_, self.losses_, *given))

    def _learn_choice(self, action: int, chance: float, loss: float) -> None:
        self._learn(self.shares_, chance, loss)

    def _learn(self, shares: Floats, chance: float, loss: float) -> None:
        learn_advised(self.losses_, shares, loss, chance)
        self.tally_[_TOLD] += 1
        self.loss_ += loss

    def learn(
        self,
        context: Any,
        action: int,
        loss: float,
        *,
        actions: None = None,
        probability: float | None = None,
        weight: float = 1.0,
    ) -> None:
        """Learn the loss of an earlier round, or of one that somebody else played.

        Parameters
        ----------
        context : array-like
            The advice, as for `choose`.
        action : int
            The action that was taken.
        loss : float
            Its loss, between 0 and 1.
        actions : None
        probability : float
            With which the action was chosen.
        weight : float, default=1.0
            How much the example counts.
        """
        known = hasattr(self, "losses_")
        k = self.arms_ if known else count("arms", self.arms, at_least=1)
        advice, place, paid = (
            self._advice(context, k),
            action_of("action", action, k),
            loss_of(loss),
        )
        chance = 0.0 if probability is None else float(positive("probability", probability).low)
        if not 0.0 < chance <= 1.0:
            raise BadParameter(
                "probability must be above 0 and at most 1, that with which the action was chosen, "
                f"but is {probability!r}."
            )
        weighs = float(positive("weight", weight).low)
        if not known:
            self._open(len(advice))
        self.tally_[_LATE] += 1
        shares = np.ascontiguousarray(advice[:, place])
        learn_advised(self.losses_, shares, paid * weighs, chance)
        self.tally_[_TOLD] += 1
        self.loss_ += paid

    def play(self, losses: Any, contexts: Any) -> Any:
        """Play against the losses of all actions, round by round: the same steps as one at a time.

        Parameters
        ----------
        losses : array-like of shape (rounds, actions)
            Numbers between 0 and 1.
        contexts : array-like of shape (rounds, experts) or (rounds, experts, actions)
            The advice of every round.

        Returns
        -------
        self
        """
        table = table_of_losses("losses", losses)
        if not len(table) or len(contexts) != len(table):
            raise BadData("losses and contexts must tell of the same rounds, at least one.")
        if table.shape[1] != self.arms:
            raise BadData(
                f"losses must have one column for each of the {self.arms} actions, but have "
                f"{table.shape[1]}."
            )
        allowed = np.ones(table.shape[1], dtype=np.bool_)
        for advised, row in zip(contexts, table, strict=True):
            advice = self._advice(advised, len(row))
            if not hasattr(self, "losses_"):
                self._open(len(advice))
            self._require_floor(len(row))
            chances, shares = np.empty(len(row)), np.empty_like(advice)
            action = self._choose(advice, allowed, chances, shares)
            if not hasattr(self, "known_losses_"):
                self.known_losses_, self.expected_loss_ = np.zeros(len(advice)), 0.0
            self.known_losses_ += shares @ row
            self.expected_loss_ += float(chances @ row)
            self.tally_[_KNOWN] += 1
            loss, chance = float(row[action]), float(chances[action])
            self._learn(np.ascontiguousarray(shares[:, action]), chance, loss)
            if self.trace:
                self._keep(np.array([action]), np.array([chance]), np.array([loss]))
        return self

    @property
    def record_(self) -> AdvisedActionsRecord:
        """What happened so far."""
        if not hasattr(self, "losses_"):
            raise BadData("Nothing has been chosen yet. Call choose() first.")
        asked, told, late, most, known = self.tally_.tolist()
        complete = 0 < asked == known
        return AdvisedActionsRecord(
            asked=asked,
            rounds=told,
            loss=self.loss_,
            late=late,
            untold=max(asked - (told - late) - (not self.told_), 0),
            most_actions=most,
            regret=None,
            settings=dict(self.settings_),
            trace=self._traced(),
            expert_losses=self.losses_.copy(),
            learning_rate=self.rate_ or None,
            best_loss=float(self.known_losses_.min()) if complete else None,
            expected_loss=self.expected_loss_ if complete else None,
        )

    def _advice(self, context: Any, arms: int) -> Floats:
        """The probabilities that every expert gives to every action."""
        if np.ndim(context) == 1:
            named = numbers("context", context, 1)
            bad = np.flatnonzero(~((named >= 0) & (named < arms) & (named == np.floor(named))))
            if bad.size:
                action_of(f"context[{bad[0]}]", named[bad[0]].item(), arms)
            advice = np.zeros((len(named), arms))
            advice[np.arange(len(named)), named.astype(np.int64)] = 1.0
        else:
            advice = numbers("context", context, 2)
            require_finite(context=advice)
            off = (advice < 0).any(axis=1) | (np.abs(advice.sum(axis=1) - 1.0) > 1e-9)
            if advice.shape[1] != arms or off.any():
                where = f"expert {int(off.argmax())}" if off.any() else f"shape {advice.shape}"
                raise BadData(
                    f"context must hold probabilities of the {arms} actions for each expert, but {where} does not."
                )
        if not len(advice):
            raise BadData("context must hold the advice of one expert at least, but is empty.")
        if hasattr(self, "losses_") and len(advice) != len(self.losses_):
            raise BadData(
                f"context must hold the advice of {len(self.losses_)} experts, as in the first round, "
                f"but holds that of {len(advice)}."
            )
        return advice

    def _open(self, experts: int) -> None:
        arms = count("arms", self.arms, at_least=1)
        if arms * experts > 2**27:
            raise BadParameter(f"{experts:,} experts on {arms:,} actions are too many.")
        self._floor()
        self.rate_ = self._rate(experts, arms)
        self._hold_settings()
        self.arms_, self.losses_ = arms, np.zeros(experts)
        self.tally_, self.loss_ = np.zeros(5, dtype=np.int64), 0.0
        self.generator_, self.told_ = self._started(), True

    def _rate(self, experts: int, arms: int) -> float:
        """The fixed rate, or 0 for one that falls with the rounds."""
        if self.learning_rate is not None:
            if self.rounds is not None:
                raise BadParameter(
                    "rounds and learning_rate must not both be given: rounds are for choosing the rate."
                )
            return float(positive("learning_rate", self.learning_rate).low)
        if self.rounds is None:
            return 0.0
        rounds = count("rounds", self.rounds, at_least=1)
        return math.sqrt(2.0 * float(log(float(experts))) / (rounds * arms))

    def _require_state(self) -> None:
        """Refuse, in a model file, a memory that no run leaves behind."""
        self._require_choice()
        asked, told, late, most, known = self.tally_.tolist()
        fits = [
            late <= told and told - late <= asked,
            known <= asked,
            most <= self.arms_,
            len(self.losses_) > 0,
            not hasattr(self, "choice_") or len(self.chances_) == self.arms_,
        ]
        if not all(fits):
            raise ValueError("its memory is none that it could have come to")
