"""Forward stagewise additive modelling of a target: least-squares boosting, and its robust sibling."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from assay.errors import BadData, require
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.stagewise import stagewise_guarantees
from assay.learners.common import kinds
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import CertifiedQuantity, Terms
from assay.learners.common.number_kinds import is_count
from assay.learners.common.written_out import summed
from assay.learners.ensembles.members import SEEDS, seeded
from assay.learners.registry import register
from assay.learners.trees.regressor import DecisionTreeRegressor
from assay.record.stagewise import StagewiseRecord
from assay.types import Floats

_LOSSES = ("squared_error", "absolute_error")
# How rows are read.
_ROWS: Any = {"dtype": np.float64, "accept_sparse": "csr"}
_LARGEST = 1e150  # of numbers whose squares are summed
# What is left of the loss, as a share of what there was, is then rounding alone.
_NOTHING = 1e-24


@register(
    "forward-stagewise-regressor",
    use="boosting a quantity",
    promise="bounds its training loss by its edges",
)
@dataclass(eq=False, repr=False)
class ForwardStagewiseRegressor(CertifiedQuantity, RegressorMixin, BaseEstimator):  # type: ignore[misc]
    r"""Add one small model after the other, each fitted to what the others leave; earlier ones stay as they are.

    With the squared error a model :math:`h` is fitted to the residuals :math:`y-f`, and :math:`f` grows by
    :math:`\alpha h`, :math:`\alpha` being the step that leaves the least squares. A round then leaves exactly
    :math:`1-\rho^2` of them, :math:`\rho` being the correlation of :math:`h` with the residuals
    (``l2boost-training-loss``). With the absolute error :math:`h` is fitted to the signs of the residuals, along which
    the loss falls fastest, and the step is the best along it.

    Parameters
    ----------
    estimator : regressor, default=None
        The model that is added again and again; None stands for ``DecisionTreeRegressor(max_depth=1)``.
    loss : {"squared_error", "absolute_error"}, default="squared_error"
        What every round lowers.
    n_estimators : int, default=50
        The most rounds.
    random_state : int, RandomState or None, default=None
        Where copies of the model get their seeds from.

    Attributes
    ----------
    estimators_ : list of regressors
        The models that were added.
    steps_ : array
        The step of each.
    losses_ : array
        The mean loss after every round.
    record_ : StagewiseRecord
        The rounds, and what is left of the loss.

    Notes
    -----
    The model starts at zero, so that a constant is learned as everything else is. With the squared error and trees it
    is ``sklearn.ensemble.GradientBoostingRegressor(init="zero", learning_rate=1.0)``; nothing is shrunk. A model
    along which the loss does not fall ends the run.

    References
    ----------
    .. [1] Friedman (2001). Greedy function approximation: a gradient boosting machine.
    .. [2] Buhlmann and Yu (2003). Boosting with the L2 loss.

    Examples
    --------
    >>> from assay import ForwardStagewiseRegressor
    >>> X, y = [[1.0], [2], [3], [4]], [0.0, 1, 5, 6]
    >>> model = ForwardStagewiseRegressor(n_estimators=3).fit(X, y)
    >>> model.losses_.round(6).tolist()
    [0.25, 0.166667, 0.12963]
    >>> print(model.guarantees()[0])
    mean squared residual: at most 0.12963, observed 0.12963, by l2boost-training-loss
    """

    state = kinds.declare(
        learners_=kinds.each(kinds.instance(BaseEstimator), "steps_"),
        steps_=kinds.numbers(None),
        losses_=kinds.amounts("steps_"),
        edges_=kinds.amounts(most=1 + 1e-9),
        start_=kinds.size,
        loss_=kinds.one_of(*_LOSSES),
        rows_=kinds.whole(1),
        stopped_=kinds.one_of("rounds", "perfect", "useless"),
    )

    estimator: Any = None
    _: KW_ONLY
    loss: Literal["squared_error", "absolute_error"] = "squared_error"
    n_estimators: int = 50
    random_state: int | None = None

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Any:
        """Add models.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        rounds = self.n_estimators
        require(is_count(rounds), "n_estimators", "a whole number of at least 1", rounds)
        names = " or ".join(map(repr, _LOSSES))
        require(self.loss in _LOSSES, "loss", names, self.loss)
        learner = self._template()
        fine = hasattr(learner, "fit") and hasattr(learner, "predict")
        must = "None for trees of one question, or a regressor"
        require(fine and not isinstance(learner, type), "estimator", must, self.estimator)
        X, y = validate_data(self, summed(X), y, **_ROWS, y_numeric=True)
        target = np.asarray(y, dtype=np.float64)
        if not (np.abs(target) <= _LARGEST).all():
            raise BadData(
                f"y must hold numbers of at most {_LARGEST:g} in size, since their squares are summed, but holds "
                f"{np.abs(target).max():g}. Divide it by a number."
            )
        self._descend(X, target)
        return self

    def _descend(self, X: Any, y: Floats) -> None:
        squares, rng = self.loss == "squared_error", check_random_state(self.random_state)
        left = y.copy()
        self.start_ = self._mean_loss(y)
        self.learners_ = []
        steps: list[float] = []
        edges: list[float] = []
        losses: list[float] = []
        self.stopped_ = "rounds"
        for _ in range(self.n_estimators):
            before = losses[-1] if losses else self.start_
            if before <= _NOTHING * self.start_:
                self.stopped_ = "perfect"
                break
            model = seeded(clone(self._template()), lambda: rng.randint(SEEDS))
            h = np.asarray(model.fit(X, left if squares else np.sign(left)).predict(X), np.float64)
            step = _square_step(left, h) if squares else _absolute_step(left, h)
            after = self._mean_loss(left - step * h)
            if not after < before:
                self.stopped_ = "useless"
                break
            if squares:
                edges.append(_correlation(left, h))
            left = left - step * h
            self.learners_.append(model)
            steps.append(step)
            losses.append(after)
        self.steps_, self.losses_, self.edges_ = np.array(steps), np.array(losses), np.array(edges)
        # Promises are about this fit, whatever the parameters are set to later.
        self.loss_, self.rows_ = str(self.loss), len(y)

    def _mean_loss(self, left: Floats) -> float:
        return float(np.mean(left**2 if self.loss == "squared_error" else np.abs(left)))

    def _template(self) -> Any:
        return DecisionTreeRegressor(max_depth=1) if self.estimator is None else self.estimator

    @property
    def estimators_(self) -> list[Any]:
        """The models that were added, one for each round."""
        check_is_fitted(self, "steps_")
        return self.learners_

    def predict(self, X: Any) -> Floats:
        """The sum of what the models say, each times its step.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        """
        check_is_fitted(self, "steps_")
        X = validate_data(self, summed(X), reset=False, **_ROWS)
        return sum(self._parts(X), start=np.zeros(X.shape[0]))

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """The predictions after one round, after two, and so on."""
        check_is_fitted(self, "steps_")
        X = validate_data(self, summed(X), reset=False, **_ROWS)
        total = np.zeros(X.shape[0])
        for part in self._parts(X):
            total = total + part
            yield total

    def _parts(self, X: Any) -> Iterator[Floats]:
        for model, step in zip(self.learners_, self.steps_.tolist(), strict=True):
            yield step * np.asarray(model.predict(X), dtype=np.float64)

    @property
    def record_(self) -> StagewiseRecord:
        """What the fit left behind."""
        check_is_fitted(self, "steps_")
        return StagewiseRecord(
            rows=self.rows_,
            loss=self.loss_,
            start=self.start_,
            losses=self.losses_,
            edges=self.edges_,
            steps=self.steps_,
            training_errors=None,
            training_error=None,
            even=True,
            stopped=self.stopped_,
        )

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """What is left of the squares, by the correlations of the rounds; of the absolute error nothing is said."""
        return stagewise_guarantees(self.record_) if hasattr(self, "record_") else []

    def _require_state(self) -> None:
        """Refuse, in a model file, models that are not those of the base learner."""
        kind = type(self._template())
        fits = all(
            type(model) is kind and getattr(model, "n_features_in_", -1) == self.n_features_in_
            for model in self.learners_
        )
        if not fits:
            raise ValueError("its models are not those of its base learner")
        if len(self.edges_) != (len(self.steps_) if self.loss_ == "squared_error" else 0):
            raise ValueError("its rounds do not fit its loss")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.estimator is None or hasattr(self.estimator, "__sklearn_tags__"):
            tags.input_tags.sparse = get_tags(self._template()).input_tags.sparse
        return tags


def _square_step(left: Floats, h: Floats) -> float:
    size = float(h @ h)
    return float(left @ h) / size if size > 0 else 0.0


def _correlation(left: Floats, h: Floats) -> float:
    return min(1.0, abs(float(left @ h)) / math.sqrt(float(left @ left) * float(h @ h)))


def _absolute_step(left: Floats, h: Floats) -> float:
    """The weighted median of the steps that would meet each target: it leaves the least absolute error."""
    moved = h != 0
    if not moved.any():
        return 0.0
    steps, weights = left[moved] / h[moved], np.abs(h[moved])
    order = np.argsort(steps, kind="stable")
    reached = np.cumsum(weights[order])
    return float(steps[order][np.searchsorted(reached, reached[-1] / 2)])
