"""Gradient boosting of trees in bins, for numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.base import RegressorMixin

from assay.compiled.common.elementary import exps
from assay.errors import BadData, require
from assay.guarantees.gradient_boosting import gradient_boosting_guarantees
from assay.guarantees.guarantee import Guarantee
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.blocks import Block, Blocks, with_targets
from assay.learners.common.guaranteed import CertifiedQuantity, Terms
from assay.learners.common.number_kinds import is_number
from assay.learners.ensembles.boosting_blocks import target_sum, weights_of_blocks
from assay.learners.ensembles.boosting_losses import LOSSES, OF_NUMBERS, start_of_mean
from assay.learners.ensembles.hist_gradient_boosting import HistGradientBoosting
from assay.learners.registry import register
from assay.types import Array, Floats

_LARGEST = 1e150  # of numbers whose squares are summed


@dataclass(eq=False, repr=False)
class _LossOfNumbers:
    # A class of its own: the loss comes first among the parameters.
    loss: Literal["squared_error", "absolute_error", "gamma", "poisson", "quantile"] = (
        "squared_error"
    )


@dataclass(eq=False, repr=False, kw_only=True)
class _Quantile:
    quantile: float | None = None


@register(
    "hist-gradient-boosting-regressor",
    use="a quantity, from tables of any size; often the most accurate",
    promise="tells whether its training loss ever rose",
)
@dataclass(eq=False, repr=False)
class HistGradientBoostingRegressor(
    CertifiedQuantity,
    RegressorMixin,  # type: ignore[misc]
    HistGradientBoosting,
    _Quantile,
    _LossOfNumbers,
):
    r"""Add small trees, each fitted to the gradients of the loss that those before leave: :math:`f=f_0+\eta\sum_th_t`.

    Cells are put into at most 255 bins, once, and cuts lie between bins. With the squared error leaves are the
    means of what is left, times :math:`\eta`, and a round leaves exactly :math:`1-\eta(2-\eta)\rho^2` of the
    squares, :math:`\rho` being the correlation of the tree with what is left (``shrunken-l2boost-loss``). With the
    absolute error and quantiles leaves are medians and quantiles of what is left, and a round leaves at most
    :math:`1-\eta d`, :math:`d` being the share that whole steps would save (``convex-boosting-loss``). So the
    training loss never rises for :math:`0<\eta\le1`, without `l2_regularization` and `monotonic_cst`. Of the other
    losses it is written down, round by round, and observed.

    Parameters
    ----------
    loss : {"squared_error", "absolute_error", "gamma", "poisson", "quantile"}, default="squared_error"
        What rounds lower. With "poisson" and "gamma" the logarithm of the mean is fitted.
    quantile : float, default=None
        Which quantile, with that loss.
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
        What is added to the hessian of a leaf.
    max_features : float, default=1.0
        The share of the features that are drawn for every cut.
    max_bins : int, default=255
        The most bins of a feature; missing cells have one more.
    categorical_features : "from_dtype", None, or list of names, places or truth values, default="from_dtype"
        Further features that are categories. Columns of text, truth values and categories are, unless it is None.
    monotonic_cst : list or dict, default=None
        1 for features that must not lower the prediction as they grow, -1 for those that must not raise it; not
        with the absolute error and quantiles.
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

    Attributes
    ----------
    n_iter_, n_trees_per_iteration_ : int
        The rounds, and the trees of each.
    train_score_, validation_score_ : arrays
        Minus the loss before the first round and after each, of the rows fitted and of those set aside.
    feature_importances_ : array of shape (n_features,)
        The share of each feature in what all questions gain.
    record_ : GradientBoostingRecord
        The loss before and after every round, and what was proven of it.

    References
    ----------
    .. [1] Friedman (2001). Greedy function approximation: a gradient boosting machine.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import HistGradientBoostingRegressor
    >>> X = np.linspace(0, 6, 500)[:, None]
    >>> model = HistGradientBoostingRegressor().fit(X, np.sin(X[:, 0]))
    >>> model.predict([[1.5]]).round(2).tolist()
    [1.0]
    >>> print(model.guarantees()[0])
    mean squared residual: at most 0.00..., observed 0.00..., by shrunken-l2boost-loss
    """

    skipped_checks = HistGradientBoosting.skipped_checks

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
    ) -> HistGradientBoostingRegressor:
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
        names = ", ".join(map(repr, OF_NUMBERS))
        require(self.loss in OF_NUMBERS, "loss", f"one of {names}", self.loss)
        share = 0.5
        if self.loss == "quantile":
            q: Any = self.quantile
            fine = is_number(q) and 0 < q < 1
            require(bool(fine), "quantile", "strictly between 0 and 1 with loss='quantile'", q)
            share = float(q)
        fine = self.monotonic_cst is None or self.loss not in ("absolute_error", "quantile")
        hint = "Leaves are medians or quantiles there, whatever the gradients say."
        require(fine, "monotonic_cst", f"None with loss={self.loss!r}", self.monotonic_cst, hint)
        X, y, weights = self._sample(X, y, sample_weight, numeric=True)
        target = np.ascontiguousarray(y, dtype=np.float64)
        self._require_target(target)
        held = self._held(X_val, y_val, sample_weight_val)
        self._boost(X, target, weights, LOSSES[self.loss], share, 1, held)
        return self

    def _fit_blocks(self, blocks: Blocks) -> HistGradientBoostingRegressor:
        """Add trees from blocks of rows, whose histograms are added up; all rows are learned from."""
        names = ("squared_error", "poisson", "gamma")
        hint = "The leaves of other losses are quantiles of rows, and blocks only add up."
        must = f"one of {', '.join(map(repr, names))} to learn from blocks"
        require(self.loss in names, "loss", must, self.loss, hint)
        self._require_blocks()
        targets, blocks = with_targets(blocks)
        require(targets is None or targets == 1, "y", "one column of numbers", targets)
        blocks = blocks.map(_flat, self)
        _, weights = weights_of_blocks(blocks, 0)
        mean = blocks.total(target_sum) / weights[2]
        if self.loss == "poisson" and not mean > 0:
            raise BadData("y must hold numbers that are not all zero with loss='poisson'.")
        loss = LOSSES[self.loss]
        self._boost_blocks(blocks, start_of_mean(loss, float(mean)), loss, weights)
        return self

    def _held_target(self, target: Array) -> Array:
        numbers = np.ascontiguousarray(target, dtype=np.float64)
        self._require_target(numbers)
        return numbers

    def _require_target(self, target: Floats, *, first: int = 0, some: bool = False) -> None:
        """Refuse numbers that the loss does not know; `some` are not all, and the first of them has that row."""
        fine = np.abs(target) <= _LARGEST
        if not fine.all():  # NaN among them
            row = int(np.flatnonzero(~fine)[0])
            raise BadData(
                f"y must hold numbers of at most {_LARGEST:g} in size, since their squares are summed, but holds "
                f"{target[row]:g} in row {first + row}. Divide it by a number."
            )
        if self.loss in ("poisson", "gamma"):
            low = target < 0 if self.loss == "poisson" else target <= 0
            if low.any() or not (some or target.any()):
                must = "zero or more, and not all zero" if self.loss == "poisson" else "above zero"
                row = int(np.flatnonzero(low)[0]) if low.any() else 0
                raise BadData(
                    f"y must hold numbers that are {must} with loss={self.loss!r}, but holds {target[row]:g} in row "
                    f"{first + row}."
                )

    def predict(self, X: Any) -> Floats:
        """The prediction for every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        array of shape (n_samples,)
        """
        return self._linked(self._raw(X))

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """The predictions after one round, after two, and so on."""
        for score in self._staged_raw(X):
            yield self._linked(score)

    def _linked(self, score: Floats) -> Floats:
        return np.asarray(exps(score[0])) if self.loss_ in ("poisson", "gamma") else score[0]

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """What the rounds leave of the training loss, where that is proven."""
        return gradient_boosting_guarantees(self.record_) if hasattr(self, "record_") else []

    def _require_state(self) -> None:
        """Refuse, in a model file, a loss of classes."""
        if self.loss_ == "log_loss" or self.n_trees_per_iteration_ != 1:
            raise ValueError("its trees do not fit its loss")
        super()._require_state()


def _flat(block: Block, model: HistGradientBoostingRegressor) -> Block:
    """A block with targets in a row, those that the loss knows."""
    target = np.ascontiguousarray(block.y[:, 0])
    model._require_target(target, first=block.first, some=True)
    return Block(block.first, block.X, target, block.weights)
