"""Evidence where the data are: one GROUP BY of a frame, wherever its rows lie, and nothing but counts travels.

Counts do not depend on how the rows are ordered, cut or spread, so neither does what follows from them; which rows they
were, in which order, no digest tells.
"""

from __future__ import annotations

import functools
import operator
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from assay.errors import BadData, BadParameter
from assay.evidence.cells import MOST_CELLS, Cells, from_cells, tally_of_cells
from assay.evidence.evidence import Evidence
from assay.evidence.groups import GroupCounts, Kinds
from assay.evidence.places import ROWS, counted_rows

_WRONG, _UNITS = "assay wrong", "assay units"
# Each label is a term of the question which rows are right.
_MOST_LABELS = 256


@dataclass(frozen=True)
class FrameColumns:
    """Which columns of a frame hold what.

    Attributes
    ----------
    truth, prediction : str
        The labels.
    by : tuple of tuple of str
        The columns of each division into groups.
    unit : str, optional
        What each row belongs to.
    """

    truth: str
    prediction: str
    by: tuple[tuple[str, ...], ...] = ()
    unit: str | None = None

    @property
    def cell(self) -> list[str]:
        """What the rows of a cell agree in."""
        crossed = [name for division in self.by for name in division]
        return list(dict.fromkeys([self.truth, self.prediction, *crossed]))


def from_frame(
    frame: Any,
    columns: FrameColumns,
    *,
    labels: Sequence[Any] | None = None,
    unseen: Literal["refuse", "wrong"] = "refuse",
) -> Evidence:
    """Count rows, errors, groups and units of a frame by its own GROUP BY.

    Examples
    --------
    >>> import pyarrow as pa
    >>> rows = pa.table({"y": [1, 0, 1, 1], "p": [1, 0, 0, 1], "who": ["a", "a", "b", "b"]})
    >>> from_frame(rows, FrameColumns("y", "p", unit="who")).units
    ((0, 2, 1), (1, 2, 1))
    """
    wanted = list(dict.fromkeys([*columns.cell, *([columns.unit] if columns.unit else [])]))
    rows = counted_rows(frame, wanted)
    cells = _cells(rows, columns)
    evidence = from_cells(
        cells,
        names=(columns.truth, columns.prediction),
        by=columns.by,
        labels=labels,
        unseen=unseen,
    )
    if columns.unit is None:
        return evidence
    judged = rows.with_columns(_right(cells, columns, labels, unseen))
    judged = judged.with_columns(_wrong(judged))
    units = _kinds(judged, columns.unit, ())
    [kinds] = units.values()
    groups = [
        replace(division, units=_units_of(division, _kinds(judged, columns.unit, names)))
        for names, division in zip(columns.by, evidence.groups or (), strict=True)
    ]
    return replace(evidence, units=kinds, groups=tuple(groups) if groups else None)


def ids_again(frame: Any, names: Sequence[str]) -> str:
    """How often an id comes again in the first of these columns where one does, in words.

    Of text, capitals and spaces at its ends make no difference.
    """
    import narwhals.stable.v1 as nw

    for name in names:
        rows = counted_rows(frame, [name])
        id = nw.col(name)
        if rows.collect_schema()[name] in (nw.String, nw.Categorical):
            id = id.cast(nw.String).str.strip_chars().str.to_lowercase()
        listed = rows.select(id.alias(name), nw.col(ROWS)).filter(~nw.col(name).is_null())
        each = listed.group_by(name).agg(nw.col(ROWS).sum())
        found = each.select(nw.col(ROWS).sum(), nw.col(ROWS).count().alias(_UNITS)).collect()
        [(rows_, distinct)] = found.iter_rows()
        again = int(rows_ or 0) - int(distinct)
        if again:
            return f"the column {name!r} repeats itself in {again:,} of {int(rows_):,} rows"
    return ""


