"""The weighted average of experts' predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.compiled.common.elementary import log
from assay.errors import require
from assay.guarantees.experts import weighted_average_guarantees
from assay.learners.experts.hedge import ExponentialPolicy
from assay.learners.experts.weighing import Loss
from assay.learners.registry import register
from assay.theory.regret.weighted_average import MIXABLE_RATES


@register(
    "weighted-average",
    use="averaging forecasts of a number",
    promise="loses little more than the best expert",
)
@dataclass(eq=False, repr=False)
class WeightedAverage(ExponentialPolicy):
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

    _guarantees = staticmethod(weighted_average_guarantees)

    loss: Loss = "square"
    low: float = 0.0
    high: float = 1.0
    learning_rate: float | None = None
    rounds: int | None = None
    largest_loss: float = 1.0
    trace: bool = False

    def _rate(self, experts: int) -> float:
        if self.loss in MIXABLE_RATES and self.learning_rate is None:
            return float(MIXABLE_RATES[str(self.loss)])
        return super()._rate(experts)

    def _anytime(self) -> bool:
        return self.loss not in MIXABLE_RATES and super()._anytime()

    def _fresh(self, experts: int) -> dict[str, Any]:
        require(self.loss is not None, "loss", "given: Hedge is for losses themselves", self.loss)
        self._require_loss()
        self._rate(experts)
        return super()._fresh(experts)

    def _followed(self) -> dict[str, float]:
        # Relative to the best expert the weights are at most one, and its own is one.
        return super()._followed() | {"divergence": float(log(self._weights().sum()))}
