"""EXP3: exponential weights over arms of which only the played one is seen."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.compiled.bandits.bandit_book import ROUNDS
from assay.compiled.bandits.bandit_game import EXP3_KIND
from assay.compiled.bandits.exp3 import (
    ESTIMATES,
    RATE,
    SHARE,
    SPREAD,
    SQUARES,
    exp3_numbers,
    exp3_step,
)
from assay.compiled.common.elementary import log
from assay.errors import BadParameter
from assay.guarantees.bandits import exp3_guarantees
from assay.learners.bandits.policy import BanditPolicy
from assay.learners.registry import register
from assay.record.bandit import EXP3Record
from assay.theory import tuning
from assay.theory.needs import positive
from assay.types import Array, Floats


@dataclass(eq=False, repr=False)
class ExponentialWeights(BanditPolicy):
    r"""Base of the policies that draw an arm by :math:`v_i\propto\exp(-\eta\hat L_i)`."""

    arms: int = 2
    rounds: int | None = None
    learning_rate: float | None = None
    random_state: Any = None
    trace: bool = False

    _record = EXP3Record
    _kind = EXP3_KIND
    _step = staticmethod(exp3_step)
    #: What is added to the probability in an estimate, as a share of the rate.
    _share = 0.0

    def _rate(self, arms: int) -> float:
        """The fixed rate, or 0 for one that falls with the rounds."""
        if self.learning_rate is not None:
            if self.rounds is not None:
                raise BadParameter(
                    "rounds and learning_rate must not both be given: rounds are for choosing the rate."
                )
            return float(positive("learning_rate", self.learning_rate).low)
        return 0.0 if self.rounds is None else tuning.exp3_rate(self.rounds, arms)

    def _own(self, arms: int) -> Floats:
        numbers = np.zeros(exp3_numbers(arms))
        numbers[RATE] = self._rate(arms)
        first = tuning.exp3_anytime_rate(1, arms)
        numbers[SPREAD] = first * first
        numbers[SHARE] = self._share
        return numbers

    def _recorded(self) -> dict[str, Any]:
        own, arms = self._numbers, self._arms
        estimates, variances = own[ESTIMATES : ESTIMATES + 2 * arms].reshape(2, arms).copy()
        return {
            "estimates": estimates,
            "variances": variances,
            "squared_estimates": float(own[SQUARES]),
            "learning_rate": self._fixed_rate,
        }

    def _require_state(self) -> None:
        super()._require_state()
        own, arms = self._numbers, self._arms
        tree = own[ESTIMATES + 2 * arms :]
        leaves = len(tree) // 2
        # Weights with their sums lead to an arm whatever is drawn.
        sums = tree[2 : 2 * leaves : 2] + tree[3 : 2 * leaves : 2]
        fits = tree[1] > 0 and not tree[leaves + arms :].any() and (tree[1:leaves] == sums).all()
        if not fits or not own[SPREAD] > 0:
            raise ValueError("its memory is none that it could have come to")
        if own[SHARE] != self._share:
            raise ValueError("its estimates are those of another policy")

    @property
    def probabilities_(self) -> Floats:
        """The probability of every arm in the draw that `choose` answers with."""
        if not hasattr(self, "choice_"):
            self._open()
        tree = self._numbers[ESTIMATES + 2 * self._arms :]
        leaves = tree[len(tree) // 2 :][: self._arms]
        return np.asarray(leaves / tree[1])

    @property
    def learning_rate_(self) -> float:
        """The rate of the round to come."""
        if not hasattr(self, "choice_"):
            self._open()
        fixed = self._fixed_rate
        return fixed or math.sqrt(float(self._numbers[SPREAD]) / (int(self._tally[ROUNDS]) + 1))

    @property
    def _fixed_rate(self) -> float | None:
        return float(self._numbers[RATE]) or None


@register(
    "exp3", use="choosing actions when losses may be anything", promise="bounds its expected regret"
)
class EXP3(ExponentialWeights):
    r"""Draw an arm by :math:`v_i\propto\exp(-\eta\hat L_i)`; add :math:`\ell/v` to the estimate of the arm drawn.

    The estimates :math:`\hat L_i` of the total losses are unbiased, and the expected regret against
    losses fixed in advance is at most :math:`\sqrt{2TK\ln K}`, whatever they are [1]_.

    Parameters
    ----------
    arms : int, default=2
        The number of arms, called 0, 1, ...
    rounds : int or None, default=None
        How many rounds there will be; the rate is then :math:`\sqrt{2\ln K/(TK)}`. If nobody knows, None: the rate
        of round t is :math:`\sqrt{\ln K/(tK)}`, which costs a factor :math:`\sqrt2` in the bound.
    learning_rate : float or None, default=None
        Another rate, instead of `rounds`.
    random_state : int, RandomState instance or None, default=None
        The seed of the draws.
    trace : bool, default=False
        Whether arms, probabilities and losses are kept round by round; after `play` also the loss of the
        best arm and the expected regret so far; at a fixed rate also both sides of its receipt, the regret in
        estimated losses and its bound.

    Attributes
    ----------
    record_ : BanditRecord
        What happened: plays, losses, the estimates and their variances.
    probabilities_ : array of shape (arms,)
        The probabilities by which the arm was drawn that `choose` answers with.
    learning_rate_ : float
        The rate of the round to come.

    References
    ----------
    .. [1] Auer, Cesa-Bianchi, Freund & Schapire (2002). The nonstochastic multiarmed bandit problem.

    Examples
    --------
    >>> from assay import EXP3
    >>> policy = EXP3(arms=3, rounds=1000, random_state=0)
    >>> for t in range(1000):
    ...     arm, probability = policy.choose()
    ...     policy.update(arm, 0.25 if arm == 2 else 0.75)
    >>> int(policy.record_.plays.argmax())
    2
    >>> print(policy.guarantees()[1])
    expected regret: at most 81.1892, by exp3-regret
    """

    _guarantees = staticmethod(exp3_guarantees)

    def _traced(self) -> dict[str, Array]:
        columns, rate = super()._traced(), self._fixed_rate
        if rate is None:
            return columns
        # Round by round, both sides of the receipt.
        arm, loss, v = (columns[name] for name in ("arm", "loss", "probability"))
        least = np.full(len(arm), math.inf)
        for i in range(self._arms):
            np.minimum(least, np.cumsum(np.where(arm == i, loss / v, 0.0)), out=least)
        spread = np.cumsum(loss**2 / v)
        return columns | {
            "estimated_regret": columns["cumulative_loss"] - least,
            "receipt": float(log(float(self._arms))) / rate + rate / 2 * spread,
        }
