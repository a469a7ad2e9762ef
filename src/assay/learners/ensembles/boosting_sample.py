"""A sample for gradient boosting: cells as numbers, categories as places, missing ones as NaN."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import (
    _check_y,
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from assay.errors import BadData, require
from assay.learners.common.row_weights import row_weights
from assay.learners.common.written_out import require_room, summed
from assay.learners.ensembles.boosting_parameters import HistParameters, require_hist
from assay.learners.trees.columns import Categories, learn_columns, read_columns
from assay.types import Array, Floats, Ints

_BYTES = 2  # of a cell: its bin, by rows and by features


@dataclass(frozen=True)
class BoostingSample:
    """Rows in cells, what they are to say, and their weights."""

    X: Any
    y: Array
    weights: Floats | None

    def part(self, rows: Ints) -> BoostingSample:
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return BoostingSample(self.X[rows], self.y[rows], weights)


class HistReader(HistParameters, BaseEstimator):  # type: ignore[misc]
    """Reads samples, and rows to predict."""

    categories_: Categories

    def _learn_cells(self, X: Any) -> Any:
        """The cells of a sample; the categories of its features are written down."""
        chosen = self.categorical_features
        if sparse.issparse(X) or chosen is None:
            must = "'from_dtype' or None for a sparse table"
            require(chosen is None or isinstance(chosen, str), "categorical_features", must, chosen)
            X = self._numbers(X, reset=True)
            self.categories_ = [None] * X.shape[1]
            return X
        given = None if isinstance(chosen, str) else chosen
        cells, self.categories_ = learn_columns(self, X, given, dtype=np.float64)
        return cells

    def _numbers(self, X: Any, *, reset: bool) -> Any:
        return validate_data(
            self, summed(X), reset=reset, dtype=np.float64, order="C", accept_sparse="csr",
            ensure_all_finite="allow-nan",
        )  # fmt: skip

    def _cells(self, X: Any) -> Any:
        check_is_fitted(self, "trees_")
        return self._read(X)

    def _read(self, X: Any) -> Any:
        if all(words is None for words in self.categories_):
            return self._numbers(X, reset=False)
        return read_columns(self, X, self.categories_, dtype=np.float64)

    def _sample(
        self, X: Any, y: Any, sample_weight: Any, *, numeric: bool
    ) -> tuple[Any, Array, Floats | None]:
        require_hist(self)
        if y is None:
            raise BadData(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )
        require_room(self, X, _BYTES)
        cells = self._learn_cells(X)
        target = np.asarray(_check_y(y, multi_output=False, y_numeric=numeric, estimator=self))
        return self._weighed(cells, target, sample_weight)

    def _held(self, X: Any, y: Any, sample_weight: Any) -> BoostingSample | None:
        """The rows that were given to say when to stop."""
        if X is None and y is None:
            return None
        for name, other, given, missing in (("X_val", "y_val", X, y), ("y_val", "X_val", y, X)):
            require(given is None or missing is not None, other, f"given where {name} is", None)
        stops = isinstance(self.early_stopping, str) or bool(self.early_stopping)
        must = "'auto' or True where X_val says when to stop"
        require(stops, "early_stopping", must, self.early_stopping)
        target = _check_y(y, multi_output=False, y_numeric=False, estimator=self)
        cells, target, weights = self._weighed(self._read(X), np.asarray(target), sample_weight)
        return BoostingSample(cells, self._held_target(target), weights)

    def _held_target(self, target: Array) -> Array:
        """The target of rows that say when to stop, as numbers."""
        raise NotImplementedError

    def _weighed(
        self, cells: Any, target: Array, sample_weight: Any
    ) -> tuple[Any, Array, Floats | None]:
        check_consistent_length(cells, target)
        if sample_weight is None:
            return cells, target, None
        weights = row_weights(sample_weight, target)
        kept = np.flatnonzero(weights > 0)
        if len(kept) < len(target):
            cells, target, weights = cells[kept], target[kept], weights[kept]
        largest = float(weights.max())
        if not float(weights.sum()) < math.inf or float(weights.min()) < 1e-150 * largest:
            raise BadData(
                "sample_weight must have a finite sum, and no weight below 1e-150 of the largest, but has "
                f"weights from {float(weights.min()):g} to {largest:g}."
            )
        return cells, target, weights
