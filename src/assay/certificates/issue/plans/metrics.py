"""Rows for the metrics of a report: precision, recall, specificity, F1."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any, Literal

from assay.certificates.issue.plans.planned import Plan
from assay.errors import require
from assay.theory.needs import count, inside_unit, unit
from assay.theory.rounding import Number, as_fraction
from assay.theory.tail.power import enough_rows, rate_power

Metric = Literal["precision", "recall", "specificity", "f1"]
METRICS: tuple[Metric, ...] = ("precision", "recall", "specificity", "f1")


def metric_plan(
    metric: Metric,
    at_least: Number,
    delta: Number,
    power: Fraction,
    *,
    expected: Any = None,
    flagged: Number | None = None,
    prevalence: Number | None = None,
    rates: int = 1,
) -> Plan:
    """Rows at which `certify(..., rates=[metric])` promises so much with the given power.

    Its error spends half of delta, and the metric shares the other half with further `rates`. Without `flagged` or
    `prevalence`, the rows are those that the metric counts: flagged ones for precision, positive ones for recall.
    """
    least = inside_unit(metric, at_least).low
    require(expected is not None, "expected", f"given for a plan of {metric}", expected)
    level = as_fraction(delta) / (2 * count("rates", rates, at_least=1))
    if metric == "f1":
        guess, share, least = _of_f1(expected, prevalence, least)
    else:
        guess = unit("expected", expected).low
        share = _share(metric, flagged, prevalence)
        require(
            guess > least, "expected", f"above the {metric} {at_least!r} to be promised", expected
        )
    must = f"high enough for the f1 {at_least!r} to be promised"
    require(guess > least, "expected", must, expected)
    chance = partial(_power, float(guess), float(least), float(level), float(share))
    rows = enough_rows(lambda n: chance(n) >= power, "expected", expected)
    inputs: dict[str, Any] = {
        "metric": metric,
        "at_least": str(at_least),
        "expected": _shown(expected),
    }
    given = {"flagged": flagged, "prevalence": prevalence}
    inputs |= {name: str(value) for name, value in given.items() if value is not None}
    inputs |= {"delta": str(delta), "power": str(float(power))}
    return Plan(
        rows=rows,
        errors_allowed=None,
        purpose="metric",
        theorem="f1-at-least" if metric == "f1" else "rate-at-least",
        error=None,
        delta=str(delta),
        power=chance(rows),
        textbook=None,
        inputs=inputs | ({} if rates == 1 else {"rates": rates}),
        _power_of=chance,
    )


def _power(guess: float, least: float, level: float, share: float, rows: int) -> float:
    return rate_power(guess, least, rows, level, share)


def _share(metric: Metric, flagged: Number | None, prevalence: Number | None) -> Fraction:
    """How often a row counts for the metric."""
    if metric == "precision":
        require(
            prevalence is None, "prevalence", "left out for precision; give flagged", prevalence
        )
        return Fraction(1) if flagged is None else inside_unit("flagged", flagged).low
    require(flagged is None, "flagged", f"left out for {metric}; give prevalence", flagged)
    if prevalence is None:
        return Fraction(1)
    positive = inside_unit("prevalence", prevalence).low
    return positive if metric == "recall" else 1 - positive


def _of_f1(
    expected: Any, prevalence: Number | None, least: Fraction
) -> tuple[Fraction, Fraction, Fraction]:
    """The Jaccard index that is guessed, how often a row is no true negative, and the index to be promised.

    One number is precision and recall alike.
    """
    pair = (
        expected
        if isinstance(expected, Sequence) and not isinstance(expected, str)
        else (expected,) * 2
    )
    require(len(pair) == 2, "expected", "one number, or precision and recall", expected)
    precision, recall = (inside_unit("expected", value).low for value in pair)
    jaccard = 1 / (1 / precision + 1 / recall - 1)
    wanted = least / (2 - least)
    if prevalence is None:
        return jaccard, Fraction(1), wanted
    right = recall * inside_unit("prevalence", prevalence).low
    counted = right / jaccard
    require(counted <= 1, "prevalence", "small enough for such a precision and recall", prevalence)
    return jaccard, counted, wanted


def _shown(expected: Any) -> str:
    if isinstance(expected, Sequence) and not isinstance(expected, str):
        return ",".join(map(str, expected))
    return str(expected)
