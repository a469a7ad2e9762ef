"""What is checked of the groups in a certificate: they are all groups of their columns, and of the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from assay.certificates.format.claim import subject_in
from assay.certificates.verify.document_checks import errors_of
from assay.evidence.evidence import Evidence
from assay.guarantees.decimals import decimal_ratio
from assay.guarantees.printable import printable
from assay.guarantees.subject import Group, group_text
from assay.guarantees.unit_shares import seen_of_units
from assay.theory.claim import OF_GROUP

_WORST = ("worst-group-error", "worst-group-unit-mean-error")
# A level by its type too: 1 and True are two.
_Key = tuple[tuple[str, str, Any], ...]


def seen_of_groups(claim: Mapping[str, Any]) -> str:
    """What was seen of the worst group, or of the gap, by the counts that a claim rests on."""
    rates = [_rate(counts) for counts in _listed(claim)]
    seen = max(rates) - (min(rates) if claim["quantity"] == "group-gap" else 0)
    return decimal_ratio(seen.numerator, seen.denominator)


def _rate(counts: Any) -> Fraction:
    return seen_of_units("unit-mean", counts) if isinstance(counts, list) else Fraction(*counts)


def _listed(claim: Mapping[str, Any]) -> list[Any]:
    """What is counted of each group: errors and rows, or units."""
    inputs = claim["inputs"]
    if claim["quantity"] in OF_GROUP:
        return [inputs["units"] if "units" in inputs else (inputs["errors"], inputs["rows"])]
    if "groups" in inputs:
        return list(inputs["groups"])
    return list(zip(inputs["errors"], inputs["rows"], strict=True))


def key_of(group: Group) -> _Key:
    """What tells a group from any other."""
    return tuple((name, type(level).__name__, level) for name, level in group)


def columns_of_groups(claims: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """The columns by which a certificate divides rows into groups, crossed ones together."""
    groups = [
        group
        for claim in claims
        if "group" in claim or "groups" in claim
        for group in _groups(claim)
    ]
    return list(dict.fromkeys(tuple(name for name, _ in group) for group in groups))


def groups_fault(
    overall: Mapping[str, Any] | None, claims: Sequence[Mapping[str, Any]], rows: int
) -> str | None:
    """Why claims about groups cannot be about the rows of the first claim; None when they can.

    Without a claim about all rows there is one about the worst of all groups, and nothing else.
    """
    each = [claim for claim in claims if claim["quantity"] in OF_GROUP]
    others = [claim for claim in claims if claim["quantity"] not in OF_GROUP]
    if claims[: len(each)] != each:
        return "what groups have in common stands behind the claims about each of them"
    if overall is None:
        if len(claims) != 1 or claims[0]["quantity"] not in _WORST:
            return "a certificate about groups promises the error of all rows first, or that of the worst group alone"
        each = others
    elif not each:
        return "what groups have in common is promised without the groups"
    counted = [pair for claim in each for pair in zip(_groups(claim), _listed(claim), strict=True)]
    errors = None if overall is None else errors_of(overall["inputs"])
    by_units = overall is not None and "units" in overall["inputs"]
    fault = _divisions_fault(counted, rows, errors, untold=claims[0]["observed"] is None)
    if fault is not None:
        return fault
    if overall is None:
        return None
    if any(("units" in claim["inputs"]) != by_units for claim in each):
        return "groups are counted in units where all rows are, and nowhere else"
    if len({claim["inputs"]["delta"] for claim in each}) != 1:
        return "the groups do not share delta evenly"
    return _common_fault(counted, others)


def _groups(claim: Mapping[str, Any]) -> tuple[Group, ...]:
    groups = subject_in(claim).groups
    if len(groups) != len(_listed(claim)):
        raise ValueError("as many groups are named as are counted")
    return groups


_Counted = Sequence[tuple[Group, Any]]


def _divisions_fault(counted: _Counted, rows: int, errors: Any, *, untold: bool) -> str | None:
    """Each row is in one group of every division, with the same levels wherever its columns are crossed."""
    if len({key_of(group) for group, _ in counted}) != len(counted):
        return "the same group is claimed twice"
    divisions: dict[tuple[str, ...], list[tuple[Group, int, int]]] = {}
    for group, counts in counted:
        k, n = _totals(counts)
        if n < 1 or k > n:
            return f"more errors than rows are counted of {_shown(group)}"
        divisions.setdefault(tuple(name for name, _ in group), []).append((group, k, n))
    if len(set(map(frozenset, divisions))) != len(divisions):
        return "the same columns divide the rows twice"
    for names, parts in divisions.items():
        by = printable(" and ".join(names), 80)
        if sum(n for _, _, n in parts) != rows:
            return f"the rows of the groups by {by} do not add up to {rows}"
        if untold:
            continue
        wrong = sum(k for _, k, _ in parts)
        errors = wrong if errors is None else errors
        if wrong != errors:
            return f"the errors of the groups by {by} do not add up to {errors}"
    return _margins_fault(divisions, untold=untold)


def _totals(counts: Any) -> tuple[int, int]:
    if isinstance(counts, list):
        return sum(e * many for e, _, many in counts), sum(r * many for _, r, many in counts)
    k, n = counts
    return k, n


def _margins_fault(
    divisions: Mapping[tuple[str, ...], Sequence[tuple[Group, int, int]]], *, untold: bool
) -> str | None:
    """What is counted of a column alone, and of it crossed with others, is the same."""
    known: dict[frozenset[tuple[str, str, Any]], tuple[int, int]] = {}
    shared = {
        frozenset(names) & frozenset(more)
        for names in divisions
        for more in divisions
        if names is not more
    }
    for names, parts in divisions.items():
        for columns in shared:
            if not columns or not columns <= set(names):
                continue
            sums: dict[frozenset[tuple[str, str, Any]], tuple[int, int]] = {}
            for group, k, n in parts:
                margin = frozenset(part for part in key_of(group) if part[0] in columns)
                before = sums.get(margin, (0, 0))
                sums[margin] = (before[0] + (0 if untold else k), before[1] + n)
            for margin, total in sums.items():
                if known.setdefault(margin, total) != total:
                    return f"crossed columns count other rows of {printable(sorted(columns)[0], 80)} than others do"
            if {m for m in known if {name for name, _, _ in m} == columns} != set(sums):
                return f"crossed columns hold other levels of {printable(sorted(columns)[0], 80)} than others do"
    return None


def _common_fault(counted: _Counted, others: Sequence[Mapping[str, Any]]) -> str | None:
    """The worst group is that of all groups, and a gap is between all groups of a division."""
    worst = [claim for claim in others if claim["quantity"] in _WORST]
    gaps = [claim for claim in others if claim["quantity"] == "group-gap"]
    if others != [*worst, *gaps] or len(worst) > 1:
        return "the worst group stands before the gaps, and once"
    for claim in worst:
        if _pairs(zip(_groups(claim), _listed(claim), strict=True)) != _pairs(counted):
            return "the worst of other groups is claimed than those that are counted"
    divided: set[tuple[str, ...]] = set()
    for claim in gaps:
        listed = list(zip(_groups(claim), _listed(claim), strict=True))
        names = {tuple(name for name, _ in group) for group, _ in listed}
        same = [p for p in counted if tuple(name for name, _ in p[0]) in names]
        if len(names) != 1 or names <= divided or _pairs(listed) != _pairs(same):
            return "a gap is claimed of other groups than those of one division"
        divided |= names
    if len({claim["inputs"]["delta"] for claim in gaps}) > 1:
        return "the gaps do not share delta evenly"
    return None


def _pairs(listed: Any) -> list[tuple[_Key, Any]]:
    return [(key_of(group), counts) for group, counts in listed]


def _shown(group: Group) -> str:
    return printable(group_text(group), 120)


def counted_fault(claim: Mapping[str, Any], evidence: Evidence) -> str | None:
    """Why the data, where groups are given, do not have the groups of a claim or count them differently."""
    if evidence.groups is None:
        return None
    again: dict[_Key, Any] = {}
    for division in evidence.groups:
        kinds = division.units or (None,) * len(division.levels)
        counts = zip(division.groups(), division.errors, division.rows, kinds, strict=True)
        again |= {
            key_of(group): (k, n) if listed is None else [list(kind) for kind in listed]
            for group, k, n, listed in counts
        }
    columns = {frozenset(name for name, _, _ in key) for key in again}
    untold = claim["observed"] is None
    for group, stated in zip(_groups(claim), _listed(claim), strict=True):
        if frozenset(name for name, _ in group) not in columns:
            by = printable(" and ".join(name for name, _ in group), 80)
            return f"the certificate has groups by {by}: give these columns too"
        counted = again.get(_ordered(key_of(group), again))
        if counted is None:
            return f"the data hold no row of {_shown(group)}"
        if isinstance(counted, tuple) != isinstance(stated, tuple):
            return "the certificate counts groups in units: give these too"
        same = counted == stated
        if untold:
            same = counted[1] == stated[1] and counted[0] <= stated[0]
        if not same:
            return f"the data count {_shown(group)} differently: {_count_text(counted)}, not {_count_text(stated)}"
    return None


def _ordered(key: _Key, again: Mapping[_Key, Any]) -> _Key:
    """The same group with its columns in the order of the data."""
    return (
        next((other for other in again if set(other) == set(key)), key) if key not in again else key
    )


def _count_text(counts: Any) -> str:
    if isinstance(counts, list):
        k, n = _totals(counts)
        return f"{k:,} of {n:,} rows in {sum(many for _, _, many in counts):,} units"
    return f"{counts[0]:,} of {counts[1]:,} rows"
