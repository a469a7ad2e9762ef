"""What was seen of a model on a holdout, before any theorem is applied to it."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from assay.errors import BadData, BadParameter, require
from assay.evidence.draws import Draws, merge_draws

if TYPE_CHECKING:
    from assay.evidence.groups import GroupCounts, GroupTally
    from assay.evidence.labels import Coded
    from assay.evidence.losses import LossRecord
    from assay.evidence.quantities import Quantities
    from assay.evidence.scores import Scores
    from assay.evidence.tally import Tally
    from assay.evidence.units import UnitLabels

Progress = Callable[[int], None]
Unseen = Literal["refuse", "wrong"]


@dataclass(frozen=True)
class Evidence:
    """Counts or losses, and the digests that tie them to data.

    Attributes
    ----------
    rows, errors : int
        How many rows, and how many of them were predicted wrongly (None for graded losses).
    tally : Tally or None
        The confusion counts, when labels were given.
    losses : LossRecord or None
        The losses, when they were given.
    data, predictions, model, row_digest : str or None
        Digests ("sha256:...") of truth, predictions, model file and distinct rows.
    holdout : str or None
        What names the holdout in a ledger: the digest of the whole truth, whatever the model was.
        Counts and losses name none.
    partition : str or None
        The digest of which rows of the holdout share a label, whatever the labels are called.
    checked : tuple of Assumption
        Conditions that were looked into on the way; one that a theorem names stands in its place.
    goes_on : bool
        Whether the data hold more rows than were looked at.
    units : tuple of (errors, rows, number of such units), or None
        How many units there are of each kind, where rows come in units (`assay.evidence.units`).
    unit_labels : UnitLabels or None
        The labels of every row with its unit, where rows come in units and labels were given.
    known_rows : array of uint8, or None
        The digests of the rows by which a ledger knows this holdout again: those of all rows that it was drawn
        from, where a run drew it.
    notes : tuple of str
        What else there is to tell.
    quantities : Quantities or None
        True and predicted numbers, when what is predicted is a quantity (`assay.evidence.quantities`).
    scores : Scores or None
        True labels and scores, when scores were given (`assay.evidence.scores`).
    groups : tuple of GroupCounts, or None
        The rows and errors of every group, where rows were divided into groups (`assay.evidence.groups`).
    draws : Draws or None
        How rows hang together, where they were counted without a promise in mind (`assay.evidence.draws`).
    """

    rows: int
    errors: int | None
    tally: Tally | None = None
    losses: LossRecord | None = None
    data: str | None = None
    predictions: str | None = None
    model: str | None = None
    row_digest: str | None = None
    holdout: str | None = None
    partition: str | None = None
    checked: tuple[Any, ...] = ()
    goes_on: bool = False
    units: tuple[tuple[int, int, int], ...] | None = None
    unit_labels: UnitLabels | None = field(default=None, repr=False, compare=False)
    known_rows: Any = field(default=None, repr=False, compare=False)
    notes: tuple[str, ...] = ()
    quantities: Quantities | None = field(default=None, repr=False, compare=False)
    scores: Scores | None = field(default=None, repr=False, compare=False)
    groups: tuple[GroupCounts, ...] | None = None
    draws: Draws | None = None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what was counted to a file, in JSON; single rows are never in it.

        Examples
        --------
        >>> import assay, os, tempfile
        >>> rows = {"y": [1, 0, 1, 1], "p": [1, 0, 0, 1]}
        >>> import pandas as pd
        >>> part = assay.count(pd.DataFrame(rows), truth="y", prediction="p")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = os.path.join(folder, "part.json")
        ...     part.save(file)
        ...     both = Evidence.merge(part, Evidence.load(file))
        >>> print(assay.certify(both))
        error: at most 0.59969, observed 0.25, failing with probability at most 0.05, by holdout-exact
        """
        from assay.evidence.stored import write_file

        write_file(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Evidence:
        """Read what `save` wrote; a file whose counts do not add up is refused."""
        from assay.evidence.stored import read_file

        return read_file(path)

    @staticmethod
    def merge(*parts: Evidence) -> Evidence:
        """The evidence of all rows, from evidence of some of them each.

        Counts, confusions, losses and units add up, as if all rows had been counted at once. Which rows and which
        predictions they were, the result no longer says: a digest is of a whole column. A unit must lie in one part
        as a whole, and no row in two of them.

        Raises
        ------
        BadParameter
            For parts of different kinds (such as counts and losses), of different models, or of which different
            conditions are known.

        Examples
        --------
        >>> one, two = from_pairs([([1, 0], [1, 1])]), from_pairs([([0], [0])])
        >>> both = Evidence.merge(one, two)
        >>> both.rows, both.errors, both.tally.confusion
        (3, 1, ((1, 1), (0, 1)))
        """
        require(len(parts) > 0, "the number of parts", "at least 1", len(parts))
        if len(parts) == 1:
            return parts[0]
        held = [part._held() for part in parts]
        alike = all(kinds == held[0] for kinds in held)
        must = "evidence of one kind"
        require(alike, "the parts", must, " and ".join(dict.fromkeys(map(", ".join, held))))
        model, checked = parts[0].model, parts[0].checked
        require(all(p.model == model for p in parts), "the parts", "of one model", "of several")
        same = all(p.checked == checked for p in parts)
        require(same, "the conditions", "known alike of all parts", "known differently")
        from assay.evidence.groups import merge_groups
        from assay.evidence.losses import merge_losses
        from assay.evidence.quantities import merge_quantities
        from assay.evidence.scores import merge_scores
        from assay.evidence.tally import merge_tallies

        tallies = [p.tally for p in parts if p.tally is not None]
        losses = [p.losses for p in parts if p.losses is not None]
        joined = merge_tallies(tallies) if tallies else None
        noted = any(part.notes for part in parts)
        numbers = [p.quantities for p in parts if p.quantities is not None]
        scored = [p.scores for p in parts if p.scores is not None]
        groups = [p.groups for p in parts if p.groups is not None]
        draws = any(p.draws is not None for p in parts)
        return Evidence(
            rows=sum(p.rows for p in parts),
            errors=None if parts[0].errors is None else sum(p.errors or 0 for p in parts),
            tally=joined,
            losses=merge_losses(losses) if losses else None,
            model=model,
            checked=checked,
            goes_on=any(p.goes_on for p in parts),
            units=None if parts[0].units is None else _joined_units(parts),
            notes=unseen_noted(joined, ("truth", "prediction")) if joined and noted else (),
            quantities=merge_quantities(numbers) if numbers else None,
            scores=merge_scores(scored) if scored else None,
            groups=merge_groups(groups) if groups else None,
            draws=merge_draws(p.draws or Draws() for p in parts) if draws else None,
        )

    def _held(self) -> tuple[str, ...]:
        """What kind of evidence this is, in words."""
        names = ("errors", "tally", "losses", "units", "quantities", "scores")
        held = tuple(name for name in names if getattr(self, name) is not None) or ("truth",)
        by = [" and ".join(division.names) for division in self.groups or ()]
        return (*held, *(f"groups by {columns}" for columns in by))


def _joined_units(parts: Iterable[Evidence]) -> tuple[tuple[int, int, int], ...]:
    many = Counter[tuple[int, int]]()
    for errors, rows, units in itertools.chain.from_iterable(p.units or () for p in parts):
        many[errors, rows] += units
    return tuple((*kind, units) for kind, units in sorted(many.items()))


def from_pairs(
    pairs: Iterable[tuple[Any, ...]],
    *,
    labels: Sequence[Any] | None = None,
    unseen: Unseen = "refuse",
    names: tuple[str, str] = ("truth", "prediction"),
    partition: bool = False,
    progress: Progress | None = None,
    groups: GroupTally | None = None,
) -> Evidence:
    """Evidence from chunks of truth and prediction, counted in one pass.

    With `partition` it also tells which rows share a label, which a ledger asks for. With `groups` each chunk holds
    the columns of the groups as well.
    """
    from assay.evidence.tally import tally

    def grouped() -> Iterator[tuple[Any, Any]]:
        assert groups is not None
        for truth, prediction, columns in pairs:
            groups.take(columns)
            yield truth, prediction

    counted = tally(
        pairs if groups is None else grouped(),
        labels=labels,
        unseen=unseen,
        names=names,
        partition=partition,
        progress=progress,
        wrong=None if groups is None else groups.count,
    )
    settled = labels is not None or unseen == "wrong"
    return Evidence(
        rows=counted.rows,
        errors=counted.errors,
        tally=counted,
        data=counted.truth_digest,
        predictions=counted.prediction_digest,
        holdout=counted.truth_digest,
        partition=counted.partition_digest,
        notes=() if settled else unseen_noted(counted, names),
        groups=None if groups is None else groups.counted(),
    )


def from_units(
    triples: Iterable[tuple[Any, ...]], *, groups: GroupTally | None = None, **reading: Any
) -> Evidence:
    """Evidence from chunks of truth, prediction and the unit that each row belongs to; else as `from_pairs`.

    Labels as small codes and the names of the units are kept until the end.
    """
    from assay.evidence.columns import read_column
    from assay.evidence.labels import encode, merge, recode
    from assay.evidence.units import UnitLabels, counts_by_unit, unit_codes

    kept: tuple[list[Coded], list[Coded]] = ([], [])
    units: list[Any] = []

    def pairs() -> Iterator[tuple[Any, ...]]:
        for truth, prediction, unit, *columns in triples:
            yield truth, prediction, *columns
            # Only now have both been seen to be labels.
            for side, column in zip(kept, (truth, prediction), strict=True):
                side.append(encode(read_column(column, "labels"), "labels"))
            units.append(unit)

    evidence = from_pairs(pairs(), groups=groups, **reading)
    assert evidence.tally is not None
    sides = [merge(side) for side in kept]
    both: tuple[str | int, ...] = tuple(sorted({label for one in sides for label in one.labels}))
    truth, predicted = (recode(one, both).codes for one in sides)
    wrong, codes = truth != predicted, unit_codes(*units)
    return replace(
        evidence,
        units=counts_by_unit(wrong, codes),
        groups=None if groups is None else groups.counted(wrong, codes),
        unit_labels=UnitLabels(evidence.tally.labels, truth, predicted, codes),
    )


def from_labels(
    truth: Any, prediction: Any, *, unit: Any = None, groups: Any = None, **reading: Any
) -> Evidence:
    """Evidence from whole columns, with units and groups where these are given (`assay.evidence.group_columns`).

    Examples
    --------
    >>> from_labels([0, 1, 1], [0, 1, 0], groups={"sex": ["f", "m", "m"]}).groups[0].errors
    (0, 1)
    """
    parts = (truth, prediction) if unit is None else (truth, prediction, unit)
    read: Any = from_pairs if unit is None else from_units
    if groups is None:
        return read([parts], **reading)  # type: ignore[no-any-return]
    from assay.evidence.group_columns import GroupColumns, group_columns
    from assay.evidence.groups import GroupTally, missing_noted

    given = groups if isinstance(groups, GroupColumns) else group_columns(groups)
    tally = GroupTally(given.names, keep=unit is not None)
    made: Evidence = read([(*parts, given.columns)], groups=tally, **reading)
    return replace(made, notes=(*made.notes, *missing_noted(made.groups or ())))


def unseen_noted(counted: Tally, names: tuple[str, str]) -> tuple[str, ...]:
    """That predictions hold labels which the truth lacks."""
    from assay.evidence.tally import listed

    if not counted.unseen:
        return ()
    truth = "the truth" if names[0] == "truth" else names[0]
    return (
        f"{names[1]} holds {listed(counted.unseen)}, which {truth} never holds; that counts as wrong.",
    )


def from_truth(
    chunks: Iterable[Any],
    *,
    rows: int | None = None,
    name: str = "truth",
    progress: Progress | None = None,
) -> Evidence:
    """Evidence of the truth alone, from chunks of it: how many rows, and their digest.

    With ``rows``, only so many are looked at, and whether there are more; what comes after them may
    be damaged.

    Examples
    --------
    >>> from_truth([["ham", "spam"], ["ham"]], rows=2).goes_on
    True
    """
    from assay.evidence.column_digest import LabelDigest
    from assay.evidence.columns import read_column
    from assay.evidence.labels import coded_pieces

    digest, goes_on = LabelDigest(name), False
    try:
        for chunk in chunks:
            column = read_column(chunk, name, digest.rows)
            wanted = len(column) if rows is None else min(rows - digest.rows, len(column))
            for piece in coded_pieces(column[:wanted], name, digest.rows) if wanted else ():
                digest.update(piece)
            if progress is not None:
                progress(digest.rows)
            if wanted < len(column):
                goes_on = True
                break
    except BadData:
        if digest.rows != rows:
            raise
        goes_on = True
    return Evidence(rows=digest.rows, errors=None, data=digest.finish(), goes_on=goes_on)


def from_losses(
    chunks: Iterable[Any], *, exact: bool = False, progress: Progress | None = None
) -> Evidence:
    """Evidence from chunks of losses in [0, 1], kept in the order in which they come.

    Losses of a whole-number or truth-value type are errors, and errors have the exact bound; so have
    other losses of 0 and 1 with `exact`. The type decides and not the values: to choose between two
    theorems by looking at the losses would cost a share of delta.
    """
    from assay.evidence.losses import record_losses

    chunks = iter(chunks)
    first: Any = next(chunks, [])
    record = record_losses(itertools.chain([first], chunks), progress=progress)
    if not (exact or is_discrete(first)):
        return Evidence(rows=record.rows, errors=None, losses=record, data=record.digest)
    if not record.binary:
        raise BadParameter("method must not be 'exact' for losses that are neither 0 nor 1.")
    return Evidence(rows=record.rows, errors=round(record.total), data=record.digest)


def from_quantities(
    chunks: Iterable[tuple[Any, ...]],
    *,
    names: tuple[str, str] = ("truth", "prediction"),
    progress: Progress | None = None,
) -> Evidence:
    """Evidence from chunks of true and predicted numbers, and the unit of each row where rows come in units.

    Examples
    --------
    >>> from_quantities([([1.5, 2.0], [1.0, 2.0])]).quantities.mean_absolute
    0.25
    """
    from assay.evidence.quantities import read_quantities

    read = read_quantities(chunks, names=names, progress=progress)
    truth = read.truth_digest
    return Evidence(
        rows=len(read),
        errors=None,
        data=truth,
        predictions=read.prediction_digest,
        holdout=truth,
        quantities=read,
    )


def from_scores(
    chunks: Iterable[tuple[Any, Any]],
    *,
    labels: Sequence[Any] | None = None,
    positive: Any = None,
    unseen: Unseen = "refuse",
    names: tuple[str, str] = ("truth", "score"),
    partition: bool = False,
    progress: Progress | None = None,
) -> Evidence:
    """Evidence from chunks of truth and score, such as a probability; what else there is as for `from_pairs`.

    Examples
    --------
    >>> from_scores([([1, 0, 0], [0.9, 0.2, 0.4])]).scores.concordant(1)
    (1, 1)
    """
    from assay.evidence.column_digest import LabelDigest
    from assay.evidence.partition import PartitionDigest
    from assay.evidence.scores import read_scores

    digest, shared = LabelDigest(names[0]), PartitionDigest()

    def each(piece: Coded) -> None:
        digest.update(piece)
        if partition:
            shared.update(piece)

    read = read_scores(
        chunks,
        labels=labels,
        positive=positive,
        unseen=unseen,
        names=names,
        each=each,
        progress=progress,
    )
    truth = digest.finish()
    return Evidence(
        rows=len(read),
        errors=None,
        data=truth,
        holdout=truth,
        partition=shared.finish() if partition else None,
        scores=read,
    )


def from_scored_pairs(
    triples: Iterable[tuple[Any, Any, Any]],
    *,
    positive: Any = None,
    names: tuple[str, str, str] = ("truth", "prediction", "score"),
    labels: Sequence[Any] | None = None,
    unseen: Unseen = "refuse",
    **reading: Any,
) -> Evidence:
    """Evidence from chunks of truth, prediction and score; else as `from_pairs`.

    Truth and scores are kept until the end.
    """
    from assay.evidence.scores import read_scores

    kept: list[tuple[Any, Any]] = []

    def pairs() -> Iterator[tuple[Any, Any]]:
        for truth, prediction, score in triples:
            kept.append((truth, score))
            yield truth, prediction

    # With a ledger, predicted labels that the truth lacks count as wrong, whatever was declared.
    declared = labels if unseen == "refuse" else None
    evidence = from_pairs(pairs(), labels=declared, unseen=unseen, names=names[:2], **reading)
    scores = read_scores(
        kept, labels=labels, positive=positive, unseen=unseen, names=(names[0], names[2])
    )
    return replace(evidence, scores=scores)


def is_discrete(values: Any) -> bool:
    """Whether losses are of a type that can only hold 0 and 1 within [0, 1]."""
    from assay.evidence.columns import read_column

    kind = str(read_column(values, "loss").type)
    return kind == "bool" or kind.startswith(("int", "uint"))


def as_rows(X: Any) -> Any:
    """Rows of any shape as rows of cells: texts are rows of one cell, images rows of many."""
    shape = getattr(X, "shape", None)
    if shape is not None and hasattr(X, "reshape") and len(shape) != 2:
        return X.reshape(shape[0], -1) if len(shape) else X
    if isinstance(X, list | tuple) and X and all(isinstance(row, str) for row in X):
        return [[row] for row in X]
    return X


def as_column(values: Any) -> Any:
    """Labels as one column: many models and tables hand them over as a table of one column."""
    if getattr(values, "ndim", 1) == 2 and values.shape[1] == 1:
        import numpy as np

        return np.asarray(values).reshape(-1)
    return values
