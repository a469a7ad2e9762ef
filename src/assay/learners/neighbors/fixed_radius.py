"""Neighbours within a fixed distance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.neighbors._base import RadiusNeighborsMixin  # by which its functions know such models

from assay.errors import BadData, require
from assay.learners.common.number_kinds import is_number
from assay.learners.neighbors.base import NeighborsModel, require_mode
from assay.learners.neighbors.lists import each_list, owners
from assay.learners.neighbors.tree_index import Found


@dataclass(eq=False, repr=False)
class RadiusNeighborsModel(NeighborsModel, RadiusNeighborsMixin):  # type: ignore[misc]
    """Base of the rules of all neighbours within a radius."""

    radius: float = 1.0

    def _require_parameters(self) -> str:
        _require_radius(self.radius)
        return super()._require_parameters()

    def radius_neighbors(
        self,
        X: Any = None,
        radius: float | None = None,
        return_distance: bool = True,
        sort_results: bool = False,
    ) -> Any:
        """The examples within a distance of each row, those at that very distance included.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_queries, n_features), optional
            Without it, the neighbours of the examples themselves, none of which is its own neighbour.
        radius : float, optional
            The distance; that of the rule if not given.
        return_distance : bool, default=True
        sort_results : bool, default=False
            Whether nearer ones come first, rather than those that came first in fit.

        Returns
        -------
        distances : array of shape (n_queries,) of arrays
            Only with `return_distance`.
        rows : array of shape (n_queries,) of arrays
            Which examples, counted as they were given to fit.
        """
        if sort_results and not return_distance:
            raise BadData("return_distance must be True if sort_results is True.")
        many, distances, rows = self._circle(X, radius, sort_results)
        listed = each_list(rows, many)
        return (each_list(distances, many), listed) if return_distance else listed

    def _circle(self, X: Any, radius: float | None = None, ordered: bool = False) -> Found:
        distance = self.radius if radius is None else radius
        _require_radius(distance)
        many, distances, rows = self._within(X, float(distance))
        if ordered:
            order = np.lexsort((rows, distances, owners(many)))
            distances, rows = distances[order], rows[order]
        return many, distances, rows

    def radius_neighbors_graph(
        self,
        X: Any = None,
        radius: float | None = None,
        mode: str = "connectivity",
        sort_results: bool = False,
    ) -> Any:
        """The neighbours as a sparse matrix, one row for each row of X and one column for each example.

        Parameters
        ----------
        X, radius, sort_results
            As in `radius_neighbors`.
        mode : {"connectivity", "distance"}, default="connectivity"
            Whether neighbours are marked by ones, or by their distances.

        Returns
        -------
        CSR matrix of shape (n_queries, n_samples_fit)
        """
        require_mode(mode)
        many, distances, rows = self._circle(X, radius, sort_results)
        cells = np.ones(len(rows)) if mode == "connectivity" else distances
        starts = np.concatenate([[0], np.cumsum(many)])
        return sparse.csr_matrix((cells, rows, starts), shape=(len(many), self.n_samples_fit_))


def _require_radius(radius: Any) -> None:
    fine = is_number(radius) and math.isfinite(radius) and bool(radius >= 0)
    require(fine, "radius", "a finite number, zero or more", radius)
