r"""Whether the order of rows tells something about them: a battery of tests that was fixed beforehand.

Every test is exact for exchangeable rows: whatever they are, it gives a p-value of at most a with probability at most
a. Each has an equal share of the false alarms, so that together they find something in exchangeable rows with
probability `FALSE_ALARM` at most (Bonferroni). What is done to columns beforehand does not look at the order.

Rows near each other are compared by the target (that is the number of runs, and agreement a few rows apart) and by
all columns. Trends of the target, of columns, and of products of both, are correlations of their ranks with three
shapes: a line, a bow, and the last quarter against what comes before; the largest one counts. Then every other row
teaches: a ridge on random features learns to tell late rows from early ones, and is judged on the rows between by the
hypergeometric tail, which is what a binomial test becomes where as many rows are early as late. Two such
ridges learn the target, one from early rows and one from late ones. On the rows between, the loss of either less that
of the other must not follow the order; it does if what is learned from the past does worse on the future than what
is learned there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.evidence.order_check import OrderCheck
from assay.evidence.permuted import Orders, told_apart
from assay.types import Array, Floats, Ints

#: With fewer rows the order is not looked at.
FEWEST = 20
#: How many rows are looked at: in blocks of neighbours, spread over the file.
_ORDERED, _TAUGHT, _BLOCK = 2_048, 8_192, 64
#: How many columns.
COLUMNS = 64
_CLASSES = 10
_LAGS = (1, 2, 3, 4)
_RANDOM = 64
_SEED = 20_160_401


def check_order(columns: Array, target: Array, *, when: Array | None = None) -> OrderCheck:
    """Look for order among rows.

    Parameters
    ----------
    columns : array of shape (rows, columns)
        Numbers, NaN where there are none; the first `COLUMNS` of them are looked at.
    target : array
        Classes as whole numbers from 0, or quantities as floats.
    when : array, optional
        What says when a row came, though the rows do not stand in that order.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    >>> check_order(X, y).found, check_order(X, np.sort(y)).found
    (False, True)
    """
    rows = len(target)
    X = _scores(np.asarray(columns, dtype=np.float64)[:, :COLUMNS])
    Y = _targets(target)
    some, more = (spread_blocks(rows, most) for most in (_ORDERED, _TAUGHT))
    orders = Orders(len(some), _SEED)
    x, y = X[some].astype(np.float32), Y[some].astype(np.float32)
    both = _products(X, Y)[some].astype(np.float32)
    taught = _Taught(X[more], Y[more])
    p_values = {
        "label-neighbours": orders.p_value(lambda o: _agreement(y, o)),
        "label-trend": orders.p_value(_Trend(y)),
        "column-neighbours": orders.p_value(_Likeness(x)),
        "column-trend": orders.p_value(_Trend(x)),
        "label-column-trend": orders.p_value(_Trend(both)),
        "early-from-late": taught.early_from_late(),
        "past-to-future": taught.past_to_future(),
        "time-column": 1.0 if when is None else _along(np.hstack([y, x, both]), when[some]),
    }
    return OrderCheck(rows, p_values, sorted_by_target=is_sorted_by(target))


def is_sorted_by(target: Array) -> bool:
    """Whether equal classes, or quantities in rising or falling order, stand together.

    Examples
    --------
    >>> [is_sorted_by(np.array(y)) for y in ([1, 1, 0, 0, 2], [0, 1, 0], [3.0, 2.5, 1.0])]
    [True, False, True]
    """
    if target.dtype.kind == "f":
        steps = np.diff(target)
        return bool((steps >= 0).all() or (steps <= 0).all())
    return int(np.count_nonzero(np.diff(target))) + 1 == len(np.unique(target))


def spread_blocks(rows: int, most: int) -> Ints:
    """Which rows to look at: all, or blocks of neighbours at equal distances."""
    if rows <= most:
        return np.arange(rows)
    begins = np.linspace(0, rows - _BLOCK, most // _BLOCK).astype(np.int64)
    return np.unique((begins[:, None] + np.arange(_BLOCK)[None, :]).ravel())


class _Trend:
    """The largest correlation of a column with one of the shapes."""

    def __init__(self, columns: Array) -> None:
        middle = columns - columns.mean(axis=0)
        size = np.sqrt((middle**2).sum(axis=0))
        self._columns = np.where(size > 0, middle / np.where(size > 0, size, 1), 0)
        u = np.linspace(-1, 1, len(columns))
        shapes = np.stack([u, u**2 - (u**2).mean(), (u > 0.5) - (u > 0.5).mean()])
        self._shapes = (shapes / np.sqrt((shapes**2).sum(axis=1))[:, None]).astype(np.float32)

    def __call__(self, orders: Array) -> Floats:
        found: Floats = np.zeros(len(orders))
        if self._columns.shape[1]:
            for shape in self._shapes:
                largest = np.abs(shape[orders] @ self._columns).max(axis=1)
                found = np.maximum(found, largest)
        return found


def _along(columns: Array, when: Array) -> float:
    """The trend along a column of times; rows of one time come in random order."""
    place = np.lexsort((np.random.default_rng(_SEED).random(len(when)), when))
    return Orders(len(when), _SEED).p_value(_Trend(columns[place]))


def _agreement(y: Array, orders: Array) -> Floats:
    """How alike the targets of rows are that stand a few places apart."""
    total = np.zeros(len(orders))
    for column in range(y.shape[1]):
        values = y[:, column][orders]
        for lag in _LAGS:
            total += np.einsum("ij,ij->i", values[:, lag:], values[:, :-lag])
    return total


class _Likeness:
    """How alike neighbours are in all columns."""

    def __init__(self, x: Array) -> None:
        self._rows, self._products = len(x), (x @ x.T).ravel()

    def __call__(self, orders: Array) -> Floats:
        pairs = orders[:, :-1].astype(np.int32) * self._rows + orders[:, 1:]
        likeness: Floats = self._products[pairs].sum(axis=1, dtype=np.float64)
        return likeness


class _Taught:
    """Every other row teaches, and the rows between judge."""

    def __init__(self, X: Floats, Y: Floats) -> None:
        self._X, self._Y = X, Y
        self._place = np.arange(len(X))
        self._teach = self._place % 2 == 0
        self._late = self._place >= len(X) // 2
        self._judge = np.flatnonzero(~self._teach)

    def early_from_late(self) -> float:
        """How well late rows can be told from early ones."""
        teach, judge = self._teach, self._judge
        features = _features(np.hstack([self._X, self._Y, _products(self._X, self._Y)]))
        place = self._place / len(self._place) - 0.5
        guess = _ridge(features[teach], place[teach, None], features[judge])[:, 0]
        late = self._late[judge]
        said = guess > np.median(guess)
        told, many = int((said & late).sum()), int(late.sum())
        return told_apart(told, len(late) - many, many, int(said.sum()))

    def past_to_future(self) -> float:
        """Whether rows are predicted better by what is learned from rows of their own time."""
        features = _features(self._X)
        judge, truth = self._judge, self._Y[self._judge]
        early, late = (
            ((_ridge(features[rows], self._Y[rows], features[judge]) - truth) ** 2).sum(axis=1)
            for rows in (self._teach & ~self._late, self._teach & self._late)
        )
        # Up to so many rows: of the rest every one after the same number.
        some = np.linspace(0, len(judge) - 1, min(len(judge), _ORDERED)).astype(np.int64)
        gain = (early - late)[some, None].astype(np.float32)
        own = np.where(self._late[judge][some], 1, -1).astype(np.float32)
        return Orders(len(some), _SEED).p_value(lambda o: own[o] @ gain[:, 0])


def _features(X: Floats) -> Floats:
    """The columns, and random folds of them."""
    rng = np.random.default_rng(_SEED)
    width = max(X.shape[1], 1)
    directions = rng.normal(size=(X.shape[1], _RANDOM)) / np.sqrt(min(width, 4))
    directions *= rng.random(directions.shape) < 4 / width
    folds = np.maximum(X @ directions + rng.normal(size=_RANDOM), 0)
    return np.hstack([np.ones((len(X), 1)), X, folds - folds.mean(axis=0)])


def _ridge(X: Floats, Y: Floats, other: Floats) -> Floats:
    """What a ridge learned from some rows says of others."""
    gram = X.T @ X
    gram[np.diag_indices_from(gram)] += 1 + 0.02 * len(X)
    said: Floats = other @ np.linalg.solve(gram, X.T @ Y)
    return said


def _products(X: Floats, Y: Floats) -> Floats:
    """Columns times targets, those that go together most."""
    pairs = [(j, k) for k in range(Y.shape[1]) for j in range(X.shape[1])]
    if len(pairs) > COLUMNS:
        together = np.abs(Y.T @ X).ravel()
        pairs = [pairs[i] for i in np.argsort(-together, kind="stable")[:COLUMNS]]
    made = np.empty((len(X), len(pairs)))
    for place, (j, k) in enumerate(pairs):
        made[:, place] = X[:, j] * Y[:, k]
    return made


def _scores(X: Floats) -> Floats:
    """Ranks of every column, of mean 0 and variance 1; what is missing is in the middle, and a column of its own."""
    scored = []
    for column in X.T:
        missing = np.isnan(column)
        known = column[~missing]
        if len(known) and (known != known[0]).any():
            ranks = np.zeros(len(column))
            ranks[~missing] = _standard(_ranks(known))
            scored.append(ranks)
        if missing.any() and not missing.all():
            scored.append(_standard(missing.astype(np.float64)))
    return np.stack(scored[:COLUMNS], axis=1) if scored else np.empty((len(X), 0))


def _targets(target: Array) -> Floats:
    """The ranks of a quantity, or an indicator for each of the commonest classes; one for two classes."""
    if target.dtype.kind == "f":
        return _standard(_ranks(target))[:, None]
    classes, counts = np.unique(target, return_counts=True)
    commonest = classes[np.argsort(-counts, kind="stable")][:_CLASSES]
    kept = commonest[:1] if len(classes) == 2 else commonest
    return np.stack([_standard((target == one).astype(np.float64)) for one in kept], axis=1)


def _ranks(values: Any) -> Floats:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - counts / 2)[place]
    return ranks


def _standard(values: Floats) -> Floats:
    middle = values - values.mean()
    size = float(np.sqrt((middle**2).mean()))
    standard: Floats = middle / size if size > 0 else middle
    return standard
