"""The vote of all examples within a radius."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from assay.errors import BadData, require
from assay.guarantees.guarantee import Guarantee
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Terms
from assay.learners.neighbors.fixed_radius import RadiusNeighborsModel
from assay.learners.neighbors.lists import owners
from assay.learners.neighbors.outcomes import LabelsModel
from assay.learners.neighbors.votes import listed_weights, require_some_weight
from assay.learners.registry import register
from assay.types import Array, Bools, Floats, Ints


@register("radius-neighbors-classifier", use="rows within a known distance")
class RadiusNeighborsClassifier(ClassifierMixin, LabelsModel, RadiusNeighborsModel):  # type: ignore[misc]
    """Predict the class that most of the examples within a radius have.

    Neighbours are found exactly, as by `KNeighborsClassifier`; those at the very distance of the radius count. A row
    without any neighbour is an outlier: it gets the label that was chosen for outliers, or is refused.

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
    outlier_label : label, "most_frequent" or None, default=None
        What rows without neighbours are called; with None they are refused.
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
    outlier_label_ : list of one label, or None
        What rows without neighbours are called.
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

    Examples
    --------
    >>> from assay import RadiusNeighborsClassifier
    >>> model = RadiusNeighborsClassifier(1.0).fit([[0.0], [1], [2], [3]], ["a", "a", "b", "b"])
    >>> model.predict([[0.5], [2.5]]).tolist()
    ['a', 'b']
    >>> model.predict([[9.0]])
    Traceback (most recent call last):
        ...
    assay.errors.BadData: Row 0 of X has no neighbour within 1.0. Choose a larger radius, or an outlier_label.
    """

    state = kinds.declare(outlier_label_=kinds.optional(kinds.each(kinds.label).where(len)))

    def __init__(
        self,
        radius: float = 1.0,
        *,
        weights: Any = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: str = "minkowski",
        outlier_label: Any = None,
        metric_params: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            radius,
            weights=weights,
            algorithm=algorithm,
            leaf_size=leaf_size,
            p=p,
            metric=metric,
            metric_params=metric_params,
            n_jobs=n_jobs,
        )
        self.outlier_label = outlier_label

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> RadiusNeighborsClassifier:
        """Keep the examples.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        super().fit(X, y)
        each = zip(self._labels, self._columns, self._outlier_labels(), strict=True)
        told = [self._label_of_outliers(*one) for one in each]
        self.outlier_label_ = None if self.outlier_label is None else told
        return self

    def _outlier_labels(self) -> list[Any]:
        """What was said of each column of y."""
        label, many = self.outlier_label, len(self._labels)
        if many == 1 or not isinstance(label, list | tuple | np.ndarray) or np.ndim(label) == 0:
            return [label] * many
        require(len(label) == many, "outlier_label", f"one label for each of {many} columns", label)
        return list(label)

    def _label_of_outliers(self, classes: Array, codes: Ints, label: Any) -> Any:
        if label is None:
            return None
        if isinstance(label, str) and label == "most_frequent":
            label = classes[np.bincount(codes).argmax()]
        label = label.item() if isinstance(label, np.generic) else label
        must = f"None, 'most_frequent' or one label of the kind of {classes[0].item()!r}"
        alike = np.ndim(label) == 0 and np.append(classes, label).dtype.kind == classes.dtype.kind
        require(alike, "outlier_label", must, label)
        return label

    def predict(self, X: Any) -> Array:
        """The class of each row; without X that of each example, from all others.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_queries, n_features), or None

        Returns
        -------
        array of shape (n_queries,) or (n_queries, n_outputs)
        """
        every, alone = self._votes(X)
        columns = []
        for k, (classes, votes) in enumerate(zip(self._labels, every, strict=True)):
            labels = classes[votes.argmax(axis=1)]
            if alone.any():
                assert self.outlier_label_ is not None
                dtype = np.append(classes[:1], self.outlier_label_[k]).dtype
                labels = labels.astype(dtype)
                labels[alone] = self.outlier_label_[k]
            columns.append(labels)
        return np.column_stack(columns) if len(columns) > 1 else np.asarray(columns[0])

    def predict_proba(self, X: Any) -> Any:
        """The share of the votes that each class has; none for an outlier whose label is no class.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_queries, n_features), or None

        Returns
        -------
        array of shape (n_queries, n_classes), or list of them for several columns of y
        """
        every, alone = self._votes(X)
        shares = []
        for k, (classes, votes) in enumerate(zip(self._labels, every, strict=True)):
            if alone.any():
                assert self.outlier_label_ is not None
                label = self.outlier_label_[k]
                named = classes == label
                if not named.any():
                    warnings.warn(
                        f"outlier_label {label!r} is no class of y: outliers have a probability of zero for every "
                        "class.",
                        stacklevel=2,
                    )
                votes[alone] = named
            totals = votes.sum(axis=1, keepdims=True)
            shares.append(votes / np.where(totals == 0, 1.0, totals))
        return shares if len(shares) > 1 else shares[0]

    def _votes(self, X: Any) -> tuple[list[Floats], Bools]:
        """The votes for the classes of each column of y, and which rows have no neighbour."""
        many, distances, rows = self._circle(X)
        alone = many == 0
        if alone.any() and self.outlier_label_ is None:
            row = int(np.flatnonzero(alone)[0])
            raise BadData(
                f"Row {row} of X has no neighbour within {self.radius!r}. Choose a larger radius, or an outlier_label."
            )
        weights = listed_weights(self.weights, distances, many)
        who, every = owners(many), []
        for labels, codes in zip(self._labels, self._columns, strict=True):
            classes = len(labels)
            ballots = who * classes + codes[rows]
            counted = np.bincount(ballots, weights, minlength=len(many) * classes)
            every.append(counted.astype(np.float64).reshape(len(many), classes))
        require_some_weight(np.where(alone, 1.0, every[0].max(axis=1)))
        return every, alone

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """No theorem here says anything about a fixed radius; a holdout does, by `certificate`."""
        _ = self.n_samples_fit_
        return []

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
