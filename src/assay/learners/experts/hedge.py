"""Hedge."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from assay.compiled.common.elementary import log, logs
from assay.compiled.experts.exponential_weights import least_of, weigh
from assay.compiled.experts.hedge import SMALL, hedge_pass
from assay.compiled.experts.weighted_average import weighted_average_pass
from assay.guarantees.experts import hedge_guarantees
from assay.learners.common import kinds
from assay.learners.experts.policy import SECOND, number
from assay.learners.experts.weighing import Rounds, WeighingPolicy
from assay.learners.registry import register
from assay.record.experts import HedgeRecord
from assay.theory.needs import count, positive
from assay.theory.tuning import hedge_anytime_rate, hedge_rate
from assay.types import Floats


class ExponentialPolicy(WeighingPolicy):
    """Base of the policies that weigh by exp(-rate * loss), at a rate that is known or falls with the round."""

    rounds: int | None
    learning_rate: float | None

    _record = HedgeRecord

    def _anytime(self) -> bool:
        """Whether the rate falls with the round."""
        return self.learning_rate is None and self.rounds is None

    def _rate(self, experts: int) -> float:
        """The rate for losses up to a known size; at an anytime rate, that of round 1."""
        largest = self._largest()
        if self.learning_rate is not None:
            return number(positive, "learning_rate", self.learning_rate)
        if self.rounds is not None:
            count("rounds", self.rounds, at_least=1)
            return _known(self.rounds, experts, largest)
        return _unknown(experts, largest)

    def _pass(self, rounds: Rounds) -> int:
        return self._play_at(rounds, self._rate(self.n_experts), self._anytime(), self._largest())

    def _play_at(self, rounds: Rounds, rate: float, anytime: bool, largest: float) -> int:
        given = rounds.losses, rounds.advice, self.totals_, self.carries_[0], self.weights_
        return self._run(weighted_average_pass, *given, rate, anytime, largest, rounds=rounds)

    def _weights(self) -> Floats:
        rate = self._rate(self.n_experts)
        if self._anytime():
            rate /= np.sqrt(self.rounds_ + 1)
        weights = np.empty(self.n_experts)
        weigh(self.totals_, least_of(self.totals_), rate, weights)
        return weights

    def _recorded(self) -> dict[str, Any]:
        more = super()._recorded() | {"largest_loss": self._largest()}
        if self._anytime():
            return more
        weights = self._weights()
        # A share of the weight is at most one, so that its logarithm is never above zero.
        after = np.abs(logs(weights / weights.sum()))
        return more | {
            "learning_rate": self._rate(self.n_experts),
            "divergence_before": float(log(float(self.n_experts))),
            "divergences": after,
        }


@register(
    "hedge",
    use="combining forecasters by their losses",
    promise="loses little more than the best expert",
)
@dataclass(eq=False, repr=False)
class Hedge(ExponentialPolicy):
    r"""Spread the weight by :math:`v_i\propto e^{-\eta L_i}`, where :math:`L_i` is what expert i lost so far.

    In each round the policy plays a distribution :math:`v` over the experts, is told the loss of every
    expert, and loses the mean :math:`v\cdot\ell`; or it follows one expert drawn by :math:`v`, which costs
    the same on average. Its regret against every expert is at most :math:`\frac{\ln K}\eta+\frac{\eta TB^2}8`
    for losses in [0, B] (``hedge-regret``): :math:`B\sqrt{\frac12T\ln K}` when the number T of rounds is
    known, and :math:`B\sqrt{T\ln K}` when it is not. Divided by T, it goes to zero (``hedge-regret-average``).

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
    _guarantees = staticmethod(hedge_guarantees)
    _needs_second = True
    _carries = 3

    state = kinds.declare(whole_=kinds.amounts(1))

    rounds: int | None = None
    learning_rate: float | None = None
    largest_loss: float = 1.0
    sample: bool = False
    random_state: Any = None
    trace: bool = False

    def _fresh(self, experts: int) -> dict[str, Any]:
        self._rate(experts)  # refuses parameters that are out of range
        return super()._fresh(experts) | {"whole_": np.full(1, float(experts))}

    def _play_at(self, rounds: Rounds, rate: float, anytime: bool, largest: float) -> int:
        if anytime or rate * largest > SMALL:
            return super()._play_at(rounds, rate, anytime, largest)
        given = rounds.losses, self.totals_, self.carries_, self.weights_, self.whole_
        return self._run(hedge_pass, *given, rate, largest, rounds=rounds)

    def _weights(self) -> Floats:
        # Multiplied round by round, they are those of the loop; else they are made from the totals.
        multiplied = self._rate(self.n_experts) * self._largest() <= SMALL
        return np.array(self.weights_) if multiplied and not self._anytime() else super()._weights()

    def _followed(self) -> dict[str, float]:
        weights, best = self._weights(), int(np.argmin(self.totals_))
        divergence = -float(log(weights[best] / weights.sum()))
        squares = self._sum(SECOND)
        return super()._followed() | {"divergence": divergence, "squared_losses": squares}

    def _recorded(self) -> dict[str, Any]:
        return super()._recorded() | {"squared_losses": self._sum(SECOND)}


@lru_cache(maxsize=256, typed=True)
def _known(rounds: int, experts: int, largest: float) -> float:
    return hedge_rate(rounds, experts, largest)


@lru_cache(maxsize=256)
def _unknown(experts: int, largest: float) -> float:
    return hedge_anytime_rate(1, experts, largest)
