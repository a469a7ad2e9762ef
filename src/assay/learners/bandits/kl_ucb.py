"""KL-UCB: optimism measured by relative entropy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.compiled.bandits.bandit_game import KL_UCB_KIND
from assay.compiled.bandits.kl_ucb import kl_ucb_step
from assay.errors import require
from assay.guarantees.bandits import kl_ucb_guarantees
from assay.learners.bandits.policy import BanditPolicy
from assay.learners.registry import register
from assay.record.bandit import KLUCBRecord
from assay.types import Floats


@register(
    "kl-ucb",
    use="choosing actions with losses between 0 and 1",
    promise="has the least regret there is, in the limit",
)
@dataclass(eq=False, repr=False)
class KLUCB(BanditPolicy):
    r"""Play the arm of the least :math:`\min\{q\le\bar\ell_i:n_i\,\mathrm{kl}(\bar\ell_i\|q)\le\ln f(t)\}`.

    Every arm is played once before.

    For arms whose losses are independent draws from a distribution of each arm, as for `UCB1`, which it
    beats most where losses are rare or nearly certain. With ``form="optimal"`` its regret grows as slowly as that of
    any policy can on arms with losses of 0 and 1 [1]_ (``kl-ucb-regret-limit``). The choice is not random: its
    probability is 1.

    Parameters
    ----------
    arms : int, default=2
        The number of arms, called 0, 1, ...
    form : {"plain", "optimal"}, default="plain"
        ``"plain"`` explores with f(t) = t, which does best in practice; ``"optimal"`` with
        f(t) = 1 + t ln(t)^2, which has the better theorem.
    random_state : int, RandomState instance or None, default=None
        The seed of the losses that `simulate` draws; the policy itself draws nothing.
    trace : bool, default=False
        Whether arms, probabilities and losses are kept round by round; after `play` also the loss of the
        best arm and the expected regret so far.

    Attributes
    ----------
    record_ : BanditRecord
        What happened: plays and losses of every arm.

    References
    ----------
    .. [1] Garivier & Cappé (2011). The KL-UCB algorithm for bounded stochastic bandits and beyond.

    Examples
    --------
    >>> from assay import KLUCB, UCB1
    >>> arms = {"means": [0.1] * 9 + [0.02], "rounds": 5000, "runs": 40}
    >>> ours, ucb1 = (policy(arms=10, random_state=0).simulate(**arms) for policy in (KLUCB, UCB1))
    >>> bool(4 * ours.mean_regret < ucb1.mean_regret)
    True
    """

    _record = KLUCBRecord
    _guarantees = staticmethod(kl_ucb_guarantees)
    _kind = KL_UCB_KIND
    _step = staticmethod(kl_ucb_step)
    declares = ("means",)

    arms: int = 2
    form: str = "plain"
    random_state: Any = None
    trace: bool = False

    def _own(self, arms: int) -> Floats:
        require(self.form in ("plain", "optimal"), "form", "'plain' or 'optimal'", self.form)
        return np.array([float(self.form == "optimal")])

    def _recorded(self) -> dict[str, Any]:
        return {"form": "optimal" if self._numbers[0] else "plain"}
