"""How learners keep digests of the rows they learn from: one way for all of them.

`register` puts every learner's ``fit`` and ``partial_fit`` into the wrappers of this file; those that learn one
example at a time call `remember_one` where they have read it. What is kept, `fitted_rows_`, says
`assay.evidence.fitted_rows`.

A learner that began without them, or that was loaded from a file without them, never keeps any: they would be those of
some rows only.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.compiled.common.due_rows import due_digests, due_rows
from assay.errors import BadParameter
from assay.evidence.fitted_rows import (
    FittedRows,
    places,
)
from assay.learners.common.config import get_config
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

C = TypeVar("C", bound=type)
Learn = Callable[..., Any]


class Share(NamedTuple):
    """How many rows of a table are kept: all of so many, then one in so many, and at most so many, of so many cells."""

    all_of: int
    one_in: int
    most: int
    cells: int

    def of(self, rows: int, width: int) -> int:
        """How many of so many rows of this width."""
        wanted = min(max(self.all_of, rows // self.one_in), self.most)
        return max(_LEAST, min(wanted, self.cells // max(1, width)))


_LEAST = 256
# To digest a row takes as long as some passes over it do, and shall take less than a twentieth of the time to learn
# it: so the less learners do with a row, the fewer are kept.
_PASSES = Share(2**12, 64, 2**12, 2**18)
_SHARES = {
    "ensembles": Share(2**13, 4, 2**16, 2**26),
    "kernel": Share(2**16, 1, 2**16, 2**26),
    "neural": Share(2**13, 4, 2**16, 2**26),
    "trees": Share(2**13, 4, 2**16, 2**26),
}
# Those that learn from losses, not from rows.
_WITHOUT_ROWS = ("bandits", "experts")
_busy = threading.local()


def remembering(learner: C, family: str) -> C:
    """Let a learner keep digests of the rows it learns from."""
    if family in _WITHOUT_ROWS:
        return learner
    share = _SHARES.get(family, _PASSES)
    for name, wrapped in (("fit", _fitting), ("partial_fit", _going_on)):
        learn = getattr(learner, name, None)
        held = vars(learner).get(name)
        if learn is None or (held is not None and not callable(held)):
            continue  # scikit-learn's available_if: such a method has its wrapper within
        if not hasattr(learn, "remembers"):
            setattr(learner, name, wrapped(learn, share))
    return learner


def _fitting(learn: Learn, share: Share) -> Learn:
    @functools.wraps(learn)
    def fit(self: Any, X: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
        if getattr(_busy, "inside", False):
            return learn(self, X, y, *args, **kwargs)
        warm = getattr(self, "warm_start", False) and _has_learned(self)
        before = vars(self).pop("fitted_rows_", None)
        try:
            with quietly():
                answer = learn(self, X, y, *args, **kwargs)
        except BaseException:
            _put(self, before)
            raise
        if warm:
            _put(self, _joined(before, X, y, share))
        elif get_config()["remember_rows"]:
            _put(self, _of_table(X, y, share, _weights(learn, args, kwargs)))
        return answer

    fit.remembers = True  # type: ignore[attr-defined]
    return fit


def going_on(learn: Learn) -> Learn:
    """A ``partial_fit`` that adds the digests of its rows."""
    return _going_on(learn, _PASSES)


def _going_on(learn: Learn, _share: Share) -> Learn:
    @functools.wraps(learn)
    def partial_fit(self: Any, X: Any, y: Any, *args: Any, **kwargs: Any) -> Any:
        if getattr(_busy, "inside", False):
            return learn(self, X, y, *args, **kwargs)
        before, played = rows_so_far(self), _played(self)
        try:
            with quietly():
                answer = learn(self, X, y, *args, **kwargs)
        except BaseException:
            # Some learners keep what came before a row that they refuse.
            learned = _played(self) - played
            if before is not None and learned > 0:
                _put(self, rows_after(before, X[:learned], y[:learned]))
            raise
        if before is not None:
            _put(self, rows_after(before, X, y))
        return answer

    partial_fit.remembers = True  # type: ignore[attr-defined]
    return partial_fit


@contextmanager
def quietly() -> Iterator[None]:
    """Learners that are fitted within keep no digests: they are parts of one that does, or soon forgotten."""
    before = getattr(_busy, "inside", False)
    _busy.inside = True
    try:
        yield
    finally:
        _busy.inside = before


def begin(model: Any) -> FittedRows | None:
    """Let a learner that is about to learn its first row keep digests from now on, unless it shall not."""
    if get_config()["remember_rows"] and not getattr(_busy, "inside", False):
        model.fitted_rows_ = FittedRows(0, 0, np.zeros((0, 2), np.uint64))
        kept: FittedRows = model.fitted_rows_
        return kept
    return None


def remember_one(kept: FittedRows, row: NDArray[Any], y: Any) -> None:
    """Keep the digest of the row that was just learned, which is due."""
    features = int(dense_heads(row.reshape(1, -1), _ONE)[0])
    kept.keep(features, (features + label_head(y)) & _WORD)


def learned_one(model: Any, row: NDArray[Any], y: Any) -> None:
    """Count a row that was just learned, and keep its digest where it is due."""
    kept = vars(model).get("fitted_rows_")
    if kept is not None:
        kept.rows += 1
        if kept.rows > kept.due:
            remember_one(kept, row, y)


def rows_seen(model: Any, X: Any, y: Any = None) -> NDArray[np.bool_] | None:
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


# What is kept

_ONE = np.zeros(1, np.int64)
_WORD = 2**64 - 1
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def _of_table(X: Any, y: Any, share: Share, weights: Any = None) -> FittedRows | None:
    X, y = in_hand(X), in_hand(y)
    each = None if weights is None else np.asarray(weights)
    # A row of weight zero is none.
    live = None if each is None or each.ndim != 1 else np.flatnonzero(each != 0)
    rows = height(X) if live is None else len(live)
    wanted = places(rows, share.of(rows, width_of(X)))
    digests = digested(X, y, wanted if live is None else live[wanted])
    return None if digests is None else FittedRows(rows, rows, digests)


def _weights(learn: Learn, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if args:
        names = list(inspect.signature(learn).parameters)[3:]
        kwargs = dict(zip(names, args, strict=False)) | kwargs
    return kwargs.get("sample_weight")


def _joined(before: FittedRows | None, X: Any, y: Any, share: Share) -> FittedRows | None:
    """What is known after a fit that went on: the same as before where it was the same sample again."""
    new = None if before is None else _of_table(X, y, share)
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


def _rows_after_plain(before: FittedRows, X: Any, y: NDArray[np.float64]) -> FittedRows:
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
    if not _has_learned(model):
        kept = FittedRows(0, 0, np.zeros((0, 2), np.uint64))
        return kept if get_config()["remember_rows"] else None
    held: FittedRows | None = vars(model).get("fitted_rows_")
    return held


def _put(model: Any, kept: FittedRows | None) -> None:
    if kept is None:
        vars(model).pop("fitted_rows_", None)
    else:
        model.fitted_rows_ = kept


def _has_learned(model: Any) -> bool:
    return any(name.endswith("_") for name in vars(model))


def _played(model: Any) -> int:
    players = vars(model).get("players_")
    return int(players[0].rounds) if players else 0
