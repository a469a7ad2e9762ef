"""Epsilon-greedy: the action of the least forecast, but for a share of rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.compiled.bandits.contextual_game import EXPLORATION, GREEDY_KIND
from assay.errors import require
from assay.guarantees.contextual import oracle_guarantees
from assay.guarantees.guarantee import Guarantee
from assay.learners.contextual.regression_policy import RegressionPolicy
from assay.learners.registry import register
from assay.record.contextual import ContextualRecord
from assay.theory.needs import positive
from assay.types import Floats


def _guarantees(record: ContextualRecord, declared: Mapping[str, Any]) -> list[Guarantee]:
    own = {"exploration": record.settings["exploration"]}
    return oracle_guarantees("epsilon-greedy-regret", own, record, declared)


@register(
    "epsilon-greedy",
    use="choosing actions by context over any regression, in the plainest way",
    promise="bounds its expected regret by the regression's",
)
@dataclass(eq=False, repr=False)
class EpsilonGreedy(RegressionPolicy):
    r"""Choose the action of the least forecast; with probability :math:`\varepsilon` one of all alike.

    Parameters
    ----------
    arms : int, default=2
        The number of actions, called 0, 1, ..., each with a model of its own; not looked at where actions have
        features.
    exploration : float, default=0.1
        The share :math:`\varepsilon`: every allowed action has it over their number as its least probability.
    regressor : learner, str or None, default=None
        What forecasts losses: a learner of quantities that learns row by row, or its name, such as ``"sgd-regressor"``.
        None: forward least squares, whose own regret is known.
    penalty : float, default=1.0
        The penalty of least squares, above zero.
    parameter_norm : float, default=1.0
        How long the vector of the mean losses is at most: what the promise rests on. It changes no choice.
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
    .. [1] Langford & Zhang (2007). The epoch-greedy algorithm for contextual multi-armed bandits.

    Examples
    --------
    >>> from assay import EpsilonGreedy
    >>> policy = EpsilonGreedy(arms=2, random_state=0)
    >>> for t in range(200):
    ...     warm = float(t % 3 == 0)
    ...     action, probability = policy.choose([warm])
    ...     policy.update(action, 0.1 if action == warm else 0.9)
    >>> policy.choose([1.0]), policy.probabilities_.round(3).tolist()
    ((1, 0.95), [0.05, 0.95])
    """

    _guarantees = staticmethod(_guarantees)
    _kind = GREEDY_KIND
    settings = ("penalty", "parameter_norm", "products", "exploration")

    arms: int = 2
    exploration: float = 0.1
    regressor: Any = None
    penalty: float = 1.0
    parameter_norm: float = 1.0
    products: bool = True
    random_state: Any = None
    trace: bool = False

    #: The share of exploration is the floor.
    least_propensity = 0.0

    def _checked(self) -> None:
        share = positive("exploration", self.exploration)
        require(share.high <= 1, "exploration", "above 0 and at most 1", self.exploration)

    def _own_numbers(self, settings: Mapping[str, Any], numbers: Floats) -> None:
        numbers[EXPLORATION] = settings["exploration"]
