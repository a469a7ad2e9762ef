"""Rows on which two models predict: how many it takes to call the new one better, by how much or at all."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from assay.certificates.issue.plans.planned import Plan
from assay.errors import BadParameter, Words, require
from assay.theory.needs import count, inside_unit, nonnegative, real
from assay.theory.rounding import Number, as_fraction
from assay.theory.tail.power import difference_power, enough_rows


def difference_plan(
    better_by: Number,
    delta: Number,
    power: Fraction,
    *,
    only_old_rate: Number | None = None,
    only_new_rate: Number | None = None,
    expected: Number | None = None,
    discordance: Number | None = None,
    rivals: int = 1,
) -> Plan:
    """The guess is how often only the one and only the other model is wrong, or the difference and their sum.

    With `better_by` 0 the promise is that the new model is better, by McNemar's exact test; with any other number, that
    it is better by so much, or, below zero, worse by no more.
    """
    margin = real("better_by", better_by).low
    require(-1 < margin < 1, "better_by", "strictly between -1 and 1", better_by)
    old, new = _guess(only_old_rate, only_new_rate, expected, discordance)
    require(
        old - new > margin,
        "better_by",
        f"below the difference {float(old - new):g} that is expected",
        better_by,
    )
    level = as_fraction(delta) / count("rivals", rivals, at_least=1)
    chance = partial(difference_power, float(old), float(new), float(level), float(margin))
    rows = enough_rows(lambda n: chance(n) >= power, "better_by", better_by)
    inputs = {
        "better_by": str(better_by),
        "only_old_rate": f"{float(old):.12g}",
        "only_new_rate": f"{float(new):.12g}",
        "delta": str(delta),
        "power": str(float(power)),
        **({} if rivals == 1 else {"rivals": rivals}),
    }
    return Plan(
        rows=rows,
        errors_allowed=None,
        purpose="difference",
        theorem="mcnemar-better" if margin == 0 else "paired-difference",
        error=None,
        delta=str(delta),
        power=chance(rows),
        textbook=None,
        inputs=inputs,
        _power_of=chance,
    )


def _guess(
    only_old: Number | None,
    only_new: Number | None,
    expected: Number | None,
    discordance: Number | None,
) -> tuple[Fraction, Fraction]:
    """How often only the old model, and only the new one, is wrong."""
    by_rates = only_old is not None or only_new is not None
    by_sum = expected is not None or discordance is not None
    if by_rates == by_sum or None in (
        (only_old, only_new) if by_rates else (expected, discordance)
    ):
        raise BadParameter(
            "A difference is planned from a guess: ",
            Words("only_old_rate and only_new_rate", "--only-old-rate and --only-new-rate"),
            " (how often only the one model is wrong), or ",
            Words("expected and discordance", "--expected and --discordance"),
            " (the difference, and how often exactly one is wrong).",
        )
    if by_rates:
        old, new = (
            nonnegative(name, rate).low
            for name, rate in (("only_old_rate", only_old), ("only_new_rate", only_new))
        )
    else:
        more, either = real("expected", expected).low, inside_unit("discordance", discordance).low
        must = f"between -{discordance} and {discordance}, the discordance"
        require(abs(more) <= either, "expected", must, expected)
        old, new = (either + more) / 2, (either - more) / 2
    require(
        0 < old + new <= 1,
        "only_old_rate",
        "above 0 and at most 1 together with only_new_rate",
        only_old,
    )
    return old, new
