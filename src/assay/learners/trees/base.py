"""What trees for classes and for targets share: reading tables, growing, pruning, and telling what was found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_y, check_consistent_length, check_is_fitted

from assay.errors import BadData, BadParameter, require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.trees import pruning_guarantee
from assay.learners.common import kinds
from assay.learners.common.guaranteed import Guaranteed
from assay.learners.common.row_weights import row_weights
from assay.learners.common.skipped_checks import NOT_RUN
from assay.learners.trees.columns import Categories, learn_columns, read_columns
from assay.learners.trees.growing import grown
from assay.learners.trees.limits import rule_of
from assay.learners.trees.pruning import (
    PruningPath,
    path_of,
    price_by_validation,
    pruned,
    weakest_link,
)
from assay.learners.trees.rules import Rule, Vocabulary, drawing_of, rules_of
from assay.learners.trees.structure import TREE, Tree
from assay.types import Array, Bools, Floats, Ints

_LARGEST = 1e150  # of numbers whose squares are summed


class _Sample:
    """A sample as the grower takes it; rows of weight zero are left out."""

    def __init__(self, cells: NDArray[np.float32], y: Array, weights: Floats | None) -> None:
        self.cells, self.y, self.weights = cells, y, weights

    def part(self, rows: Ints) -> _Sample:
        """Some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return _Sample(np.ascontiguousarray(self.cells[rows]), self.y[rows], weights)


def _are_categories(value: Any) -> bool:
    """Whether a value from a model file can be the categories of a feature: words, each once."""
    words = type(value) is list and len(value) > 0 and all(type(word) is str for word in value)
    return words and len(set(value)) == len(value)


