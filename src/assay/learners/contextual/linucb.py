"""LinUCB: the action whose loss could be the least, by an ellipsoid around least squares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.compiled.bandits.contextual_game import LINUCB_KIND, SCALE
from assay.guarantees.contextual import linucb_guarantees
from assay.learners.contextual.least_squares_policy import LeastSquaresPolicy
from assay.learners.registry import register
from assay.theory.needs import inside_unit, positive
from assay.types import Floats


@register(
    "linucb",
    use="choosing actions by context, where losses are linear in it",
    promise="bounds its regret on linear losses",
)
@dataclass(eq=False, repr=False)
class LinUCB(LeastSquaresPolicy):
    r"""Choose the action of the least :math:`\frac12+\langle\hat\theta,x\rangle-\beta\|x\|_{V^{-1}}`: optimism.

    :math:`\hat\theta` is least squares of the losses less 1/2 with the penalty :math:`\lambda`,
    :math:`V=\lambda I+\sum xx'`, and
    :math:`\beta=\sqrt\lambda S+\frac12\sqrt{2\ln\frac1\delta+\ln\frac{\det V}{\det\lambda I}}`
    the radius within which all mean losses lie in all rounds at once with probability :math:`1-\delta` [1]_.

    Parameters
    ----------
    arms : int, default=2
        The number of actions, called 0, 1, ..., each with a model of its own; not looked at where actions have
        features.
    penalty : float, default=1.0
        The penalty :math:`\lambda`, above zero.
    parameter_norm : float, default=1.0
        How long the vector of the mean losses is at most: what the intervals rest on. The promises are void where it
        is longer; where it is much shorter, the policy explores more than it had to.
    delta : float, default=0.05
        The probability with which an interval may ever fail.
    optimism : float, default=1.0
        The share of the radius by which the least loss is looked for. With less than 1 the policy explores less than
        its theorem wants, often for the better; what the intervals of the run say of its regret holds all the same.
    least_propensity : float, default=0.0
        The probability that every allowed action has at least in every round, so that what is logged can judge other
        policies.
    products : bool, default=True
        Whether every feature of the round is multiplied with every one of the action; without, the round changes no
        choice among actions that have features.
    random_state : int, RandomState instance or None, default=None
        The seed of the draws.
    trace : bool, default=False
        Whether actions, probabilities and losses are kept round by round.

    Attributes
    ----------
    record_ : RidgeRecord
        What happened: losses, the gaps of the intervals, and how the least squares did.
    probabilities_ : array
        With which probability every action was chosen in the round that stands.

    References
    ----------
    .. [1] Abbasi-Yadkori, Pal & Szepesvari (2011). Improved algorithms for linear stochastic bandits.
    .. [2] Li, Chu, Langford & Schapire (2010). A contextual-bandit approach to personalized news article
       recommendation.

    Examples
    --------
    >>> from assay import LinUCB
    >>> policy = LinUCB(arms=2, random_state=0)
    >>> for t in range(200):
    ...     warm = float(t % 3 == 0)
    ...     action, probability = policy.choose([warm])
    ...     policy.update(action, 0.1 if action == warm else 0.9)
    >>> policy.choose([1.0])[0], policy.choose([0.0])[0], policy.choose([1.0], excluded=[1])[0]
    (1, 0, 0)
    """

    _guarantees = staticmethod(linucb_guarantees)
    _kind = LINUCB_KIND
    settings = (*LeastSquaresPolicy.settings, "optimism")

    arms: int = 2
    penalty: float = 1.0
    parameter_norm: float = 1.0
    delta: float = 0.05
    optimism: float = 1.0
    least_propensity: float = 0.0
    products: bool = True
    random_state: Any = None
    trace: bool = False

    def _checked(self) -> None:
        inside_unit("delta", self.delta), positive("optimism", self.optimism)

    def _own_numbers(self, settings: Mapping[str, Any], numbers: Floats) -> None:
        self._interval_numbers(settings, numbers)
        share = settings.get("optimism", 1.0)
        numbers[SCALE] = 0.0 if share == 1.0 else share
