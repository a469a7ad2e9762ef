"""Cells: rows that agree in truth, prediction and groups, and how many there are of each kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from assay.errors import BadData
from assay.evidence.columns import is_text, read_column
from assay.evidence.evidence import Evidence, unseen_noted
from assay.evidence.groups import GroupCounts, groups_of_cells, missing_noted
from assay.evidence.labels import encode
from assay.evidence.tally import Tally, tally
from assay.types import Bools, Ints

#: More cells than this are rows again.
MOST_CELLS = 1_000_000


@dataclass(frozen=True)
class Cells:
    """A table of cells, column by column.

    Attributes
    ----------
    truth, prediction : column
        What the rows of each cell hold.
    counts : array of int
        How many rows each cell has.
    groups : tuple of tuple of columns
        For each division into groups what the cells hold of its columns.
    """

    truth: Any
    prediction: Any
    counts: Ints
    groups: tuple[tuple[Any, ...], ...] = ()


def from_cells(
    cells: Cells,
    *,
    names: tuple[str, str] = ("truth", "prediction"),
    by: Sequence[tuple[str, ...]] = (),
    labels: Sequence[Any] | None = None,
    unseen: Literal["refuse", "wrong"] = "refuse",
) -> Evidence:
    """The evidence of all rows, as if they had been counted one by one; the order of rows it does not know.

    Examples
    --------
    >>> seen = from_cells(Cells(["ham", "spam", "spam"], ["ham", "spam", "ham"], np.array([70, 20, 4])))
    >>> seen.rows, seen.errors, seen.tally.confusion
    (94, 4, ((70, 0), (4, 20)))
    """
    kinds, wrong = tally_of_cells(cells, names=names, labels=labels, unseen=unseen)
    groups: tuple[GroupCounts, ...] | None = None
    if by:
        groups = groups_of_cells(by, cells.groups, cells.counts, wrong)
    settled = labels is not None or unseen == "wrong"
    notes = () if settled else unseen_noted(kinds, names)
    return Evidence(
        rows=kinds.rows,
        errors=kinds.errors,
        tally=kinds,
        notes=(*notes, *missing_noted(groups or ())),
        groups=groups,
    )


def tally_of_cells(
    cells: Cells,
    *,
    names: tuple[str, str],
    labels: Sequence[Any] | None = None,
    unseen: Literal["refuse", "wrong"] = "refuse",
) -> tuple[Tally, Bools]:
    """The confusion counts of all rows, and which of the cells are predicted wrongly."""
    for name, column in zip(names, (cells.truth, cells.prediction), strict=True):
        _require_labels(name, column, cells.counts)
    once = tally([(cells.truth, cells.prediction)], labels=labels, unseen=unseen, names=names)
    place = {label: i for i, label in enumerate(once.labels)}
    truth, predicted = (
        np.array([place[label] for label in coded.labels])[coded.codes]
        for coded in (encode(read_column(c, ""), "") for c in (cells.truth, cells.prediction))
    )
    wrong = truth != predicted
    confusion = None
    if once.confusion is not None:
        matrix = np.zeros((len(place), len(place)), dtype=np.int64)
        np.add.at(matrix, (truth, predicted), cells.counts)
        confusion = tuple(tuple(row) for row in matrix.tolist())
    counted = replace(
        once,
        rows=int(cells.counts.sum()),
        errors=int(cells.counts[wrong].sum()),
        confusion=confusion,
        truth_digest=None,
        prediction_digest=None,
    )
    return counted, wrong


def _require_labels(name: str, column: Any, counts: Ints) -> None:
    """Refuse what is no label, in words that speak of rows and not of cells."""
    held = read_column(column, name)
    gone = np.array([value is None or value != value for value in held.to_pylist()], dtype=bool)
    if gone.any():
        many = int(counts[gone].sum())
        raise BadData(
            f"{name} has no value in {many:,} {'row' if many == 1 else 'rows'}; every row needs one. "
            "Fill them in, or leave these rows out."
        )
    if is_text(held.type) or not str(held.type).startswith(("float", "double", "halffloat")):
        return
    odd = [value for value in held.to_pylist() if value != int(value)]
    if odd:
        raise BadData(
            f"{name} holds {odd[0]!r}, which is not a label; labels are text, whole numbers or truth values. Turn "
            "the column into text."
        )
