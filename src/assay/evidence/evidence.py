"""What was seen of a model on a holdout, before any theorem is applied to it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from assay.errors import BadData, BadParameter, require
from assay.guarantees.assumption import Assumption
from assay.theory.tail.binomial import counts

if TYPE_CHECKING:
    from assay.evidence.losses import LossRecord
    from assay.evidence.tally import Tally

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
    known_rows : array of uint8, or None
        The digests of the rows by which a ledger knows this holdout again: those of all rows that it was drawn
        from, where a run drew it.
    notes : tuple of str
        What else there is to tell.
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
    checked: tuple[Assumption, ...] = ()
    goes_on: bool = False
    units: tuple[tuple[int, int, int], ...] | None = None
    known_rows: Any = field(default=None, repr=False, compare=False)
    notes: tuple[str, ...] = ()


def from_counts(errors: int, rows: int) -> Evidence:
    """Evidence from two numbers: so many errors among so many rows."""
    k, n = counts(errors, rows)
    return Evidence(rows=n, errors=k)


def from_pairs(
    pairs: Iterable[tuple[Any, Any]],
    *,
    labels: Sequence[Any] | None = None,
    unseen: Unseen = "refuse",
    names: tuple[str, str] = ("truth", "prediction"),
    partition: bool = False,
    progress: Progress | None = None,
) -> Evidence:
    """Evidence from chunks of truth and prediction, counted in one pass.

    With `partition` it also tells which rows share a label, which a ledger asks for.
    """
    from assay.evidence.tally import tally

    found = tally(
        pairs, labels=labels, unseen=unseen, names=names, partition=partition, progress=progress
    )
    return Evidence(
        rows=found.rows,
        errors=found.errors,
        tally=found,
        data=found.truth_digest,
        predictions=found.prediction_digest,
        holdout=found.truth_digest,
        partition=found.partition_digest,
        notes=() if labels is not None or unseen == "wrong" else _unseen_noted(found, names),
    )


def from_units(
    triples: Iterable[tuple[Any, Any, Any]],
    *,
    labels: Sequence[Any] | None = None,
    unseen: Unseen = "refuse",
    names: tuple[str, str] = ("truth", "prediction"),
    partition: bool = False,
    progress: Progress | None = None,
) -> Evidence:
    """Evidence from chunks of truth, prediction and the unit that each row belongs to.

    Nine bytes a row and the names of the units are kept until the end.
    """
    import numpy as np

    from assay.evidence.tally import wrong_rows
    from assay.evidence.units import join_units, unit_counts

    flags, units = [], []

    def pairs() -> Iterator[tuple[Any, Any]]:
        for truth, prediction, unit in triples:
            yield truth, prediction
            # Only now have both been seen to be labels.
            flags.append(wrong_rows(truth, prediction))
            units.append(unit)

    found = from_pairs(
        pairs(), labels=labels, unseen=unseen, names=names, partition=partition, progress=progress
    )
    return replace(found, units=unit_counts(np.concatenate(flags), join_units(units)))


def _unseen_noted(found: Tally, names: tuple[str, str]) -> tuple[str, ...]:
    """That predictions hold labels which the truth lacks."""
    from assay.evidence.tally import listed

    if not found.unseen:
        return ()
    truth = "the truth" if names[0] == "truth" else names[0]
    return (
        f"{names[1]} holds {listed(found.unseen)}, which {truth} never holds; that counts as wrong.",
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
    found = record_losses(itertools.chain([first], chunks), progress=progress)
    if not (exact or _is_discrete(first)):
        return Evidence(rows=found.rows, errors=None, losses=found, data=found.digest)
    if not found.binary:
        raise BadParameter("method must not be 'exact' for losses that are neither 0 nor 1.")
    return Evidence(rows=found.rows, errors=round(found.total), data=found.digest)


def _is_discrete(values: Any) -> bool:
    """Whether losses are of a type that can only hold 0 and 1 within [0, 1]."""
    from assay.evidence.columns import read_column

    kind = str(read_column(values, "loss").type)
    return kind == "bool" or kind.startswith(("int", "uint"))


def from_table(
    path: str | os.PathLike[str],
    *,
    truth: str,
    prediction: str,
    labels: Sequence[Any] | None = None,
    unseen: Unseen = "refuse",
    partition: bool = False,
    unit: str | None = None,
    progress: Progress | None = None,
) -> Evidence:
    """Evidence from two columns of a file, read in bounded memory; and from a third that names units."""
    from assay.data.table import open_table

    require(truth != prediction, "prediction", "another column than the truth", prediction)
    require(unit not in (truth, prediction), "unit", "a column of its own", unit)
    columns = [truth, prediction] if unit is None else [truth, prediction, unit]
    batches = open_table(path).scan(columns)
    if unit is not None:
        triples = ((batch.column(0), batch.column(1), batch.column(2)) for batch in batches)
        return from_units(
            triples,
            labels=labels,
            unseen=unseen,
            names=(truth, prediction),
            partition=partition,
            progress=progress,
        )
    pairs = ((batch.column(0), batch.column(1)) for batch in batches)
    return from_pairs(
        pairs,
        labels=labels,
        unseen=unseen,
        names=(truth, prediction),
        partition=partition,
        progress=progress,
    )


def from_loss_table(
    path: str | os.PathLike[str],
    *,
    loss: str,
    exact: bool = False,
    progress: Progress | None = None,
) -> Evidence:
    """Evidence from a column of losses of a file, in the order of its rows."""
    from assay.data.table import open_table

    batches = open_table(path).scan([loss], numbers=[loss])
    chunks = (batch.column(0) for batch in batches)
    return from_losses(chunks, exact=exact, progress=progress)


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
