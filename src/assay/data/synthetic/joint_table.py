"""A distribution over finitely many rows and labels, given as a table of weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import BadData, require
from assay.types import Array, Floats, Ints


@dataclass(frozen=True, eq=False)
class JointTable:
    r"""Rows and labels with the probability of each pair, so that every error is known exactly.

    The best rule predicts a most likely label at every row, and its error is :math:`1-\sum_x\max_yP(x,y)`
    (``bayes-classifier-error``); the best number is the mean of y at every row (``bayes-regressor``).

    Parameters
    ----------
    table : array-like of shape (n_points, n_labels)
        A weight for each pair, zero or more, and not all zero in any row; they are divided by their sum.
    points : array-like of shape (n_points, n_features), optional
        The rows; 0, 1, 2, ... in one feature when not given.
    labels : array-like of shape (n_labels,), optional
        The labels, all different; 0, 1, 2, ... when not given. Numbers, where y is to be a quantity.

    Examples
    --------
    >>> source = JointTable([[3, 1], [2, 2]])
    >>> source.bayes_error, source.bayes_rule([[0], [1]]).tolist(), source.mean([[0], [1]]).tolist()
    (0.375, [0, 0], [0.25, 0.5])
    """

    table: ArrayLike
    points: Any = None
    labels: Any = None
    _places: dict[bytes, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        weights = np.asarray(self.table, dtype=np.float64)
        shaped = weights.ndim == 2 and weights.size > 0
        good = shaped and bool((np.isfinite(weights) & (weights >= 0)).all())
        good = good and bool((weights.sum(axis=1) > 0).all())
        must = "rows of finite weights, zero or more, with one above zero in each"
        require(good, "table", must, self.table)
        n, k = weights.shape
        points = np.arange(n)[:, None] if self.points is None else self.points
        rows = np.ascontiguousarray(points, dtype=np.float64)
        require(rows.ndim == 2 and len(rows) == n, "points", f"{n} rows of features", self.points)
        labels = np.arange(k) if self.labels is None else np.asarray(self.labels)
        different = labels.shape == (k,) and len(np.unique(labels)) == k
        require(different, "labels", f"{k} different labels", self.labels)
        places = {row.tobytes(): place for place, row in enumerate(rows + 0.0)}
        require(len(places) == n, "points", "rows that are all different", self.points)
        for name, value in (("table", weights), ("points", rows), ("labels", labels)):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_places", places)

    @property
    def mass(self) -> Floats:
        """The probability of each row."""
        weights = np.asarray(self.table)
        return np.asarray(weights.sum(axis=1) / weights.sum())

    @property
    def classes(self) -> Array:
        """The labels."""
        return np.asarray(self.labels)

    @property
    def bayes_error(self) -> float:
        """The least error of any rule."""
        # In fractions, so that a third and two thirds add up to one.
        exact = [[Fraction(weight) for weight in row] for row in np.asarray(self.table).tolist()]
        total = sum(map(sum, exact))
        return float(1 - sum(map(max, exact)) / Fraction(total))

    def sample(self, rows: int, random_state: Any = None) -> tuple[Floats, Any]:
        """Independent draws."""
        rng = np.random.default_rng(random_state)
        weights = np.asarray(self.table)
        flat = rng.choice(weights.size, size=rows, p=weights.ravel() / weights.sum())
        places, codes = np.divmod(flat, weights.shape[1])
        return self.points[places], self.classes[codes]

    def outcomes(self, X: ArrayLike, random_state: Any = None) -> Array:
        """A label for each row, drawn afresh."""
        rng = np.random.default_rng(random_state)
        rising = self.probabilities(X).cumsum(axis=1)
        drawn = rng.random(len(rising))[:, None] * rising[:, -1:]
        return np.asarray(self.classes[(drawn >= rising).sum(axis=1)])

    def probabilities(self, X: ArrayLike) -> Floats:
        """The probability of each label at each row."""
        weights = np.asarray(self.table)[self._points_of(X)]
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))

    def bayes_rule(self, X: ArrayLike) -> Array:
        """A most likely label of each row; of equally likely ones the first."""
        return np.asarray(self.classes[self.probabilities(X).argmax(axis=1)])

    def mean(self, X: ArrayLike) -> Floats:
        """The mean of y at each row, where labels are numbers."""
        return np.asarray(self.probabilities(X) @ self.classes.astype(np.float64))

    def variance(self, X: ArrayLike) -> Floats:
        """The variance of y at each row, where labels are numbers."""
        values = self.classes.astype(np.float64)
        off = values - self.mean(X)[:, None]
        return np.asarray((self.probabilities(X) * off**2).sum(axis=1))

    def _points_of(self, X: ArrayLike) -> Ints:
        rows = np.ascontiguousarray(X, dtype=np.float64) + 0.0  # no zero is negative
        width = self.points.shape[1]
        if rows.ndim != 2 or rows.shape[1] != width:
            raise BadData(
                f"X must have {width} features in each row, but has the shape {rows.shape}."
            )
        points = [self._places.get(row.tobytes(), -1) for row in rows]
        if -1 in points:
            place = points.index(-1)
            raise BadData(
                f"X must hold rows of the distribution, but row {place} is {rows[place].tolist()}."
            )
        return np.array(points, dtype=np.int64)
