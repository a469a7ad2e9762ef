"""Groups of the samples of an evaluation log, by what it says of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.errors import UnknownName, require
from assay.evidence.evidence import Evidence
from assay.evidence.group_columns import named_columns, require_divisions
from assay.evidence.groups import GroupTally, missing_noted
from assay.types import Array, Floats, Ints

_SHOWN = 20


def grouped(
    evidence: Evidence,
    losses: Floats,
    units: Ints | None,
    by: Sequence[str],
    fields: Mapping[str, Array],
    dropped: Sequence[str],
    path: str,
) -> Evidence:
    """The evidence of samples that pass or fail, with the counts of their groups.

    Parameters
    ----------
    evidence : Evidence
        Of all samples.
    losses : array
        1.0 where a sample failed.
    units : array or None
        The unit of each sample, where they come in units.
    by : sequence of str
        Fields of the log, ``"topic*level"`` for two of them crossed.
    fields, dropped
        What the log holds of each sample, and what of it divides into no groups.
    path : str
        The log, for refusals.
    """
    why = "Of graded scores only the mean over all samples is promised."
    require(evidence.losses is None, "by", "left out for graded scores", list(by), why)
    divisions = require_divisions([named_columns(text, list(fields)) for text in by])
    for name in dict.fromkeys(name for crossed in divisions for name in crossed):
        _require_field(name, fields, dropped, path)
    tally = GroupTally(divisions, keep=units is not None)
    tally.take([[_values(fields[name]) for name in crossed] for crossed in divisions])
    wrong = losses == 1.0
    tally.count(wrong)
    groups = tally.counted(wrong, units)
    return replace(evidence, groups=groups, notes=(*evidence.notes, *missing_noted(groups)))


def _values(column: Array) -> list[Any]:
    return list(column.tolist())


def _require_field(
    name: str, fields: Mapping[str, Array], dropped: Sequence[str], path: str
) -> None:
    if name in fields:
        return
    if name in dropped:
        raise UnknownName(
            f"{path} holds lists, long texts or more than 500 values in {name!r}, which divide into no groups."
        )
    known = ", ".join(map(repr, list(fields)[:_SHOWN])) or "none"
    raise UnknownName(f"{path} says no {name!r} of its samples. What it says of them: {known}.")
