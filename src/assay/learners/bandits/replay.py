"""Replaying a learning policy on logged rounds, as if it had played them itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from assay.errors import BadData, require
from assay.learners.bandits.inputs import number, numbers, require_one_length
from assay.learners.bandits.logged import arms_column, log_column
from assay.learners.bandits.policy import BanditPolicy
from assay.record.bandit import Replay
from assay.record.decisions import DecisionLog


def replay(
    policy: Any,
    arms: Any,
    losses: Any = None,
    propensities: Any = None,
    *,
    contexts: Any = None,
    features: Any = None,
    least_propensity: float | None = None,
    random_state: Any = None,
) -> Replay:
    """Let a policy learn from logged rounds whose arm it would have chosen itself; skip the others.

    A round is kept if the policy chose its arm, and then with probability `least_propensity` over its
    propensity, so that every arm is as likely to be kept. If the rounds were independent, the kept ones
    are what the policy would have met [1]_: it learns, and its losses, record and guarantees are those of
    a real run of as many rounds.

    Parameters
    ----------
    policy : bandit policy or policy with context
        It goes on from what it knows.
    arms : array-like of int of shape (rounds,), or DecisionLog
        The logged arms; or a whole log, such as `read_decisions` gives.
    losses : array-like of shape (rounds,)
        Their losses, between 0 and 1.
    propensities : array-like of shape (rounds,)
        With which probability each was chosen when it was logged; above 0.
    contexts : array-like of shape (rounds, features), optional
        For a policy with context, what is known of each round.
    features : sequence of array-like of shape (arms, features), optional
        What is known of the arms of each round; the logged arm is one of them, counted from 0.
    least_propensity : float, optional
        The least propensity the log can hold; the least it does hold, if not given.
    random_state : int, RandomState instance or None, default=None
        The seed of the rounds that are kept.

    Returns
    -------
    Replay

    References
    ----------
    .. [1] Li, Chu, Langford & Wang (2011). Unbiased offline evaluation of contextual-bandit-based news
       article recommendation algorithms.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import UCB1, replay
    >>> rng = np.random.default_rng(0)
    >>> arms = rng.integers(2, size=4000)
    >>> losses = (rng.random(4000) < np.where(arms == 1, 0.2, 0.6)).astype(float)
    >>> run = replay(UCB1(arms=2), arms, losses, np.full(4000, 0.5))
    >>> run.logged, 1900 < run.kept < 2100, run.mean_loss < 0.25
    (4000, True, True)
    """
    if isinstance(arms, DecisionLog):
        log = arms
        arms, losses, propensities = log.actions, log.losses, log.propensities
        contexts, features = log.contexts, log.features
    loss = log_column("losses", losses, 0.0)
    propensity = log_column("propensities", propensities, None)
    chosen = _arms(arms, policy, features)
    require_one_length(arms=chosen, losses=loss, propensities=propensity)
    must = f"above 0 and at most the least propensity of the log, {float(propensity.min())!r}"
    least = float(propensity.min())
    if least_propensity is not None:
        least = number("least_propensity", least_propensity, must)
    require(0.0 < least <= propensity.min(), "least_propensity", must, least_propensity)
    coins = check_random_state(random_state).random_sample(len(loss))
    kept, total = 0, 0.0
    rows = zip(chosen.tolist(), loss.tolist(), (coins * propensity < least).tolist(), strict=True)
    if isinstance(policy, BanditPolicy):
        for name, given in (("contexts", contexts), ("features", features)):
            require(given is None, name, "left out for a policy without context", "given")
        for arm, paid, wanted in rows:
            if wanted and arm == policy.next_arm():
                policy.update(arm, paid)
                kept += 1
                total += paid
        return Replay(len(loss), kept, total)
    seen = None if contexts is None else numbers("contexts", contexts)
    for name, given in (("contexts", seen), ("features", features)):
        if given is not None and len(given) != len(loss):
            raise BadData(
                f"{name} must tell of the {len(loss)} rounds of the log, but tell of {len(given)}."
            )
    for t, (arm, paid, wanted) in enumerate(rows):
        if not wanted:
            continue
        before = policy.mark()
        action, _ = policy.choose(
            None if seen is None else seen[t], None if features is None else features[t]
        )
        if action == arm:
            policy.update(action, paid)
            kept += 1
            total += paid
        else:
            policy.retract(before)
    return Replay(len(loss), kept, total)


def _arms(values: Any, policy: Any, features: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    if isinstance(policy, BanditPolicy):
        return arms_column("arms", values, policy.record_.plays.size)
    if features is None:
        return arms_column("arms", values, int(policy.arms))
    known = [len(table) for table in features]
    chosen = arms_column("arms", values, max(known, default=0))
    require_one_length(arms=chosen, features=known)
    beyond = np.flatnonzero(chosen >= np.array(known))
    if beyond.size:
        at = int(beyond[0])
        raise BadData(
            f"arms must be among those that have features, but round {at} holds {int(chosen[at])} of {known[at]}."
        )
    return chosen