class DecisionTree(Guaranteed, BaseEstimator):  # type: ignore[misc]
    """Base of the decision trees."""

    #: The checks of scikit-learn that are not run, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = NOT_RUN

    # Set by the estimators' constructors.
    criterion: Any
    max_features: Any
    random_state: Any
    ccp_alpha: Any
    cv: Any
    categorical_features: Any
    thresholds: Any

    state = kinds.declare(
        tree_=TREE,
        ccp_alpha_=kinds.size,
        categories_=kinds.each(kinds.optional(kinds.plain(_are_categories)), "n_features_in_"),
        missing_features_=kinds.array("|b1", "n_features_in_"),
        max_features_=kinds.maybe(kinds.count),
        training_rows_=kinds.whole(1),
        cv_alphas_=kinds.maybe(kinds.amounts()),
        cv_losses_=kinds.maybe(kinds.amounts()),
    )

    tree_: Tree
    ccp_alpha_: float
    categories_: Categories
    missing_features_: Bools

    # Reading

    def _learn_cells(self, X: Any, y: Any) -> NDArray[np.float32]:
        if y is None:
            raise BadData(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )
        cells, self.categories_ = learn_columns(self, X, self.categorical_features)
        self.missing_features_ = np.asarray(np.isnan(cells).any(axis=0))
        return cells

    def _cells(self, X: Any) -> NDArray[np.float32]:
        check_is_fitted(self, "tree_")
        return read_columns(self, X, self.categories_)

    def _target(self, X: Array, y: Any, *, numeric: bool) -> Array:
        found: Array = _check_y(y, multi_output=False, y_numeric=numeric, estimator=self)
        check_consistent_length(X, found)
        # In double precision: single precision does not know the limit itself.
        if numeric and not (np.abs(found.astype(np.float64, copy=False)) <= _LARGEST).all():
            row = int(np.argmax(np.abs(found)))
            raise BadData(
                f"y must hold numbers of at most {_LARGEST:g} in size, since their squares are summed, but holds "
                f"{found[row]:g} in row {row}. Divide it by a number."
            )
        return found

    @property
    def _arity(self) -> NDArray[np.int32]:
        return np.array([0 if c is None else len(c) for c in self.categories_], np.int32)

    # Growing

    def _fit_tree(
        self,
        cells: NDArray[np.float32],
        y: Array,
        classes: int,
        sample_weight: Any,
        factors: Floats | None = None,
    ) -> None:
        """Grow, and prune as `ccp_alpha` says."""
        alpha = self._alpha()
        whole, sample = self._grow_whole(cells, y, classes, sample_weight, factors)
        if alpha is None:
            alpha = self._validated(whole, sample, classes)
        self.ccp_alpha_ = alpha
        self.tree_ = pruned(whole, alpha) if alpha > 0 else whole

    def _grow_whole(
        self,
        cells: NDArray[np.float32],
        y: Array,
        classes: int,
        sample_weight: Any,
        factors: Floats | None,
    ) -> tuple[Tree, _Sample]:
        sample = self._weighed(cells, y, sample_weight, factors)
        n, d = cells.shape
        weight = float(n if sample.weights is None else sample.weights.sum())
        rule = rule_of(self, n, d, weight)
        known = self.thresholds in ("middle", "short")
        require(known, "thresholds", "'middle' or 'short'", self.thresholds)
        self.max_features_ = int(rule.most_features)
        # Copies of one learner, as in an ensemble, differ by their random state alone.
        self._seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        return self._grown(sample, classes), sample

    def _weighed(
        self, cells: NDArray[np.float32], y: Array, sample_weight: Any, factors: Floats | None
    ) -> _Sample:
        if sample_weight is None and factors is None:
            return _Sample(cells, y, None)
        weights = row_weights(sample_weight, cells)
        weights = weights if factors is None else weights * factors
        if (weights == 1.0).all():
            return _Sample(cells, y, None)
        kept = np.flatnonzero(weights > 0)
        if not kept.size:
            raise BadData("The weights must leave at least one row, but are zero for all of them.")
        if not weights.sum() <= _LARGEST:
            raise BadData(
                f"The weights must add up to at most {_LARGEST:g}, since their squares are summed, but add up to "
                f"{weights.sum():g}. Divide them all by the same number."
            )
        sample = _Sample(cells, y, weights)
        return sample if len(kept) == len(weights) else sample.part(kept)

    def _grown(self, sample: _Sample, classes: int) -> Tree:
        n, d = sample.cells.shape
        weight = float(n if sample.weights is None else sample.weights.sum())
        return grown(
            sample.cells,
            sample.y,
            classes,
            sample.weights,
            self._arity,
            rule_of(self, n, d, weight),
            self._seed,
            short=self.thresholds == "short",
        )

    # Pruning

    def _alpha(self) -> float | None:
        alpha = self.ccp_alpha
        if isinstance(alpha, str):
            require(alpha == "cv", "ccp_alpha", "a number, zero or more, or 'cv'", alpha)
            return None
        fine = isinstance(alpha, int | float | np.number) and not isinstance(alpha, bool)
        fine = fine and 0 <= alpha < np.inf
        require(fine, "ccp_alpha", "a number, zero or more, or 'cv'", alpha)
        return float(alpha)

    def _validated(self, whole: Tree, sample: _Sample, classes: int) -> float:
        try:
            folds = list(self._folds(sample))
        except ValueError as problem:
            raise BadParameter(f"ccp_alpha='cv' cannot be found: {problem}") from None
        price, self.cv_alphas_, self.cv_losses_ = price_by_validation(
            whole,
            folds,
            lambda rows: self._grown(sample.part(rows), classes),
            lambda tree, rows: self._lost(tree, sample.part(rows)),
        )
        return price

    def _folds(self, sample: _Sample) -> Any:
        raise NotImplementedError

    def _lost(self, tree: Tree, sample: _Sample) -> Floats:
        """What predicting by a node loses on those rows that come to it, for each node."""
        raise NotImplementedError

    def _path(
        self,
        cells: NDArray[np.float32],
        y: Array,
        classes: int,
        sample_weight: Any,
        factors: Floats | None = None,
    ) -> PruningPath:
        return path_of(self._grow_whole(cells, y, classes, sample_weight, factors)[0])

    def _pruning_guarantee(self) -> list[Guarantee]:
        return pruning_guarantee(weakest_link(self.tree_), self.ccp_alpha_)

    # Telling

    def apply(self, X: Any) -> Ints:
        """The number of the leaf that each row ends in, as `tree_` counts its nodes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        """
        cells = self._cells(X)
        return self.tree_.leaf_of(cells).astype(np.int64)

    def decision_path(self, X: Any) -> sparse.csr_matrix:
        """Which nodes each row passes, as a matrix of zeros and ones, rows by nodes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        """
        leaf, tree = self.apply(X), self.tree_
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
        check_is_fitted(self, "tree_")
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """How many leaves the tree has."""
        check_is_fitted(self, "tree_")
        return self.tree_.leaves

    @property
    def feature_importances_(self) -> Floats:
        """By how much each feature's questions lower the impurity, as shares of the whole.

        Features with many values have more ways to be asked about, and so look more important than
        they are.
        """
        check_is_fitted(self, "tree_")
        tree = self.tree_
        falls = tree.weight * tree.impurity
        np.subtract.at(falls, tree.parent[1:], tree.weight[1:] * tree.impurity[1:])
        inner = tree.feature >= 0
        found = np.bincount(
            tree.feature[inner], np.maximum(falls[inner], 0.0), minlength=self.n_features_in_
        )
        total = found.sum()
        return np.asarray(found / total if total > 0 else found, dtype=np.float64)

    def rules(self, target: str = "class") -> list[Rule]:
        """An IF-THEN rule for each leaf; exactly one applies to any row, and says what the tree says.

        A feature of which no training cell was missing is not said to be missing, and a category that the
        training rows do not have counts as a missing cell. Numbers that are predicted are shown to six digits.

        Parameters
        ----------
        target : str
            What the rules call what is predicted.

        Returns
        -------
        list of Rule
            Each prints as a sentence.
        """
        check_is_fitted(self, "tree_")
        return rules_of(self.tree_, self._words(), target)

    def drawing(self, target: str = "class") -> str:
        """The tree drawn as text.

        Parameters
        ----------
        target : str
            What is predicted.
        """
        check_is_fitted(self, "tree_")
        return drawing_of(self.tree_, self._words(), target)

    def _words(self) -> Vocabulary:
        names = getattr(self, "feature_names_in_", None)
        names = [f"x{i}" for i in range(self.n_features_in_)] if names is None else list(names)
        labels = [str(c) for c in getattr(self, "classes_", ())]
        return Vocabulary(names, self.categories_, self.missing_features_.tolist(), labels)

    def _require_state(self) -> None:
        """Refuse, in a model file, parts that do not belong together."""
        classes = len(getattr(self, "classes_", ()))
        self.tree_.require_sound(self._arity, max(classes, 1), self.missing_features_)
        if self.training_rows_ < self.tree_.rows[0]:
            raise ValueError("it was grown from more rows than there were")
        value = self.tree_.value
        if classes and not ((value >= 0).all() and (value.sum(axis=1) > 0).all()):
            raise ValueError("its leaves hold no shares")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
