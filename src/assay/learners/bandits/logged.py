"""What a policy would have lost, from rounds that another one played and whose propensities are known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from assay.errors import BadData, require
from assay.learners.bandits.inputs import number, numbers, require_one_length
from assay.record.bandit import LoggedValue
from assay.theory.needs import inside_unit
from assay.theory.tail.betting import bounded_betting
from assay.types import Floats


def logged_value(
    losses: Any,
    propensities: Any,
    probabilities: Any,
    *,
    least_propensity: float | None = None,
    delta: float = 0.05,
) -> LoggedValue:
    """The mean loss of a policy, from logged rounds of another.

    Each logged loss is weighted by the probability with which the policy would have chosen the logged arm, over
    the probability with which it was chosen. The policy must be fixed before the log is looked at.

    Parameters
    ----------
    losses : array-like of shape (rounds,)
        The logged losses, between 0 and 1.
    propensities : array-like of shape (rounds,)
        With which probability the logged arm was chosen when it was logged; above 0.
    probabilities : array-like of shape (rounds,)
        With which probability the policy to be judged would choose the logged arm: 1 or 0 if it does not draw.
    least_propensity : float, optional
        The least propensity the log can hold, known from how it was made, such as 0.1 for ten arms drawn
        alike. Weights are then at most 1 over it, and an interval is given. It must not be read off the log.
    delta : float, default=0.05
        The probability with which the interval may fail, half for either end.

    Returns
    -------
    LoggedValue

    Examples
    --------
    >>> import numpy as np
    >>> from assay import logged_value
    >>> rng = np.random.default_rng(0)
    >>> arms = rng.integers(2, size=4000)
    >>> losses = (rng.random(4000) < np.where(arms == 1, 0.2, 0.6)).astype(float)
    >>> value = logged_value(losses, np.full(4000, 0.5), arms == 1, least_propensity=0.5)
    >>> round(value.inverse_propensity, 3), round(value.self_normalised, 3)
    (0.21, 0.207)
    >>> value.lower < 0.2 < value.upper
    True
    """
    loss = log_column("losses", losses, 0.0)
    propensity = log_column("propensities", propensities, None)
    chance = log_column("probabilities", probabilities, 0.0)
    require_one_length(losses=loss, propensities=propensity, probabilities=chance)
    weights = chance / propensity
    costs = weights * loss
    total = math.fsum(weights)
    n = len(loss)
    lower = upper = None
    if least_propensity is not None:
        lower, upper = _interval(costs, propensity, least_propensity, delta)
    return LoggedValue(
        rounds=n,
        inverse_propensity=math.fsum(costs) / n,
        self_normalised=math.fsum(costs) / total if total else math.nan,
        standard_error=float(np.std(costs, ddof=1)) / math.sqrt(n) if n > 1 else math.nan,
        effective_rounds=total**2 / float(weights @ weights) if total else 0.0,
        largest_weight=float(weights.max()),
        lower=lower,
        upper=upper,
        delta=float(inside_unit("delta", delta).low),
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
