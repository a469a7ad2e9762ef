"""Evidence from two counts, and from the columns of a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.certificates.issue.id_holdout import id_digests
from assay.certificates.issue.named_rows import NO_UNIT, known_of_draws, known_of_units, repeated
from assay.certificates.issue.unit_losses import from_unit_losses
from assay.errors import require
from assay.evidence.evidence import (
    Evidence,
    Progress,
    Unseen,
    from_losses,
    from_pairs,
    from_quantities,
    from_scored_pairs,
    from_scores,
    from_units,
)
from assay.guarantees.assumption import Assumption
from assay.theory.needs import counts

if TYPE_CHECKING:
    from assay.data.table import Table


_ONE_LOSS = "A row of the certificate is one unit, with the mean loss of its rows."


def from_counts(errors: int, rows: int) -> Evidence:
    """Evidence from two numbers: so many errors among so many rows."""
    k, n = counts(errors, rows)
    return Evidence(rows=n, errors=k)


def from_table(
    path: str | os.PathLike[str],
    *,
    truth: str,
    prediction: str,
    labels: Sequence[Any] | None = None,
    unseen: Unseen = "refuse",
    partition: bool = False,
    unit: str | None = None,
    by: Sequence[str | tuple[str, ...]] = (),
    progress: Progress | None = None,
) -> Evidence:
    """Evidence from two columns of a file, read in bounded memory; from a third that names units; and by groups.

    Each of `by` names a column that divides the rows into groups, or several, as in ``"sex*age"`` or a tuple.
    """
    from assay.data.table import open_table
    from assay.evidence.group_columns import named_columns, require_divisions

    columns, table = _columns(truth, prediction, unit), open_table(path)
    read: Callable[..., Evidence] = from_pairs if len(columns) == 2 else from_units
    watched = _Watched(table, columns, unit, private=partition)
    reading: dict[str, Any] = {
        "labels": labels,
        "unseen": unseen,
        "names": (truth, prediction),
        "partition": partition,
        "progress": progress,
    }
    if not by:
        return watched.known(read(watched.chunks(), **reading))
    from assay.evidence.groups import GroupTally, missing_noted

    divisions = require_divisions(
        [one if isinstance(one, tuple) else named_columns(one, table.columns) for one in by]
    )
    table.check_names([name for names in divisions for name in names])
    tally = GroupTally(divisions, keep=len(columns) == 3)
    evidence = read(watched.chunks(divisions), groups=tally, **reading)
    notes = (*evidence.notes, *missing_noted(evidence.groups or ()))
    return watched.known(replace(evidence, notes=notes))


def from_score_table(
    path: str | os.PathLike[str],
    *,
    truth: str,
    score: Sequence[str],
    prediction: str | None = None,
    positive: Callable[[Sequence[Any]], Any] | None = None,
    labels: Sequence[Any] | None = None,
    unseen: Unseen = "refuse",
    partition: bool = False,
    unit: str | None = None,
    progress: Progress | None = None,
) -> Evidence:
    """Evidence from columns of truth and score of a file, and from one of predictions where there is one.

    There is one column of scores, or one for each label, in the sorted order of the labels.
    """
    from assay.data.table import open_table

    require(unit in (None, NO_UNIT), "unit", "left out with score", unit)
    columns = [truth, *([] if prediction is None else [prediction]), *score]
    require(len(set(columns)) == len(columns), "score", "a column of its own", list(score))
    watched = _Watched(open_table(path), columns, unit, tuple(score), private=partition)
    place, shown = len(columns) - len(score), score[0] if len(score) == 1 else "score"
    chunks = ((*chunk[:place], tuple(chunk[place:])) for chunk in watched.chunks())
    terms: dict[str, Any] = {"labels": labels, "positive": positive}
    terms |= {"unseen": unseen, "partition": partition, "progress": progress}
    if prediction is None:
        return watched.known(from_scores(chunks, names=(truth, shown), **terms))
    names = (truth, prediction, shown)
    return watched.known(from_scored_pairs(chunks, names=names, **terms))


def from_quantity_table(
    path: str | os.PathLike[str],
    *,
    truth: str,
    prediction: str,
    unit: str | None = None,
    progress: Progress | None = None,
) -> Evidence:
    """Evidence from two columns of numbers of a file; and from a third that names units."""
    from assay.data.table import open_table

    columns = _columns(truth, prediction, unit)
    watched = _Watched(open_table(path), columns, unit, numbers=(truth, prediction))
    return watched.known(
        from_quantities(watched.chunks(), names=(truth, prediction), progress=progress)
    )


def from_loss_table(
    path: str | os.PathLike[str],
    *,
    loss: str,
    exact: bool = False,
    unit: str | None = None,
    progress: Progress | None = None,
) -> Evidence:
    """Evidence from a column of losses of a file, in the order of its rows; and from another that names units."""
    from assay.data.table import open_table

    require(unit != loss, "unit", "a column of its own", unit)
    columns = [loss] if unit in (None, NO_UNIT) else [loss, str(unit)]
    watched = _Watched(open_table(path), columns, unit, numbers=(loss,))
    if len(columns) == 2:
        made = from_unit_losses(watched.chunks(), exact=exact, progress=progress)
        graded = made.losses is not None
        return replace(made, notes=(_ONE_LOSS,)) if graded else made
    chunks = (column for (column,) in watched.chunks())
    return watched.known(from_losses(chunks, exact=exact, progress=progress))


def _columns(truth: str, prediction: str, unit: str | None) -> list[str]:
    require(truth != prediction, "prediction", "another column than the truth", prediction)
    require(unit not in (truth, prediction), "unit", "a column of its own", unit)
    return [truth, prediction] if unit in (None, NO_UNIT) else [truth, prediction, str(unit)]


class _Watched:
    """Columns of a table, and what the ids among the others tell: whether one comes again, and which rows these are.

    `private` is whether a ledger asks for the rows; the first column then holds the truth.
    """

    def __init__(
        self,
        table: Table,
        columns: list[str],
        unit: str | None,
        numbers: Sequence[str] = (),
        *,
        private: bool = False,
    ) -> None:
        from assay.data.logs.id_columns import id_columns

        self._table, self._columns, self._unit, self._numbers = table, columns, unit, numbers
        self._private, self._truth, self._units = private, list[Any](), list[Any]()
        others = [name for name in id_columns(table.columns) if name not in columns]
        self._ids: dict[str, list[Any]] = {name: [] for name in others}

    def chunks(self, divisions: Sequence[tuple[str, ...]] = ()) -> Iterator[tuple[Any, ...]]:
        """The columns chunk by chunk, and behind them those of each division into groups, where there are any."""
        groups = list(dict.fromkeys(name for names in divisions for name in names))
        wanted = [*self._columns, *self._ids, *groups]
        behind = len(self._columns) + len(self._ids)
        for batch in self._table.scan(wanted, numbers=self._numbers):
            for place, column in enumerate(self._ids.values(), start=len(self._columns)):
                column.append(batch.column(place))
            held = tuple(batch.column(place) for place in range(len(self._columns)))
            if self._private and self._ids:
                self._truth += _listed(held[0])
            if self._unit not in (None, NO_UNIT) and self._ids:
                self._units += _listed(held[self._columns.index(str(self._unit))])
            if divisions:
                at = {name: batch.column(behind + i) for i, name in enumerate(groups)}
                held += ([[at[name] for name in names] for names in divisions],)
            yield held

    def known(self, evidence: Evidence) -> Evidence:
        """The evidence with what the ids say of independence, and by what a ledger knows the rows again."""
        ids = {name: [v for c in chunks for v in _listed(c)] for name, chunks in self._listed_ids()}
        if self._private and ids:
            evidence = replace(evidence, known_rows=id_digests(ids, self._truth))
        if self._units:
            shared = known_of_units(ids, self._units) if evidence.units is not None else ()
            return replace(evidence, checked=(*evidence.checked, *shared))
        # Scores of rows that depend on one another are not promised.
        grouped = evidence.scores is None
        drawn, advice = repeats_known(self._ids, self._unit, grouped=grouped)
        if drawn is None:
            return evidence
        notes = (*evidence.notes, advice) if advice else evidence.notes
        return replace(evidence, checked=(*evidence.checked, drawn), notes=notes)

    def _listed_ids(self) -> Iterator[tuple[str, list[Any]]]:
        """The columns of ids, where their values are asked for one by one."""
        if self._private or self._units:
            yield from self._ids.items()


def _listed(column: Any) -> list[Any]:
    return column if isinstance(column, list) else list(column.to_pylist())


def repeats_known(
    ids: Mapping[str, Sequence[Any]], unit: str | None, *, grouped: bool = True
) -> tuple[Assumption | None, str]:
    """What columns of ids say of the independence of rows, and what to do where one comes again.

    Parameters
    ----------
    ids : mapping
        The columns by their names, each in chunks.
    unit : str or None
        What was declared: ``"none"``, or nothing.
    grouped : bool
        Whether rows may be taken together by a column.

    Examples
    --------
    >>> known, advice = repeats_known({"id": [["q1", "q2", "q1"]]}, None)
    >>> known.status, known.evidence
    ('violated', "the column 'id' repeats itself in 1 of 3 rows")
    """
    column, again = repeated(ids)
    known = known_of_draws(unit if unit == NO_UNIT else None, again)
    if not known:
        return None, ""
    violated = known[0].status == "violated"
    return known[0], _way_out(again, column, grouped) if violated else ""


def _way_out(again: str, unit: str, paired: bool) -> str:
    """What to do about an id that comes again."""
    mean = f"name what rows belong to, as with --unit {unit}, or " if paired else ""
    return (
        f"Nothing is promised, since {again}, so that rows may depend on one another: {mean}say --unit none if every "
        "row is a draw of its own."
    )
