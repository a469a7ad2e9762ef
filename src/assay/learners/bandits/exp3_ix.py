"""EXP3-IX: exponential weights with implicit exploration, and a promise about single runs."""

from __future__ import annotations

from assay.guarantees.bandits import exp3_ix_guarantees
from assay.learners.bandits.exp3 import ExponentialWeights
from assay.learners.registry import register


@register(
    "exp3-ix",
    use="choosing actions, with a promise for the run",
    promise="bounds its regret, with probability",
)
class EXP3IX(ExponentialWeights):
    r"""EXP3 with the estimates :math:`\ell/(v+\eta/2)`: a little too low, and never wild.

    Plain EXP3 promises a small regret on average; a single run of it may be far off, because the estimate of a
    rarely drawn arm is huge when it is drawn. Here the regret is at most
    :math:`2\sqrt{2TK\ln K}+(\sqrt{TK/(2\ln K)}+1)\ln(2/\delta)` on all runs but a share :math:`\delta`,
    also against losses that react to earlier draws [1]_.

    Parameters
    ----------
    arms : int, default=2
        The number of arms, called 0, 1, ...
    rounds : int or None, default=None
        How many rounds there will be; the rate is then :math:`\sqrt{2\ln K/(TK)}`. If nobody knows, None: the rate
        of round t is :math:`\sqrt{\ln K/(tK)}`.
    learning_rate : float or None, default=None
        Another rate, instead of `rounds`.
    random_state : int, RandomState instance or None, default=None
        The seed of the draws.
    trace : bool, default=False
        Whether arms, probabilities and losses are kept round by round; after `play` also the loss of the
        best arm and the expected regret so far.

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
    .. [1] Neu (2015). Explore no more: improved high-probability regret bounds for non-stochastic bandits.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import EXP3IX
    >>> losses = np.zeros((10000, 2))
    >>> losses[:, 0] = 1.0
    >>> policy = EXP3IX(arms=2, rounds=10000, random_state=0).play(losses)
    >>> bool(policy.record_.regret < 150)
    True
    >>> guarantee = policy.guarantees(delta=0.05)[0]
    >>> guarantee.holds, round(guarantee.value)
    (True, 780)
    """

    _share = 0.5
    _guarantees = staticmethod(exp3_ix_guarantees)
