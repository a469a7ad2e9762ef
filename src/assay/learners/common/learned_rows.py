"""The digests a learner keeps of the rows it has learned from, made as the rows come.

What they are says `assay.evidence.fitted_rows`; how a learner comes to keep them, `assay.learners.common.remember`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.compiled.common.due_rows import due_digests, due_rows
from assay.errors import BadParameter
from assay.evidence.fitted_rows import FittedRows, places
from assay.learners.common.config import get_config
from assay.learners.common.remember import Share, has_learned, within_another
from assay.learners.common.row_heads import (
    LABEL_SEED,
    dense_heads,
    digested,
    height,
    in_hand,
    label_head,
    seeds_of_columns,
    width_of,
)
from assay.types import Array, Bools, Floats

_ONE = np.zeros(1, np.int64)
_WORD = 2**64 - 1
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def begin(model: Any) -> FittedRows | None:
    """Let a learner that is about to learn its first row keep digests from now on, unless it shall not."""
    if get_config()["remember_rows"] and not within_another():
        model.fitted_rows_ = FittedRows(0, 0, np.zeros((0, 2), np.uint64))
        kept: FittedRows = model.fitted_rows_
        return kept
    return None


def remember_one(kept: FittedRows, row: Array, y: Any) -> None:
    """Keep the digest of the row that was just learned, which is due."""
    features = int(dense_heads(row.reshape(1, -1), _ONE)[0])
    kept.keep(features, (features + label_head(y)) & _WORD)


def learned_one(model: Any, row: Array, y: Any) -> None:
    """Count a row that was just learned, and keep its digest where it is due."""
    kept = vars(model).get("fitted_rows_")
    if kept is not None:
        kept.rows += 1
        if kept.rows > kept.due:
            remember_one(kept, row, y)


def rows_seen(model: Any, X: Any, y: Any = None) -> Bools | None:
    """Which of these rows a learner has learned from, as far as it remembers; None where it does not.

    Parameters
    ----------
    model : object
        One of assay's learners, or any other model: then the answer is None.
    X : array-like, frame or sparse matrix
        Rows.
    y : column, optional
        Their labels: then a row is one that was learned with this label.

    Examples
    --------
    >>> from assay import Perceptron
    >>> model = Perceptron().fit([[0.0], [1.0]], [0, 1])
    >>> rows_seen(model, [[1], [2]]).tolist()
    [True, False]
    """
    kept = getattr(model, "fitted_rows_", None)
    return kept.seen(X, y) if isinstance(kept, FittedRows) else None


def require_same_sample(model: Any, X: Any, y: Any) -> None:
    """Refuse a sample other than the one that a learner was fitted to, where it remembers that."""
    kept = getattr(model, "fitted_rows_", None)
    why = kept.other_than(X, y) if isinstance(kept, FittedRows) else ""
    if why:
        raise BadParameter(
            f"X and y must be the very sample that this {type(model).__name__} was fitted to, but {why}. Give that "
            "sample, or rows that it has not seen as a holdout."
        )


def rows_of_table(X: Any, y: Any, share: Share, weights: Any = None) -> FittedRows | None:
    """What is kept of a table; None where its rows cannot be digested."""
    X, y = in_hand(X), in_hand(y)
    each = None if weights is None else np.asarray(weights)
    # A row of weight zero is none.
    live = None if each is None or each.ndim != 1 else np.flatnonzero(each != 0)
    rows = height(X) if live is None else len(live)
    wanted = places(rows, share.of(rows, width_of(X)))
    digests = digested(X, y, wanted if live is None else live[wanted])
    return None if digests is None else FittedRows(rows, rows, digests)


def rows_joined(before: FittedRows | None, X: Any, y: Any, share: Share) -> FittedRows | None:
    """What is known after a fit that went on: the same as before where it was the same sample again."""
    new = None if before is None else rows_of_table(X, y, share)
    if before is None or new is None:
        return None
    last = before.digests[-len(new.digests) :]
    if np.array_equal(last, new.digests):
        return before
    rows = before.rows + new.rows
    return before.with_rows(rows, rows, new.digests)


def rows_after(before: FittedRows, X: Any, y: Any) -> FittedRows | None:
    """What is known after some more rows, one after another: the same, however they are cut into chunks."""
    X, y = in_hand(X), in_hand(y)
    rows = height(X)
    if _is_plain(X, y):
        return _rows_after_plain(before, X, y.astype(np.float64, copy=False))
    end, wanted = before.rows + rows, np.empty(rows, np.int64)
    count, due = due_rows(before.due, end, wanted)
    if not count:
        return FittedRows(end, due, before.digests)
    digests = digested(X, y, wanted[:count] - before.rows)
    return None if digests is None else before.with_rows(end, due, digests)


def _is_plain(X: Any, y: Any) -> bool:
    """Whether rows and labels are arrays of numbers as they mostly are."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in _FLOATS
        and type(y) is np.ndarray
        and y.ndim == 1
        and y.dtype.kind in "bif"
    )


def _rows_after_plain(before: FittedRows, X: Any, y: Floats) -> FittedRows:
    after, seeds_of = before.going_on(before.rows + len(y)), seeds_of_columns(X.shape[1])
    while after.due < after.rows:
        room, held = after.with_room(1), len(after.digests)
        held, after.due = due_digests(
            X, y, after.due, after.rows, seeds_of, LABEL_SEED[0], room, held
        )
        after.digests = room[:held]
    return after


def rows_so_far(model: Any) -> FittedRows | None:
    """What a learner has kept so far; a first one where it begins."""
    if not has_learned(model):
        kept = FittedRows(0, 0, np.zeros((0, 2), np.uint64))
        return kept if get_config()["remember_rows"] else None
    held: FittedRows | None = vars(model).get("fitted_rows_")
    return held
