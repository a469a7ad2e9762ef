"""The trees of a forest as learners of their own, as scikit-learn's tools look for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from assay.learners.ensembles.members import SEEDS
from assay.learners.trees.structure import Tree
from assay.types import Array, Floats

# The parameters that a tree has from its forest.
_SHARED = (
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "max_features",
    "max_leaf_nodes",
    "min_impurity_decrease",
    "ccp_alpha",
    "monotonic_cst",
)


class MemberTrees:
    """A forest whose trees can be looked at one by one.

    They are made when they are asked for, and share the forest's arrays. They tell classes apart by number, and say
    their own shares.
    """

    criterion: Any
    n_features_in_: int
    rows_: int
    seed_: int

    @property
    def trees_(self) -> list[Tree]:
        """The trees, each as plain arrays."""
        raise NotImplementedError

    @property
    def _labels(self) -> list[Array]:
        raise NotImplementedError

    @property
    def estimator(self) -> Any:
        """A tree that has learned nothing, of the kind that the forest is made of."""
        import assay  # its names are looked up when they are first used

        shared = {name: getattr(self, name) for name in _SHARED}
        made = getattr(assay, self._kind_of_tree)
        return made(criterion=self.criterion, **shared)

    @property
    def estimator_(self) -> Any:
        """The same, of a forest that was fitted."""
        check_is_fitted(self, "nodes_")
        return self.estimator

    @property
    def _kind_of_tree(self) -> str:
        return type(self).__name__.replace("RandomForest", "DecisionTree")

    @property
    def estimators_(self) -> list[Any]:
        """The trees, each a learner: `DecisionTreeClassifier` or `DecisionTreeRegressor`."""
        check_is_fitted(self, "nodes_")
        kept = vars(self).get("_member_trees")
        if kept is None or kept[0] is not self.nodes_:  # type: ignore[attr-defined]
            made = [self._tree(number, tree) for number, tree in enumerate(self.trees_)]
            kept = (self.nodes_, made)  # type: ignore[attr-defined]
            self._member_trees = kept
        return list(kept[1])

    def _tree(self, number: int, tree: Tree) -> Any:
        model, width = self.estimator, self.n_features_in_
        # Of a forest that was fitted elsewhere neither seed nor rows are known.
        model.random_state = (getattr(self, "seed_", 0) * 1_000_003 + number) % SEEDS
        model.n_features_in_, model.max_features_ = width, 0
        model.nodes_, model.ccp_alpha_ = tree, float(model.ccp_alpha)
        model.categories_, model.missing_features_ = [None] * width, np.ones(width, bool)
        model.training_rows_ = getattr(self, "rows_", int(tree.rows[0]))
        if self._labels:
            numbered = [np.arange(len(labels), dtype=np.float64) for labels in self._labels]
            model.classes_ = numbered if len(numbered) > 1 else numbered[0]
        return model

    def __len__(self) -> int:
        return len(self.trees_)

    def __getitem__(self, number: Any) -> Any:
        return self.estimators_[number]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def decision_path(self, X: Any) -> tuple[Any, Any]:
        """Which nodes of every tree each row passes, as a matrix of zeros and ones.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        indicator : CSR matrix of shape (n_samples, nodes of all trees)
        n_nodes_ptr : array of shape (n_trees + 1,)
            Where the nodes of each tree begin.
        """
        cells = self._asked(X)
        paths = [tree.decision_path(cells) for tree in self.estimators_]
        starts = np.cumsum([0, *(path.shape[1] for path in paths)])
        return sparse.hstack(paths).tocsr(), starts

    def _asked(self, X: Any) -> Any:
        raise NotImplementedError

    def _compute_partial_dependence_recursion(self, grid: Any, target_features: Any) -> Floats:
        """What scikit-learn's partial dependence asks of forests for numbers."""
        each = [
            tree._compute_partial_dependence_recursion(grid, target_features)
            for tree in self.estimators_
        ]
        return np.asarray(np.mean(each, axis=0))
