"""Thompson sampling for arms whose losses are 0 or 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.compiled.bandits.bandit_book import PLAYS
from assay.compiled.bandits.bandit_game import THOMPSON_KIND
from assay.compiled.bandits.beta_least import least_probabilities
from assay.compiled.bandits.thompson import thompson_step
from assay.guarantees.bandits import thompson_guarantees
from assay.learners.bandits.policy import BanditPolicy
from assay.learners.registry import register
from assay.types import Array, Floats


@register(
    "thompson-sampling",
    use="choosing actions, seldom a wrong one",
    promise="bounds its expected regret over its prior",
)
@dataclass(eq=False, repr=False)
class ThompsonSampling(BanditPolicy):
    r"""Draw a loss rate of every arm from what is known of it, :math:`\mathrm{Beta}(1+k_i,1+n_i-k_i)`; play the least.

    Each arm is played with the probability that it is the best, given the :math:`k_i` losses in its
    :math:`n_i` plays and uniform priors. On arms that the prior would draw, the expected regret is at most
    :math:`\sqrt{TK\ln K/2}` [1]_; on fixed arms it grows as slowly as any can (``thompson-regret-limit``).
    A loss strictly between 0 and 1 counts as 1 with that probability, and else as 0.

    The probability of the arm has no closed form. `choose` integrates it numerically, which takes ten to
    twenty microseconds for each arm; `next_arm` gives the arm alone, and takes no time.

    Parameters
    ----------
    arms : int, default=2
        The number of arms, called 0, 1, ...
    random_state : int, RandomState instance or None, default=None
        The seed of the draws.
    trace : bool, default=False
        Whether arms and losses are kept round by round, not the probabilities; after `play` also the loss of
        the best arm and the expected regret so far, the arm being drawn already.

    Attributes
    ----------
    record_ : BanditRecord
        What happened: plays and losses of every arm.
    probabilities_ : array of shape (arms,)
        The probability that each arm is the best, given the losses seen: with it the arm was drawn that
        `choose` answers with. Good to ten digits where it is not tiny.

    References
    ----------
    .. [1] Russo & Van Roy (2016). An information-theoretic analysis of Thompson sampling.

    Examples
    --------
    >>> from assay import ThompsonSampling
    >>> policy = ThompsonSampling(arms=2, random_state=0)
    >>> arm, probability = policy.choose()
    >>> round(probability, 6)
    0.5
    >>> for t in range(200):
    ...     arm = policy.next_arm()
    ...     policy.update(arm, 1.0 if arm == 0 else 0.0)
    >>> bool(policy.record_.plays[1] > 190)
    True
    """

    _guarantees = staticmethod(thompson_guarantees)
    _kind = THOMPSON_KIND
    _step = staticmethod(thompson_step)
    _counts = 1
    declares = ("means",)

    arms: int = 2
    random_state: Any = None
    trace: bool = False

    def choose(self) -> tuple[int, float]:
        """The arm to play and the probability with which it was chosen.

        The choice stands until its loss is told: asked again, the answer is the same.
        """
        arm = super().choose()[0]
        # Nothing that was drawn had no chance, however few digits are left of it.
        return arm, max(float(self.probabilities_[arm]), float(np.finfo(np.float64).tiny))

    def _traced(self) -> dict[str, Array]:
        columns = super()._traced()
        # The compiled step knows the draw, not its probability: nobody should take it for a propensity.
        del columns["probability"]
        return columns

    @property
    def probabilities_(self) -> Floats:
        """The probability of every arm, by integrating over the rate of the arm that is the least."""
        if not hasattr(self, "choice_"):
            self._open()
        arms = self._arms
        plays, ones = (self._tally[at : at + arms] for at in (PLAYS, PLAYS + arms))
        probabilities = np.empty(arms)
        least_probabilities(ones, plays, probabilities)
        return probabilities