def _cells(rows: Any, columns: FrameColumns) -> Cells:
    import narwhals.stable.v1 as nw

    grouped = rows.group_by(*columns.cell).agg(nw.col(ROWS).sum()).head(MOST_CELLS + 1)
    table = grouped.collect().to_arrow()
    if len(table) > MOST_CELLS:
        raise BadData(
            f"{' and '.join(columns.cell)} take more than {MOST_CELLS:,} values together; so many are names or "
            "quantities, not classes or groups. Check that the columns are the right ones."
        )
    held = {name: table[name] for name in columns.cell}
    return Cells(
        held[columns.truth],
        held[columns.prediction],
        table[ROWS].to_numpy().astype(np.int64),
        tuple(tuple(held[name] for name in division) for division in columns.by),
    )


def _right(
    cells: Cells,
    columns: FrameColumns,
    labels: Sequence[Any] | None,
    unseen: Literal["refuse", "wrong"],
) -> Any:
    """Whether a row is predicted rightly, in the frame's own values."""
    import narwhals.stable.v1 as nw

    names = columns.truth, columns.prediction
    wrong = tally_of_cells(cells, names=names, labels=labels, unseen=unseen)[1]
    held = zip(cells.truth.to_pylist(), cells.prediction.to_pylist(), wrong.tolist(), strict=True)
    pairs = sorted({(t, p) for t, p, bad in held if not bad}, key=repr)
    if len(pairs) > _MOST_LABELS:
        raise BadParameter(
            f"unit must be left out where more than {_MOST_LABELS} labels are counted in place."
        )
    terms = [(nw.col(names[0]) == t) & (nw.col(names[1]) == p) for t, p in pairs]
    none_is = nw.lit(False)
    return functools.reduce(operator.or_, terms, none_is).alias(_WRONG)


def _wrong(judged: Any) -> Any:
    import narwhals.stable.v1 as nw

    return nw.when(nw.col(_WRONG)).then(nw.lit(0)).otherwise(nw.col(ROWS)).alias(_WRONG)


def _kinds(judged: Any, unit: str, by: Sequence[str]) -> dict[tuple[Any, ...], Kinds]:
    """Units by errors and rows: how many of each kind, in each group."""
    import narwhals.stable.v1 as nw

    each = judged.group_by(unit, *by).agg(nw.col(_WRONG).sum(), nw.col(ROWS).sum())
    nameless = each.filter(nw.col(unit).is_null()).select(nw.col(ROWS).sum()).collect()
    [(missing,)] = nameless.iter_rows()
    if missing:
        raise BadData(
            f"{unit} has no value in {int(missing):,} rows; every row needs one. Fill them in, or leave these rows "
            "out."
        )
    kinds = each.group_by(_WRONG, ROWS, *by).agg(nw.col(unit).count().alias(_UNITS)).collect()
    listed: dict[tuple[Any, ...], Counter[tuple[int, int]]] = {} if by else {(): Counter()}
    for errors, rows, *levels, units in kinds.select(_WRONG, ROWS, *by, _UNITS).iter_rows():
        listed.setdefault(tuple(map(_plain, levels)), Counter())[int(errors), int(rows)] += units
    return {
        levels: tuple((*kind, int(many)) for kind, many in sorted(counted.items()))
        for levels, counted in listed.items()
    }


def _units_of(division: GroupCounts, kinds: dict[tuple[Any, ...], Kinds]) -> tuple[Kinds, ...]:
    merged: dict[tuple[Any, ...], Counter[tuple[int, int]]] = {}
    for levels, listed in kinds.items():
        counted = merged.setdefault(levels, Counter())
        for errors, rows, many in listed:
            counted[errors, rows] += many
    return tuple(
        tuple((*kind, many) for kind, many in sorted(merged[levels].items()))
        for levels in division.levels
    )


def _plain(level: Any) -> Any:
    """A level as evidence writes it: nothing, for an empty text or what is not a number."""
    if level is None or level == "" or level != level:
        return None
    return int(level) if isinstance(level, float) and level.is_integer() else level
