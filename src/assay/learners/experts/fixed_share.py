"""Fixed share: experts of whom now this one, now that one is the best."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from assay.compiled.experts.exponential_weights import least_of
from assay.compiled.experts.fixed_share import fixed_share_pass
from assay.errors import require
from assay.guarantees.experts import fixed_share_guarantees
from assay.learners.common import kinds
from assay.learners.experts.policy import number
from assay.learners.experts.weighing import Loss, Rounds, WeighingPolicy
from assay.learners.registry import register
from assay.record.experts import FixedShareRecord
from assay.theory.needs import count, inside_unit, positive
from assay.theory.regret.fixed_share import best_share, fixed_share_rate
from assay.theory.regret.weighted_average import MIXABLE_RATES
from assay.types import Floats


@register(
    "fixed-share",
    use="combining forecasters when the best one changes",
    promise="loses little more than experts that switch",
)
@dataclass(eq=False, repr=False)
class FixedShare(WeighingPolicy):
    r"""Hedge that after each round hands the share :math:`\alpha` of all weight out evenly.

    It does nearly as well as the best *sequence* of experts that switches at most S times. With
    :math:`C=(S+1)\ln K+S\ln\frac1\alpha+(T-1-S)\ln\frac1{1-\alpha+\alpha/K}` its regret against any of them is at most
    :math:`C/\eta+\eta TB^2/8` for losses in [0, B] (``fixed-share-regret``), and at most :math:`C/\eta` for the
    weighted mean of advice under the square loss at rates up to 1/2 or the entropic loss at rates up to 1
    (``fixed-share-mixable-regret``).

    Parameters
    ----------
    switches : int, default=1
        How many switches S there are at most in the sequences it is compared with.
    rounds : int, optional
        The number T of rounds. The share is then :math:`S/(T-1)`, and the rate the best for it.
    share : float, optional
        The share :math:`\alpha`, strictly between 0 and 1, in place of that one.
    learning_rate : float, optional
        The rate :math:`\eta`. By default 1/2 under the square loss, 1 under the entropic loss, and else the
        best for so many rounds and switches.
    loss : {None, "square", "absolute", "entropic"} or callable, default=None
        None if the losses of the experts are given themselves. Otherwise the policy is played with advice
        and outcomes and predicts the weighted mean; as for `WeightedAverage`.
    low, high : float, default=0.0, 1.0
        Between which numbers advice and outcomes lie; losses are stated for numbers scaled into [0, 1].
    largest_loss : float, default=1.0
        The largest loss B, where losses are given or `loss` is a function.
    sample : bool, default=False
        Whether, given losses, one expert drawn by the weights is followed too.
    random_state : int, RandomState instance or None, default=None
        Seeds the draws. A round's draw depends on the seed and the round alone.
    trace : bool, default=False
        Whether `record_` holds, round by round, what the proof follows.

    Attributes
    ----------
    record_ : ExpertRecord
        Rounds, the policy's loss, the experts' losses, that of the best sequence.
    totals_ : array
        What each expert lost so far.
    weights_ : array
        The weights of the experts in the round to come, up to a common factor.

    References
    ----------
    .. [1] Herbster & Warmuth (1998). Tracking the best expert.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import FixedShare
    >>> losses = np.zeros((200, 2))
    >>> losses[:100, 0] = losses[100:, 1] = 1.0
    >>> policy = FixedShare(switches=1, rounds=200)
    >>> _ = policy.play(losses)
    >>> policy.record_.expert_losses.tolist(), policy.record_.sequence_loss
    ([100.0, 100.0], 0.0)
    >>> promise = policy.guarantees()[0]
    >>> promise.of, round(promise.value, 3), round(float(promise.observed), 3)
    ('regret against the best sequence with at most 1 switch', 26.791, 11.876)
    """

    state = kinds.declare(sequences_=kinds.array("<f8", None, "totals_"))

    _record = FixedShareRecord
    _guarantees = staticmethod(fixed_share_guarantees)

    switches: int = 1
    rounds: int | None = None
    share: float | None = None
    learning_rate: float | None = None
    loss: Loss = None
    low: float = 0.0
    high: float = 1.0
    largest_loss: float = 1.0
    sample: bool = False
    random_state: Any = None
    trace: bool = False

    def _switches(self) -> int:
        return count("switches", self.switches)

    def _share(self) -> float:
        if self.share is not None:
            return number(inside_unit, "share", self.share)
        require(self.rounds is not None, "rounds", "given, or else share", self.rounds)
        return best_share(count("rounds", self.rounds, at_least=1), self._switches())

    def _rate(self, experts: int) -> float:
        if self.learning_rate is not None:
            return number(positive, "learning_rate", self.learning_rate)
        if self.loss in MIXABLE_RATES:
            return float(MIXABLE_RATES[str(self.loss)])
        require(self.rounds is not None, "rounds", "given, or else learning_rate", self.rounds)
        rounds = count("rounds", self.rounds, at_least=1)
        return _best_rate(rounds, experts, self._switches(), self._share(), self._largest())

    def _fresh(self, experts: int) -> dict[str, Any]:
        self._rate(experts), self._share()
        return {
            "carries_": np.zeros((self._switches() + 2, experts)),
            "weights_": np.full(experts, 1.0 / experts),
            "sequences_": np.zeros((self._switches() + 1, experts)),
        }

    def _pass(self, rounds: Rounds) -> int:
        own = self.weights_, self.totals_, self.sequences_, self.carries_
        rates = self._rate(self.n_experts), self._share(), self._largest()
        return self._run(
            fixed_share_pass, rounds.losses, rounds.advice, *own, *rates, rounds=rounds
        )

    def _weights(self) -> Floats:
        return np.array(self.weights_)

    def _followed(self) -> dict[str, float]:
        return super()._followed() | {"best": self._best_sequence()}

    def _best_sequence(self) -> float:
        return float(least_of(self.sequences_[-1]))

    def _recorded(self) -> dict[str, Any]:
        return super()._recorded() | {
            "sequence_loss": self._best_sequence(),
            "learning_rate": self._rate(self.n_experts),
            "largest_loss": self._largest(),
            "share": self._share(),
            "switches": self._switches(),
        }


@lru_cache(maxsize=256)
def _best_rate(rounds: int, experts: int, switches: int, share: float, largest: float) -> float:
    return fixed_share_rate(rounds, experts, switches, share, largest)
