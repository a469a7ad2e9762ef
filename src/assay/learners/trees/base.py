"""What trees for classes and for targets share: reading tables, growing, pruning, and telling what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold, check_cv
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from assay.errors import BadData, BadParameter, require
from assay.learners.common import kinds
from assay.learners.common.accepted import Accepted, only, require_accepted
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Guaranteed
from assay.learners.common.number_kinds import is_number
from assay.learners.common.row_weights import row_weights
from assay.learners.common.target import column_or_columns
from assay.learners.common.written_out import blocks_of, written_out
from assay.learners.trees.aims import Aims
from assay.learners.trees.columns import Categories, learn_columns, read_columns
from assay.learners.trees.directions import directions_of
from assay.learners.trees.growing import grown
from assay.learners.trees.limits import TreeParameters, rule_of
from assay.learners.trees.peer_tree import PeerNodes
from assay.learners.trees.pruning import (
    PruningPath,
    path_of,
    price_by_validation,
    pruned,
    weakest_link,
)
from assay.learners.trees.rules import Rules, Vocabulary, drawing_of, rules_of
from assay.learners.trees.structure import TREE, Tree, sound
from assay.record.tree import TreeRecord
from assay.types import Array, Bools, Floats, Ints

_LARGEST = 1e150  # of numbers whose squares are summed
_KEY = 8  # bytes of a cell while a tree grows, beside its own


@dataclass(frozen=True)
class TreeSample:
    """A sample as the grower takes it, without rows of weight zero; no classes stand for a target.

    Where more is predicted than one class or one mean, `aims` says what, and y may have several columns.
    """

    cells: NDArray[np.float32]
    y: Array
    classes: int
    weights: Floats | None = None
    aims: Aims | None = None

    def part(self, rows: Ints) -> TreeSample:
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        cells = np.ascontiguousarray(self.cells[rows])
        return replace(self, cells=cells, y=self.y[rows], weights=weights)

    @property
    def row_weights(self) -> Floats:
        """The weight of each row."""
        return np.ones(len(self.y)) if self.weights is None else self.weights


def _are_categories(value: Any) -> bool:
    """Whether a value from a model file can be the categories of a feature: words, each once."""
    words = type(value) is list and len(value) > 0 and all(type(word) is str for word in value)
    return words and len(set(value)) == len(value)


class DecisionTree(PeerNodes, Guaranteed, TreeParameters, BaseEstimator):  # type: ignore[misc]
    """Base of the decision trees."""

    accepted: ClassVar[Mapping[str, Accepted]] = {
        "splitter": only(
            "best",
            instead="For questions that differ from tree to tree draw features, with max_features.",
        )
    }
    #: Files of earlier versions have the nodes under scikit-learn's name for them.
    earlier_state: ClassVar[Any] = {"tree_": kinds.renamed("nodes_")}

    # Set by the estimators' constructors, beside the parameters that all trees begin with.
    ccp_alpha: Any
    cv: Any
    categorical_features: Any
    thresholds: Any

    state = kinds.declare(
        nodes_=TREE,
        ccp_alpha_=kinds.size,
        categories_=kinds.each(kinds.optional(kinds.plain(_are_categories)), "n_features_in_"),
        missing_features_=kinds.array("|b1", "n_features_in_"),
        max_features_=kinds.maybe(kinds.count),
        training_rows_=kinds.whole(1),
        cv_alphas_=kinds.maybe(kinds.amounts()),
        cv_losses_=kinds.maybe(kinds.amounts()),
    )

    enough: ClassVar[tuple[str, ...]] = (
        "nodes_",
        "ccp_alpha_",
        "categories_",
        "missing_features_",
        "classes_",
    )

    nodes_: Tree
    classes_: Any  # of trees for classes: an array, or a list of them
    ccp_alpha_: float
    categories_: Categories
    missing_features_: Bools
    training_rows_: int

    #: How folds are drawn where `cv` only says how many.
    _folded: ClassVar[Any] = KFold

    # Reading

    def _learn_cells(self, X: Any, y: Any) -> NDArray[np.float32]:
        if y is None:
            raise BadData(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )
        cells: NDArray[np.float32]
        cells, self.categories_ = learn_columns(self, X, self.categorical_features)
        cells = written_out(self, cells, _KEY)
        self.missing_features_ = np.asarray(np.isnan(cells).any(axis=0))
        return cells

    def _cells(self, X: Any) -> Any:
        check_is_fitted(self, "nodes_")
        return read_columns(self, X, self.categories_)

    def _leaves(self, X: Any) -> NDArray[np.int32]:
        """The leaf that each row ends in."""
        cells = self._cells(X)
        return np.concatenate([self.nodes_.leaf_of(part) for part in blocks_of(cells)])

    def _target(self, X: Array, y: Any, *, numeric: bool) -> Array:
        """One column, or several."""
        target = column_or_columns(self, y, numeric=numeric)
        check_consistent_length(X, target)
        # In double precision: single precision does not know the limit itself.
        if numeric and not (np.abs(target.astype(np.float64, copy=False)) <= _LARGEST).all():
            place = np.unravel_index(int(np.argmax(np.abs(target))), target.shape)
            raise BadData(
                f"y must hold numbers of at most {_LARGEST:g} in size, since their squares are summed, but holds "
                f"{target[place]:g} in row {place[0]}. Divide it by a number."
            )
        return target

    @property
    def _arity(self) -> NDArray[np.int32]:
        return np.array([0 if c is None else len(c) for c in self.categories_], np.int32)

    # Growing

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Any:
        """Grow a tree, and prune it.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Numbers, and columns of text, truth values or categories; NaN and None are missing.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        sample_weight : array-like of shape (n_samples,), optional
            Examples of weight zero are left out.
        check_input : bool, default=True
            Taken for the sake of code that gives it; what is given is always looked at.

        Returns
        -------
        self
        """
        require_accepted(self)
        read, factors = self._sample(X, y)
        alpha = self._alpha()
        tree, sample = self._grow(read, sample_weight, factors)
        if alpha is None:
            alpha = self._validated(tree, sample)
        self.ccp_alpha_ = alpha
        self.nodes_ = self._cut(tree, alpha)
        self.training_rows_ = len(read.y)
        self._judge(read)
        return self

    def _sample(self, X: Any, y: Any) -> tuple[TreeSample, Floats | None]:
        """The rows, and what their weights are multiplied by."""
        raise NotImplementedError

    def _judge(self, sample: TreeSample) -> None:
        """Count how far the tree is off on the rows it was given."""
        raise NotImplementedError

    def _grow(
        self, read: TreeSample, sample_weight: Any, factors: Floats | None
    ) -> tuple[Tree, TreeSample]:
        sample = self._weighed(read, sample_weight, factors)
        rows, width = read.cells.shape
        self.max_features_ = int(rule_of(self, rows, width, 1.0).most_features)
        known = self.thresholds in ("middle", "short")
        require(known, "thresholds", "'middle' or 'short'", self.thresholds)
        # Copies of one learner, as in an ensemble, differ by their random state alone.
        self._seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        return self._grown(sample), sample

    def _weighed(
        self, sample: TreeSample, sample_weight: Any, factors: Floats | None
    ) -> TreeSample:
        if sample_weight is None and factors is None:
            return sample
        weights = row_weights(sample_weight, sample.cells)
        weights = weights if factors is None else weights * factors
        if (weights == 1.0).all():
            return sample
        kept = np.flatnonzero(weights > 0)
        if not kept.size:
            raise BadData("The weights must leave at least one row, but are zero for all of them.")
        if not weights.sum() <= _LARGEST:
            raise BadData(
                f"The weights must add up to at most {_LARGEST:g}, since their squares are summed, but add up to "
                f"{weights.sum():g}. Divide them all by the same number."
            )
        sample = replace(sample, weights=weights)
        return sample if len(kept) == len(weights) else sample.part(kept)

    def _grown(self, sample: TreeSample) -> Tree:
        n, d = sample.cells.shape
        weight = float(n if sample.weights is None else sample.weights.sum())
        y, classes, aims = sample.y, sample.classes, sample.aims
        if aims is not None:
            y, classes = y.reshape(n, -1), 0
        given = (sample.cells, y, classes, sample.weights, self._arity)
        rule = rule_of(self, n, d, weight)
        return grown(*given, rule, self._seed, short=self.thresholds == "short", aims=aims)

    def _aimed(self, sample: TreeSample, levels: tuple[int, ...], *, plain: bool) -> TreeSample:
        """The same with what it aims at, where that is not one class or one mean.

        `plain` says whether the criterion is one of these.
        """
        rising = directions_of(self, sample.cells.shape[1], self._arity > 0)
        several = sample.y.ndim > 1
        hint = "Fit a tree for each column of y."
        fine = not (several and rising.any())
        require(fine, "monotonic_cst", "None where y has several columns", self.monotonic_cst, hint)
        hint = "Scores of several classes go up and down together."
        fine = len(levels) != 1 or levels[0] <= 2 or not rising.any()
        require(fine, "monotonic_cst", "None for more than two classes", self.monotonic_cst, hint)
        if plain and not several and not rising.any():
            return sample
        if self._arity.any():
            name = self._words().features[int(np.argmax(self._arity > 0))]
            raise BadParameter(
                "Several columns of y, monotonic_cst, and the criteria 'absolute_error' and 'poisson' are for features "
                f"that are numbers, but {name} has categories. Write them as columns of zeros and ones."
            )
        alone = not (several and self.ccp_alpha == "cv")
        must = "a number where y has several columns"
        require(alone, "ccp_alpha", must, self.ccp_alpha, "Fit a tree for each column.")
        rising = rising if rising.any() else rising[:0]
        return replace(sample, aims=Aims(levels, rising))

    # Pruning

    def _alpha(self) -> float | None:
        alpha = self.ccp_alpha
        if isinstance(alpha, str):
            require(alpha == "cv", "ccp_alpha", "a number, zero or more, or 'cv'", alpha)
            return None
        fine = is_number(alpha) and 0 <= alpha < np.inf
        require(fine, "ccp_alpha", "a number, zero or more, or 'cv'", alpha)
        return float(alpha)

    def _validated(self, tree: Tree, sample: TreeSample) -> float:
        try:
            folds = list(self._folds(sample))
        except ValueError as problem:
            raise BadParameter(f"ccp_alpha='cv' cannot be found: {problem}") from None
        price, self.cv_alphas_, self.cv_losses_ = price_by_validation(
            tree,
            folds,
            lambda rows: self._grown(sample.part(rows)),
            lambda part, rows: self._lost(part, sample.part(rows)),
            errors=self._by_errors,
        )
        return price

    def _folds(self, sample: TreeSample) -> Any:
        splitter = self.cv
        if isinstance(splitter, int | np.integer):
            splitter = self._folded(int(splitter), shuffle=True, random_state=self._seed)
        return check_cv(splitter).split(sample.cells, sample.y)

    def _lost(self, tree: Tree, sample: TreeSample) -> Floats:
        """What predicting by a node loses on those rows that come to it, for each node."""
        raise NotImplementedError

    def cost_complexity_pruning_path(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> PruningPath:
        """The prices of a leaf at which the best subtree changes, with its impurity and leaves.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`, which this does not replace.

        Returns
        -------
        PruningPath
        """
        other = type(self)(**self.get_params(deep=False))
        sample, factors = other._sample(X, y)
        return path_of(other._grow(sample, sample_weight, factors)[0], errors=other._by_errors)

    @property
    def _by_errors(self) -> bool:
        """Whether a leaf costs what it errs on where a tree is pruned, and not its impurity."""
        return False

    def _cut(self, tree: Tree, alpha: float) -> Tree:
        """The tree without the questions that are not worth their price."""
        return pruned(tree, alpha) if alpha > 0 else tree

    # Telling

    def _recorded(self, **more: Any) -> TreeRecord:
        """What the fit left behind, with what trees for classes and for targets know besides."""
        check_is_fitted(self, "nodes_")
        tree = self.nodes_
        return TreeRecord(
            rows=self.training_rows_,
            nodes=len(tree),
            leaves=tree.leaves,
            depth=tree.depth,
            features=self.n_features_in_,
            thresholds=int(np.isfinite(tree.threshold).sum()),
            price=self.ccp_alpha_,
            by_errors=self._by_errors,
            weakest=weakest_link(tree, errors=self._by_errors),
            **more,
        )

    def apply(self, X: Any, check_input: bool = True) -> Ints:
        """The number of the leaf that each row ends in, as `tree_` and `nodes_` count their nodes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        check_input : bool, default=True
            As for `fit`.
        """
        return self._leaves(X).astype(np.int64)

    def decision_path(self, X: Any, check_input: bool = True) -> sparse.csr_matrix:
        """Which nodes each row passes, as a matrix of zeros and ones, rows by nodes.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        check_input : bool, default=True
            As for `fit`.
        """
        leaf, tree = self.apply(X), self.nodes_
        passed: dict[int, list[int]] = {}
        for end in np.unique(leaf).tolist():
            nodes = [end]
            while nodes[-1] > 0:
                nodes.append(int(tree.parent[nodes[-1]]))
            passed[end] = nodes[::-1]
        starts = np.concatenate([[0], np.cumsum(tree.depths[leaf] + 1)])
        places = np.concatenate([passed[end] for end in leaf.tolist()] or [[]]).astype(np.int32)
        ones = np.ones(len(places), dtype=np.int64)
        return sparse.csr_matrix((ones, places, starts), shape=(len(leaf), len(tree)))

    def get_depth(self) -> int:
        """The most questions that are asked about any row."""
        check_is_fitted(self, "nodes_")
        return self.nodes_.depth

    def get_n_leaves(self) -> int:
        """How many leaves the tree has."""
        check_is_fitted(self, "nodes_")
        return self.nodes_.leaves

    @property
    def feature_importances_(self) -> Floats:
        """By how much each feature's questions lower the impurity, as shares of the whole.

        Features with many values have more ways to be asked about, and so look more important than
        they are.
        """
        check_is_fitted(self, "nodes_")
        tree = self.nodes_
        falls = tree.weight * tree.impurity
        np.subtract.at(falls, tree.parent[1:], tree.weight[1:] * tree.impurity[1:])
        inner = tree.feature >= 0
        gains = np.maximum(falls[inner], 0.0)
        sums = np.bincount(tree.feature[inner], gains, minlength=self.n_features_in_)
        total = sums.sum()
        return np.asarray(sums / total if total > 0 else sums, dtype=np.float64)

    def rules(self, target: str = "class") -> Rules:
        """An IF-THEN rule for each leaf; exactly one applies to any row, and says what the tree says.

        A feature of which no training cell was missing is not said to be missing, and a category that the
        training rows do not have counts as a missing cell. Numbers that are predicted are shown to six digits.

        Parameters
        ----------
        target : str
            What the rules call what is predicted.

        Returns
        -------
        Rules
            A list of `Rule`, which prints as sentences, one in a line.
        """
        self._require_one_output("rules")
        return rules_of(self.nodes_, self._words(), target)

    def drawing(self, target: str = "class") -> str:
        """The tree drawn as text.

        Parameters
        ----------
        target : str
            What is predicted.
        """
        self._require_one_output("a drawing")
        return drawing_of(self.nodes_, self._words(), target)

    def _require_one_output(self, what: str) -> None:
        check_is_fitted(self, "nodes_")
        if self.n_outputs_ > 1:
            raise BadParameter(
                f"There is {what} for one column of y, but this tree predicts {self.n_outputs_}. Fit a tree for each."
            )

    def _words(self) -> Vocabulary:
        names = getattr(self, "feature_names_in_", None)
        names = [f"x{i}" for i in range(self.n_features_in_)] if names is None else list(names)
        labels = [str(c) for c in getattr(self, "classes_", ())]
        return Vocabulary(names, self.categories_, self.missing_features_.tolist(), labels)

    def _require_state(self) -> None:
        """Refuse, in a model file, parts that do not belong together."""
        self.nodes_.require_sound(self._arity, self._width, self.missing_features_)
        given = self.training_rows_ >= self.nodes_.rows[0]
        sound(given, "it was grown from more rows than there were")

    @property
    def _width(self) -> int:
        """How many values a node has."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags
