"""What a policy would have lost, from rounds that another one played and whose propensities are known."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from assay.errors import BadData, BadParameter, require
from assay.evidence.returns import digest_of_columns, returns_of
from assay.learners.bandits.inputs import number, numbers, require_one_length
from assay.learners.bandits.on_log import columns_of
from assay.record.bandit import LoggedValue
from assay.record.decisions import DecisionLog
from assay.theory.needs import inside_unit
from assay.theory.tail.betting import bounded_betting
from assay.theory.tail.logged import logged_loss_at_least, logged_loss_at_most
from assay.types import Array, Floats, Ints


def logged_value(
    losses: Any,
    propensities: Any = None,
    probabilities: Any = None,
    *,
    policy: Any = None,
    actions: Any = None,
    forecasts: Any = None,
    clip: float = 2.0,
    least_propensity: float | None = None,
    delta: float = 0.05,
) -> LoggedValue:
    r"""The mean loss of a policy, from logged rounds of another.

    Each logged loss is weighted by the probability with which the policy would have chosen the logged arm, over
    the probability with which it was chosen. The policy must be settled before the log is looked at.

    The interval holds at every moment at once, however large weights are (:ref:`logged-loss-at-least`): gamblers bet
    on the weighted losses from below, and on the weighted gains :math:`1-\ell` from above. With `forecasts` of the
    losses the estimate is doubly robust [1]_: with :math:`\tilde q=\min(q,\kappa/w)` the returns
    :math:`\sum_a\pi(a)\tilde q(a)+w(\ell-\tilde q)` have the same mean, vary less, and are never below
    :math:`-\kappa`.

    Parameters
    ----------
    losses : array-like of shape (rounds,), or DecisionLog
        The logged losses, between 0 and 1; or a whole log, such as `read_decisions` gives, and then `policy`.
    propensities : array-like of shape (rounds,) or (rounds, arms)
        With which probability the logged arm was chosen when it was logged, above 0; or that of every arm.
    probabilities : array-like of shape (rounds,) or (rounds, arms)
        With which probability the policy to be judged would choose the logged arm: 1 or 0 if it does not draw; or that
        of every arm.
    policy : policy, callable or array-like, optional
        With a `DecisionLog`: what is to be judged. A policy with context as it stands, which learns nothing here; a
        function of the context and the features of the actions that gives an action or the probabilities of all; or
        these probabilities.
    actions : array-like of int of shape (rounds,), optional
        The logged arms, where propensities or probabilities of every arm are given.
    forecasts : array-like of shape (rounds, arms), optional
        What a model forecasts as the loss of every arm, between 0 and 1, settled before the round's loss was looked at.
        Needs the propensities and probabilities of every arm.
    clip : float, default=2.0
        The number :math:`\kappa` of the doubly robust returns, settled before the losses are looked at: larger ones
        trust the forecasts more where weights are large, and pay off in long logs.
    least_propensity : float, optional
        The least propensity the log can hold, known from how it was made, such as 0.1 for ten arms drawn
        alike. Weights are then at most 1 over it, and the interval is by :ref:`bounded-betting`, which is often
        narrower. It must not be read off the log.
    delta : float, default=0.05
        The probability with which the interval may fail, half for either end.

    Returns
    -------
    LoggedValue

    References
    ----------
    .. [1] Dudik, Langford & Li (2011). Doubly robust policy evaluation and learning.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import logged_value
    >>> rng = np.random.default_rng(0)
    >>> arms = rng.integers(2, size=4000)
    >>> losses = (rng.random(4000) < np.where(arms == 1, 0.2, 0.6)).astype(float)
    >>> value = logged_value(losses, np.full(4000, 0.5), arms == 1)
    >>> round(value.inverse_propensity, 3), round(value.self_normalised, 3)
    (0.21, 0.207)
    >>> value.lower < 0.2 < value.upper
    True
    >>> known = np.full((4000, 2), 0.5)
    >>> both = logged_value(losses, known, [[0, 1]] * 4000, actions=arms, forecasts=[[0.6, 0.2]] * 4000)
    >>> both.upper - both.lower < value.upper - value.lower
    True
    """
    if isinstance(losses, DecisionLog):
        given = columns_of(losses, policy, propensities, probabilities, actions, forecasts)
        losses, propensities, probabilities, actions, forecasts = given
    elif policy is not None:
        raise BadParameter("policy must be left out unless the log is given as a DecisionLog.")
    if propensities is None or probabilities is None:
        raise BadParameter("propensities and probabilities must be given beside losses.")
    loss = log_column("losses", losses, 0.0)
    if forecasts is None:
        require(clip == 2.0, "clip", "left out without forecasts", clip)
    chances = _of_every_arm(loss, propensities, probabilities, actions, forecasts)
    if chances is None:
        propensity = log_column("propensities", propensities, None)
        chance = log_column("probabilities", probabilities, 0.0)
        require_one_length(losses=loss, propensities=propensity, probabilities=chance)
        digest = digest_of_columns(loss, propensity, chance)
    else:
        place, drawn, policies, digest = chances
        rows = np.arange(len(loss))
        propensity = log_column("propensities", drawn[rows, place], None)
        chance = policies[rows, place]
    level = float(inside_unit("delta", delta).low)
    weights = chance / propensity
    costs = weights * loss
    total = math.fsum(weights)
    n = len(loss)
    value = LoggedValue(
        rounds=n,
        inverse_propensity=math.fsum(costs) / n,
        self_normalised=math.fsum(costs) / total if total else math.nan,
        standard_error=float(np.std(costs, ddof=1)) / math.sqrt(n) if n > 1 else math.nan,
        effective_rounds=total**2 / float(weights @ weights) if total else 0.0,
        largest_weight=float(weights.max()),
        lower=0.0,
        upper=1.0,
        delta=level,
        theorem="logged-loss-at-least",
        losses=returns_of(costs),
        gains=returns_of(weights * (1.0 - loss)),
        digest=digest,
    )
    if forecasts is not None:
        require(least_propensity is None, "least_propensity", "left out with forecasts", "given")
        assert chances is not None
        return _with_ends(_doubly_robust(value, loss, weights, chances, forecasts, clip))
    if least_propensity is not None:
        lower, upper = _interval(costs, propensity, least_propensity, delta)
        return replace(value, lower=lower, upper=upper, theorem="bounded-betting")
    return _with_ends(value)


def _with_ends(value: LoggedValue) -> LoggedValue:
    """With both ends of the interval, which the histograms of weighted losses and gains give."""
    half = inside_unit("delta", value.delta).low / 2
    lower = logged_loss_at_least(value.losses, half, value.shift)
    return replace(
        value, lower=lower, upper=max(logged_loss_at_most(value.gains, half, value.shift), lower)
    )


def _of_every_arm(
    loss: Floats, propensities: Any, probabilities: Any, actions: Any, forecasts: Any
) -> tuple[Ints, Floats, Floats, str] | None:
    """Logged arms, propensities and probabilities of all of them, where these are given; None where they are not."""
    if forecasts is None and np.ndim(propensities) < 2 and np.ndim(probabilities) < 2:
        require(actions is None, "actions", "left out unless all arms are told of", "given")
        return None
    if np.ndim(propensities) != 2 or np.ndim(probabilities) != 2 or actions is None:
        raise BadParameter(
            "propensities and probabilities of every arm, one row for each round, and actions must be given together."
        )
    drawn, chance = (
        chances_of("propensities", propensities),
        chances_of("probabilities", probabilities),
    )
    place = np.asarray(actions)
    if place.ndim != 1 or place.dtype.kind not in "iu":
        raise BadData("actions must be whole numbers, one for each round.")
    require_one_length(losses=loss, propensities=drawn, probabilities=chance, actions=place)
    if drawn.shape != chance.shape:
        raise BadData(
            f"propensities and probabilities must tell of the same arms, but have the shapes {drawn.shape} and "
            f"{chance.shape}."
        )
    bad = np.flatnonzero((place < 0) | (place >= drawn.shape[1]))
    if bad.size:
        at = int(bad[0])
        raise BadData(
            f"actions must be among the arms 0 to {drawn.shape[1] - 1}, but round {at} holds {int(place[at])}."
        )
    digest = digest_of_columns(loss, place.astype(np.float64), drawn.ravel(), chance.ravel())
    return place.astype(np.int64), drawn, chance, digest


def chances_of(name: str, values: Any) -> Floats:
    """A table of probabilities, each row of which adds up to one."""
    table = numbers(name, values)
    if table.ndim != 2 or not table.size:
        raise BadData(f"{name} must have one row for each round, but have the shape {table.shape}.")
    bad = np.flatnonzero(~((table >= 0).all(axis=1) & (np.abs(table.sum(axis=1) - 1.0) <= 1e-6)))
    if bad.size:
        raise BadData(
            f"{name} must be probabilities that add up to 1, but those of round {int(bad[0])} do not."
        )
    return table


def _doubly_robust(
    value: LoggedValue,
    loss: Floats,
    weights: Floats,
    chances: tuple[Ints, Floats, Floats, str],
    forecasts: Any,
    clip: float,
) -> LoggedValue:
    """The same with forecasts of the losses, which may be wrong in any way."""
    place, drawn, policy, _ = chances
    cap = number("clip", clip, "a number above 0")
    require(0.0 < cap < math.inf, "clip", "a finite number above 0", clip)
    model = numbers("forecasts", forecasts)
    if model.shape != drawn.shape or not ((model >= 0.0) & (model <= 1.0)).all():
        raise BadData(
            f"forecasts must be one number between 0 and 1 for each arm of each round, of the shape {drawn.shape}."
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        most = np.where(policy > 0, cap * drawn / policy, math.inf)
    rows = np.arange(len(loss))

    def shifted(seen: Floats, forecast: Floats) -> tuple[Floats, Floats]:
        clipped = np.minimum(forecast, most)
        raw = (policy * clipped).sum(axis=1) + weights * (seen - clipped[rows, place])
        # What was rounded is taken off again, so that no return is larger than it ought to be.
        return raw, np.maximum(raw + cap - 2.0**-45 * (1.0 + cap + weights), 0.0)

    raw, losses = shifted(loss, model)
    gains = shifted(1.0 - loss, 1.0 - model)[1]
    return replace(
        value,
        doubly_robust=math.fsum(raw) / len(raw),
        losses=returns_of(losses),
        gains=returns_of(gains),
        shift=cap,
        digest=digest_of_columns(
            loss, place.astype(np.float64), drawn.ravel(), policy.ravel(), model.ravel()
        ),
    )


def _interval(costs: Floats, propensity: Floats, least: float, delta: float) -> tuple[float, float]:
    """Both ends by betting on the weighted losses as shares of the largest possible one."""
    must = "a number above 0 and at most 1"
    floor = number("least_propensity", least, must)
    require(0.0 < floor <= 1.0, "least_propensity", must, least)
    below = np.flatnonzero(propensity < floor)
    if below.size:
        at = int(below[0])
        raise BadData(
            f"propensities must be at least {least!r}, as declared, but round {at} holds "
            f"{float(propensity[at])!r}."
        )
    half = inside_unit("delta", delta).low / 2
    # Rounded down, the share bounds from below; one ulp more bounds from above.
    shares = np.minimum(costs * floor, 1.0)
    above = np.minimum(np.nextafter(np.nextafter(shares, 2.0), 2.0), 1.0)
    under = np.maximum(np.nextafter(np.nextafter(shares, -1.0), -1.0), 0.0)
    upper = bounded_betting(above, half) / floor
    lower = (1.0 - bounded_betting(1.0 - under, half)) / floor
    return max(lower * (1 - 2**-50), 0.0), min(upper * (1 + 2**-50), 1.0)


def log_column(name: str, values: Any, at_least: float | None) -> Floats:
    """One number per round between 0 and 1; above 0 where no least one is given."""
    column = numbers(name, values)
    if column.ndim != 1 or not column.size:
        raise BadData(
            f"{name} must hold one number for each of at least one round, but have the shape {column.shape}."
        )
    low = column > 0.0 if at_least is None else column >= at_least
    bad = np.flatnonzero(~(low & (column <= 1.0)))
    if bad.size:
        at = int(bad[0])
        where = "above 0 and at most 1" if at_least is None else "between 0 and 1"
        raise BadData(f"{name} must lie {where}, but round {at} holds {float(column[at])!r}.")
    return column


def arms_column(name: str, values: Any, known: int) -> Array:
    """One arm per round, counted from 0."""
    column = np.asarray(values)
    if column.ndim != 1 or column.dtype.kind not in "iu":
        raise BadData(f"{name} must be whole numbers, one for each round.")
    bad = np.flatnonzero((column < 0) | (column >= known))
    if bad.size:
        at = int(bad[0])
        raise BadData(
            f"{name} must be among the arms 0 to {known - 1} of the policy, but round {at} holds {int(column[at])}."
        )
    return column.astype(np.int64)
