"""Rows for a promise about every group: the smallest needs the most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from assay.certificates.issue.plans.holdout import holdout_plan
from assay.certificates.issue.plans.planned import Plan
from assay.errors import require
from assay.guarantees.decimals import decimal_text
from assay.theory.needs import inside_unit, unit
from assay.theory.rounding import Number, as_fraction
from assay.theory.tail.power import enough_rows, rate_power

_MOST_GROUPS = 1000
# Shares that were rounded may add up to a little more than one.
_ROUNDED = Fraction(1, 1000)


def group_plan(
    error: Number, delta: Number, *, power: Fraction, expected: Number | None, groups: Any
) -> Plan:
    """Rows drawn at random at which `certify(..., every_group=True)` promises the error in every group.

    Each group must pass at the full delta (intersection and union). `Plan.parts` says how many rows of each group are
    enough where groups can be chosen.
    """
    shares = _shares(groups)
    rate, guess = (
        as_fraction(error),
        Fraction(0) if expected is None else unit("expected", expected).low,
    )
    require(guess < rate, "expected", f"below the error {error!r} to be promised", expected)
    require(power < 1, "power", "below one", float(power))
    level = as_fraction(delta)
    chance = partial(
        group_power, tuple(map(float, shares.values())), float(guess), float(rate), float(level)
    )
    rows = enough_rows(lambda n: chance(n) >= power, "expected", expected)
    each = Fraction(float(power) ** (1 / len(shares))).limit_denominator(10**9)
    alone = holdout_plan(error, delta, expected=decimal_text(guess), power=each)
    return Plan(
        rows=rows,
        errors_allowed=None,
        purpose="groups",
        theorem="worst-group",
        error=str(error),
        delta=str(delta),
        power=chance(rows),
        textbook=None,
        inputs={
            "error": str(error),
            "delta": str(delta),
            "expected": decimal_text(guess),
            "groups": {name: decimal_text(share) for name, share in shares.items()},
            "power": str(float(power)),
        },
        parts=tuple((name, alone.rows) for name in shares),
        _power_of=chance,
    )


def group_power(
    shares: Sequence[float], guess: float, error: float, level: float, rows: int
) -> float:
    """How likely so many random rows promise the error in every group, each at this level.

    Groups count as independent, which how many rows each gets is not quite.

    Examples
    --------
    >>> round(group_power((0.7, 0.3), 0.02, 0.05, 0.05, 1200), 3)
    0.914
    """
    chance = 1.0
    for share in shares:
        chance *= rate_power(1 - guess, 1 - error, rows, level, share)
    return chance


def _shares(groups: Any) -> dict[str, Fraction]:
    """Shares of the rows by name; numbers stand for names where none are given."""
    listed = isinstance(groups, Mapping) or (
        isinstance(groups, Sequence) and not isinstance(groups, str)
    )
    require(listed, "groups", "the share of each group: a mapping by name, or a sequence", groups)
    pairs = groups.items() if isinstance(groups, Mapping) else enumerate(groups, start=1)
    shares = {str(name): inside_unit(f"groups[{name!r}]", share).low for name, share in pairs}
    must = f"of 2 to {_MOST_GROUPS:,} groups"
    require(2 <= len(shares) <= _MOST_GROUPS, "groups", must, len(shares))
    total = sum(shares.values(), Fraction(0))
    require(total <= 1 + _ROUNDED, "groups", "shares that add up to 1 at most", float(total))
    return shares
