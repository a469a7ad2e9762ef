"""SquareCB: draw actions by how little their forecasts are above the least."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.compiled.bandits.contextual_game import GAMMA, SQUARE_KIND
from assay.guarantees.contextual import oracle_guarantees
from assay.guarantees.guarantee import Guarantee
from assay.learners.contextual.regression_policy import RegressionPolicy
from assay.learners.registry import register
from assay.record.contextual import ContextualRecord
from assay.theory.needs import positive
from assay.types import Floats


def _guarantees(record: ContextualRecord, declared: Mapping[str, Any]) -> list[Guarantee]:
    own = {name: record.settings[name] for name in ("gamma", "least_propensity")}
    return oracle_guarantees("squarecb-regret", own, record, declared)


@register(
    "square-cb",
    use="choosing actions by context over any regression, with probabilities",
    promise="bounds its expected regret by the regression's",
)
@dataclass(eq=False, repr=False)
class SquareCB(RegressionPolicy):
    r"""Draw an action with probability :math:`1/(K+\gamma_t(\hat y_a-\min\hat y))`, the best with what is left.

    If the mean losses are in the class of the regression, and its squared errors exceed those of the best of the class
    by at most R, the expected regret with the rates :math:`\gamma_t=\gamma\sqrt t` is at most
    :math:`(4(K-1)/\gamma+\gamma R/4)\sqrt T` [1]_.

    Parameters
    ----------
    arms : int, default=2
        The number of actions, called 0, 1, ..., each with a model of its own; not looked at where actions have
        features.
    gamma : float, default=10.0
        How soon actions with larger forecasts become rare.
    regressor : learner, str or None, default=None
        What forecasts losses: a learner of quantities that learns row by row, or its name, such as ``"sgd-regressor"``.
        None: forward least squares, whose own regret is known.
    penalty : float, default=1.0
        The penalty of least squares, above zero.
    parameter_norm : float, default=1.0
        How long the vector of the mean losses is at most: what the promise rests on. It changes no choice.
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
    record_ : RidgeRecord or ContextualRecord
        What happened: losses, and how the least squares did.
    probabilities_ : array
        With which probability every action was chosen in the round that stands.

    References
    ----------
    .. [1] Foster & Rakhlin (2020). Beyond UCB: optimal and efficient contextual bandits with regression oracles.

    Examples
    --------
    >>> from assay import SquareCB
    >>> policy = SquareCB(arms=2, random_state=0)
    >>> for t in range(200):
    ...     warm = float(t % 3 == 0)
    ...     action, probability = policy.choose([warm])
    ...     policy.update(action, 0.1 if action == warm else 0.9)
    >>> action, probability = policy.choose([1.0])
    >>> action, probability > 0.98
    (1, True)
    """

    _guarantees = staticmethod(_guarantees)
    _kind = SQUARE_KIND
    settings = (*RegressionPolicy.settings, "gamma")

    arms: int = 2
    gamma: float = 10.0
    regressor: Any = None
    penalty: float = 1.0
    parameter_norm: float = 1.0
    least_propensity: float = 0.0
    products: bool = True
    random_state: Any = None
    trace: bool = False

    def _checked(self) -> None:
        positive("gamma", self.gamma)

    def _own_numbers(self, settings: Mapping[str, Any], numbers: Floats) -> None:
        numbers[GAMMA] = settings["gamma"]
