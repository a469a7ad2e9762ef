"""The weighted average of experts' predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.compiled.common.elementary import log
from assay.compiled.experts.exponential_weights import least_of, weigh
from assay.compiled.experts.weighted_average import weighted_average_pass
from assay.errors import require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.regrets import regret_guarantee
from assay.learners.experts.hedge import hedge_guarantee, is_anytime, rate_for
from assay.learners.experts.policy import LOSS, number
from assay.learners.experts.weighing import Loss, Rounds, WeighingPolicy
from assay.learners.registry import register
from assay.record.experts import ExpertRecord
from assay.theory.needs import positive
from assay.theory.regret.weighted_average import ENTROPIC_RATE, SQUARE_RATE, UNIT_OUTCOMES
from assay.types import Floats

# The losses under which averaging loses no more than ln K / rate, and the largest rate for it.
_MIXABLE = {
    "square": ("wa-square-regret", SQUARE_RATE),
    "entropic": ("wa-entropic-regret", ENTROPIC_RATE),
}


@register("weighted-average")
@dataclass(eq=False, repr=False)
class WeightedAverage(WeighingPolicy):
    r"""Predict the mean :math:`\sum_iv_ix_i` of the experts' advice, weighted by :math:`v_i\propto e^{-\eta L_i}`.

    Under the square loss of numbers in [0, 1] the average loses at most :math:`2\ln K` more than the best
    of K experts (``wa-square-regret``), under the entropic loss at most :math:`\ln K`
    (``wa-entropic-regret``), over any number of rounds. Under any other loss that is convex in the
    prediction it loses no more than Hedge does (``hedge-regret``).

    Parameters
    ----------
    loss : {"square", "absolute", "entropic"} or callable, default="square"
        The loss of a prediction. A function is called with outcomes and predictions as arrays that
        broadcast, must be convex in the prediction and lie between 0 and `largest_loss`.
    low, high : float, default=0.0, 1.0
        Between which numbers advice and outcomes lie. Losses are stated for numbers scaled into [0, 1]: a
        range that is too wide only makes the policy slow.
    learning_rate : float, optional
        The rate :math:`\eta`, on that scale. By default 1/2 (square) and 1 (entropic), and else that of Hedge.
    rounds : int, optional
        The number of rounds, if it is known; for losses played at Hedge's rate.
    largest_loss : float, default=1.0
        The largest loss, where `loss` is a function.
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
    .. [1] Kivinen & Warmuth (1999). Averaging expert predictions.

    Examples
    --------
    >>> from assay import WeightedAverage
    >>> policy = WeightedAverage(loss="entropic")
    >>> round(policy.predict([0.9, 0.5]), 6)
    0.7
    >>> policy.update([0.9, 0.5], 1)
    >>> round(policy.record_.loss, 6)
    0.356675
    >>> print(policy.guarantees()[0])
    regret against expert 0: at most 0.693148, observed 0.251314, by wa-entropic-regret
    """

    loss: Loss = "square"
    low: float = 0.0
    high: float = 1.0
    learning_rate: float | None = None
    rounds: int | None = None
    largest_loss: float = 1.0
    trace: bool = False

    def _rate(self, experts: int) -> float:
        if self.loss not in _MIXABLE:
            return rate_for(self, experts)
        if self.learning_rate is None:
            return float(_MIXABLE[str(self.loss)][1])
        return number(positive, "learning_rate", self.learning_rate)

    def _anytime(self) -> bool:
        return self.loss not in _MIXABLE and is_anytime(self)

    def _fresh(self, experts: int) -> dict[str, Any]:
        require(self.loss is not None, "loss", "given: Hedge is for losses themselves", self.loss)
        self._require_loss()
        self._rate(experts)
        return {
            "totals_": np.zeros(experts),
            "carries_": np.zeros((1, experts)),
            "weights_": np.ones(experts),
        }

    def _pass(self, rounds: Rounds) -> int:
        return int(
            weighted_average_pass(
                rounds.losses,
                rounds.advice,
                self.totals_,
                self.carries_[0],
                self.weights_,
                self.rounds_,
                self._rate(self.n_experts),
                self._anytime(),
                self._largest(),
                np.uint64(self.seed_),
                rounds.mean,
                rounds.second,
                rounds.chosen,
                rounds.guess,
            )
        )

    def _weights(self) -> Floats:
        rate = self._rate(self.n_experts)
        if self._anytime():
            rate /= np.sqrt(self.rounds_ + 1)
        weights = np.empty(self.n_experts)
        weigh(self.totals_, least_of(self.totals_), rate, weights)
        return weights

    def _followed(self) -> dict[str, float]:
        # Relative to the best expert the weights are at most one, and its own is one.
        divergence = float(log(self._weights().sum()))
        best = float(least_of(self.totals_))
        return {"loss": self._sum(LOSS), "best": best, "divergence": divergence}

    @property
    def record_(self) -> ExpertRecord:
        """What happened so far."""
        self._require_begun()
        return ExpertRecord(
            rounds=self.rounds_,
            loss=self._sum(LOSS),
            expert_losses=self.totals_.copy(),
            names=self._names(),
            trace=self._trace(),
        )

    def _promises(self, record: ExpertRecord, expert: int) -> list[Guarantee]:
        if self.loss not in _MIXABLE:
            return [hedge_guarantee(self, record, expert)]
        theorem, largest = _MIXABLE[str(self.loss)]
        rate = self._rate(self.n_experts)
        if rate > largest:
            return []
        scaled = "every number was compared with the range"
        common: dict[str, Any] = {
            "of": f"regret against {self._expert(expert)}",
            "scale": max(record.loss, 1e-12),
            "known": {UNIT_OUTCOMES: ("checked", scaled)},
        }
        regret = float(record.regrets[expert])
        found = [
            regret_guarantee(
                theorem, {"experts": self.n_experts, "learning_rate": rate}, regret, **common
            )
        ]
        weights = self._weights()
        if weights[expert] > 0:
            left = max(0.0, -float(log(weights[expert] / weights.sum())))
            progress = {
                "divergence_before": float(log(float(self.n_experts))),
                "divergence_after": left,
                "learning_rate": rate,
            }
            found.append(regret_guarantee("wa-progress-potential", progress, regret, **common))
        return found
