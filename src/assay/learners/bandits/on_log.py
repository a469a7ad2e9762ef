"""What a policy would have done in the rounds of a log, as it stands: nothing is learned on the way."""

from __future__ import annotations

import copy
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import BadData, BadParameter
from assay.record.decisions import DecisionLog
from assay.types import Floats


def policy_chances(policy: Any, log: DecisionLog) -> list[Floats]:
    """The probability of every action in every round, under a policy as it stands.

    Parameters
    ----------
    policy : policy, callable or array-like
        As `logged_value` takes it.
    log : DecisionLog
        The rounds.

    Returns
    -------
    list of arrays
        One for each round.

    Examples
    --------
    >>> log = DecisionLog(np.zeros(2), np.full(2, 0.5), np.array([0, 1]), arms=2)
    >>> [chances.tolist() for chances in policy_chances(lambda context, features: 1, log)]
    [[0.0, 1.0], [0.0, 1.0]]
    """
    if hasattr(policy, "choose") and hasattr(policy, "learn"):
        # A copy draws: asking changes the state of the draws and the count of what was asked.
        asked = copy.deepcopy(policy)

        def ask(context: Any, features: Any) -> Any:
            before = asked.mark()
            asked.choose(context, features)
            asked.retract(before)
            return asked.probabilities_

    elif callable(policy):
        ask = policy
    else:
        return _given(policy, log)
    rounds = range(len(log))
    return [_chances(ask(*_seen(log, t)), _choices(log, t), t) for t in rounds]


def _seen(log: DecisionLog, t: int) -> tuple[Any, Any]:
    context = None if log.contexts is None else log.contexts[t]
    return context, None if log.features is None else log.features[t]


def _choices(log: DecisionLog, t: int) -> int:
    """How many actions there were to choose from."""
    if log.probabilities is not None:
        return len(log.probabilities[t])
    return log.arms if log.features is None else len(log.features[t])


def _chances(said: Any, actions: int, t: int) -> Floats:
    """An action, or the probabilities of all, as the latter."""
    if np.ndim(said) == 0:
        try:
            place = operator.index(said.item() if isinstance(said, np.generic) else said)
        except TypeError:
            place = -1
        if not 0 <= place < actions:
            raise BadData(
                f"The policy must name one of the actions 0 to {actions - 1} of round {t}, but gives {said!r}."
            )
        chances = np.zeros(actions)
        chances[place] = 1.0
        return chances
    try:
        chances = np.asarray(said, dtype=np.float64)
        fits = chances.shape == (actions,) and bool((chances >= 0).all())
    except (TypeError, ValueError):
        fits = False
    if not fits or not abs(float(chances.sum()) - 1.0) <= 1e-6:
        raise BadData(
            f"The policy must give an action, or probabilities of all {actions} that add up to 1, in round {t}."
        )
    return chances


def _given(table: Any, log: DecisionLog) -> list[Floats]:
    listed = isinstance(table, Sequence | np.ndarray) and not isinstance(table, str)
    if not listed or len(table) != len(log):
        raise BadParameter(
            f"policy must be a policy, a function of context and features, or probabilities for each of the "
            f"{len(log)} rounds."
        )
    return [_chances(row, _choices(log, t), t) for t, row in enumerate(table)]


def padded(rows: Sequence[Floats], arms: int) -> Floats:
    """Rows of different lengths as a table, filled up with zeros."""
    table = np.zeros((len(rows), arms))
    for t, row in enumerate(rows):
        table[t, : len(row)] = row
    return table


def columns_of(
    log: DecisionLog,
    policy: Any,
    propensities: Any,
    probabilities: Any,
    actions: Any,
    forecasts: Any,
) -> tuple[Any, Any, Any, Any, Any]:
    """Losses, propensities, probabilities, actions and forecasts, from a log and a policy."""
    named = {"propensities": propensities, "probabilities": probabilities, "actions": actions}
    extra = [name for name, value in named.items() if value is not None]
    if extra:
        raise BadParameter(f"{extra[0]} must be left out with a DecisionLog, which holds them.")
    if policy is None:
        raise BadParameter("policy must be given with a DecisionLog: it says what is to be judged.")
    chances = policy_chances(policy, log)
    if forecasts is None:
        chosen = np.array([row[a] for row, a in zip(chances, log.actions.tolist(), strict=True)])
        return log.losses, log.propensities, np.clip(chosen, 0.0, 1.0), None, None
    if log.probabilities is None:
        raise BadParameter(
            "forecasts need a log that holds the probability of every action, and this one holds that of the chosen "
            "one alone. Leave them out."
        )
    arms = max(map(len, chances))
    drawn = padded(log.probabilities, arms)
    filled = padded([np.asarray(row) for row in forecasts], arms)
    return log.losses, drawn, padded(chances, arms), log.actions, filled
