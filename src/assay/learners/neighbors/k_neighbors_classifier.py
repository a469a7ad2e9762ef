"""The vote of the nearest examples."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from assay.guarantees.guarantee import Guarantee
from assay.guarantees.neighbors import neighbor_votes_guarantees
from assay.learners.common.guaranteed import Terms
from assay.learners.common.settings import OWN
from assay.learners.common.target import labels_of
from assay.learners.neighbors.fixed_count import KNeighborsModel
from assay.learners.neighbors.outcomes import LabelsModel
from assay.learners.neighbors.votes import require_some_weight, weights_of
from assay.learners.registry import register
from assay.record.neighbors import NeighborVotesRecord
from assay.types import Array, Floats


@register(
    "k-neighbors-classifier",
    use="rows that resemble each other; few columns",
    promise="bounds its error by leaving one out",
)
class KNeighborsClassifier(ClassifierMixin, LabelsModel, KNeighborsModel):  # type: ignore[misc]
    r"""Predict the class that most of the k nearest examples have.

    All examples are kept. The nearest ones are found exactly, in a kd-tree whose boxes are passed over when they are
    farther away than the worst neighbour so far (``kd-tree-pruning``), or by looking at all rows through products of
    matrices: of two examples at the same distance the one that came first in `fit` is nearer, and the answer is
    the same, to the bit, for any algorithm and any number of threads.

    With more and more examples, the error of the nearest neighbour tends to at most twice the Bayes error
    (``cover-hart``), and that of k neighbours to the Bayes error itself if k grows, but more slowly than the
    sample (``knn-consistency``). About the sample at hand, leaving out one row at a time says something
    (``neighbors-leave-one-out``), and a holdout more, by `certificate`.

    Parameters
    ----------
    n_neighbors : int, default=5
        k. With two classes, an odd number leaves no ties.
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
    classes_ : array
        The labels, in order; of tied classes the first one is predicted.
    X_fit_ : array or CSR matrix
        The examples.
    codes_ : array
        The class of each, as its place in `classes_`.
    algorithm_ : {"kd_tree", "brute"}
        How neighbours are sought.
    effective_metric_ : str
        The distance.
    VI_ : array
        The matrix of the Mahalanobis distance, only with that.

    Notes
    -----
    Euclidean and Manhattan distances are sums over features of squared or absolute differences, in double
    precision whatever the data's, so that examples far from the origin and near each other are told apart. The
    Mahalanobis distance is :math:`\sqrt{(x-z)^\top VI\,(x-z)}`, sought among whitened rows and computed by itself.
    The cosine distance is one less the cosine, computed as half the squared distance of the rows scaled to length
    one; a row of zeros is at distance one from all others.

    References
    ----------
    .. [1] Cover and Hart (1967). Nearest neighbor pattern classification.
    .. [2] Friedman, Bentley and Finkel (1977). An algorithm for finding best matches in logarithmic
       expected time.

    Examples
    --------
    >>> from assay import KNeighborsClassifier
    >>> model = KNeighborsClassifier(3).fit([[0.0], [1], [2], [3], [4]], ["a", "a", "b", "b", "b"])
    >>> model.predict([[0.9], [3.5]]).tolist()
    ['a', 'b']
    >>> model.kneighbors([[1.5]])[1].tolist()  # rows 1 and 2 are equally near, so are rows 0 and 3
    [[1, 2, 0]]
    """

    def predict(self, X: Any) -> Array:
        """The class of each row; without X that of each example, from all others.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_queries, n_features), or None

        Returns
        -------
        array of shape (n_queries,) or (n_queries, n_outputs)
        """
        places = [votes.argmax(axis=1) for votes in self._votes(X)]
        if len(places) > 1:
            return labels_of(self._labels, np.column_stack(places))
        return np.asarray(self.classes_[places[0]])

    def predict_proba(self, X: Any) -> Any:
        """The share of the votes that each class has.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_queries, n_features), or None

        Returns
        -------
        array of shape (n_queries, n_classes), or list of them for several columns of y
        """
        shares = [votes / votes.sum(axis=1, keepdims=True) for votes in self._votes(X)]
        return shares if len(shares) > 1 else shares[0]

    def _votes(self, X: Any) -> list[Floats]:
        """The votes for the classes of each column of y."""
        distances, rows = self.kneighbors(X)
        weights = weights_of(self.weights, distances)
        if weights is not None:
            require_some_weight(weights.max(axis=1))
        every, all_rows = [], np.arange(len(rows))
        for labels, codes in zip(self._labels, self._columns, strict=True):
            votes = np.zeros((len(rows), len(labels)))
            for i, column in enumerate(codes[rows].T):
                votes[all_rows, column] += 1.0 if weights is None else weights[:, i]
            every.append(votes)
        return every

    #: The error of the best rule there is, which only the maker of synthetic data knows.
    declares = ("bayes_error",)

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """What theorems say: about infinitely many examples, and from leaving out one of these at a time."""
        record = self.record_
        if not record.classes:  # the theorems are about one column of labels
            return []
        return neighbor_votes_guarantees(record, terms.delta, terms.get("bayes_error"))

    @property
    def record_(self) -> NeighborVotesRecord:
        """The rule of the fit; how often it errs on examples left out is counted when this is asked for."""
        rule = self._as_fitted()
        errors, classes = None, 0 if self.outputs_2d_ else len(self.classes_)
        if rule.n_neighbors < self.n_samples_fit_ and classes:
            errors = int((rule._votes(None)[0].argmax(axis=1) != self.codes_).sum())
        return NeighborVotesRecord(
            **vars(rule._rule()),
            classes=classes,
            left_out_errors=errors,
            made_from_rows=rule._made_from_rows,
            any_function=callable(rule.weights) or rule.effective_metric_ == OWN,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
