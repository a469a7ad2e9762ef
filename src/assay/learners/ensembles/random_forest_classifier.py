"""The random forest for classes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_class_weight, compute_sample_weight
from sklearn.utils.validation import check_is_fitted

from assay.errors import require
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.sign_labels import classes_of
from assay.learners.common.target import codes_of_columns, labels_of
from assay.learners.ensembles.forest import RandomForest
from assay.learners.ensembles.forest_parameters import BagParameters
from assay.learners.ensembles.grower import Bags
from assay.learners.ensembles.left_out_promises import LeftOutVote
from assay.learners.registry import register
from assay.types import Array, Bools, Floats


@dataclass(eq=False, repr=False, kw_only=True)
class _WeighsClasses(ClassifierMixin):  # type: ignore[misc]
    # A class of its own, so that it stands between the parameters with which those of all forests begin and end.
    class_weight: Any = None


@register(
    "random-forest-classifier",
    use="tables; accurate with nothing to tune",
    promise="tells how many rows a bag leaves out",
)
@dataclass(eq=False, repr=False, kw_only=True)
class RandomForestClassifier(BagParameters, _WeighsClasses, LeftOutVote, RandomForest):
    r"""Grow trees from bags of rows, cutting at the best of a few features: :math:`\arg\max_c\frac1T\sum_tp_t(c|x)`.

    A bag holds as many rows as the sample, drawn with replacement, and leaves out about a third of them
    (``bootstrap-out-of-bag``). For its tree they are a holdout, and so `guarantees` can say what the error of the
    vote is at most without any further rows (``out-of-bag-vote``). The out-of-bag error rate itself, `oob_score_`,
    is an estimate and no promise: every row is judged by other trees, which share rows with each other.

    Parameters
    ----------
    n_estimators : int, default=100
        How many trees.
    criterion : {"gini", "entropy", "log_loss"}, default="gini"
        The impurity that cuts decrease; the last two are the same.
    max_depth : int or None, default=None
        The most questions on any way down.
    min_samples_split, min_samples_leaf : int or float, default=2 and 1
        The fewest rows of a node that is cut, and of each side of a cut; as a share of all rows if below one.
        A row that was drawn twice counts once.
    min_weight_fraction_leaf : float, default=0.0
        The least share of the bag's weight on each side of a cut.
    max_features : {"sqrt", "log2", None}, int or float, default="sqrt"
        How many features are drawn, of which the best cut is taken.
    max_leaf_nodes : int or None, default=None
        The most leaves; the cuts that decrease impurity most come first then.
    min_impurity_decrease : float, default=0.0
        What a cut must gain, weighted by the node's share of the bag.
    bootstrap : bool, default=True
        Whether trees have bags; if not, each sees all rows.
    oob_score : bool or callable, default=False
        Whether rows are judged by the trees that did not see them; a function of truth and prediction takes the
        place of accuracy.
    n_jobs : int or None, default=None
        Threads, -1 for all processors. The result is the same for any number.
    random_state : int, RandomState or None, default=None
    verbose : int, default=0
        1 to print about ten times how many trees there are, 2 for each of them.
    warm_start : bool, default=False
        Whether `fit` keeps the trees it has and grows those that are missing. The forest is the one that a single
        fit would have given, so sample and bags must be those of the earlier fit.
    class_weight : dict, "balanced", "balanced_subsample" or None, default=None
        Weights of the classes; the last two make classes equally heavy in the sample, or in each bag.
    max_samples : int, float or None, default=None
        How many rows are drawn for a bag; as many as there are if None. A share may be above one.
    features_per : {"split", "tree"}, default="split"
        Whether features are drawn anew for each cut, or once for each tree.
    max_bins : int or None, default=None
        With a number, cells are put into that many bins for each feature, and cuts lie between bins. Of more than
        2,048 rows a quarter says where bins end, and is left out of what `guarantees` counts.
    ccp_alpha : float, default=0.0
        The price of a leaf, by which every tree is pruned.
    monotonic_cst : array-like of -1, 0 and 1, dict of names, or None, default=None
        1 for features with which the share of the second class must not fall, -1 for those with which it must not
        rise; for two classes.

    Attributes
    ----------
    classes_ : array, or list of arrays
        The labels; of several columns of y those of each, as `n_classes_` and `predict_proba` have them.
    trees_, estimators_ : lists
        The trees as arrays, and as learners of their own (`DecisionTreeClassifier`), which tell classes apart by
        number, as scikit-learn's do.
    oob_score_ : float
        The share of rows that trees which did not see them get right together.
    oob_decision_function_ : array of shape (n_samples, n_classes)
        What these trees say; NaN for a row that every tree saw.
    record_ : BagRecord or JudgedBagRecord
        What the rows left out say about the trees, one by one and two by two.

    Notes
    -----
    Cells are compared in single precision. A missing cell (NaN) goes to the side of a cut that makes it best, and
    where none was missing, to the larger side.

    References
    ----------
    .. [1] Breiman (2001). Random forests.
    .. [2] Lorenzen, Igel and Seldin (2019). On PAC-Bayesian bounds for random forests.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import RandomForestClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 4))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> model = RandomForestClassifier(50, oob_score=True, random_state=0).fit(X, y)
    >>> (model.feature_importances_ > 0.25).tolist()
    [True, True, False, False]
    >>> print(model.guarantees()[1])
    error: at most 0.2..., failing with probability at most 0.05, by out-of-bag-vote
    """

    criterion: Literal["gini", "entropy", "log_loss"] = "gini"

    skipped_checks: ClassVar[Mapping[str, str]] = {
        **RandomForest.skipped_checks,
        "check_classifiers_multilabel_output_format_decision_function": "a forest has shares of classes, and no "
        "decision function, as in scikit-learn",
    }

    state = kinds.declare(
        classes_=kinds.labels_or_one
        | kinds.each(kinds.labels_or_one).where(lambda each: len(each) > 1),
        oob_decision_function_=kinds.maybe(
            kinds.array("<f8", "rows_", None, least=-1, most=1, nan=True)
            | kinds.array("<f8", "rows_", None, None, least=0, most=1, nan=True)
        ),
    )

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RandomForestClassifier:
        """Grow the trees.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The examples; NaN for missing cells.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            How much each example counts in the trees whose bags it is in. Bags are drawn evenly whatever the
            weights are, as in scikit-learn before 1.9, so that the rows they leave out stay a fair holdout.

        Returns
        -------
        self
        """
        known = ("gini", "entropy", "log_loss")
        must = "'gini', 'entropy' or 'log_loss'"
        require(self.criterion in known, "criterion", must, self.criterion)
        X, labels = self._rows(X, y, numeric=False)
        classes: Any
        if labels.ndim > 1:
            classes = [classes_of(column) for column in labels.T]
            codes = codes_of_columns(classes, labels).astype(np.int32)
        else:
            classes = classes_of(labels)
            codes = np.searchsorted(classes, labels).astype(np.int32)
        weights, reweigh = self._weights(X, sample_weight), None
        levels = tuple(map(len, classes)) if labels.ndim > 1 else (len(classes),)
        if self._by_bag:
            reweigh = _balance(codes.reshape(len(codes), -1), levels)
        elif self.class_weight is not None:
            each = self._weights_of_classes(classes, labels, codes)
            weights = each * (1.0 if weights is None else weights)
        aims = self._aims(labels, levels, plain=True)
        self._require_judged(levels)
        bags = self._grow(X, codes, classes, weights, reweigh, aims=aims)
        self.classes_ = classes
        if self.oob_score and labels.ndim > 1:
            self._judge_columns(X, codes, bags)
        elif self.oob_score:
            self._judge_classes(X, labels, codes, bags)
        return self

    @property
    def _by_bag(self) -> bool:
        given = self.class_weight
        return isinstance(given, str) and given == "balanced_subsample"

    def _weights_of_classes(self, classes: Any, labels: Array, codes: Array) -> Floats:
        """The factor of each row's weight."""
        if labels.ndim == 1:
            each = compute_class_weight(self.class_weight, classes=classes, y=labels)
            return np.asarray(each[codes])
        return np.asarray(compute_sample_weight(self.class_weight, labels))

    def _require_judged(self, levels: tuple[int, ...]) -> None:
        fine = not self.oob_score or len(levels) == 1 or set(levels) == {2}
        must = "False where some column of y has more than two classes"
        require(fine, "oob_score", must, self.oob_score, "Fit a forest for each column.")

    def _judge_columns(self, X: Any, codes: Array, bags: Bags) -> None:
        """What trees say of several columns of rows that they did not see; nothing is promised about these."""
        votes, voted = self._left_out_votes(X, bags)
        shares = np.stack(self.grove.of_outputs(votes), axis=2)
        self.oob_decision_function_ = np.ascontiguousarray(shares)
        predicted = shares[voted].argmax(axis=1)
        score = self.oob_score if callable(self.oob_score) else _all_right
        self.oob_score_ = float(score(codes[voted], predicted)) if voted.any() else 0.0

    def _judge_classes(self, X: Any, labels: Array, codes: NDArray[np.int32], bags: Any) -> None:
        def miss(votes: Floats, voted: Bools) -> float:
            return float((votes[voted].argmax(axis=1) != codes[voted]).sum())

        votes = self._judge(X, codes, None, bags, miss)
        self.oob_decision_function_ = votes
        voted = ~np.isnan(votes[:, 0])
        predicted = self.classes_[votes[voted].argmax(axis=1)]
        if callable(self.oob_score):
            self.oob_score_ = float(self.oob_score(labels[voted], predicted))
        else:
            self.oob_score_ = float(np.mean(predicted == labels[voted])) if voted.any() else 0.0

    def predict_proba(self, X: Any) -> Any:
        """The mean over all trees of the shares of the classes at the leaf where a row ends.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples, n_classes), or list of them for several columns of y
        """
        shares = self.grove.of_outputs(self._votes(X))
        return shares if len(shares) > 1 else shares[0]

    def predict_log_proba(self, X: Any) -> Any:
        """The logarithms of `predict_proba`."""
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(one) for one in shares] if isinstance(shares, list) else np.log(shares)

    def predict(self, X: Any) -> Array:
        """The class with the largest mean share; the first of those that tie."""
        votes = self._votes(X)
        if len(self._labels) == 1:
            return np.asarray(self.classes_[votes.argmax(axis=1)])
        places = [part.argmax(axis=1) for part in self.grove.of_outputs(votes)]
        return labels_of(self._labels, np.column_stack(places))

    @property
    def n_classes_(self) -> Any:
        """How many classes there are; of several columns of y a list."""
        check_is_fitted(self, "nodes_")
        return list(self._levels) if len(self._levels) > 1 else self._levels[0]

    def _depends_on(self, rows: int, weights: Any) -> str:
        given = self.class_weight
        balanced = isinstance(given, str) and given == "balanced"
        return "balanced" if balanced else super()._depends_on(rows, weights)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def _balance(
    codes: NDArray[np.int32], levels: tuple[int, ...]
) -> Callable[[NDArray[np.int32]], Floats]:
    """Factors that make the classes of a bag equally heavy; of several columns the products of theirs."""

    def factors(counts: NDArray[np.int32]) -> Floats:
        product = np.ones(len(codes))
        for column, classes in zip(codes.T, levels, strict=True):
            heavy = np.bincount(column, counts, minlength=classes)
            present = heavy > 0
            each = np.zeros(classes)
            each[present] = heavy.sum() / (present.sum() * heavy[present])
            product *= each[column]
        return product

    return factors


def _all_right(codes: Array, predicted: Array) -> float:
    """The share of rows of which every column is right."""
    return float((codes == predicted).all(axis=1).mean())
