"""Whether a new policy would lose less than an old one, from logged rounds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.errors import BadParameter
from assay.evidence.returns import digest_of_columns, returns_of
from assay.learners.bandits.logged import log_column, logged_value
from assay.learners.bandits.on_log import policy_chances
from assay.record.bandit import Improvement
from assay.record.decisions import DecisionLog
from assay.theory.needs import inside_unit
from assay.theory.tail.logged import logged_improvement, logged_improvement_apart
from assay.types import Floats


def improve(new: Any, old: Any, log: DecisionLog, *, delta: float = 0.05) -> Improvement:
    r"""By how much a new policy loses less than an old one, at least.

    Where the old policy made the log, every round is compared with itself: :math:`(w_t-1)(1-\ell_t)` has the old
    policy's mean loss less the new one's as its mean and is at least -1, which bets from below need
    (:ref:`logged-improvement`). Otherwise the new policy's upper end and the old one's lower end are taken, each at
    half of `delta` (:ref:`logged-improvement-apart`).

    Parameters
    ----------
    new : policy, callable or array-like
        The policy that is to take over: a policy with context as it stands, a function of the context and the
        features of the actions, or the probabilities of all actions in every round.
    old : policy, callable, array-like or None
        The one that it would replace; None where that made the log.
    log : DecisionLog
        The rounds.
    delta : float, default=0.05
        The probability with which the bound may fail.

    Returns
    -------
    Improvement

    Examples
    --------
    >>> import numpy as np
    >>> from assay import DecisionLog, improve
    >>> rng = np.random.default_rng(0)
    >>> sunny = rng.integers(2, size=3000)
    >>> shown = rng.integers(2, size=3000)
    >>> losses = (rng.random(3000) < np.where(shown == sunny, 0.3, 0.7)).astype(float)
    >>> log = DecisionLog(losses, np.full(3000, 0.5), shown, contexts=sunny[:, None], arms=2)
    >>> found = improve(lambda context, features: int(context[0]), None, log)
    >>> round(found.estimate, 3), found.at_least > 0.1, found.better
    (0.188, True, True)
    """
    if not isinstance(log, DecisionLog):
        raise BadParameter(f"log must be a DecisionLog, but is {type(log).__name__}.")
    level = inside_unit("delta", delta).low
    loss = log_column("losses", log.losses, 0.0)
    if old is not None:
        ends = {"delta": float(level)}
        before, after = (logged_value(log, policy=policy, **ends) for policy in (old, new))
        shares = (before.losses, after.gains, level, before.shift, after.shift)
        return Improvement(
            rounds=len(loss),
            estimate=before.inverse_propensity - after.inverse_propensity,
            at_least=logged_improvement_apart(*shares),
            delta=float(level),
            theorem="logged-improvement-apart",
            paired=False,
            old=before,
            new=after,
            digest=digest_of_columns(loss, _chosen(old, log), _chosen(new, log)),
        )
    propensity = log_column("propensities", log.propensities, None)
    chance = _chosen(new, log)
    weights = chance / propensity
    # 1 + (w - 1) (1 - l), without a difference that rounding could spoil.
    returns = returns_of(loss + weights * (1.0 - loss))
    return Improvement(
        rounds=len(loss),
        estimate=math.fsum((weights - 1.0) * (1.0 - loss)) / len(loss),
        at_least=logged_improvement(returns, level),
        delta=float(level),
        theorem="logged-improvement",
        paired=True,
        returns=returns,
        digest=digest_of_columns(loss, propensity, chance),
    )


def _chosen(policy: Any, log: DecisionLog) -> Floats:
    """With which probability a policy would have chosen what was logged."""
    chances = policy_chances(policy, log)
    pairs = zip(chances, log.actions.tolist(), strict=True)
    chosen = np.array([row[action] for row, action in pairs], dtype=np.float64)
    return np.clip(chosen, 0.0, 1.0)
