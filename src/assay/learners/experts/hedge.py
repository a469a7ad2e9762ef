"""Hedge."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from assay.compiled.common.elementary import log
from assay.compiled.experts.exponential_weights import least_of, weigh
from assay.compiled.experts.hedge import SMALL, hedge_pass
from assay.compiled.experts.weighted_average import weighted_average_pass
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.regrets import regret_guarantee
from assay.learners.common import kinds
from assay.learners.experts.policy import DRAWN, LOSS, SECOND, number
from assay.learners.experts.weighing import Rounds, WeighingPolicy
from assay.learners.registry import register
from assay.record.experts import ExpertRecord
from assay.theory.needs import count, positive
from assay.theory.regret.hedge import BOUNDED_LOSSES, LOSS_IS_MEAN, NONNEGATIVE_LOSSES
from assay.theory.tuning import hedge_anytime_rate, hedge_rate
from assay.types import Floats


@register("hedge")
@dataclass(eq=False, repr=False)
class Hedge(WeighingPolicy):
    r"""Spread the weight by :math:`v_i\propto e^{-\eta L_i}`, where :math:`L_i` is what expert i lost so far.

    In each round the policy plays a distribution :math:`v` over the experts, is told the loss of every
    expert, and loses the mean :math:`v\cdot\ell`; or it follows one expert drawn by :math:`v`, which costs
    the same on average. Its regret against every expert is at most :math:`\frac{\ln K}\eta+\frac{\eta TB^2}8`
    for losses in [0, B] (``hedge-regret``): :math:`B\sqrt{\frac12T\ln K}` when the number T of rounds is
    known, and :math:`B\sqrt{T\ln K}` when it is not.

    Parameters
    ----------
    rounds : int, optional
        The number T of rounds, if it is known; the rate is then :math:`\sqrt{8\ln K/T}/B`.
    learning_rate : float, optional
        The rate :math:`\eta`, in place of the one for so many rounds. Without either, round t is played at
        the rate :math:`2\sqrt{\ln K/t}/B`.
    largest_loss : float, default=1.0
        The largest loss B.
    sample : bool, default=False
        Whether `play` and `update` also follow, in each round, one expert drawn by the weights.
    random_state : int, RandomState instance or None, default=None
        Seeds the draws. A round's draw depends on the seed and the round alone.
    trace : bool, default=False
        Whether `record_` holds, round by round, what the proof follows.

    Attributes
    ----------
    record_ : ExpertRecord
        Rounds, the policy's loss, the experts' losses, regret.
    totals_ : array
        What each expert lost so far.
    weights_ : array
        The weights of the experts in the round to come, up to a common factor.

    References
    ----------
    .. [1] Freund & Schapire (1997). A decision-theoretic generalization of on-line learning and an
       application to boosting.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import Hedge
    >>> policy = Hedge(learning_rate=0.5)
    >>> policy.update([1.0, 0.0])
    >>> policy.predict().round(6).tolist()
    [0.377541, 0.622459]
    >>> losses = np.random.default_rng(0).random((1000, 10)) * np.linspace(0.8, 1, 10)
    >>> policy = Hedge(rounds=1000)
    >>> _ = policy.play(losses)
    >>> print(policy.guarantees()[0])
    regret against expert 1: at most 33.9308, observed 16.1463, by hedge-regret
    """

    loss = None

    state = kinds.declare(whole_=kinds.amounts(1))

    rounds: int | None = None
    learning_rate: float | None = None
    largest_loss: float = 1.0
    sample: bool = False
    random_state: Any = None
    trace: bool = False

    def _fresh(self, experts: int) -> dict[str, Any]:
        rate_for(self, experts)  # refuses parameters that are out of range
        return {
            "totals_": np.zeros(experts),
            "carries_": np.zeros((3, experts)),
            "weights_": np.ones(experts),
            "whole_": np.full(1, float(experts)),
        }

    def _pass(self, rounds: Rounds) -> int:
        rate, largest = rate_for(self, self.n_experts), self._largest()
        anytime, seed = is_anytime(self), np.uint64(self.seed_)
        if not anytime and rate * largest <= SMALL:
            return int(
                hedge_pass(
                    rounds.losses,
                    self.totals_,
                    self.carries_,
                    self.weights_,
                    self.whole_,
                    self.rounds_,
                    rate,
                    largest,
                    seed,
                    rounds.mean,
                    rounds.second,
                    rounds.chosen,
                )
            )
        return int(
            weighted_average_pass(
                rounds.losses,
                rounds.advice,
                self.totals_,
                self.carries_[0],
                self.weights_,
                self.rounds_,
                rate,
                anytime,
                largest,
                seed,
                rounds.mean,
                rounds.second,
                rounds.chosen,
                rounds.guess,
            )
        )

    def _note(self, rounds: Rounds, played: int) -> None:
        self._add(SECOND, rounds.second[:played])

    def _weights(self) -> Floats:
        rate = rate_for(self, self.n_experts)
        if not is_anytime(self) and rate * self._largest() <= SMALL:
            return np.array(self.weights_)
        return weights_at(self)

    def _followed(self) -> dict[str, float]:
        weights = self._weights()
        best = int(np.argmin(self.totals_))
        divergence = -float(log(weights[best] / weights.sum()))
        return {
            "loss": self._sum(LOSS),
            "best": float(self.totals_[best]),
            "divergence": divergence,
            "squared_losses": self._sum(SECOND),
        }

    @property
    def record_(self) -> ExpertRecord:
        """What happened so far."""
        self._require_begun()
        return ExpertRecord(
            rounds=self.rounds_,
            loss=self._sum(LOSS),
            expert_losses=self.totals_.copy(),
            names=self._names(),
            squared_losses=self._sum(SECOND),
            drawn_loss=self._sum(DRAWN) if self.sample else None,
            trace=self._trace(),
        )

    def _promises(self, record: ExpertRecord, expert: int) -> list[Guarantee]:
        found = [hedge_guarantee(self, record, expert)]
        if not is_anytime(self):
            found += self._receipts(record, expert)
        if record.drawn_loss is not None:
            found.append(
                regret_guarantee(
                    "hedge-regret",
                    found[0].inputs,
                    record.drawn_loss - float(record.expert_losses[expert]),
                    of=f"regret of the experts drawn against {self._expert(expert)}",
                    scale=max(record.loss, 1.0),
                    known={BOUNDED_LOSSES: ("checked", "every loss was compared")},
                    quantifier="expectation",
                )
            )
        return found

    def _receipts(self, record: ExpertRecord, expert: int) -> list[Guarantee]:
        """The bounds from the squared losses that occurred, and from how far the weights went."""
        weights = self._weights()
        common = {
            "learning_rate": rate_for(self, self.n_experts),
            "squared_losses": float(record.squared_losses or 0.0),
        }
        theorems: dict[str, dict[str, Any]] = {
            "hedge-second-order": {"experts": self.n_experts} | common
        }
        if weights[expert] > 0:
            left = -float(log(weights[expert] / weights.sum()))
            before = float(log(float(self.n_experts)))
            ends = {"divergence_before": before, "divergence_after": max(0.0, left)}
            theorems["hedge-progress-potential"] = ends | common
        return [
            regret_guarantee(
                name,
                inputs,
                float(record.regrets[expert]),
                of=f"regret against {self._expert(expert)}",
                scale=max(record.loss, 1.0),
                known={NONNEGATIVE_LOSSES: ("checked", "every loss was compared")},
            )
            for name, inputs in theorems.items()
        ]


def is_anytime(policy: Any) -> bool:
    """Whether the rate falls with the round."""
    return policy.learning_rate is None and policy.rounds is None


def rate_for(policy: Any, experts: int) -> float:
    """The rate of a policy with losses up to a known size; at an anytime rate, that of round 1."""
    largest = policy._largest()
    if policy.learning_rate is not None:
        return number(positive, "learning_rate", policy.learning_rate)
    if policy.rounds is not None:
        count("rounds", policy.rounds, at_least=1)
        return _known(policy.rounds, experts, largest)
    return _unknown(experts, largest)


@lru_cache(maxsize=256, typed=True)
def _known(rounds: int, experts: int, largest: float) -> float:
    return hedge_rate(rounds, experts, largest)


@lru_cache(maxsize=256)
def _unknown(experts: int, largest: float) -> float:
    return hedge_anytime_rate(1, experts, largest)


def weights_at(policy: Any) -> Floats:
    """The weights of the coming round, from the totals."""
    rate = rate_for(policy, policy.n_experts)
    if is_anytime(policy):
        rate /= np.sqrt(policy.rounds_ + 1)
    weights = np.empty(policy.n_experts)
    weigh(policy.totals_, least_of(policy.totals_), rate, weights)
    return weights


def hedge_guarantee(policy: Any, record: ExpertRecord, expert: int) -> Guarantee:
    """The bound on the regret of a policy with bounded losses, at the rate it was played at."""
    inputs: dict[str, Any] = {"rounds": record.rounds, "experts": policy.n_experts}
    largest = policy._largest()
    if largest != 1.0:
        inputs["largest_loss"] = largest
    if is_anytime(policy):
        inputs["form"] = "anytime"
    else:
        inputs["learning_rate"] = rate_for(policy, policy.n_experts)
    known: dict[str, Any] = {BOUNDED_LOSSES: ("checked", "every loss was compared")}
    if policy.loss is not None:
        known[LOSS_IS_MEAN] = policy._convex()
    return regret_guarantee(
        "hedge-regret",
        inputs,
        float(record.regrets[expert]),
        of=f"regret against {policy._expert(expert)}",
        scale=max(record.loss, 1.0),
        known=known,
    )
