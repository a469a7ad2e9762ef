"""The decision tree for targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from assay.compiled.trees.tree_scan import POISSON, SQUARES
from assay.errors import BadData
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.trees import pruning_guarantee
from assay.learners.common import kinds
from assay.learners.common.guaranteed import CertifiedQuantity, Terms
from assay.learners.common.known_to_tools import known_to_tools
from assay.learners.registry import register
from assay.learners.trees.base import DecisionTree, TreeSample
from assay.learners.trees.limits import criterion_of_numbers
from assay.learners.trees.pruning import summed_at_nodes
from assay.learners.trees.structure import Tree
from assay.record.tree import TreeRecord
from assay.types import Floats


@register(
    "decision-tree-regressor",
    use="a quantity, as questions that can be read",
    promise="is the best pruning of the grown tree",
)
@known_to_tools("tree")  # `plot_tree` asks
@dataclass(eq=False, repr=False, kw_only=True)
class DecisionTreeRegressor(RegressorMixin, CertifiedQuantity, DecisionTree):  # type: ignore[misc]
    r"""Divide the examples in two where that lowers the squared error most, and go on with both parts.

    The prediction is the mean of the part that a row falls into, :math:`f(x)=\sum_pc_p\,1[x\in R_p]`. Every
    question minimises :math:`\sum_{\text{left}}(y-\bar y)^2+\sum_{\text{right}}(y-\bar y)^2` over all features and
    thresholds, and the tree is the one that scikit-learn grows, up to equally good questions. A large tree is
    pruned by a price :math:`\alpha` for each leaf (``weakest-link-optimal``). What it promises about new examples
    is best asked with a holdout, by `assay.certify` with a bounded loss: leaves are numbers, for which no short
    description is known.

    Parameters
    ----------
    criterion : {"squared_error", "absolute_error", "poisson", "friedman_mse"}, default="squared_error"
        What a good question lowers; with "absolute_error" leaves are medians, with "poisson", for counts and rates,
        means above zero. The last is the first by another name, as in scikit-learn.
    max_depth, max_leaf_nodes
        The most questions about any example, and the most leaves, as for `DecisionTreeClassifier`.
    min_samples_split, min_samples_leaf, min_weight_fraction_leaf, min_impurity_decrease
        When a part is left as it is, as for `DecisionTreeClassifier`.
    max_features, random_state
        How many features are looked at for each question, and how they are drawn.
    ccp_alpha, cv
        The price of a leaf, or ``"cv"``, and the folds to find it by.
    categorical_features, thresholds, splitter, monotonic_cst
        As for `DecisionTreeClassifier`; the prediction is what rises or falls.

    Attributes
    ----------
    nodes_ : Tree
        The nodes as plain arrays.
    ccp_alpha_ : float
        The price of a leaf that the tree was pruned by.
    cv_alphas_, cv_losses_ : array
        The prices that were tried, and the squared error of each on the folds.
    feature_importances_ : array
        By how much each feature's questions lower the squared error, as shares of the whole.
    categories_, missing_features_, max_features_
        As for `DecisionTreeClassifier`.
    record_ : TreeRecord
        Squared error on the training rows, nodes and depth.

    Notes
    -----
    Cells are compared as float32 numbers, targets in double precision, each node's about its own mean. Missing
    cells and categories are treated as by `DecisionTreeClassifier`; the best of all two groups of categories is
    found.

    References
    ----------
    .. [1] Breiman, Friedman, Olshen and Stone (1984). Classification and Regression Trees.

    Examples
    --------
    >>> from assay import DecisionTreeRegressor
    >>> model = DecisionTreeRegressor(max_depth=1).fit([[1.0], [2], [3], [4]], [0.0, 1, 5, 6])
    >>> print(model.rules("price"))
    IF x0 is at most 2.5 THEN price is 0.5 (2)
    IF x0 is above 2.5 THEN price is 5.5 (2)
    >>> model.record_.loss
    1.0
    """

    state = kinds.declare(training_loss_=kinds.size)

    criterion: Literal["squared_error", "absolute_error", "poisson", "friedman_mse"] = (
        "squared_error"
    )
    ccp_alpha: float | str = 0.0
    categorical_features: Any = None
    thresholds: Literal["middle", "short"] = "middle"
    cv: Any = 5

    def _sample(self, X: Any, y: Any) -> tuple[TreeSample, None]:
        cells = self._learn_cells(X, y)
        target = self._target(cells, y, numeric=True).astype(np.float64)
        criterion = criterion_of_numbers(self)
        if criterion == POISSON:
            require_counts(target)
        sample = TreeSample(cells, target, 0)
        return self._aimed(sample, (), plain=criterion == SQUARES), None

    def _judge(self, sample: TreeSample) -> None:
        off = (self._values_at(self.nodes_.leaf_of(sample.cells)) - sample.y).ravel()
        self.training_loss_ = float(off @ off)

    def predict(self, X: Any, check_input: bool = True) -> Floats:
        """The mean of the examples of the leaf that each row ends in.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        check_input : bool, default=True
            As for `fit`.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_outputs)
        """
        return self._values_at(self._leaves(X))

    def _values_at(self, leaf: NDArray[np.int32]) -> Floats:
        value = self.nodes_.value
        return np.asarray(value[leaf, 0] if value.shape[1] == 1 else value[leaf])

    @property
    def n_outputs_(self) -> int:
        """How many columns y had."""
        check_is_fitted(self, "nodes_")
        return int(self.nodes_.value.shape[1])

    @property
    def _width(self) -> int:
        return self.n_outputs_

    @property
    def record_(self) -> TreeRecord:
        """What the fit left behind."""
        check_is_fitted(self, "nodes_")
        return self._recorded(errors=None, loss=self.training_loss_, classes=0, bits=None)

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """Up to which price of a leaf the tree is the best of its subtrees; nothing for a single leaf."""
        return pruning_guarantee(self.record_)

    def rules(self, target: str = "target") -> Any:
        """An IF-THEN rule for each leaf; see `DecisionTreeClassifier.rules`."""
        return super().rules(target)

    def drawing(self, target: str = "target") -> str:
        """The tree drawn as text; see `DecisionTreeClassifier.drawing`."""
        return super().drawing(target)

    def _lost(self, tree: Tree, sample: TreeSample) -> Floats:
        weights = sample.row_weights
        # About the root's mean, so that no digits are lost far from zero.
        centre = tree.value[0, 0]
        off, means = sample.y - centre, tree.value[:, 0] - centre
        each = np.column_stack([weights, weights * off, weights * off * off])
        sums = summed_at_nodes(tree, tree.leaf_of(sample.cells), each)
        lost = sums[:, 2] - 2 * means * sums[:, 1] + means * means * sums[:, 0]
        return np.asarray(np.maximum(lost, 0.0), dtype=np.float64)


def require_counts(target: Floats) -> None:
    """Refuse numbers that no Poisson variable has."""
    low = target < 0
    if low.any():
        row = int(np.argwhere(low)[0, 0])
        raise BadData(
            f"Some values of y are negative, as {target[row].min():g} in row {row}, but criterion='poisson' is for "
            "counts and rates, zero or more. Choose 'squared_error'."
        )
    if not target.sum(axis=0).all():
        raise BadData(
            "The sum of y is not positive, but criterion='poisson' is for counts and rates whose mean is."
        )
