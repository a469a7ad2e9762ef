"""Two models or more from tables of their predictions, joined by what rows are called."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.certificates.issue.evidence_sources import repeats_known
from assay.certificates.issue.id_holdout import id_digests
from assay.certificates.issue.matched_rows import Matched, NamedRows, Unmatched, matched, names_of
from assay.certificates.issue.named_rows import NO_UNIT, known_of_units
from assay.data.logs.formats.plain import ATTEMPTS
from assay.data.logs.id_columns import id_columns
from assay.data.table import open_table
from assay.errors import BadData, BadParameter, Words, require
from assay.evidence.paired import Paired, from_paired_labels, from_paired_losses
from assay.guarantees.assumption import Assumption
from assay.types import Ints

PathLike = str | os.PathLike[str]

#: Columns that hold predictions, where nobody says which does.
PREDICTIONS = ("prediction", "predicted", "pred", "y_pred", "guess", "output", "response")


@dataclass(frozen=True)
class Columns:
    """Which columns of tables hold what.

    Attributes
    ----------
    on : tuple of str
        What names a row.
    truth, prediction, loss, unit : str or None
        The truth and the predictions, or losses; what a row belongs to.
    """

    on: tuple[str, ...]
    truth: str | None = None
    prediction: str | None = None
    loss: str | None = None
    unit: str | None = None

    def require(self) -> None:
        """Refuse columns that do not go together."""
        require(bool(self.on), "on", "the column that names rows, which both files have", self.on)
        if self.loss is None and self.truth is None:
            raise BadParameter(
                Words(
                    "Name truth, the column that holds it, or loss.",
                    "Name the column of the truth with --truth, or that of losses with --loss.",
                )
            )
        if self.loss is not None and (self.truth is not None or self.prediction is not None):
            raise BadParameter(
                Words(
                    "Give loss, or truth with prediction, but not both.",
                    "Give --loss, or --truth with --prediction, but not both.",
                )
            )
        named = [*self.on, self.truth, self.prediction, self.loss]
        given = [name for name in named if name is not None]
        twice = next((name for name in given if given.count(name) > 1), None)
        require(twice is None, "on", "a column of its own", twice)


@dataclass(frozen=True)
class _Read:
    """The columns of one file that are looked at."""

    path: str
    rows: NamedRows
    given: list[Any]
    held: Mapping[str, list[Any]]


def paired_tables(
    old: PathLike,
    news: Mapping[str, PathLike],
    columns: Columns,
    *,
    unmatched: Unmatched = "refuse",
    reverse: bool = False,
    partition: bool = False,
) -> list[Paired]:
    """What an old model and new ones did on the rows that all files hold.

    Parameters
    ----------
    old : path
        The predictions of the old model.
    news : mapping
        Those of new models by their names; one without a name is called by the empty text.
    columns : Columns
        Which columns hold what. The truth and the units may stand in one file alone; where several have the truth, they
        must agree.
    unmatched : {"refuse", "drop"}
        What becomes of rows that only some of the files hold.
    reverse : bool
        Whether the names are those of old models, each of which is compared with one new model.
    partition : bool
        Whether a ledger asks which rows share a label.
    """
    columns.require()
    files = [_read(path, columns) for path in (old, *news.values())]
    joined = matched([file.rows for file in files], unmatched)
    truth = None if columns.truth is None else _truth(files, joined, columns)
    grouping = None if columns.unit in (None, NO_UNIT) else _units(files, joined, columns)
    watched = _watched(files, joined, columns)
    drawn, advice = repeats_known(watched, columns.unit)
    shared: tuple[Assumption, ...] = ()
    if grouping is not None:
        drawn, advice = None, ""
        shared = known_of_units({name: column for name, [column] in watched.items()}, grouping)
    known_rows = _known_again(files[0], joined, truth) if partition else None
    base, *others = (_taken(f.given, p) for f, p in zip(files, joined.places, strict=True))
    seen = []
    side = "old" if reverse else "new"
    for name, given in zip(news, others, strict=True):
        first, second = (base, given) if reverse else (given, base)
        if truth is None:
            one = from_paired_losses(first, second, grouping)
        else:
            one = from_paired_labels(truth, first, second, grouping, partition=partition)
        more: dict[str, Any] = {side: name}
        of_units = shared if one.units is not None else ()
        checked = (*joined.known, *of_units, *([] if drawn is None else [drawn]))
        notes = (*joined.notes, *([advice] if advice else []))
        seen.append(replace(one, checked=checked, notes=notes, known_rows=known_rows, **more))
    return seen


def _known_again(base: _Read, joined: Matched, truth: list[Any] | None) -> Any:
    """By what a ledger knows the rows that are compared again, whatever the order of the files."""
    keys = [base.rows.keys[place] for place in joined.places[0].tolist()]
    names = [key if isinstance(key, str) else "\x1f".join(map(str, key)) for key in keys]
    return id_digests({base.rows.by: names}, truth)


def _read(path: PathLike, columns: Columns) -> _Read:
    table = open_table(path)
    shown = str(path)
    given = columns.loss or columns.prediction or _prediction_in(shown, table.columns, columns)
    held = [
        name
        for name in dict.fromkeys((columns.truth, columns.unit, *id_columns(table.columns)))
        if name is not None and name in table.columns and name not in (given, *columns.on)
    ]
    wanted = [*columns.on, given, *held]
    table.check_names(wanted)
    lists: list[list[Any]] = [[] for _ in wanted]
    numbers = () if columns.loss is None else (columns.loss,)
    for batch in table.scan(wanted, numbers=numbers):
        for place, values in enumerate(lists):
            column = batch.column(place)
            values.extend(column if isinstance(column, list) else column.to_pylist())
    keys, rest = lists[: len(columns.on)], lists[len(columns.on) :]
    rows = names_of(shown, columns.on, keys)
    gap = next((i for i, value in enumerate(rest[0]) if value is None or value == ""), None)
    if gap is not None:
        raise BadData(f"{shown} holds no value in column {given!r}, row {gap + 1}.")
    # What names a row may name what it belongs to, or repeat itself in another letter case; an attempt does not.
    naming = dict(zip(columns.on, keys, strict=True))
    alone = {name: column for name, column in naming.items() if name.casefold() not in ATTEMPTS}
    return _Read(shown, rows, rest[0], alone | dict(zip(held, rest[1:], strict=True)))


def _prediction_in(path: str, names: Sequence[str], columns: Columns) -> str:
    """The column of predictions: one that is called so, or the only one that is left."""
    taken = {*columns.on, columns.truth, columns.unit}
    left = [name for name in names if name not in taken]
    called = [name for name in left if name.casefold() in PREDICTIONS]
    if len(called) == 1 or len(left) == 1:
        return (called or left)[0]
    shown = ", ".join(map(repr, (called or left)[:10])) or "none"
    raise BadParameter(
        f"{path} does not say which column holds the predictions ({shown}): name it",
        Words(" as prediction", " with {}", "prediction"),
        ".",
    )


def _taken(values: Sequence[Any], places: Ints) -> list[Any]:
    return [values[place] for place in places.tolist()]


def _truth(files: Sequence[_Read], joined: Matched, columns: Columns) -> list[Any]:
    """The truth of the rows; that of files that disagree is refused."""
    name = columns.truth or ""
    held = [
        (file, _taken(file.held[name], places))
        for file, places in zip(files, joined.places, strict=True)
        if name in file.held
    ]
    if not held:
        for file in files:
            open_table(file.path).check_names([name])
    (first, truth), *others = held
    for file, values in others:
        apart = [i for i, (a, b) in enumerate(zip(truth, values, strict=True)) if a != b]
        if apart:
            place = joined.places[0][apart[0]]
            key = files[0].rows.keys[int(place)]
            noun = "row" if len(apart) == 1 else "rows"
            raise BadData(
                f"{first.path} and {file.path} disagree about {name!r} in {len(apart):,} {noun}: of "
                f"{first.rows.by} {key!r} one says {truth[apart[0]]!r} and the other {values[apart[0]]!r}."
            )
    return truth


def _units(files: Sequence[_Read], joined: Matched, columns: Columns) -> list[Any]:
    """What each row belongs to, from the first file that says so."""
    name = str(columns.unit)
    for file, places in zip(files, joined.places, strict=True):
        if name in file.held:
            return _taken(file.held[name], places)
    open_table(files[0].path).check_names([name])
    raise AssertionError("unreachable")


def _watched(
    files: Sequence[_Read], joined: Matched, columns: Columns
) -> Mapping[str, Sequence[Any]]:
    """Columns that name what rows are about, of the rows that are compared."""
    watched: dict[str, Sequence[Any]] = {}
    for file, places in zip(files, joined.places, strict=True):
        for name, values in file.held.items():
            if name not in (columns.truth, columns.unit):
                watched.setdefault(name, [_taken(values, places)])
    return watched
