"""The mean of the nearest examples."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin

from assay.guarantees.guarantee import Guarantee
from assay.guarantees.neighbors import consistency_guarantee
from assay.learners.common.guaranteed import CertifiedQuantity, Terms
from assay.learners.neighbors.fixed_count import KNeighborsModel
from assay.learners.neighbors.outcomes import TargetsModel
from assay.learners.neighbors.votes import require_some_weight, weights_of
from assay.learners.registry import register
from assay.record.neighbors import NeighborsRecord
from assay.types import Floats


@register(
    "k-neighbors-regressor",
    use="a quantity that close rows share",
    promise="is the best there is, in the limit",
)
class KNeighborsRegressor(RegressorMixin, CertifiedQuantity, TargetsModel, KNeighborsModel):  # type: ignore[misc]
    """Predict the mean of y among the k nearest examples.

    Neighbours are found as by `KNeighborsClassifier`, to the bit and with the same rule for ties. With more and more
    examples, and k growing more slowly than their number, the squared error tends to the least possible
    (``knn-consistency``).

    Parameters
    ----------
    n_neighbors : int, default=5
        k.
    weights : {"uniform", "distance"}, callable or None, default="uniform"
        Whether all neighbours count the same, or each as one over its distance; a function is given the
        distances and returns the weights.
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

    References
    ----------
    .. [1] Stone (1977). Consistent nonparametric regression.

    Examples
    --------
    >>> from assay import KNeighborsRegressor
    >>> model = KNeighborsRegressor(2).fit([[0.0], [1], [2], [3]], [0.0, 1, 4, 9])
    >>> model.predict([[1.4]]).tolist()
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
        distances, rows = self.kneighbors(X)
        weights = weights_of(self.weights, distances)
        near = self.targets_[rows]
        if weights is None:
            return np.asarray(near.mean(axis=1))
        require_some_weight(weights.max(axis=1))
        spread = weights if near.ndim == 2 else weights[:, :, None]
        return np.asarray((near * spread).sum(axis=1) / spread.sum(axis=1))

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """What theorems say: that of Stone, which has no number."""
        record = self.record_
        return [consistency_guarantee(equal_votes=record.equal_votes, no_norm=record.no_norm)]

    @property
    def record_(self) -> NeighborsRecord:
        """The rule of the fit."""
        return self._as_fitted()._rule()
