"""Gradient boosting of trees in bins, for classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_class_weight

from assay.compiled.common.elementary import exps
from assay.errors import require
from assay.guarantees.gradient_boosting import gradient_boosting_guarantees
from assay.guarantees.guarantee import Guarantee
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.blocks import Blocks, coded
from assay.learners.common.class_weights import class_counts, class_pulls, with_class_weights
from assay.learners.common.guaranteed import Certified, Terms
from assay.learners.common.sign_labels import classes_of
from assay.learners.ensembles.boosting_blocks import errors_of, weights_of_blocks
from assay.learners.ensembles.boosting_losses import LOSSES, start_of_classes
from assay.learners.ensembles.hist_gradient_boosting import HistGradientBoosting
from assay.learners.ensembles.weak_learners import codes_of
from assay.learners.registry import register
from assay.types import Array, Floats, Ints


@dataclass(eq=False, repr=False)
class _LossOfClasses:
    # A class of its own: the loss comes first among the parameters.
    loss: Literal["log_loss"] = "log_loss"


@register(
    "hist-gradient-boosting-classifier",
    use="tables of any size; often the most accurate",
    promise="tells whether its training loss ever rose",
)
@dataclass(eq=False, repr=False)
class HistGradientBoostingClassifier(
    Certified,
    ClassifierMixin,  # type: ignore[misc]
    HistGradientBoosting,
    _LossOfClasses,
):
    r"""Add small trees, each fitted to what those before leave of the log loss: :math:`f=f_0+\eta\sum_th_t`.

    Cells are put into at most 255 bins, once, and cuts lie between bins. Every round adds one tree, or one for each
    class where there are more than two; its leaves add :math:`-\eta\sum g/(\sum h+\lambda)`, a step of Newton's
    method on the log loss. That is forward stagewise fitting; the loss of every round is written down, in
    `train_score_`. It is observed: of the log loss nothing proves that a round lowers it. What is left of it bounds
    the training error (``surrogate-upper-bounds``).

    Parameters
    ----------
    loss : {"log_loss"}, default="log_loss"
    learning_rate : float, default=0.1
        The share :math:`\eta` of its value that a leaf adds.
    max_iter : int, default=100
        The most rounds.
    max_leaf_nodes : int or None, default=31
        The most leaves of a tree; the leaf whose cut gains most is cut first.
    max_depth : int or None, default=None
        The most questions on any way down.
    min_samples_leaf : int, default=20
        The fewest rows of a leaf.
    l2_regularization : float, default=0.0
        What is added to the hessian of a leaf, :math:`\lambda`.
    max_features : float, default=1.0
        The share of the features that are drawn for every cut.
    max_bins : int, default=255
        The most bins of a feature; missing cells have one more.
    categorical_features : "from_dtype", None, or list of names, places or truth values, default="from_dtype"
        Further features that are categories. Columns of text, truth values and categories are, unless it is None.
    monotonic_cst : list or dict, default=None
        1 for features that must not lower the score of the second class as they grow, -1 for those that must not
        raise it; of two classes only.
    interaction_cst : {"pairwise", "no_interactions"}, list of sets of places, or None, default=None
        Which features may be asked for on one way down: those of one set. Features in no set are one set more.
    warm_start : bool, default=False
        Whether `fit` keeps the trees it has and adds those that are missing, of the same sample.
    early_stopping : "auto" or bool, default="auto"
        Whether to stop when rounds do not help any more; "auto" from 10,001 rows on.
    scoring : "loss", name of a score of scikit-learn, callable or None, default="loss"
        What says whether rounds help; None for `score`.
    validation_fraction : float, int or None, default=0.1
        The rows set aside to see whether rounds help; None for all rows of the sample.
    n_iter_no_change : int, default=10
        After how many rounds without help to stop.
    tol : float, default=1e-7
        By how much a round must lower the loss to have helped.
    verbose : int, default=0
        1 to print about ten times how far it is, 2 for every round.
    random_state : int, RandomState or None, default=None
        Draws the rows set aside, and features.
    n_jobs : int or None, default=None
        Threads, -1 for all processors. The result is the same for any number.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.

    Attributes
    ----------
    classes_ : array
        The labels.
    n_iter_, n_trees_per_iteration_ : int
        The rounds, and the trees of each.
    train_score_, validation_score_ : arrays
        Minus the log loss before the first round and after each, of the rows fitted and of those set aside.
    feature_importances_ : array of shape (n_features,)
        The share of each feature in what all questions gain.
    record_ : GradientBoostingRecord
        The loss before and after every round, and the training errors.

    Notes
    -----
    Gradients and hessians are rounded up or down at random, to at most 14 bits each, by a hash of row and tree, so
    that one word holds both and sums are exact in any order. Missing cells go to the side of a cut that makes it
    best; where none was missing, to the larger one, and so do categories that the sample did not have.

    References
    ----------
    .. [1] Friedman (2001). Greedy function approximation: a gradient boosting machine.
    .. [2] Ke et al. (2017). LightGBM: a highly efficient gradient boosting decision tree.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import HistGradientBoostingClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 3))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> model = HistGradientBoostingClassifier(max_iter=30).fit(X[:500], y[:500])
    >>> model.score(X[500:], y[500:])
    1.0
    >>> model.record_.rises
    0
    """

    skipped_checks = HistGradientBoosting.skipped_checks

    state = kinds.declare(classes_=kinds.labels_or_one, training_errors_=kinds.whole(most="rows_"))

    class_weight: Any = None

    _of_classes = True

    @all_or_nothing
    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        X_val: Any = None,
        y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> HistGradientBoostingClassifier:
        """Add trees.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, and in frames columns of text, truth values or categories; NaN for missing cells.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Factors of the losses; rows of weight zero are left out, as if they were not there.
        X_val, y_val, sample_weight_val : array-likes, optional
            Rows that say when to stop, in place of some of the sample that would be set aside.

        Returns
        -------
        self
        """
        require(self.loss == "log_loss", "loss", "'log_loss'", self.loss)
        X, labels, weights = self._sample(X, y, sample_weight, numeric=False)
        classes = classes_of(labels)
        codes = np.searchsorted(classes, labels)
        if self.class_weight is not None:
            each = compute_class_weight(self.class_weight, classes=classes, y=labels)
            weights = each[codes] * (1.0 if weights is None else weights)
        outputs = 1 if len(classes) <= 2 else len(classes)
        hint = "Scores of several classes go up and down together."
        fine = outputs == 1 or self.monotonic_cst is None
        require(fine, "monotonic_cst", "None for more than two classes", self.monotonic_cst, hint)
        known = getattr(self, "classes_", None)
        if self.warm_start and known is not None:
            same = np.array_equal(known, classes)
            require(same, "warm_start", "False where y holds other classes", self.warm_start)
        self.classes_ = classes
        held = self._held(X_val, y_val, sample_weight_val)
        rows, score = self._boost(X, codes, weights, LOSSES["log_loss"], 0.5, outputs, held)
        self.training_errors_ = int(np.count_nonzero(_places(score) != codes[rows]))
        return self

    def _fit_blocks(self, blocks: Blocks) -> HistGradientBoostingClassifier:
        """Add trees from blocks of rows, whose histograms are added up; all rows are learned from."""
        require(self.loss == "log_loss", "loss", "'log_loss'", self.loss)
        self._require_blocks()
        self.classes_, blocks = coded(blocks)
        many = len(self.classes_)
        outputs = 1 if many <= 2 else many
        fine = outputs == 1 or self.monotonic_cst is None
        require(fine, "monotonic_cst", "None for more than two classes", self.monotonic_cst)
        if self.class_weight is not None:
            each = class_pulls(self.classes_, blocks.total(class_counts, many), self.class_weight)
            blocks = blocks.map(with_class_weights, each)
        heavy, weights = weights_of_blocks(blocks, max(2, many))
        start = start_of_classes(heavy, outputs)
        rounds = self._boost_blocks(blocks, start, LOSSES["log_loss"], weights)
        self.training_errors_ = rounds.judged(errors_of)
        return self

    def _held_target(self, target: Array) -> Array:
        return codes_of(target, self.classes_)

    def _errors(self) -> dict[str, Any]:
        return {"training_errors": self.training_errors_}

    def decision_function(self, X: Any) -> Floats:
        """The score of the second class, or of every class where there are more than two.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_classes)
        """
        return _turned(self._raw(X))

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """The scores after one round, after two, and so on."""
        for score in self._staged_raw(X):
            yield _turned(score)

    def predict(self, X: Any) -> Array:
        """The class with the largest score; the first of those that tie."""
        return self._labels(self._raw(X))

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """The classes after one round, after two, and so on."""
        for score in self._staged_raw(X):
            yield self._labels(score)

    def predict_proba(self, X: Any) -> Floats:
        """The probability of every class.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_classes)
        """
        return self._likely(self._raw(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """The probabilities after one round, after two, and so on."""
        for score in self._staged_raw(X):
            yield self._likely(score)

    def _likely(self, score: Floats) -> Floats:
        """The probabilities; that of a single class is one."""
        if len(self.classes_) == 1:
            return np.ones((score.shape[1], 1))
        return _shares(score)

    def _labels(self, score: Floats) -> Array:
        return np.asarray(self.classes_[_places(score)])

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """What the log loss that is left says of the training error, where all rows weigh the same."""
        return gradient_boosting_guarantees(self.record_) if hasattr(self, "record_") else []

    def _require_state(self) -> None:
        """Refuse, in a model file, trees that do not fit the classes."""
        many = len(self.classes_)
        if self.loss_ != "log_loss" or self.n_trees_per_iteration_ != (1 if many <= 2 else many):
            raise ValueError("its trees do not fit its classes")
        super()._require_state()


def _places(score: Floats) -> Ints:
    places = score[0] > 0 if len(score) == 1 else score.argmax(axis=0)
    return np.asarray(places, dtype=np.int64)


def _turned(score: Floats) -> Floats:
    return score[0] if len(score) == 1 else np.ascontiguousarray(score.T)


def _shares(score: Floats) -> Floats:
    """Probabilities from scores: the logistic function, or its like for several classes."""
    if len(score) == 1:
        e = exps(-np.abs(score[0]))
        likely, other = 1.0 / (1.0 + e), e / (1.0 + e)
        up = score[0] > 0
        return np.stack([np.where(up, other, likely), np.where(up, likely, other)], axis=1)
    top = score.max(axis=0)
    raised = np.stack([exps(one - top) for one in score], axis=1)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))
