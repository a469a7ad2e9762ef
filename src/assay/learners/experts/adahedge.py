"""AdaHedge: Hedge that finds its rate by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.compiled.common.elementary import log
from assay.compiled.experts.adahedge import adahedge_pass, lead, rate_of
from assay.compiled.experts.exponential_weights import least_of
from assay.errors import require
from assay.guarantees.experts import adahedge_guarantees
from assay.learners.common import kinds
from assay.learners.experts.policy import MORE, SECOND
from assay.learners.experts.weighing import CODES, Loss, Rounds, WeighingPolicy
from assay.learners.registry import register
from assay.record.experts import AdaHedgeRecord
from assay.types import Floats


@register(
    "adahedge",
    use="combining forecasters, with nothing to tune",
    promise="loses little more than the best expert",
)
@dataclass(eq=False, repr=False)
class AdaHedge(WeighingPolicy):
    r"""Hedge at the rate :math:`\ln K/\Delta`, where :math:`\Delta` is the sum of its mixability gaps so far.

    It needs to know nothing: not how many rounds there are, nor how large losses can be, nor where they
    start. Its regret is at most :math:`2\Delta_T`, a number it can read off its own run
    (``adahedge-gap-regret``), which is at most :math:`2\sqrt{V\ln K}+(\frac43\ln K+2)S`, where V adds up the
    variances of the losses under its weights and S is the largest range of a round
    (``adahedge-second-order``). Where one expert is clearly better than the rest, that stays small however
    long the game.

    Parameters
    ----------
    loss : {None, "square", "absolute", "entropic"} or callable, default=None
        None if the losses of the experts are given themselves. Otherwise the policy is played with advice
        and outcomes and predicts the weighted mean; a function is called with outcomes and predictions as
        arrays that broadcast, and must be convex in the prediction.
    mixtures : bool, default=False
        Whether the policy does nearly as well as the best fixed *mixture* of the experts, under the square
        or the absolute loss (``adahedge-mixture-regret``): its weights then follow the slope of the loss at
        its own prediction. A mixture of forecasts is often much better than each of them.
    sample : bool, default=False
        Whether, given losses, one expert drawn by the weights is followed too.
    random_state : int, RandomState instance or None, default=None
        Seeds the draws. A round's draw depends on the seed and the round alone.
    trace : bool, default=False
        Whether `record_` holds, round by round, what the proof follows.

    Attributes
    ----------
    record_ : ExpertRecord
        Rounds, the policy's loss, the experts' losses, regret, the gap.
    totals_ : array
        What each expert lost so far.
    weights_ : array
        The weights of the experts in the round to come, up to a common factor.

    References
    ----------
    .. [1] De Rooij, van Erven, Grünwald & Koolen (2014). Follow the leader if you can, hedge if you must.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import AdaHedge
    >>> losses = np.random.default_rng(0).random((1000, 10)) * np.linspace(0.5, 1, 10)
    >>> policy = AdaHedge()
    >>> _ = policy.play(losses)
    >>> print(policy.guarantees()[0])
    regret against expert 0: at most 4.84778, observed 3.13215, by adahedge-gap-regret
    """

    _record = AdaHedgeRecord
    _guarantees = staticmethod(adahedge_guarantees)
    bounded = False
    _needs_second = True
    _carries = 2

    state = kinds.declare(gap_=kinds.amounts(1), spread_=kinds.amounts(1), size_=kinds.amounts(1))

    loss: Loss = None
    mixtures: bool = False
    sample: bool = False
    random_state: Any = None
    trace: bool = False

    def _fresh(self, experts: int) -> dict[str, Any]:
        known = not self.mixtures or self.loss in ("square", "absolute")
        require(known, "loss", "'square' or 'absolute' where mixtures count", self.loss)
        extents = {"gap_": np.zeros(1), "spread_": np.zeros(1), "size_": np.zeros(1)}
        sums = np.zeros(MORE + (experts if self.mixtures else 0))
        return super()._fresh(experts) | {"sums_": sums} | extents

    def _pass(self, rounds: Rounds) -> int:
        outcomes = rounds.outcomes if self.mixtures else rounds.outcomes[:0]
        own = self.totals_, self.sums_[MORE:], self.carries_, self.weights_
        extents = self.gap_, self.spread_, self.size_
        given = rounds.losses, rounds.advice, outcomes, CODES.get(str(self.loss), 0)
        return self._run(adahedge_pass, *given, *own, extents, rounds=rounds)

    def _weights(self) -> Floats:
        weights = np.empty(self.n_experts)
        sums = self.sums_[MORE:] if self.mixtures else self.totals_
        lead(sums, least_of(sums), self._rate(), weights)
        return weights

    def _rate(self) -> float:
        gap = float(self.gap_[0])
        return float(rate_of(log(float(self.n_experts)), gap))

    def _followed(self) -> dict[str, float]:
        return super()._followed() | {"gap": float(self.gap_[0])}

    def _recorded(self) -> dict[str, Any]:
        return super()._recorded() | {
            "gap": float(self.gap_[0]),
            "variance": self._sum(SECOND),
            "spread": float(self.spread_[0]),
            "mixtures": self.mixtures,
            "size": float(self.size_[0]),
        }
