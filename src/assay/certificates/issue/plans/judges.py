"""Labels for a batch that a judge has gone through: how many of each verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from assay.certificates.issue.plans.planned import Plan
from assay.errors import require
from assay.theory.needs import count, unit
from assay.theory.rounding import Number, as_fraction
from assay.theory.tail.power_judged import batch_rows, label_weights, labels_needed, shared_power

_MOST_STRATA = 10


def judge_plan(
    error: Number, delta: Number, *, power: Fraction, judge: Any, expected: None = None
) -> Plan:
    """Labels of each verdict at which `certify_judged` promises that at most this share of the batch is wrong.

    `judge` guesses of each verdict how many items have it, and which share of those is wrong. Beside it stands what a
    sample of the whole batch would need.
    """
    strata = _strata(judge)
    sizes = tuple(size for size, _ in strata.values())
    items = sum(sizes)
    bad = tuple(round(size * rate) for size, rate in strata.values())
    rate, level = as_fraction(error), float(as_fraction(delta))
    most = int(rate * items)
    guess = Fraction(sum(bad), items)
    require(
        sum(bad) < most,
        "error",
        f"above the share {float(guess):.4g} that is guessed to be wrong",
        error,
    )
    require(power < 1, "power", "below one", float(power))
    weights = label_weights(sizes, bad, most, level, float(power))
    labels = labels_needed(sizes, bad, most, level, float(power), weights)
    chance = partial(shared_power, sizes, bad, most, level, weights)
    rows = sum(labels)
    return Plan(
        rows=rows,
        errors_allowed=None,
        purpose="judges",
        theorem="judged-strata",
        error=str(error),
        delta=str(delta),
        power=chance(rows),
        textbook=(
            "holdout-finite-population",
            batch_rows(items, sum(bad), most, level, float(power)),
        ),
        inputs={
            "error": str(error),
            "delta": str(delta),
            "judge": {name: [size, str(rate)] for name, (size, rate) in strata.items()},
            "power": str(float(power)),
        },
        parts=tuple(zip(strata, labels, strict=True)),
        _power_of=chance,
    )


def _strata(judge: Any) -> dict[str, tuple[int, Any]]:
    """Sizes and guessed shares that are wrong, by verdict."""
    listed = isinstance(judge, Mapping) or (
        isinstance(judge, Sequence) and not isinstance(judge, str)
    )
    must = "a pair for each verdict, how many items have it and which share of them is wrong"
    require(listed, "judge", must, judge)
    pairs = judge.items() if isinstance(judge, Mapping) else enumerate(judge, start=1)
    strata = {}
    for name, pair in pairs:
        whole = isinstance(pair, Sequence) and not isinstance(pair, str) and len(pair) == 2
        require(whole, f"judge[{name!r}]", must.replace("for each verdict, ", "of "), pair)
        size = count(f"judge[{name!r}][0]", pair[0], at_least=1)
        strata[str(name)] = (size, unit(f"judge[{name!r}][1]", pair[1]).low)
    require(
        0 < len(strata) <= _MOST_STRATA, "judge", f"of 1 to {_MOST_STRATA} verdicts", len(strata)
    )
    return strata
