"""Neighbours of a fixed number."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.neighbors._base import KNeighborsMixin  # by which its functions know such models
from sklearn.utils.validation import check_is_fitted

from assay.errors import require
from assay.learners.common.number_kinds import is_count
from assay.learners.common.settings import OWN, Settled
from assay.learners.neighbors.base import NeighborsModel, require_mode
from assay.record.neighbors import NeighborsRecord


@dataclass(eq=False, repr=False)
class KNeighborsModel(Settled, NeighborsModel, KNeighborsMixin):  # type: ignore[misc]
    """Base of the rules of a fixed number of neighbours."""

    settings = ("n_neighbors", "weights")
    later_state: ClassVar[Any] = {**NeighborsModel.later_state, **Settled.later_state}

    n_neighbors: int = 5

    def _require_parameters(self) -> str:
        fine = is_count(self.n_neighbors)
        require(fine, "n_neighbors", "a whole number of at least 1", self.n_neighbors)
        return super()._require_parameters()

    def _keep(self, name: str, X: Any) -> None:
        super()._keep(name, X)
        self._hold_settings()
        self._weights_then = self.weights  # a function is in no model file

    def _as_fitted(self) -> Self:
        """The rule with the parameters of the fit, whatever they are set to now."""
        check_is_fitted(self, "X_fit_")
        used = dict(self.settings_)
        if used["weights"] == OWN:
            used["weights"] = self._weights_then
        rule: Self = copy(self).set_params(**used)
        return rule

    def _require_state(self) -> None:
        super()._require_state()
        if self.settings_["weights"] == OWN:
            raise ValueError("its weights come from a function, which a model file cannot hold")
        self._as_fitted()._require_parameters()

    def _rule(self) -> NeighborsRecord:
        k = int(self.n_neighbors)
        return NeighborsRecord(self.n_samples_fit_, k, self._equal_votes, self._no_norm)

    @property
    def _usual_count(self) -> int:
        return int(self.n_neighbors)

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """The nearest examples of each row, nearest first; of those equally near, the one that came first in fit.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_queries, n_features), optional
            Without it, the neighbours of the examples themselves, none of which is its own neighbour.
        n_neighbors : int, optional
            How many; as many as the rule uses if not given.
        return_distance : bool, default=True

        Returns
        -------
        distances : array of shape (n_queries, n_neighbors)
            Only with `return_distance`.
        rows : array of shape (n_queries, n_neighbors)
            Which examples, counted as they were given to fit.
        """
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        require(is_count(k), "n_neighbors", "a whole number of at least 1", k)
        distances, rows = self._nearest(X, int(k))
        return (distances, rows) if return_distance else rows

    def kneighbors_graph(
        self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> Any:
        """The neighbours as a sparse matrix, one row for each row of X and one column for each example.

        Parameters
        ----------
        X, n_neighbors
            As in `kneighbors`.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether neighbours are marked by ones, or by their distances.

        Returns
        -------
        CSR matrix of shape (n_queries, n_samples_fit)
        """
        require_mode(mode)
        distances, rows = self.kneighbors(X, n_neighbors)
        cells = np.ones(rows.size) if mode == "connectivity" else distances.ravel()
        starts = np.arange(0, rows.size + 1, rows.shape[1])
        shape = (len(rows), self.n_samples_fit_)
        return sparse.csr_matrix((cells, rows.ravel(), starts), shape=shape)
