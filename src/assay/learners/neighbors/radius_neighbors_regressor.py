"""The mean of all examples within a radius."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from assay.guarantees.guarantee import Guarantee
from assay.learners.common.guaranteed import CertifiedQuantity, Terms
from assay.learners.neighbors.fixed_radius import RadiusNeighborsModel
from assay.learners.neighbors.lists import owners
from assay.learners.neighbors.outcomes import TargetsModel
from assay.learners.neighbors.votes import listed_weights
from assay.learners.registry import register
from assay.types import Floats


@register("radius-neighbors-regressor", use="a quantity that rows within a distance share")
class RadiusNeighborsRegressor(
    RegressorMixin,  # type: ignore[misc]
    CertifiedQuantity,
    TargetsModel,
    RadiusNeighborsModel,
):
    """Predict the mean of y among the examples within a radius.

    Neighbours are found exactly, as by `KNeighborsClassifier`; those at the very distance of the radius count. A row
    without any neighbour is predicted as NaN, with a warning.

    Parameters
    ----------
    radius : float, default=1.0
        How far away neighbours may be.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        Whether all neighbours count the same, or each as one over its distance; a function is given an array
        of arrays of distances and returns the weights in the same form.
    algorithm : {"auto", "kd_tree", "ball_tree", "brute"}, default="auto"
        How neighbours are sought; "auto", which "ball_tree" stands for too, picks the faster way, by the rule in
        `assay.learners.neighbors.choose`.
    leaf_size : int, default=30
        About how many examples a block of the tree holds; no matter but for speed.
    p : float, default=2
        The power of the distance if `metric` is "minkowski".
    metric : str or function, default="minkowski"
        "euclidean", "manhattan", "cosine" and "mahalanobis" are searched by compiled loops, and so is "minkowski" for
        `p` 1 and 2. All other distances of scikit-learn and SciPy, a function of two rows, and "precomputed", where X
        holds the distances, are looked up one by one.
    metric_params : dict, optional
        Parameters of the distance. For "mahalanobis" the covariance ``V`` or its inverse ``VI``; without either, V is
        the covariance of X.
    n_jobs : int or None, default=None
        Threads that search, -1 for all processors; the answers are the same for any number. With None one, and
        those of BLAS in products of 64 features or more.

    Attributes
    ----------
    X_fit_ : array or CSR matrix
        The examples.
    targets_ : array of shape (n_samples,) or (n_samples, n_outputs)
        Their numbers.
    algorithm_ : {"kd_tree", "brute"}
        How neighbours are sought.
    effective_metric_ : str
        The distance.
    VI_ : array
        The matrix of the Mahalanobis distance, only with that.

    Examples
    --------
    >>> from assay import RadiusNeighborsRegressor
    >>> model = RadiusNeighborsRegressor(1.0).fit([[0.0], [1], [2], [3]], [0.0, 1, 4, 9])
    >>> model.predict([[1.5]]).tolist()
    [2.5]
    """

    def predict(self, X: Any) -> Floats:
        """The mean for each row; without X that for each example, from all others.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_queries, n_features), or None

        Returns
        -------
        array of shape (n_queries,) or (n_queries, n_outputs)
        """
        many, distances, rows = self._circle(X)
        weights = listed_weights(self.weights, distances, many)
        weights = np.ones(len(rows)) if weights is None else weights
        who, columns = owners(many), self.targets_.reshape(len(self.targets_), -1)
        totals = np.bincount(who, weights, minlength=len(many))
        sums = [np.bincount(who, weights * y[rows], minlength=len(many)) for y in columns.T]
        alone = totals == 0
        if alone.any():
            warnings.warn(
                f"{int(alone.sum())} rows of X have no neighbour within {self.radius!r}, and are predicted as NaN.",
                stacklevel=2,
            )
        means = np.column_stack(sums) / np.where(alone, np.nan, totals)[:, None]
        return means[:, 0] if self.targets_.ndim == 1 else means

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """No theorem here says anything about a fixed radius."""
        _ = self.n_samples_fit_
        return []
