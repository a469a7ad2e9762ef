"""What was seen of a model on a holdout, before any theorem is applied to it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from assay.certificates.assumption import Assumption
from assay.errors import BadData, BadParameter, require
from assay.theory.tail.binomial import counts

if TYPE_CHECKING:
    from assay.record.losses import LossRecord
    from assay.record.tally import Tally

NOT_IN_TRAINING = "no row of the holdout is in the training set"

Progress = Callable[[int], None]


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
        The losses, when they are not all 0 or 1.
    data, predictions, model, row_digest : str or None
        Digests ("sha256:...") of truth, predictions, model file and distinct rows.
    holdout : str or None
        What names the holdout in a ledger: the digest of the whole truth, whatever the model was.
        Counts and losses name none.
    checked : tuple of Assumption
        Conditions that were looked into on the way.
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
    checked: tuple[Assumption, ...] = field(default=())


def from_counts(errors: int, rows: int) -> Evidence:
    """Evidence from two numbers: so many errors among so many rows."""
    k, n = counts(errors, rows)
    return Evidence(rows=n, errors=k)


def from_pairs(
    pairs: Iterable[tuple[Any, Any]],
    *,
    labels: Sequence[Any] | None = None,
    names: tuple[str, str] = ("truth", "prediction"),
    progress: Progress | None = None,
) -> Evidence:
    """Evidence from chunks of truth and prediction, counted in one pass."""
    from assay.record.tally import tally

    found = tally(pairs, labels=labels, names=names, progress=progress)
    return Evidence(
        rows=found.rows,
        errors=found.errors,
        tally=found,
        data=found.truth_digest,
        predictions=found.prediction_digest,
        holdout=found.truth_digest,
    )


def from_losses(chunks: Iterable[Any], *, progress: Progress | None = None) -> Evidence:
    """Evidence from chunks of losses in [0, 1], kept in the order in which they come."""
    from assay.record.losses import record_losses

    found = record_losses(chunks, progress=progress)
    if found.binary:
        # A loss of 0 or 1 is an error or none, and errors have the exact bound.
        return Evidence(rows=found.rows, errors=round(found.total), data=found.digest)
    return Evidence(rows=found.rows, errors=None, losses=found, data=found.digest)


def from_table(
    path: str | os.PathLike[str],
    *,
    truth: str,
    prediction: str,
    labels: Sequence[Any] | None = None,
    progress: Progress | None = None,
) -> Evidence:
    """Evidence from two columns of a file, read in bounded memory."""
    from assay.data.table import open_table

    batches = open_table(path).scan([truth, prediction])
    pairs = ((batch.column(0), batch.column(1)) for batch in batches)
    return from_pairs(pairs, labels=labels, names=(truth, prediction), progress=progress)


def from_loss_table(
    path: str | os.PathLike[str], *, loss: str, progress: Progress | None = None
) -> Evidence:
    """Evidence from a column of losses of a file, in the order of its rows."""
    from assay.data.table import open_table

    batches = open_table(path).scan([loss], numbers=[loss])
    return from_losses((batch.column(0) for batch in batches), progress=progress)


def from_model(
    model: Any,
    X: Any,
    y: Any,
    *,
    labels: Sequence[Any] | None = None,
    train: Any = None,
    overlap: Literal["refuse", "drop"] = "refuse",
) -> Evidence:
    """Evidence from a fitted model of any library: anything with ``predict``."""
    if not callable(getattr(model, "predict", None)):
        raise BadParameter(
            f"model must have a predict method, but is a {type(model).__name__}. "
            "Give y_true and y_pred to certify predictions made elsewhere."
        )
    from assay.record.digest import digest_labels

    require(overlap in ("refuse", "drop"), "overlap", "'refuse' or 'drop'", overlap)
    truth, predicted = y, model.predict(X)
    fresh, row_digest = _fresh_rows(X, y, train)
    if fresh is None:
        return replace(from_pairs([(truth, predicted)], labels=labels), row_digest=row_digest)
    repeated = int((~fresh).sum())
    seen = f"{repeated} of {fresh.size} row digests occur in the training set"
    status: Literal["checked", "violated"] = "violated" if repeated else "checked"
    if repeated and overlap == "drop":
        if repeated == fresh.size:
            raise BadData(
                "Every row of the holdout is in the training set, so none is left to certify."
            )
        truth, predicted = _where(truth, fresh), _where(predicted, fresh)
        status, seen = "checked", seen + " and were left out"
    return replace(
        from_pairs([(truth, predicted)], labels=labels),
        row_digest=row_digest,
        holdout=digest_labels(y),  # of all rows: which were left out depends on the model
        checked=(Assumption(NOT_IN_TRAINING, status, seen),),
    )


def _fresh_rows(X: Any, y: Any, train: Any) -> tuple[Any, str]:
    """Which rows of the holdout do not occur in the training set, and the holdout's row digest."""
    from assay.record.rows import overlap, row_digests, rows_digest

    whole = rows_digest(row_digests(X, y))
    if train is None:
        return None, whole
    if isinstance(train, tuple):
        require(len(train) == 2, "train", "X or the pair (X, y)", f"a tuple of {len(train)}")
        return ~overlap(row_digests(*train), row_digests(X, y)), whole
    return ~overlap(row_digests(train), row_digests(X)), whole


def _where(values: Any, keep: Any) -> Any:
    import numpy as np

    return np.asarray(values)[keep]
