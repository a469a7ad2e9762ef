r"""Whether the order of rows tells something about them: a battery of tests that was fixed beforehand.

Every test is exact for exchangeable rows: whatever they are, it gives a p-value of at most a with probability at most
a. (That of dates and row numbers is so where the rest of a row does not depend on them.) Each has an equal share of the
false alarms, so that together they find something in exchangeable rows with probability `FALSE_ALARM` at most
(Bonferroni). What is done to columns beforehand does not look at the order.

Rows near each other are compared by the target (that is the number of runs, and agreement a few rows apart) and by
all columns. Trends are correlations with shapes: a line, a bow, the last quarter and the last tenth; the largest one
counts. They are looked for in the ranks of the target and of columns; in what a ridge on random features, learned from
all rows but one, misses of that row, alone and times each column; and in the squares of that. Of many rows
neighbours are averaged first: means of as many exchangeable rows are exchangeable.

Then every other row teaches: a ridge learns to tell late rows from early ones, and is judged on the rows between by
the hypergeometric tail, which is what a binomial test becomes where as many rows are early as late. Two such ridges
learn the target, one from early rows and one from late ones. On the rows between, the loss of either less that of the
other must not follow the order; it does if what is learned from the past does worse on the future than what is
learned there.
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
LOOKED_AT = 8_192
BLOCK = 64
#: Of how many columns those are looked at that go most with the target.
WIDEST = 256
_COLUMNS = 64
# How many rows, or means of neighbours, are put into other orders.
_ORDERED = 2_048
_CLASSES = 10
_TIMES = 4
_LAGS = (1, 2, 3, 4)
_LAST = (1 / 4, 1 / 10)
_RANDOM = 64
_SEED = 20_160_401


def check_order(columns: Array, target: Array, *, times: Array | None = None) -> OrderCheck:
    """Look for order among rows.

    Parameters
    ----------
    columns : array of shape (rows, columns)
        Numbers, NaN where there are none; the first `WIDEST` of them.
    target : array
        Classes as whole numbers from 0, or quantities as floats.
    times : array of shape (rows, times), optional
        What says when a row came, though the rows do not stand in that order; NaN where it is not known.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    >>> check_order(X, y).alarms, check_order(X, np.sort(y)).alarms
    (False, True)
    """
    # All that follows is made of these rows, in whatever order they come.
    looked = spread_blocks(len(target), LOOKED_AT)
    target = np.asarray(target)[looked]
    Y = _targets(target)
    X = _scores(_telling(np.asarray(columns, dtype=np.float64)[looked][:, :WIDEST], Y))
    missed = _missed(X, Y)
    losses = (missed**2).sum(axis=1, keepdims=True)
    both = np.hstack([missed, _products(X, Y, missed)])
    near = spread_blocks(len(looked), _ORDERED)
    orders = Orders(_SEED)
    taught = _Taught(X, Y)
    p_values = {
        "label-neighbours": orders.p_value(len(near), _Agreement(Y[near])),
        "label-trend": _trend(orders, Y),
        "column-neighbours": orders.p_value(len(near), Likeness(X[near])),
        "column-trend": _trend(orders, X),
        "label-column-trend": _trend(orders, both),
        "error-trend": _trend(orders, losses),
        "early-from-late": taught.early_from_late(),
        "past-to-future": taught.past_to_future(orders),
        "time-column": 1.0,
    }
    if times is not None:
        everything = np.hstack([Y, X, both, losses])
        p_values["time-column"] = _along(orders, everything, times[looked])
    return OrderCheck(len(looked), p_values, sorted_by_target=is_sorted_by(target))


def what_is_missed(columns: Array, target: Array) -> Floats:
    """What a ridge learned from all rows but one misses of that one: a column for each of the targets' indicators."""
    Y = _targets(np.asarray(target))
    X = _scores(_telling(np.asarray(columns, dtype=np.float64)[:, :WIDEST], Y))
    return _missed(X, Y)


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
    """Which rows to look at: all, or blocks of neighbours at equal distances.

    Examples
    --------
    >>> spread_blocks(100, 128).shape, spread_blocks(1000, 128).tolist()[62:66]
    ((100,), [62, 63, 896, 897])
    """
    if rows <= most:
        return np.arange(rows)
    begins = np.linspace(0, rows - BLOCK, most // BLOCK).astype(np.int64) // BLOCK * BLOCK
    return np.unique((begins[:, None] + np.arange(BLOCK)[None, :]).ravel())


# Trends


def _trend(orders: Orders, columns: Floats) -> float:
    means = _means(columns)
    return orders.p_value(len(means), _Trend(means))


def _along(orders: Orders, columns: Floats, times: Floats) -> float:
    """The trends along columns of times, which share the chance; rows of one time come in random order."""
    rng = np.random.default_rng(_SEED)
    p_values = []
    for when in times.T[:_TIMES]:
        known = np.flatnonzero(~np.isnan(when))
        if len(known) >= FEWEST:
            place = known[np.lexsort((rng.random(len(known)), when[known]))]
            p_values.append(_trend(orders, columns[place]))
    return min(1.0, min(p_values, default=1.0) * len(p_values))


def _means(columns: Floats) -> Floats:
    """Means of so many neighbours that no more than `_ORDERED` are left; the first rows may be left over."""
    together = -(-len(columns) // _ORDERED)
    kept = columns[len(columns) % together :]
    groups = len(kept) // together
    means: Floats = kept.reshape(groups, together, columns.shape[1]).mean(axis=1)
    return means


class _Trend:
    """The largest correlation of a column with one of the shapes."""

    def __init__(self, columns: Floats) -> None:
        middle = columns - columns.mean(axis=0)
        size = np.sqrt((middle**2).sum(axis=0))
        scaled = np.where(size > 0, middle / np.where(size > 0, size, 1), 0)
        self._columns = scaled.astype(np.float32)
        u = np.linspace(-1, 1, len(columns))
        shapes = np.stack([u, u**2, *((u > 1 - 2 * share).astype(float) for share in _LAST)])
        shapes -= shapes.mean(axis=1, keepdims=True)
        self._shapes = (shapes / np.sqrt((shapes**2).sum(axis=1))[:, None]).astype(np.float32)

    def __call__(self, orders: Array) -> Floats:
        largest: Floats = np.zeros(len(orders))
        if self._columns.shape[1]:
            for shape in self._shapes:
                np.maximum(largest, np.abs(shape[orders] @ self._columns).max(axis=1), out=largest)
        return largest


# Neighbours


class _Agreement:
    """How alike the targets of rows are that stand a few places apart."""

    def __init__(self, targets: Floats) -> None:
        self._targets = targets.T.astype(np.float32)

    def __call__(self, orders: Array) -> Floats:
        total = np.zeros(len(orders))
        for column in self._targets:
            values = column[orders]
            for lag in _LAGS:
                total += np.einsum("ij,ij->i", values[:, lag:], values[:, :-lag])
        return total


class Likeness:
    """How alike neighbours are in all columns."""

    def __init__(self, columns: Floats) -> None:
        rows = columns.astype(np.float32)
        self._rows, self._products = len(rows), (rows @ rows.T).ravel()

    def __call__(self, orders: Array) -> Floats:
        """The sum over neighbours of their products."""
        pairs = orders[:, :-1].astype(np.int32) * self._rows + orders[:, 1:]
        likeness: Floats = self._products[pairs].sum(axis=1, dtype=np.float64)
        return likeness


# What can be learned


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
        features = _features(np.hstack([self._X, self._Y, _products(self._X, self._Y, self._Y)]))
        place = self._place / len(self._place) - 0.5
        guess = _ridge(features[teach], place[teach, None], features[judge])[:, 0]
        late = self._late[judge]
        called_late = guess > np.median(guess)
        right, many = int((called_late & late).sum()), int(late.sum())
        return told_apart(right, len(late) - many, many, int(called_late.sum()))

    def past_to_future(self, orders: Orders) -> float:
        """Whether rows are predicted better by what is learned from rows of their own time."""
        features = _features(self._X)
        judge, truth = self._judge, self._Y[self._judge]
        early, late = (
            ((_ridge(features[rows], self._Y[rows], features[judge]) - truth) ** 2).sum(axis=1)
            for rows in (self._teach & ~self._late, self._teach & self._late)
        )
        own = np.where(self._late[judge], 1.0, -1.0)
        gain, side = _means(np.column_stack([early - late, own])).astype(np.float32).T
        return orders.p_value(len(gain), lambda order: side[order] @ gain)


def _features(X: Floats) -> Floats:
    """The columns, and random folds of them."""
    rng = np.random.default_rng(_SEED)
    width = max(X.shape[1], 1)
    directions = rng.normal(size=(X.shape[1], _RANDOM)) / np.sqrt(min(width, 4))
    directions *= rng.random(directions.shape) < 4 / width
    folds = np.maximum(X @ directions + rng.normal(size=_RANDOM), 0)
    return np.hstack([np.ones((len(X), 1)), X, folds - folds.mean(axis=0)])


def _gram(X: Floats) -> Floats:
    gram: Floats = X.T @ X
    gram[np.diag_indices_from(gram)] += 1 + 0.02 * len(X)
    return gram


def _ridge(X: Floats, Y: Floats, other: Floats) -> Floats:
    """What a ridge learned from some rows says of others."""
    guess: Floats = other @ np.linalg.solve(_gram(X), X.T @ Y)
    return guess


def _missed(X: Floats, Y: Floats) -> Floats:
    """What a ridge learned from all rows but one misses of that one, wherever it stands."""
    features = _features(X)
    solved = np.linalg.solve(_gram(features), features.T)
    weight = np.einsum("ij,ji->i", features, solved)
    missed: Floats = (Y - features @ (solved @ Y)) / (1 - weight)[:, None]
    return missed


def _products(X: Floats, Y: Floats, of: Floats) -> Floats:
    """Columns times something of each target, for those pairs that go together most."""
    pairs = [(j, k) for k in range(Y.shape[1]) for j in range(X.shape[1])]
    if len(pairs) > _COLUMNS:
        together = np.abs(Y.T @ X).ravel()
        pairs = [pairs[i] for i in np.argsort(-together, kind="stable")[:_COLUMNS]]
    made = np.empty((len(X), len(pairs)))
    for place, (j, k) in enumerate(pairs):
        made[:, place] = X[:, j] * of[:, k]
    return made


# Columns and targets, of mean 0 and variance 1


def _telling(X: Floats, Y: Floats) -> Floats:
    """Of many columns those that go most with the target."""
    if X.shape[1] <= _COLUMNS:
        return X
    finite = np.where(np.isfinite(X), X, np.nan)
    known = ~np.isnan(finite)
    middle = np.where(known, finite, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    apart = np.where(known, finite - middle, 0)
    size = np.abs(apart).max(axis=0, initial=0)
    apart = apart / np.where(size > 0, size, 1)  # so that no square is too large
    length = np.sqrt((apart**2).sum(axis=0))
    together = np.abs(Y.T @ apart).max(axis=0) / np.where(length > 0, length, 1)
    return X[:, np.sort(np.argsort(-together, kind="stable")[:_COLUMNS])]


def _scores(X: Floats) -> Floats:
    """Ranks of every column; what is missing is in the middle, and a column of its own."""
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
    return np.stack(scored[:_COLUMNS], axis=1) if scored else np.empty((len(X), 0))


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
