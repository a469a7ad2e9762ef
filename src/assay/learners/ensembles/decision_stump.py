"""The decision stump: a tree with one question."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.errors import require
from assay.guarantees.guarantee import Guarantee
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Terms
from assay.learners.common.written_out import column_of, require_room, summed
from assay.learners.ensembles.stump_promises import StumpPromises, stumps
from assay.learners.ensembles.stump_search import STUMP_BYTES, STUMP_CELLS, StumpSearch
from assay.learners.ensembles.weighted_sample import weighted_sample
from assay.learners.registry import register
from assay.types import Array, Floats, Ints


@register(
    "decision-stump",
    use="one question about one column",
    promise="bounds its error from training rows alone",
)
class DecisionStump(StumpPromises, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""Say one class where :math:`x_f\le\theta` and another where not: the best such rule for the weights given.

    All features and all thresholds midway between two neighbouring values are compared; of equally good ones
    the first feature and the lowest threshold is taken. It is what `AdaBoostClassifier` boosts by default.

    Parameters
    ----------
    criterion : {"gini", "error"}, default="gini"
        What is minimised: the weighted Gini impurity of the two sides, as in scikit-learn, or the weighted
        error, which is what the theorems on boosting speak of.

    Attributes
    ----------
    classes_ : array
        The labels.
    feature_ : int
        The feature, -1 where no feature has two values.
    threshold_ : float
        The threshold.
    labels_ : array of shape (2,)
        The label at most at the threshold, and the one above it.
    feature_importances_ : array of shape (n_features,)
        One for the feature, zero for all others.

    See Also
    --------
    AdaBoostClassifier, MajorityBoostClassifier

    Examples
    --------
    >>> import numpy as np
    >>> from assay import DecisionStump
    >>> stump = DecisionStump().fit([[1.0], [2], [3], [4]], ["no", "no", "yes", "yes"])
    >>> stump.feature_, stump.threshold_, stump.labels_.tolist()
    (0, 2.5, ['no', 'yes'])
    >>> stump.predict([[2.4], [2.6]]).tolist()
    ['no', 'yes']
    """

    state = kinds.declare(
        classes_=kinds.labels, shares_=kinds.amounts(2, "classes_", most=1 + 1e-9), **stumps(1)
    )

    def __init__(self, criterion: Literal["gini", "error"] = "gini") -> None:
        self.criterion = criterion

    def _require_parameters(self) -> None:
        known = self.criterion in ("gini", "error")
        require(known, "criterion", "'gini' or 'error'", self.criterion)

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Find the best stump.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Rows of weight zero are left out, as if they were not there.

        Returns
        -------
        self
        """
        self._require_parameters()
        require_room(self, X, STUMP_BYTES)
        X, y = validate_data(self, summed(X), y, **STUMP_CELLS)
        sample = weighted_sample(self, X, y, sample_weight)
        search = StumpSearch(sample.X, sample.codes, self.criterion)
        weights = sample.weights[search.rows]
        stump = search.find(weights)
        self.classes_ = sample.classes
        self.features_ = np.array([stump.feature])
        self.thresholds_ = np.array([stump.threshold])
        self.sides_ = np.array([[stump.low, stump.high]])
        self.shares_ = _shares(search, stump, weights, len(self.classes_))
        return self

    @property
    def feature_(self) -> int:
        """The feature, -1 where no feature has two values."""
        check_is_fitted(self, "features_")
        return int(self.features_[0])

    @property
    def threshold_(self) -> float:
        """The threshold."""
        check_is_fitted(self, "thresholds_")
        return float(self.thresholds_[0])

    @property
    def labels_(self) -> Array:
        """The label at most at the threshold, and the one above it."""
        check_is_fitted(self, "sides_")
        return np.asarray(self.classes_[self.sides_[0]])

    @property
    def feature_importances_(self) -> Floats:
        """One for the feature, zero for all others."""
        check_is_fitted(self, "features_")
        return np.asarray(np.arange(self.n_features_in_) == self.features_[0], dtype=np.float64)

    def _above(self, X: Any) -> Ints:
        """For every row whether it is above the threshold, as 0 or 1."""
        check_is_fitted(self, "features_")
        X = validate_data(self, summed(X), reset=False, **STUMP_CELLS)
        if self.feature_ < 0:
            return np.zeros(X.shape[0], dtype=np.int64)
        return np.asarray(column_of(X, self.feature_) > self.threshold_, dtype=np.int64)

    def predict(self, X: Any) -> Array:
        """The predicted label of every row."""
        above = self._above(X)
        return np.asarray(self.classes_[self.sides_[0][above]])

    def predict_proba(self, X: Any) -> Floats:
        """Of every row, the shares of the classes in the weight on its side of the threshold."""
        above = self._above(X)
        return np.asarray(self.shares_[above])

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """Nothing holds of a stump whatever the rows; see `training_promises` and `certificate`."""
        return []

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        tags.input_tags.sparse = True
        return tags


def _shares(search: StumpSearch, stump: Any, weights: Floats, classes: int) -> Floats:
    """The shares of the classes on both sides; a side without rows repeats the other."""
    above = search.above(stump)
    sides = np.array(
        [
            np.bincount(search.labels[part], weights[part], minlength=classes)
            for part in (~above, above if above.any() else ~above)
        ]
    )
    return np.asarray(sides / sides.sum(axis=1, keepdims=True))
