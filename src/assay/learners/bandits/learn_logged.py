"""Learning a policy from the log of another: every action learns from every round, by what it is estimated to lose."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from assay.errors import BadData, BadParameter, require
from assay.learners.bandits.logged import log_column
from assay.record.decisions import DecisionLog

P = TypeVar("P")

METHODS = ("doubly-robust", "inverse-propensity")


def learn_logged(policy: P, log: DecisionLog, *, method: str = "doubly-robust") -> P:
    r"""Let a policy learn from rounds that another one played.

    Of a round only the loss of one action was seen. What an action would have lost is estimated as
    :math:`q(a)+\frac{1[a=a_t]}{\mu(a_t)}(\ell_t-q(a))`, with a forecast :math:`q` that least squares make from the
    rounds before ("doubly-robust") or with 0 in its place ("inverse-propensity"): right on average in either case,
    whatever is forecast [1]_. Least squares of these estimates are what the policy chooses by; it may go on learning
    from there by `choose` and `update`.

    What a policy has learned so is judged by other rounds of the log, never by the same: `logged_value`, `improve`.

    Parameters
    ----------
    policy : LinUCB, LinearThompson, EpsilonGreedy or SquareCB
        It goes on from what it knows.
    log : DecisionLog
        The rounds, such as `read_decisions` gives.
    method : {"doubly-robust", "inverse-propensity"}, default="doubly-robust"
        Where estimates start from.

    Returns
    -------
    policy
        The same one. What its theorems say of losses that it sees itself is void from here on, and its `guarantees`
        say so.

    References
    ----------
    .. [1] Dudik, Langford & Li (2011). Doubly robust policy evaluation and learning.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import DecisionLog, EpsilonGreedy, improve, learn_logged
    >>> rng = np.random.default_rng(0)
    >>> contexts = rng.integers(2, size=(4000, 1)).astype(float)
    >>> actions = rng.integers(2, size=4000)
    >>> losses = (rng.random(4000) < np.where(actions == contexts[:, 0], 0.2, 0.7)).astype(float)
    >>> log = DecisionLog(losses, np.full(4000, 0.5), actions, contexts, arms=2)
    >>> policy = learn_logged(EpsilonGreedy(arms=2, exploration=0.01), log.part(0, 2000))
    >>> improve(policy, None, log.part(2000, 4000)).better
    True
    """
    require(method in METHODS, "method", f"one of {', '.join(METHODS)}", method)
    teach = getattr(policy, "_learn_logged", None)
    if teach is None:
        raise BadParameter(
            f"policy must be one that forecasts losses (LinUCB, LinearThompson, EpsilonGreedy, SquareCB), but is a "
            f"{type(policy).__name__}."
        )
    if not isinstance(log, DecisionLog):
        raise BadParameter(f"log must be a DecisionLog, but is a {type(log).__name__}.")
    losses = log_column("losses", log.losses, 0.0)
    propensities = log_column("propensities", log.propensities, None)
    given = log.contexts, log.features, np.asarray(log.actions)
    if not all(part is None or len(part) == len(losses) for part in (*given, propensities)):
        raise BadData("losses, propensities, actions, contexts and features must be of one length.")
    teach(given, losses, propensities, method == "doubly-robust")
    return policy
