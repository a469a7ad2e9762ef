"""How learners keep digests of the rows they learn from: one way for all of them.

`register` puts every learner's ``fit`` and ``partial_fit`` into the wrappers of this file; those that learn one
example at a time call `remember_one` where they have read it. What is kept, `fitted_rows_`, says
`assay.record.fitted_rows`.

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
from scipy import sparse

from assay.compiled.row_hash import column_seeds, dense_lane, sparse_lane
from assay.errors import AssayError, BadParameter
from assay.learners.config import get_config
from assay.record.fitted_rows import (
    FittedRows,
    Heads,
    heads,
    label_heads,
    next_due,
    places,
    with_labels,
)
from assay.record.row_mix import LABEL, seeds

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
_PASSES = Share(2**12, 32, 2**13, 2**19)
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
        before, played = _begun(self), _played(self)
        try:
            with quietly():
                answer = learn(self, X, y, *args, **kwargs)
        except BaseException:
            # Some learners keep what came before a row that they refuse.
            learned = _played(self) - played
            if before is not None and learned > 0:
                _put(self, _in_turn(before, X[:learned], y[:learned]))
            raise
        if before is not None:
            _put(self, _in_turn(before, X, y))
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
    features = int(_dense(row.reshape(1, -1), _ONE)[0])
    kept.keep(features, (features + _label(y)) & _WORD)


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
_LABEL_SEED = seeds(np.array([LABEL], np.uint64), 0)
_MOST_LABELS = 10_000
_seeds = np.zeros(0, np.uint64)


def _of_table(X: Any, y: Any, share: Share, weights: Any = None) -> FittedRows | None:
    X, y = _held(X), _held(y)
    each = None if weights is None else np.asarray(weights)
    # A row of weight zero is none.
    live = None if each is None or each.ndim != 1 else np.flatnonzero(each != 0)
    rows = _height(X) if live is None else len(live)
    wanted = places(rows, share.of(rows, _width(X)))
    digests = _digested(X, y, wanted if live is None else live[wanted])
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


def _in_turn(before: FittedRows, X: Any, y: Any) -> FittedRows | None:
    """What is known after some more rows, one after another: the same, however they are cut into chunks."""
    X, y = _held(X), _held(y)
    end, due = before.rows + _height(X), before.due
    wanted = []
    while due < end:
        wanted.append(due - before.rows)
        due = next_due(due)
    digests = _digested(X, y, np.array(wanted, dtype=np.int64))
    return None if digests is None else before.with_rows(end, due, digests)


def _begun(model: Any) -> FittedRows | None:
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


# Digests


def _digested(X: Any, y: Any, wanted: NDArray[np.int64]) -> Heads | None:
    """The digests of some rows; None where rows are of a kind that has none, such as graphs."""
    try:
        features = _features(X, wanted)
        return _with_labels(features, _some(y, wanted))
    except (AssayError, TypeError, ValueError, IndexError, KeyError, OverflowError):
        return None


def _features(X: Any, wanted: NDArray[np.int64]) -> Heads:
    if sparse.issparse(X):
        matrix = X if X.format == "csr" else X.tocsr()
        if matrix.data.dtype.kind != "f":
            return heads(matrix[wanted])[:, 0]
        sums = np.empty(len(wanted), np.uint64)
        if sparse_lane(matrix.data, matrix.indices, matrix.indptr, wanted, sums):
            return sums
        return heads(matrix[wanted])[:, 0]
    if isinstance(X, list | tuple) and X and isinstance(X[0], list | tuple):
        X = np.asarray(X)
    if isinstance(X, np.ndarray) and X.ndim == 2:
        if X.dtype in (np.float64, np.float32) and not np.ma.isMaskedArray(X):
            return _dense(X, wanted)
        X = X[wanted]
        if X.dtype.kind in "biu" and X.dtype.itemsize < 8:
            return _dense(X.astype(np.float64), np.arange(len(X)))
        return heads(X)[:, 0]
    return heads(_some(X, wanted))[:, 0]


def _dense(block: NDArray[Any], wanted: NDArray[np.int64]) -> Heads:
    global _seeds  # grows with the widest table
    width = block.shape[1]
    if len(_seeds) < width:
        found = np.empty(2 * width, np.uint64)
        column_seeds(found)
        _seeds = found
    sums = np.empty(len(wanted), np.uint64)
    dense_lane(block, wanted, _seeds, sums)
    return sums


def _some(column: Any, wanted: NDArray[np.int64]) -> Any:
    """Some rows of whatever holds them."""
    if len(wanted) == _height(column):
        return column
    if hasattr(column, "iloc"):
        return column.iloc[wanted]
    if isinstance(column, list | tuple):
        return [column[place] for place in wanted.tolist()]
    if hasattr(column, "take") and not isinstance(column, np.ndarray):
        return column.take(wanted)
    return column[wanted]


def _held(X: Any) -> Any:
    """Rows or labels in something that can be counted and picked from."""
    return X if hasattr(X, "shape") or isinstance(X, list | tuple) else np.asarray(X)


def _height(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _width(X: Any) -> int:
    if sparse.issparse(X):
        return int(X.nnz // max(1, X.shape[0]))
    if hasattr(X, "shape"):
        return int(X.shape[1]) if len(X.shape) > 1 else 1
    return len(X[0]) if isinstance(X, list | tuple) and X and hasattr(X[0], "__len__") else 1


_known_labels: dict[tuple[type, Any], int] = {}


def _label(y: Any) -> int:
    """What one label adds to a digest; looked up, since labels come again and again."""
    key = (type(y), y)
    found = _known_labels.get(key)
    if found is None:
        if len(_known_labels) > _MOST_LABELS:
            _known_labels.clear()
        found = _known_labels[key] = int(label_heads([y])[0])
    return found


def _with_labels(features: Heads, y: Any) -> Heads:
    """The same as `with_labels`, compiled for plain numbers."""
    if not isinstance(y, np.ndarray) or y.ndim != 1 or y.dtype.kind not in "bif":
        return with_labels(features, y)
    digests = np.empty((len(y), 2), np.uint64)
    numbers = y.astype(np.float64)
    if y.dtype.kind == "i" and y.size and float(np.abs(numbers).max()) >= 2.0**53:
        return with_labels(features, y)
    dense_lane(numbers[:, None], np.arange(len(y)), _LABEL_SEED, digests[:, 1])
    digests[:, 0] = features
    digests[:, 1] += features
    return digests
