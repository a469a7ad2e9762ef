"""What was seen of a model on a holdout, before any theorem is applied to it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from assay.certificates.assumption import Assumption
from assay.errors import BadData, BadParameter, require
from assay.theory.tail.binomial import counts

if TYPE_CHECKING:
    from assay.record.losses import LossRecord
    from assay.record.tally import Tally

NOT_IN_TRAINING = "no row of the holdout is in the training set"
LEFT_OUT = "were left out"

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
    known_rows : array of bytes or None
        One digest per row of the holdout's features, by which a ledger knows it again in any order or part.
    checked : tuple of Assumption
        Conditions that were looked into on the way.
    goes_on : bool
        Whether the data hold more rows than were looked at.
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
    known_rows: Any = None
    checked: tuple[Assumption, ...] = ()
    goes_on: bool = False


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
    from assay.record.tally import tally

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
    from assay.record.column_digest import LabelDigest
    from assay.record.columns import read_column
    from assay.record.labels import coded_pieces

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
    from assay.record.losses import record_losses

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
    from assay.record.columns import read_column

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
    progress: Progress | None = None,
) -> Evidence:
    """Evidence from two columns of a file, read in bounded memory."""
    from assay.data.table import open_table

    require(truth != prediction, "prediction", "another column than the truth", prediction)
    batches = open_table(path).scan([truth, prediction])
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


def from_model(
    model: Any,
    X: Any,
    y: Any,
    *,
    labels: Sequence[Any] | None = None,
    unseen: Unseen = "refuse",
    train: Any = None,
    overlap: Literal["refuse", "drop"] = "refuse",
    private: bool = False,
) -> Evidence:
    """Evidence from a fitted model of any library: anything with ``predict``.

    With `private`, nothing but the predictions is compared with the labels: rows are looked for in
    the training set by their features alone, since the number found would tell about the labels.
    """
    from assay.record.digest import digest_labels
    from assay.record.partition import digest_partition

    if not callable(getattr(model, "predict", None)):
        raise BadParameter(
            f"model must have a predict method, but is a {type(model).__name__}. "
            "Give y_true and y_pred to certify predictions made elsewhere."
        )
    require(overlap in ("refuse", "drop"), "overlap", "'refuse' or 'drop'", overlap)
    truth, predicted = _one_column(y), _one_column(model.predict(X))
    whole = {}
    if private:
        # Of all rows: which of them are left out depends on the model.
        whole = {"partition": digest_partition(truth), "known_rows": _digested(X)}
    if train is None:
        found = from_pairs([(truth, predicted)], labels=labels, unseen=unseen)
        return replace(found, **whole)
    fresh, row_digest = _fresh_rows(X, truth, train, private=private)
    repeated = int((~fresh).sum())
    seen = f"{repeated} of {fresh.size} row digests occur in the training set"
    status: Literal["checked", "violated"] = "violated" if repeated else "checked"
    if repeated and overlap == "drop":
        if repeated == fresh.size:
            raise BadData(
                "Every row of the holdout is in the training set, so none is left to certify."
            )
        truth, predicted = _where(truth, fresh), _where(predicted, fresh)
        status, seen = "checked", f"{seen} and {LEFT_OUT}"
    return replace(
        from_pairs([(truth, predicted)], labels=labels, unseen=unseen),
        row_digest=row_digest,
        holdout=digest_labels(
            _one_column(y)
        ),  # of all rows: which were left out depends on the model
        checked=(Assumption(NOT_IN_TRAINING, status, seen),),
        **whole,
    )


def _digested(X: Any) -> Any:
    """A digest of each row; None where rows are not made of numbers, truth values and text."""
    from assay.record.rows import row_digests

    try:
        return row_digests(X)
    except BadData:
        return None


def _one_column(values: Any) -> Any:
    """Labels as one column: many models and tables hand them over as a table of one column."""
    if getattr(values, "ndim", 1) == 2 and values.shape[1] == 1:
        import numpy as np

        return np.asarray(values).reshape(-1)
    return values


def _fresh_rows(X: Any, y: Any, train: Any, *, private: bool) -> tuple[Any, str]:
    """Which rows of the holdout do not occur in the training set, and the holdout's row digest."""
    from assay.record.rows import overlap, row_digests, rows_digest

    known, known_y = train, None
    if isinstance(train, tuple):
        require(len(train) == 2, "train", "X or the pair (X, y)", f"a tuple of {len(train)}")
        known, known_y = train[0], _one_column(train[1])
    X, known = _alike(X, known)
    whole = rows_digest(row_digests(X))
    if known_y is None or private:
        return ~overlap(row_digests(known), row_digests(X)), whole
    _refuse_other_labels(y, known_y)
    return ~overlap(row_digests(known, known_y), row_digests(X, y)), whole


def _alike(X: Any, train: Any) -> tuple[Any, Any]:
    """Holdout and training rows with the same columns in the same order and precision."""
    import numpy as np

    columns, known = (list(getattr(part, "columns", [])) for part in (X, train))
    if columns and known:
        if sorted(map(str, columns)) != sorted(map(str, known)):
            odd = sorted(set(map(str, columns)) ^ set(map(str, known)))
            raise BadData(
                f"train and X must have the same columns, but {odd[0]!r} is in only one of them."
            )
        return X, train[columns]
    shapes = [part.shape if hasattr(part, "shape") else np.shape(part) for part in (X, train)]
    if len(shapes[1]) < 2 or not shapes[1][0]:
        raise BadData("train must hold at least one row, each with the columns of X.")
    if shapes[0][1:] != shapes[1][1:]:
        raise BadData(
            f"train and X must have the same columns, but train has {shapes[1][1]} and X {shapes[0][1]}."
        )
    kinds = [str(getattr(part, "dtype", "")) for part in (X, train)]
    if "float32" in kinds and kinds[0] != kinds[1] and "object" not in kinds:
        # A number that was stored in single precision is compared in it.
        return X.astype(np.float32), train.astype(np.float32)
    return X, train


def _refuse_other_labels(y: Any, known_y: Any) -> None:
    import numpy as np

    texts = [np.asarray(labels).dtype.kind in "OUST" for labels in (y, known_y)]
    if texts[0] != texts[1]:
        raise BadData(
            "The labels of train and y are of different types: one is text, the other is not."
        )


def _where(values: Any, keep: Any) -> Any:
    import numpy as np

    return np.asarray(values)[keep]
