"""The random forest for numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from assay.compiled.trees.tree_scan import POISSON, SQUARES
from assay.errors import BadData, require
from assay.guarantees.bags import mean_guarantees
from assay.guarantees.guarantee import Guarantee
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import CertifiedQuantity, Terms
from assay.learners.common.known_to_tools import known_to_tools
from assay.learners.common.number_kinds import is_number
from assay.learners.ensembles.forest import RandomForest
from assay.learners.ensembles.forest_parameters import BagParameters
from assay.learners.registry import register
from assay.learners.trees.limits import criterion_of_numbers
from assay.learners.trees.regressor import require_counts
from assay.types import Bools, Floats

# Ranges whose squares are neither infinite nor zero.
_LARGEST, _NARROWEST = 1e150, 1e-150


@register(
    "random-forest-regressor",
    use="a quantity; accurate with nothing to tune",
    promise="tells how many rows a bag leaves out",
)
@known_to_tools("ensemble")  # `partial_dependence` asks
@dataclass(eq=False, repr=False, kw_only=True)
class RandomForestRegressor(BagParameters, RegressorMixin, CertifiedQuantity, RandomForest):  # type: ignore[misc]
    r"""Grow trees from bags of rows, cutting at the best of the features drawn: :math:`f(x)=\frac1T\sum_tf_t(x)`.

    Cuts minimise the sum of squared differences to the means of both sides. The rows that a bag leaves out are a
    holdout for its tree; where the target's range is known, they bound the mean squared error of the forest
    (``out-of-bag-square``).

    Parameters
    ----------
    n_estimators : int, default=100
        How many trees.
    criterion : {"squared_error", "absolute_error", "poisson", "friedman_mse"}, default="squared_error"
        As for `DecisionTreeRegressor`.
    max_depth : int or None, default=None
        The most questions on any way down.
    min_samples_split, min_samples_leaf : int or float, default=2 and 1
        The fewest rows of a node that is cut, and of each side of a cut; as a share of all rows if below one.
        A row that was drawn twice counts once.
    min_weight_fraction_leaf : float, default=0.0
        The least share of the bag's weight on each side of a cut.
    max_features : {"sqrt", "log2", None}, int or float, default=1.0
        How many features are drawn, of which the best cut is taken.
    max_leaf_nodes : int or None, default=None
        The most leaves; the cuts that decrease impurity most come first then.
    min_impurity_decrease : float, default=0.0
        What a cut must gain, weighted by the node's share of the bag.
    bootstrap : bool, default=True
        Whether trees have bags; if not, each sees all rows.
    oob_score : bool or callable, default=False
        Whether rows are judged by the trees that did not see them; a function of truth and prediction takes the
        place of :math:`R^2`.
    n_jobs : int or None, default=None
        Threads, -1 for all processors. The result is the same for any number.
    random_state : int, RandomState or None, default=None
    verbose : int, default=0
        1 to print about ten times how many trees there are, 2 for each of them.
    warm_start : bool, default=False
        Whether `fit` keeps the trees it has and grows those that are missing; sample and bags must be those of the
        earlier fit.
    max_samples : int, float or None, default=None
        How many rows are drawn for a bag; as many as there are if None.
    features_per : {"split", "tree"}, default="split"
        Whether features are drawn anew for each cut, or once for each tree.
    max_bins : int or None, default=None
        With a number, cells are put into that many bins for each feature, and cuts lie between bins.
    ccp_alpha : float, default=0.0
        The price of a leaf, by which every tree is pruned.
    monotonic_cst : array-like of -1, 0 and 1, dict of names, or None, default=None
        1 for features with which the prediction must not fall, -1 for those with which it must not rise.

    Attributes
    ----------
    trees_, estimators_ : lists
        The trees as arrays, and as learners of their own (`DecisionTreeRegressor`).
    oob_score_ : float
        :math:`R^2` of what trees say about rows they did not see.
    oob_prediction_ : array of shape (n_samples,)
        What they say; NaN for a row that every tree saw.
    record_ : BagRecord or JudgedBagRecord
        The bags, and what the rows left out say about the trees if `oob_score` asked for it.

    References
    ----------
    .. [1] Breiman (2001). Random forests.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import RandomForestRegressor
    >>> X = np.linspace(0, 6, 2000)[:, None]
    >>> model = RandomForestRegressor(20, oob_score=True, random_state=0).fit(X, np.sin(X[:, 0]))
    >>> round(model.predict([[1.5]]).item(), 3)
    0.997
    >>> print(model.guarantees(low=-1.0, high=1.0)[0])
    mean squared error, divided by 4.0: at most 0.0..., failing with probability at most 0.05, by out-of-bag-square
    """

    state = kinds.declare(
        range_=kinds.numbers(2),
        oob_prediction_=kinds.maybe(
            kinds.array("<f8", "rows_", least=-kinds.LARGEST, most=kinds.LARGEST, nan=True)
            | kinds.array("<f8", "rows_", None, least=-kinds.LARGEST, most=kinds.LARGEST, nan=True)
        ),
    )

    criterion: Literal["squared_error", "absolute_error", "poisson", "friedman_mse"] = (
        "squared_error"
    )
    max_features: Literal["sqrt", "log2"] | float | None = 1.0

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RandomForestRegressor:
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
        criterion = criterion_of_numbers(self)
        X, y = self._rows(X, y, numeric=True)
        target = np.ascontiguousarray(y, dtype=np.float64)
        if not np.isfinite(target).all():  # as None among numbers turns out to be
            row = int(np.argwhere(~np.isfinite(target))[0, 0])
            raise BadData(f"y must hold finite numbers, but has none in row {row}.")
        if criterion == POISSON:
            require_counts(target)
        aims = self._aims(target, (), plain=criterion == SQUARES)
        bags = self._grow(X, target, None, self._weights(X, sample_weight), aims=aims)
        self.range_ = np.array([target.min(), target.max()])
        if self.oob_score and target.ndim > 1:
            self._judge_columns(X, target, bags)
        elif self.oob_score:
            self._judge_numbers(X, target, bags)
        return self

    def _judge_columns(self, X: Any, target: Floats, bags: Any) -> None:
        """What trees say of several columns of rows that they did not see; nothing is promised about these."""
        means, voted = self._left_out_votes(X, bags)
        self.oob_prediction_ = means
        score = self.oob_score if callable(self.oob_score) else r2_score
        self.oob_score_ = float(score(target[voted], means[voted])) if voted.sum() > 1 else 0.0

    def _judge_numbers(self, X: Any, target: Floats, bags: Any) -> None:
        def miss(votes: Floats, voted: Bools) -> float:
            return float(((votes[voted, 0] - target[voted]) ** 2).sum())

        means = self._judge(X, None, target, bags, miss)[:, 0]
        self.oob_prediction_ = np.ascontiguousarray(means)
        voted = ~np.isnan(means)
        score = self.oob_score if callable(self.oob_score) else r2_score
        self.oob_score_ = float(score(target[voted], means[voted])) if voted.sum() > 1 else 0.0

    def predict(self, X: Any) -> Floats:
        """The mean of what the trees say.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_outputs)
        """
        votes = self._votes(X)
        return np.ascontiguousarray(votes[:, 0]) if votes.shape[1] == 1 else votes

    #: Between what all targets lie, those to come too: known beforehand, not read off the sample.
    declares = ("low", "high")

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """What the rows left out promise about the mean squared error, if the target's range is told.

        That only if `oob_score` asked for it and a range is given: of targets without bounds no sample says how large
        the rare ones are. The last promise says how many rows a bag leaves out on average.
        """
        low, high = terms.get("low"), terms.get("high")
        if low is None or high is None or self.n_outputs_ > 1:
            return mean_guarantees(self.record_, terms.delta)
        for name, end in (("low", low), ("high", high)):
            real = is_number(end) and abs(end) <= _LARGEST
            require(real, name, f"a number from -{_LARGEST:g} to {_LARGEST:g}", end)
        must = f"below high, {high!r}, by at least {_NARROWEST:g}"
        require(high - low >= _NARROWEST, "low", must, low)
        return mean_guarantees(self.record_, terms.delta, low=float(low), high=float(high))

    @property
    def _targets(self) -> tuple[float, float]:
        least, most = self.range_.tolist()
        return least, most
