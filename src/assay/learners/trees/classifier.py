"""The decision tree for classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import compute_sample_weight
from sklearn.utils.validation import check_is_fitted

from assay.errors import BadParameter, require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.trees import description_guarantees, pruning_guarantee
from assay.learners.common import kinds
from assay.learners.common.guaranteed import Terms, TrainingCertified, fitted_elsewhere
from assay.learners.common.known_to_tools import known_to_tools
from assay.learners.common.learned_rows import require_same_sample
from assay.learners.common.number_kinds import is_number
from assay.learners.common.sign_labels import classes_of
from assay.learners.common.skipped_checks import NOT_RUN
from assay.learners.common.target import codes_of_columns, labels_of
from assay.learners.registry import register
from assay.learners.trees.base import DecisionTree, TreeSample
from assay.learners.trees.description import description_bits
from assay.learners.trees.error_pruning import error_pruned, globally_pruned
from assay.learners.trees.pruning import pruned, summed_at_nodes
from assay.learners.trees.structure import Tree, sound
from assay.record.tree import TreeRecord
from assay.theory.rounding import Number
from assay.types import Array, Floats, Ints

#: What a leaf may cost where a tree is pruned.
_COSTS = ("impurity", "misclassification")


@register(
    "decision-tree-classifier",
    use="tables, as questions that can be read",
    promise="bounds its error from training rows alone",
)
@known_to_tools("tree")  # `plot_tree` asks
@dataclass(eq=False, repr=False, kw_only=True)
class DecisionTreeClassifier(TrainingCertified, ClassifierMixin, DecisionTree):  # type: ignore[misc]
    r"""Ask the question that lowers the impurity most, divide the examples by the answer, and go on with each part.

    The impurity of a part with class shares :math:`p_c` is :math:`1-\sum p_c^2` (Gini),
    :math:`-\sum p_c\log_2p_c` (entropy) or :math:`1-\max p_c` (misclassification); no question raises its mean
    over the parts (``impurity-identities``). With ``algorithm="cart"`` every question has two answers, and the tree is
    the one that scikit-learn grows, up to equally good questions. ``"id3"`` asks for categories, with a
    child for each, by the gain in entropy; ``"c4.5"`` asks for numbers too, and takes the gain in relation to the
    entropy of the division itself. ``"c5.0"`` does the same, and prunes what it has grown.

    A large tree is pruned by a price :math:`\alpha` for each leaf: of all subtrees the smallest one with the
    least impurity plus :math:`\alpha` times leaves (``weakest-link-optimal``). With
    ``ccp_criterion="misclassification"`` it is the errors that are counted, whatever the tree was grown by.

    A tree that is short to write down errs on new examples little more than on those it was grown from
    (``occam-prefix-free``, ``regularized-occam``, ``occam-exact``): see `guarantees`.

    Parameters
    ----------
    criterion : {"gini", "entropy", "log_loss", "misclassification", "gain_ratio"} or None, default=None
        What a good question lowers; None for the algorithm's own.
    max_depth : int or None, default=None
        The most questions about any example.
    min_samples_split : int or float, default=2
        Parts of fewer examples are left as they are; a float is a share of the examples.
    min_samples_leaf : int or float, default=1
        The fewest examples of any answer.
    min_weight_fraction_leaf : float, default=0.0
        The least share of the weight of any answer.
    max_features : int, float, "sqrt", "log2" or None, default=None
        How many features are looked at for each question, drawn afresh each time; None for all.
    random_state : int, RandomState or None, default=None
        For these draws, for the folds of a validation, and to draw one of equally good features; with None the first
        of these is asked for.
    max_leaf_nodes : int or None, default=None
        The most leaves; the questions that lower the impurity most are asked first.
    min_impurity_decrease : float, default=0.0
        A question must lower the impurity of the whole by this much.
    class_weight : dict, "balanced" or None, default=None
        Factors of the weights of each class.
    ccp_alpha : float or "cv", default=0.0
        The price of a leaf. With ``"cv"`` it is the one whose trees err least on folds that they were not
        grown from, of equal ones the largest.
    ccp_criterion : {"impurity", "misclassification"}, default="impurity"
        What a leaf costs where a price is set: the criterion that the tree was grown by, or the examples that it
        errs on. In the second case a price of zero drops the questions that do not lower the errors.
    algorithm : {"cart", "c4.5", "c5.0", "id3"}, default="cart"
        What criterion, splits and pruning are, where these are not given.
    pruning : {"cost-complexity", "error-based"} or None, default=None
        By the price of a leaf, or by a pessimistic estimate of the errors; None for the algorithm's own, which is
        the second with ``"c5.0"`` and the first with the others.
    confidence_factor : float, default=0.25
        How pessimistic that estimate is, as in C4.5: a leaf with E errors among N examples counts as if its
        error rate were the one at which E errors or fewer have this probability. Smaller ones prune more. Weights
        of examples count in relation to their mean.
    splits : {"binary", "multiway"} or None, default=None
        Whether a feature with categories divides into two groups of them, or has a child for each.
    categorical_features : list of names, places or truth values, "all" or None, default=None
        Features of whole numbers that are categories. Columns of text, truth values and categories always are.
    splitter : {"best"}, default="best"
        As in scikit-learn, but for thresholds drawn at random.
    monotonic_cst : array-like of -1, 0 and 1, dict of names, or None, default=None
        1 for features with which the share of the second class must not fall, -1 for those with which it must not
        rise; for two classes.
    thresholds : {"middle", "short"}, default="middle"
        Halfway between the examples on both sides, as in scikit-learn, or the number with the fewest digits
        between them: shorter to read, and to write down.
    cv : int or splitter, default=5
        The folds of ``ccp_alpha="cv"``.

    Attributes
    ----------
    classes_ : array, or list of arrays
        The labels; of several columns of y those of each, as `n_classes_`, `n_outputs_` and `predict_proba` have them.
    tree_ : sklearn.tree._tree.Tree
        The nodes as scikit-learn's own tools read them, such as `plot_tree` and `export_text`; of a tree that asks for
        no categories.
    nodes_ : Tree
        The nodes as this library has them, as plain arrays.
    ccp_alpha_, ccp_criterion_ : float, str
        The price of a leaf that the tree was pruned by, and what a leaf cost.
    cv_alphas_, cv_losses_ : array
        The prices that were tried, and the weight of the errors of each on the folds.
    feature_importances_ : array
        By how much each feature's questions lower the impurity, as shares of the whole.
    categories_ : list
        The categories of each feature, None for a number.
    missing_features_ : array of bool
        The features of which some training cell is missing.
    max_features_ : int
        How many features are looked at for a question.
    record_ : TreeRecord
        Errors on the training rows, nodes, depth, and bits of the description.

    Notes
    -----
    Cells are compared as float32 numbers, and growing takes eight bytes of memory for each. Of equally good
    questions about one feature that with the smallest threshold is asked; a question that lowers
    nothing is asked too, as long as the examples differ.

    With several columns of y the impurity is the mean of theirs. Such trees have no rules, and no description whose
    length would promise anything about new examples.

    Missing cells: both ways are tried for every threshold, and the better one is kept; in two groups of
    categories a missing cell is one category more, and with a child for each it has its own. Where none of a
    node's training cells is missing, missing cells go where most examples go; so do categories that the
    training rows do not have. A child that no example came to says what its parent would.

    With two classes the best of all two groups of categories is found; with more, one that is the best for some
    order of the categories by the share of a class. With ``"c4.5"`` thresholds are chosen by gain, and
    features by gain ratio among those whose gain is at least the average one, as by Quinlan. It is not pruned
    unless ``pruning="error-based"`` asks for it, which replaces subtrees by leaves and does not raise them;
    fractional examples and the penalty for thresholds of Release 8 are not part of it.

    ``"c5.0"`` is what has been published of C4.5's successor: the same questions, weights of examples and of
    classes (`sample_weight`, `class_weight`), error-based pruning, and then global pruning, back to the smallest
    tree by weakest links whose training error is within one standard error [4]_. Its setting of at least two
    examples is ``min_samples_leaf=2``, its grouped categories are ``splits="binary"``, and its boosting is
    ``AdaBoostClassifier(DecisionTreeClassifier(algorithm="c5.0"))`` by the published rule. Not included, since they
    are documented in outline only, or belong to the commercial program: winnowing of features, rulesets other than
    one rule for each leaf, soft thresholds, its own table of costs, its own weights of boosted trees, sampling, and
    the code for several processors. No tree is promised to be the one that program would grow.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone (1984). Classification and Regression Trees.
    .. [2] Quinlan (1986). Induction of decision trees.
    .. [3] Quinlan (1993). C4.5: Programs for Machine Learning.
    .. [4] Kuhn and Johnson (2013). Applied Predictive Modeling, section 14.6.

    Examples
    --------
    >>> from assay import DecisionTreeClassifier
    >>> X = [["high", 30], ["low", 20], ["medium", 25], ["medium", 60]]
    >>> model = DecisionTreeClassifier(algorithm="c4.5").fit(X, ["no", "yes", "yes", "no"])
    >>> print(model.rules("default"))
    IF x1 is at most 27.5 THEN default is yes (2 of 2)
    IF x1 is above 27.5 THEN default is no (2 of 2)
    >>> model.record_.bits
    26
    """

    state = kinds.declare(
        classes_=kinds.labels_or_one
        | kinds.each(kinds.labels_or_one).where(lambda each: len(each) > 1),
        training_errors_=kinds.count,
        ccp_criterion_=kinds.maybe(kinds.one_of(*_COSTS)),
    )

    class_weight: Any = None
    ccp_alpha: float | str = 0.0
    ccp_criterion: Literal["impurity", "misclassification"] = "impurity"
    algorithm: Literal["cart", "c4.5", "c5.0", "id3"] = "cart"
    pruning: Literal["cost-complexity", "error-based"] | None = None
    confidence_factor: float = 0.25
    splits: Literal["binary", "multiway"] | None = None
    categorical_features: Any = None
    thresholds: Literal["middle", "short"] = "middle"
    cv: Any = 5

    _folded = StratifiedKFold
    skipped_checks: ClassVar[Mapping[str, str]] = NOT_RUN | {
        "check_classifiers_multilabel_output_format_decision_function": "a tree has shares of classes, and no decision "
        "function, as in scikit-learn"
    }

    def _sample(self, X: Any, y: Any) -> tuple[TreeSample, Floats | None]:
        self._require_pruning()
        cells = self._learn_cells(X, y)
        labels = self._target(cells, y, numeric=False)
        if labels.ndim > 1:
            self._require_several()
            self.classes_ = [classes_of(column) for column in labels.T]
        else:
            self.classes_ = classes_of(labels)
        if self.algorithm == "id3" and None in self.categories_:
            name = self._words().features[self.categories_.index(None)]
            raise BadParameter(
                f"ID3 asks for categories only, but {name} is a number. Name it in categorical_features, "
                "or use algorithm='c4.5'."
            )
        sample = TreeSample(cells, self._numbered(labels), len(self._labels[0]))
        sample = self._aimed(sample, tuple(map(len, self._labels)), plain=True)
        if self.class_weight is None:
            return sample, None
        return sample, compute_sample_weight(self.class_weight, labels)

    def _numbered(self, labels: Array) -> Ints:
        if labels.ndim > 1:
            return codes_of_columns(self._labels, labels)
        return np.searchsorted(self.classes_, labels).astype(np.int64)

    def _require_several(self) -> None:
        """Refuse what is said of the errors of one column only."""
        must = "'impurity' where y has several columns"
        require(self.ccp_criterion == "impurity", "ccp_criterion", must, self.ccp_criterion)
        must = "'cost-complexity' where y has several columns"
        require(not self._by_estimate, "pruning", must, self.pruning)

    @property
    def _labels(self) -> list[Array]:
        """The labels of each column of y."""
        return self.classes_ if isinstance(self.classes_, list) else [self.classes_]

    @property
    def n_outputs_(self) -> int:
        """How many columns y had."""
        check_is_fitted(self, "nodes_")
        return len(self._labels)

    @property
    def n_classes_(self) -> Any:
        """How many classes there are; of several columns of y an array."""
        check_is_fitted(self, "nodes_")
        many = np.array([len(labels) for labels in self._labels])
        return many if len(many) > 1 else int(many[0])

    @property
    def _width(self) -> int:
        return sum(map(len, self._labels))

    def _shares(self) -> list[Floats]:
        """The share of each class at every node, for each column of y."""
        ends = np.cumsum([len(labels) for labels in self._labels])
        parts = np.split(self.nodes_.value, ends[:-1], axis=1)
        return [part / part.sum(axis=1, keepdims=True) for part in parts]

    def _require_pruning(self) -> None:
        cost, factor = self.ccp_criterion, self.confidence_factor
        require(cost in _COSTS, "ccp_criterion", f"one of {', '.join(map(repr, _COSTS))}", cost)
        known = self.pruning in (None, "cost-complexity", "error-based")
        require(known, "pruning", "None, 'cost-complexity' or 'error-based'", self.pruning)
        fine = is_number(factor) and 0 < factor < 1
        require(fine, "confidence_factor", "a number strictly between 0 and 1", factor)
        unpriced = self.ccp_alpha == 0 or not self._by_estimate
        must = "0 where pruning is error-based; set pruning='cost-complexity' to prune by a price"
        require(unpriced, "ccp_alpha", must, self.ccp_alpha)
        # Promises are about this fit, whatever the parameter is set to later.
        self.ccp_criterion_ = cost

    @property
    def _by_estimate(self) -> bool:
        own = "error-based" if self.algorithm == "c5.0" else "cost-complexity"
        return (self.pruning or own) == "error-based"

    @property
    def _by_errors(self) -> bool:
        return getattr(self, "ccp_criterion_", "impurity") == "misclassification"

    def _cut(self, tree: Tree, alpha: float) -> Tree:
        if self._by_estimate:
            tree = error_pruned(tree, self.confidence_factor)
            tree = globally_pruned(tree) if self.algorithm == "c5.0" else tree
        # Of impurities a price of zero drops nothing, as in scikit-learn.
        return pruned(tree, alpha, errors=True) if self._by_errors else super()._cut(tree, alpha)

    def _judge(self, sample: TreeSample) -> None:
        off = self._classes_at(self.nodes_.leaf_of(sample.cells)) != sample.y
        self.training_errors_ = int((off.any(axis=1) if off.ndim > 1 else off).sum())

    def _classes_at(self, leaf: NDArray[np.int32]) -> Ints:
        """The most frequent class of each of these leaves; of several columns of y, one for each."""
        if self.n_outputs_ == 1:
            return np.asarray(self.nodes_.value.argmax(axis=1)[leaf])
        return np.column_stack([part.argmax(axis=1)[leaf] for part in self._shares()])

    def predict_proba(self, X: Any, check_input: bool = True) -> Any:
        """The share of each class among the examples of the leaf that a row ends in.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        check_input : bool, default=True
            As for `fit`.

        Returns
        -------
        array of shape (n_samples, n_classes), or list of them for several columns of y
        """
        leaf = self._leaves(X)
        shares = [part[leaf] for part in self._shares()]
        return shares if len(shares) > 1 else shares[0]

    def predict_log_proba(self, X: Any) -> Any:
        """The logarithms of `predict_proba`."""
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return [np.log(one) for one in shares] if isinstance(shares, list) else np.log(shares)

    def predict(self, X: Any, check_input: bool = True) -> Array:
        """The predicted label of every row; of equally frequent classes the first.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        check_input : bool, default=True
            As for `fit`.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_outputs)
        """
        codes = self._classes_at(self._leaves(X))
        if self.n_outputs_ == 1:
            return np.asarray(self.classes_[codes])
        return labels_of(self._labels, codes)

    @property
    def record_(self) -> TreeRecord:
        """What the fit left behind."""
        check_is_fitted(self, "nodes_")
        if self.n_outputs_ > 1:
            return self._recorded(errors=None, loss=None, classes=0, bits=None)
        classes, may_miss = len(self.classes_), self.missing_features_.tolist()
        return self._recorded(
            errors=self.training_errors_,
            loss=None,
            classes=classes,
            bits=description_bits(self.nodes_, classes, self._arity.tolist(), may_miss),
            language=self._language(),
        )

    def _language(self) -> str:
        """What must have been known before the examples, so that descriptions can be read without them."""
        asked = [words for words in self.categories_ if words is not None]
        known = [
            "the only class" if len(self.classes_) == 1 else f"the {len(self.classes_)} classes",
            f"the {self.n_features_in_} features and which of them are numbers",
        ]
        if asked:
            known.append("all categories and whether they divide in two or each by itself")
        missing = [
            name
            for name, may in zip(self._words().features, self.missing_features_, strict=True)
            if may
        ]
        if not missing:
            known.append("that no cell is missing")
        elif len(missing) == self.n_features_in_:
            known.append("that cells of every feature may be missing")
        else:
            some = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" * (len(missing) > 3))
            known.append(f"that cells are missing in {some} alone")
        return "known before the examples: " + "; ".join(known)

    #: A limit on the bits of the description that was fixed before the examples were seen, for ``occam-bits``.
    declares = ("bits",)

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """What the length of the description promises about the error, each with its own failure probability.

        And, for a tree with questions, up to which price of a leaf it is the best of its subtrees. Which
        features and classes there are, what categories the features have, and in which of them cells may be
        missing, must have been known before the examples: that is for you to say, and is listed as declared.
        The descriptions are of all trees, so limits, prices and criteria may be chosen by the same examples.
        """
        record = self.record_
        by_length = description_guarantees(record, terms.delta, terms.get("bits"))
        return by_length + pruning_guarantee(record)

    def _training_guarantees(self, X: Any, y: Any, delta: Number) -> list[Guarantee]:
        self._require_one_output("a certificate")
        require_same_sample(self, X, y)
        exact = description_guarantees(self.record_, delta)[0]
        # What was observed on training rows stands in the inputs, and nowhere else.
        return [replace(exact, observed_text=None)]

    def _require_state(self) -> None:
        """Refuse besides, in a model file, errors that no tree could have made."""
        super()._require_state()
        shares = all((part >= 0).all() and np.isfinite(part).all() for part in self._shares())
        sound(shares, "its leaves hold no shares")
        if self.n_outputs_ > 1 or fitted_elsewhere(self) is not None:
            return
        ends = (self.nodes_.feature < 0) & (self.nodes_.rows > 0)
        mixed = (self.nodes_.value[ends] > 0).sum(axis=1) > 1
        # Of its class every leaf has a row, and where it has two classes it errs on one.
        likely = mixed.sum() <= self.training_errors_ <= self.training_rows_ - ends.sum()
        sound(likely, "it cannot have erred so often")

    def _lost(self, tree: Tree, sample: TreeSample) -> Floats:
        each = np.zeros((len(sample.y), len(self.classes_)))
        each[np.arange(len(sample.y)), sample.y] = sample.row_weights
        sums = summed_at_nodes(tree, tree.leaf_of(sample.cells), each)
        right = sums[np.arange(len(tree)), tree.value.argmax(axis=1)]
        return np.asarray(sums.sum(axis=1) - right, dtype=np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
