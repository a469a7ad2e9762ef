"""Groups of rows: what may be promised of each, of the worst of them, of their gaps, and whether all of them pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from assay.certificates.issue.claims import claim_by
from assay.errors import CertificateRefused
from assay.evidence.evidence import Evidence
from assay.evidence.groups import GroupCounts
from assay.guarantees.assumption import Assumption
from assay.guarantees.group_needs import (
    errors_allowed,
    listed_groups,
    rows_needed,
    shortfall_text,
    shortfalls,
)
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.subject import Group, Subject
from assay.guarantees.unit_shares import seen_of_units
from assay.theory.registry import find_theorem
from assay.theory.rounding import Number, as_fraction
from assay.theory.tail.binomial import FIXED_BEFORE
from assay.theory.tail.groups import GROUPS_DECLARED
from assay.theory.tail.union import split

# So many groups are named in a refusal.
_NAMED = 5


def group_claims(evidence: Evidence, available: Fraction) -> list[Guarantee]:
    """The bounds of all groups, then that of the worst, then the largest gap among those of each column.

    Half of what there is goes to the bounds, each group the same share of it; a quarter to the worst, which is shared
    with nobody; and a quarter to the gaps. Given which row is of which group, none of this depends on the errors.
    """
    seen = _with_condition(evidence)
    divisions = _divisions(seen)
    units = divisions[0].units is not None
    gaps = [d for d in divisions if len(d.levels) > 1 and not units]
    groups = sum(len(division.levels) for division in divisions)
    bounds, worst = available / 2, available / (4 if gaps else 2)
    if groups == 1:
        bounds, worst = available, Fraction(0)
    shares = iter(split(bounds, groups))
    claims = [claim for division in divisions for claim in _bounds(seen, division, shares)]
    if worst:
        claims.append(worst_claim(seen, split(worst, 1)[0]))
    if gaps:
        for division, share in zip(gaps, split(available / 4, len(gaps)), strict=True):
            claims.append(_gap_claim(seen, division, share))
    return claims


def _with_condition(evidence: Evidence) -> Evidence:
    """The evidence with how it is known that the groups came before the rows: as it is of the model."""
    first = next((known for known in evidence.checked if known.name == FIXED_BEFORE), None)
    asked = first is not None and first.status in ("declared", "not asked", "violated")
    named = Assumption(GROUPS_DECLARED, "not asked")
    if first is not None and asked:
        named = Assumption(GROUPS_DECLARED, first.status, first.evidence)
    return replace(evidence, checked=(*evidence.checked, named))


def _divisions(evidence: Evidence) -> tuple[GroupCounts, ...]:
    assert evidence.groups is not None
    return evidence.groups


def _all_groups(divisions: Sequence[GroupCounts]) -> tuple[Group, ...]:
    return tuple(group for division in divisions for group in division.groups())


def _bounds(evidence: Evidence, division: GroupCounts, shares: Any) -> list[Guarantee]:
    """The claim about each group of a division."""
    claims = []
    for place, group in enumerate(division.groups()):
        share = next(shares)
        if division.units is None:
            counts = (division.errors[place], division.rows[place])
            of, theorem = Subject("group-error", groups=(group,)), find_theorem("group-exact")
            inputs: dict[str, Any] = {"errors": counts[0], "rows": counts[1], "delta": share}
        else:
            kinds = division.units[place]
            of = Subject("group-unit-mean-error", groups=(group,))
            theorem, counts = find_theorem("group-unit-mean"), _mean(kinds).as_integer_ratio()
            inputs = {"units": [list(kind) for kind in kinds], "delta": share}
        claims.append(claim_by(theorem, of, inputs, counts, evidence.checked))
    return claims


def _mean(kinds: Sequence[Sequence[int]]) -> Fraction:
    return seen_of_units("unit-mean", kinds)


def worst_claim(evidence: Evidence, share: str, allowed: list[int] | None = None) -> Guarantee:
    """The promise about the group on which the model does worst; with `allowed` errors, one that tells no counts."""
    divisions = _divisions(evidence)
    groups = _all_groups(divisions)
    if divisions[0].units is not None:
        listed = [kinds for division in divisions for kinds in division.units or ()]
        inputs: dict[str, Any] = {"groups": [[list(k) for k in kinds] for kinds in listed]}
        of, theorem = Subject("worst-group-unit-mean-error", groups=groups), "worst-group-unit-mean"
        worst = max(map(_mean, listed))
    else:
        errors = [k for division in divisions for k in division.errors]
        rows = [n for division in divisions for n in division.rows]
        inputs = {"errors": errors if allowed is None else allowed, "rows": rows}
        of, theorem = Subject("worst-group-error", groups=groups), "worst-group"
        worst = max(Fraction(k, n) for k, n in zip(errors, rows, strict=True))
    observed = worst.as_integer_ratio() if allowed is None else None
    return claim_by(
        find_theorem(theorem), of, inputs | {"delta": share}, observed, evidence.checked
    )


def _gap_claim(evidence: Evidence, division: GroupCounts, share: str) -> Guarantee:
    of = Subject("group-gap", groups=tuple(division.groups()))
    rates = [Fraction(k, n) for k, n in zip(division.errors, division.rows, strict=True)]
    gap = max(rates) - min(rates)
    inputs = {"errors": list(division.errors), "rows": list(division.rows), "delta": share}
    observed = gap.as_integer_ratio()
    return claim_by(find_theorem("group-gap"), of, inputs, observed, evidence.checked)


def every_group_claim(evidence: Evidence, share: str) -> Guarantee:
    """The claim about every group at the full share, by intersection and union."""
    return worst_claim(_with_condition(evidence), share)


def require_passed(evidence: Evidence, claim: Guarantee, max_error: Number) -> None:
    """Refuse where the error that is promised of every group is above the largest that is allowed."""
    promised = claim.promised_text
    if promised is not None and as_fraction(promised) > as_fraction(max_error):
        raise CertificateRefused(_failing(evidence, claim.delta, max_error))


def passed_claim(evidence: Evidence, share: str, max_error: Number) -> Guarantee:
    """The claim that every group passes, telling nothing else, or a refusal."""
    seen = _with_condition(evidence)
    rate, level = as_fraction(max_error), Fraction(share)
    counts = _counts(_divisions(seen))
    allowed = [errors_allowed(n, rate, level) for _, _, n in counts]
    small = [group for (group, _, _), most in zip(counts, allowed, strict=True) if most is None]
    if small or any(k > (m or 0) for (_, k, _), m in zip(counts, allowed, strict=True)):
        # Sizes of groups are known beforehand; which of them failed, and by how much, is not told.
        need = rows_needed(0, 1, rate, level)
        why = (
            f" {listed_groups(small)} would need {need:,} rows to pass without an error."
            if small
            else ""
        )
        raise CertificateRefused(
            f"Fail: an error rate of {max_error} in every group cannot be promised from this holdout, where this look "
            f"may fail with probability {float(share):.3g}.{why}"
        )
    return worst_claim(seen, share, [most or 0 for most in allowed])


def _counts(divisions: Sequence[GroupCounts]) -> list[tuple[Group, int, int]]:
    return [
        (group, k, n)
        for division in divisions
        for group, k, n in zip(division.groups(), division.errors, division.rows, strict=True)
    ]


def _failing(evidence: Evidence, share: str, max_error: Number) -> str:
    """Which groups fail, and what each would need."""
    divisions = _divisions(evidence)
    if divisions[0].units is not None:
        return f"Fail: a mean error over units of {max_error} cannot be promised for every group."
    short = shortfalls(_counts(divisions), max_error, share)
    shown = "; ".join(map(shortfall_text, short[:_NAMED]))
    more = f"; and {len(short) - _NAMED:,} more" if len(short) > _NAMED else ""
    return f"Fail: an error rate of {max_error} cannot be promised for every group: {shown}{more}."
