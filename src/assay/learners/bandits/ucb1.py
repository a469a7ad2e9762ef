"""UCB1: optimism about arms whose losses are drawn independently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from assay.compiled.bandits.bandit_game import UCB1_KIND
from assay.compiled.bandits.ucb1 import ucb1_step
from assay.guarantees.bandits import ucb1_guarantees
from assay.learners.bandits.policy import BanditPolicy
from assay.learners.registry import register


@register(
    "ucb1", use="choosing actions with losses between 0 and 1", promise="bounds its expected regret"
)
@dataclass(eq=False, repr=False)
class UCB1(BanditPolicy):
    r"""Play the arm of the least :math:`\bar\ell_i-\sqrt{2\ln t/n_i}`, after every arm once.

    For arms whose losses are independent draws from a distribution of each arm. If the means are
    :math:`\Delta_i` above the least, the expected regret is at most
    :math:`8\sum\ln T/\Delta_i+(1+\pi^2/3)\sum\Delta_i` [1]_. The choice is not random: its probability is 1.
    Against losses that are not drawn, take `EXP3`.

    Parameters
    ----------
    arms : int, default=2
        The number of arms, called 0, 1, ...
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
    .. [1] Auer, Cesa-Bianchi & Fischer (2002). Finite-time analysis of the multiarmed bandit problem.

    Examples
    --------
    >>> from assay import UCB1
    >>> runs = UCB1(arms=2, random_state=0).simulate(means=[0.75, 0.25], rounds=2000, runs=100)
    >>> bool(runs.mean_regret < 40)
    True
    >>> policy = UCB1(arms=2)
    >>> for t in range(10):
    ...     arm, probability = policy.choose()
    ...     policy.update(arm, 0.75 if arm == 0 else 0.25)
    >>> policy.record_.plays.tolist()
    [3, 7]
    """

    _guarantees = staticmethod(ucb1_guarantees)
    _kind = UCB1_KIND
    _step = staticmethod(ucb1_step)
    declares = ("means",)

    arms: int = 2
    random_state: Any = None
    trace: bool = False
