"""Thompson sampling for arms whose losses are 0 or 1."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.certificates.assumption import Assumption
from assay.certificates.bandit_guarantees import pseudo_regret, regret_guarantee
from assay.certificates.guarantee import Guarantee
from assay.compiled.bandit_book import PLAYS
from assay.compiled.bandit_game import THOMPSON_KIND
from assay.compiled.thompson import thompson_step
from assay.learners.bandits.inputs import mean_losses
from assay.learners.bandits.policy import BanditPolicy
from assay.learners.registry import register
from assay.record.bandit import BanditRecord
from assay.theory.registry import find_theorem


@register("thompson-sampling")
class ThompsonSampling(BanditPolicy):
    r"""Draw a loss rate of every arm from what is known of it, :math:`\mathrm{Beta}(1+k_i,1+n_i-k_i)`; play the least.

    Each arm is played with the probability that it is the best, given the :math:`k_i` losses in its
    :math:`n_i` plays and uniform priors. On arms that the prior would draw, the expected regret is at most
    :math:`\sqrt{TK\ln K/2}` [1]_.
    A loss strictly between 0 and 1 counts as 1 with that probability, and else as 0.

    The probability of the arm has no closed form, and `choose` gives NaN for it; `probabilities_` computes it.

    Parameters
    ----------
    arms : int, default=2
        The number of arms, called 0, 1, ...
    random_state : int, RandomState instance or None, default=None
        The seed of the draws.
    trace : bool, default=False
        Whether arms and losses are kept round by round.

    Attributes
    ----------
    record_ : BanditRecord
        What happened: plays and losses of every arm.
    probabilities_ : array of shape (arms,)
        The probability that each arm is the best, given the losses seen: with it `choose` draws the arm.

    References
    ----------
    .. [1] Russo & Van Roy (2016). An information-theoretic analysis of Thompson sampling.

    Examples
    --------
    >>> from assay import ThompsonSampling
    >>> policy = ThompsonSampling(arms=2, random_state=0)
    >>> policy.probabilities_.round(6).tolist()
    [0.5, 0.5]
    >>> for t in range(200):
    ...     arm, _ = policy.choose()
    ...     policy.update(arm, 1.0 if arm == 0 else 0.0)
    >>> bool(policy.record_.plays[1] > 190)
    True
    """

    _kind = THOMPSON_KIND
    _step = staticmethod(thompson_step)
    _counts = 1
    declares: ClassVar[tuple[str, ...]] = ("means",)

    def __init__(self, arms: int = 2, random_state: Any = None, trace: bool = False) -> None:
        self.arms = arms
        self.random_state = random_state
        self.trace = trace

    def choose(self) -> tuple[int, float]:
        """The arm to play, and NaN for its probability: see `probabilities_`.

        The choice stands until its loss is told: asked again, the answer is the same.
        """
        return super().choose()[0], math.nan

    def _traced(self) -> dict[str, NDArray[Any]]:
        columns = super()._traced()
        return columns | {"probability": np.full(len(columns["arm"]), math.nan)}

    @property
    def probabilities_(self) -> NDArray[np.float64]:
        """The probability of every arm, by integrating over the rate of the arm that is the least."""
        from scipy.special import betainc, betaln

        if not hasattr(self, "choice_"):
            self._open()
        arms = self._arms
        plays, ones = (self._tally[at : at + arms] for at in (PLAYS, PLAYS + arms))
        a, b = 1.0 + ones[:, None], 1.0 + (plays - ones)[:, None]
        # Nodes crowd where any arm's rate is likely; in between, the integrand is smooth.
        centre, spread = a / (a + b), np.sqrt(a * b / (a + b + 1)) / (a + b)
        cuts = np.concatenate([centre + step * spread for step in np.arange(-12, 12.5, 0.5)])
        cuts = np.unique(np.clip(np.append(cuts, [0.0, 1.0]), 0.0, 1.0))
        nodes, weights = np.polynomial.legendre.leggauss(12)
        width = np.diff(cuts)[:, None] / 2
        x = (cuts[:-1, None] + width * (1 + nodes)).ravel()
        density = np.exp((a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - betaln(a, b))
        above = betainc(b, a, 1 - x)
        found = np.empty(arms)
        for arm in range(arms):
            others = np.prod(np.delete(above, arm, axis=0), axis=0)
            found[arm] = density[arm] * others @ (width * weights).ravel()
        return np.asarray(found / found.sum())

    def _guarantees(self, record: BanditRecord, declared: dict[str, Any]) -> list[Guarantee]:
        prior, independent, rule = find_theorem("thompson-bayesian-regret").assumes
        seen = None
        if "means" in declared:
            seen = pseudo_regret(record, mean_losses(declared["means"], self._arms).tolist())
        return [
            regret_guarantee(
                "thompson-bayesian-regret",
                {"rounds": record.rounds, "arms": self._arms},
                seen,
                of="expected regret, averaged over the prior",
                assumptions=(
                    Assumption(prior, "assumed"),
                    Assumption(independent, "assumed"),
                    Assumption(rule, "by construction"),
                ),
            )
        ]
