"""Search by any other distance: those of scikit-learn and SciPy, a function, or distances computed beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from assay.errors import BadData
from assay.learners.common.jobs import in_threads
from assay.learners.neighbors.lists import owners
from assay.learners.neighbors.tree_index import Found, joined, pieces
from assay.types import Floats, Ints

#: Distances are computed for as many pairs at once.
_PAIRS = 1 << 21


class OtherSpace:
    """Rows as a distance compares them that compiled loops do not know.

    Parameters
    ----------
    metric : str, function, or object with `pairwise`
        Or ``"precomputed"``: rows are then distances to the examples, in their order; of sparse rows those that are
        stored.
    X : array or CSR matrix
        The rows.
    params : mapping
        Parameters of the distance.
    """

    def __init__(self, metric: Any, X: Any, params: Mapping[str, Any]) -> None:
        self.metric, self.rows, self.params = metric, X, dict(params)
        self.sparse = sparse.issparse(X)
        self.precomputed = isinstance(metric, str) and metric == "precomputed"
        if self.precomputed and X.shape[0] != X.shape[1]:
            raise BadData(
                f"X must be a square matrix of distances between its rows where metric='precomputed', but has shape "
                f"{X.shape}."
            )

    def __len__(self) -> int:
        return int(self.rows.shape[0])

    def examples(self, X: Any) -> tuple[Any, None]:
        """Examples as they are compared."""
        if X.shape[1] != self.rows.shape[1]:
            raise BadData(f"X must have {self.rows.shape[1]} features, but has {X.shape[1]}.")
        if self.precomputed:
            stored = X.data if sparse.issparse(X) else X
            if stored.size and stored.min() < 0:
                raise BadData(
                    "X must hold distances where metric='precomputed', but some are negative."
                )
        return X, None

    def distances(self, values: Floats) -> Floats:
        """The distances that numbers from the search stand for: they themselves."""
        return values

    def limit(self, radius: float) -> float:
        """The largest number from the search whose distance is at most the radius."""
        return radius

    def between(self, Q: Any) -> Floats:
        """The distances of some examples to all rows; infinite where none is stored."""
        if self.precomputed:
            return _stored(Q) if sparse.issparse(Q) else np.asarray(Q, dtype=np.float64)
        if hasattr(self.metric, "pairwise"):
            return np.asarray(self.metric.pairwise(Q, self.rows), dtype=np.float64)
        from sklearn.metrics import pairwise_distances  # only here: a fit need not wait for it

        try:
            far = pairwise_distances(Q, self.rows, metric=self.metric, **self.params)
        except (TypeError, ValueError) as problem:
            raise BadData(f"metric={self.metric!r} cannot compare these rows: {problem}") from None
        return np.asarray(far, dtype=np.float64)


def _stored(graph: Any) -> Floats:
    far = np.full(graph.shape, np.inf)
    rows = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    far[rows, graph.indices] = graph.data
    return far


class PairwiseIndex:
    """All rows, compared with each example.

    Parameters
    ----------
    space : OtherSpace
    """

    def __init__(self, space: OtherSpace) -> None:
        self.space = space

    def _pieces(self, many: int, workers: int) -> list[tuple[int, int]]:
        return pieces(many, workers, max(1, _PAIRS // len(self.space)))

    def nearest(self, Q: Any, k: int, workers: int = 1) -> tuple[Floats, Ints]:
        """The k nearest rows of each example, nearest first; of equally near ones those that came first."""

        def piece(ends: tuple[int, int]) -> tuple[Floats, Ints]:
            far = self.space.between(Q[slice(*ends)])
            near = np.argsort(far, axis=1, kind="stable")[:, :k]
            return np.take_along_axis(far, near, axis=1), near

        found = list(in_threads(piece, self._pieces(Q.shape[0], workers), workers))
        if not found:
            return np.empty((0, k)), np.empty((0, k), dtype=np.int64)
        far, near = (np.concatenate(part) for part in zip(*found, strict=True))
        if np.isinf(far).any() and self.space.precomputed:
            row = int(np.flatnonzero(np.isinf(far).any(axis=1))[0])
            raise BadData(
                f"{k} neighbors are required for each row, but row {row} of the sparse distances has "
                f"{int(np.isfinite(far[row]).sum())}."
            )
        return far, near.astype(np.int64)

    def within(self, Q: Any, limit: float, workers: int = 1) -> Found:
        """How many rows each example has up to the limit, and of all of them the values and the rows."""

        def piece(ends: tuple[int, int]) -> Found:
            far = self.space.between(Q[slice(*ends)])
            inside = far <= limit
            many = inside.sum(axis=1)
            places = np.arange(inside.size).reshape(inside.shape)[inside]
            return many, far[inside], places - owners(many) * len(self.space)

        return joined(list(in_threads(piece, self._pieces(Q.shape[0], workers), workers)))
