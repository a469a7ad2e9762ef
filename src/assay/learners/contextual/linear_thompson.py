"""Thompson sampling for losses that are linear in the features of actions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.compiled.bandits.contextual_game import DRAWS, SCALE, THOMPSON_KIND
from assay.guarantees.contextual import linear_thompson_guarantees
from assay.learners.contextual.least_squares_policy import LeastSquaresPolicy
from assay.learners.registry import register
from assay.theory.needs import count, inside_unit, positive
from assay.types import Floats


@register(
    "linear-thompson",
    use="choosing actions by context, seldom a wrong one",
    promise="bounds its regret by the intervals of the run",
)
@dataclass(eq=False, repr=False)
class LinearThompson(LeastSquaresPolicy):
    r"""Draw :math:`\tilde\theta` from :math:`N(\hat\theta,s^2V^{-1})`; choose the action it holds for the best.

    That is Thompson sampling for losses with normal noise of deviation s and the prior
    :math:`N(0,\frac{s^2}{\lambda}I)` [1]_. Whichever action is chosen, the intervals of ``LinUCB`` bound what it cost:
    their sum is the promise. The probability of an action has no closed form: of several draws each
    votes for an action, one of them by lot decides, and the share of the votes is, given the draws, the probability.

    Parameters
    ----------
    arms : int, default=2
        The number of actions, called 0, 1, ..., each with a model of its own; not looked at where actions have
        features.
    penalty : float, default=1.0
        The penalty :math:`\lambda`, above zero.
    scale : float, default=0.5
        The deviation s.
    draws : int, default=10
        How many draws vote in a round.
    parameter_norm : float, default=1.0
        How long the vector of the mean losses is at most: what the promise rests on. It changes no choice.
    delta : float, default=0.05
        The probability with which an interval may ever fail.
    least_propensity : float, default=0.0
        The probability that every allowed action has at least in every round.
    products : bool, default=True
        Whether every feature of the round is multiplied with every one of the action.
    random_state : int, RandomState instance or None, default=None
        The seed of the draws.
    trace : bool, default=False
        Whether actions, probabilities and losses are kept round by round.

    Attributes
    ----------
    record_ : RidgeRecord
        What happened: losses, the gaps of the intervals, and how the least squares did.
    probabilities_ : array
        With which probability every action was chosen in the round that stands, given the draws.

    References
    ----------
    .. [1] Agrawal & Goyal (2013). Thompson sampling for contextual bandits with linear payoffs.

    Examples
    --------
    >>> from assay import LinearThompson
    >>> policy = LinearThompson(arms=2, random_state=0)
    >>> for t in range(200):
    ...     warm = float(t % 3 == 0)
    ...     action, probability = policy.choose([warm])
    ...     policy.update(action, 0.1 if action == warm else 0.9)
    >>> policy.choose([1.0]), policy.choose([0.0])
    ((1, 1.0), (0, 1.0))
    """

    _guarantees = staticmethod(linear_thompson_guarantees)
    _kind = THOMPSON_KIND
    settings = (*LeastSquaresPolicy.settings, "scale", "draws")

    arms: int = 2
    penalty: float = 1.0
    scale: float = 0.5
    draws: int = 10
    parameter_norm: float = 1.0
    delta: float = 0.05
    least_propensity: float = 0.0
    products: bool = True
    random_state: Any = None
    trace: bool = False

    def _checked(self) -> None:
        inside_unit("delta", self.delta), positive("scale", self.scale)
        count("draws", self.draws, at_least=1)

    def _own_numbers(self, settings: Mapping[str, Any], numbers: Floats) -> None:
        self._interval_numbers(settings, numbers)
        numbers[SCALE], numbers[DRAWS] = settings["scale"], settings["draws"]
