"""Groups of rows in plain words."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import Group, Subject, group_text
from assay.guarantees.unit_shares import seen_of_units


def group_seen(claim: Guarantee, subject: Subject, percent: Callable[[float], str]) -> str:
    """What was seen of a group, of the worst, or of a gap, as a sentence.

    Examples
    --------
    >>> from assay import certify
    >>> groups = {"sex": ["f"] * 40 + ["m"] * 60}
    >>> seen = {"y_true": [1] * 100, "y_pred": [0] * 4 + [1] * 96, "labels": [0, 1]}
    >>> one, other, worst, gap = certify(**seen, groups=groups).claims[1:]
    >>> group_seen(one, one.of, "{:.0%}".format)
    "4 of 40 rows with sex = 'f' are wrong (10%)."
    >>> group_seen(worst, worst.of, "{:.0%}".format)
    "Of 2 groups, the one with sex = 'f' is wrong most often: 4 of 40 rows (10%)."
    >>> group_seen(gap, gap.of, "{:.0%}".format)
    "The errors of the groups with sex = 'f' and sex = 'm' are furthest apart, by 10 points."
    """
    counts = _counts(claim)
    rates = {group: _rate(c) for group, c in zip(subject.groups, counts, strict=True)}
    most = max(rates, key=lambda group: rates[group])
    if subject.quantity == "group-gap":
        least = min(rates, key=lambda group: rates[group])
        if rates[most] == rates[least]:
            return f"The errors of the {len(rates):,} groups are the same."
        points = f"{float(100 * (rates[most] - rates[least])):.3g}"
        return (
            f"The errors of the groups with {group_text(most)} and {group_text(least)} are furthest apart, by {points} "
            f"point{'' if points == '1' else 's'}."
        )
    wrong, share = _wrong(counts[subject.groups.index(most)]), percent(float(rates[most]))
    if len(subject.groups) == 1 and subject.quantity in ("group-error", "group-unit-mean-error"):
        return _one_seen(wrong, most, share, claim)
    which = f"the one with {group_text(most)} is wrong most often"
    return f"Of {len(rates):,} groups, {which}: {wrong} ({share})."


def _one_seen(wrong: str, group: Group, share: str, claim: Guarantee) -> str:
    if "units" in claim.inputs:
        units = sum(many for _, _, many in claim.inputs["units"])
        return f"Of the rows of one unit with {group_text(group)}, {share} are wrong on average over {units:,} units."
    return f"{wrong} with {group_text(group)} are wrong ({share})."


def _counts(claim: Guarantee) -> list[Any]:
    """Of each group its errors and rows, or its units."""
    inputs = claim.inputs
    if "units" in inputs:
        return [inputs["units"]]
    if "groups" in inputs:
        return list(inputs["groups"])
    if isinstance(inputs["errors"], int):
        return [(inputs["errors"], inputs["rows"])]
    return list(zip(inputs["errors"], inputs["rows"], strict=True))


def _rate(counts: Any) -> Fraction:
    return Fraction(*counts) if isinstance(counts, tuple) else seen_of_units("unit-mean", counts)


def _wrong(counts: Any) -> str:
    if isinstance(counts, tuple):
        return f"{counts[0]:,} of {counts[1]:,} rows"
    return f"{sum(many for _, _, many in counts):,} units"


def group_untold(claim: Guarantee) -> str:
    """What stands in the place of what was seen where only pass or fail is told."""
    groups = len(claim.inputs["rows"])
    return f"No group is wrong more often than allowed, of {groups:,}; the counts are not told."


def group_promise(subject: Subject, share: str) -> str:
    """What is promised of a group, of all of them, or of a gap, without the end of its sentence.

    Examples
    --------
    >>> group_promise(Subject("group-error", groups=((("sex", "f"),),)), "6 %")
    "The chance that a new row with sex = 'f' is wrong is at most 6 %"
    """
    match subject.quantity:
        case "group-error":
            return f"The chance that a new row with {subject.group} is wrong is at most {share}"
        case "group-unit-mean-error":
            return (
                f"The chance that a row of a new unit with {subject.group} is wrong, averaged over units, is at most "
                f"{share}"
            )
        case "worst-group-unit-mean-error":
            return (
                "In every group, the chance that a row of a new unit is wrong, averaged over units, is at most "
                f"{share}"
            )
        case "group-gap":
            return (
                f"The errors of no two groups by {subject.columns} are further apart than {share}"
            )
    return f"In every group, the chance that a new row is wrong is at most {share}"
