"""A linear regression learned by stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from assay.guarantees.guarantee import Guarantee
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.guaranteed import Terms
from assay.learners.common.linear_losses import FOR_NUMBERS
from assay.learners.common.player import Player
from assay.learners.common.row_weights import row_weights
from assay.learners.linear.online_regressor import OnlineLinearRegressor
from assay.learners.linear.set_aside import SetAside, explained
from assay.learners.linear.sgd_player import (
    MOST_OF_A_SEED,
    SKIPPED_CHECKS,
    CountsRounds,
    Passes,
    Rule,
    SGDPlayer,
    refuse_early_stopping,
    starting_weights,
)
from assay.learners.registry import register


@register("sgd-regressor", use="a quantity, from tables too large for memory")
@dataclass(eq=False, repr=False)
class SGDRegressor(CountsRounds, OnlineLinearRegressor):
    r"""Step against the gradient of a loss: :math:`w\leftarrow(1-\eta_t\alpha)w-\eta_tc\,\ell'(w\cdot x,y)\,x`.

    This is stochastic gradient descent on the mean of :math:`c\,\ell(w\cdot x,y)`, where c is the weight of
    the example, plus :math:`\frac\alpha2\|w\|^2`, unless another `penalty` is chosen. Parameters, defaults and
    every step are scikit-learn's. Steps are safe while :math:`\eta_t\|x\|^2<2`: scale the features, or the
    weights overflow and learning is refused.

    Parameters
    ----------
    loss : str, default="squared_error"
        One of ``"squared_error"`` (or ``"squared"``, with the factor 1/2), ``"huber"``,
        ``"epsilon_insensitive"`` and ``"squared_epsilon_insensitive"``.
    penalty : {"l2", "l1", "elasticnet", None}, default="l2"
        What the penalty is made of: the squared length of the weights, the sum of their sizes, which sets some to
        zero, both, or nothing. The intercept is never penalised.
    alpha : float, default=0.0001
        The weight of the penalty, and what ``learning_rate="optimal"`` follows.
    l1_ratio : float or None, default=0.15
        The share of the sizes in the penalty ``"elasticnet"``, from 0 to 1.
    fit_intercept : bool, default=True
        Whether there is an intercept. Over sparse rows it moves by a hundredth of each step.
    max_iter : int, default=1000
        The most passes `fit` makes over the sample.
    tol : float or None, default=1e-3
        `fit` stops when the objective, whatever the weights of the examples, has not fallen by this much for
        `n_iter_no_change` passes; None: it makes all passes.
    shuffle : bool, default=True
        Whether `fit` takes the examples in a new random order in every pass. `partial_fit` never does.
    verbose : int, default=0
        Above zero, every pass of `fit` is told of.
    epsilon : float, default=0.1
        The difference that costs nothing, for ``"epsilon_insensitive"`` and its square, or from which on the
        loss is a straight line, for ``"huber"``.
    random_state : int, RandomState instance or None, default=None
        The seed of the orders, which are scikit-learn's, and of the rows set aside.
    learning_rate : str, default="invscaling"
        The step of round t: ``"optimal"`` (1 / (alpha (t0 + t)), which begins with a step of
        alpha ** -0.25), ``"invscaling"`` (eta0 / t ** power_t), ``"constant"`` (eta0), ``"adaptive"`` (eta0, divided by
        five whenever `fit` would stop), ``"invsqrt"`` (eta0 / sqrt(t)) or ``"inverse"`` (eta0 / t). Rounds are counted
        through all passes and chunks, and anew in each `fit`. With ``"pa1"`` and ``"pa2"`` a step is as long as
        the loss asks for, at most eta0, or shorter the smaller eta0 is: the passive-aggressive rules, for
        ``loss="epsilon_insensitive"``.
    eta0 : float, default=0.01
        The first step; unused by ``"optimal"``.
    power_t : float, default=0.25
        The exponent of ``"invscaling"``.
    early_stopping : bool, default=False
        Whether `fit` sets rows aside and stops when the score on them has not risen by `tol` for
        `n_iter_no_change` passes. The weights are those of the last pass.
    validation_fraction : float, default=0.1
        The share of rows set aside.
    n_iter_no_change : int, default=5
        How many passes without progress `fit` waits for.
    warm_start : bool, default=False
        Whether `fit` starts from the weights there are; the rounds of the schedule are counted anew.
    average : bool or int, default=False
        Whether the weights after all rounds are averaged; a number: from that round on.

    Attributes
    ----------
    coef_, intercept_ : array
        The weights, averaged on request.
    n_iter_ : int
        Passes made.
    t_ : float
        The round of the schedule that comes next.
    record_ : OnlineRecord
        Rounds and steps.

    References
    ----------
    .. [1] Bottou (2012). Stochastic gradient descent tricks.

    Examples
    --------
    >>> from assay import SGDRegressor
    >>> model = SGDRegressor(eta0=0.2, alpha=0.0, learning_rate="constant", tol=None, max_iter=200)
    >>> model = model.fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> model.coef_.round(6).tolist(), model.intercept_.round(6).tolist()
    ([2.0], [1.0])
    """

    #: The checks of scikit-learn that are not run or cannot hold, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = SKIPPED_CHECKS

    trace = False

    loss: str = "squared_error"
    _: KW_ONLY
    penalty: str | None = "l2"
    alpha: float = 0.0001
    l1_ratio: float | None = 0.15
    fit_intercept: bool = True
    max_iter: int = 1000
    tol: float | None = 1e-3
    shuffle: bool = True
    verbose: int = 0
    epsilon: float = 0.1
    random_state: Any = None
    learning_rate: str = "invscaling"
    eta0: float = 0.01
    power_t: float = 0.25
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5
    warm_start: bool = False
    average: bool | int = False

    def _begin(self, width: int, dtype: np.dtype[Any]) -> Player:
        return SGDPlayer(width, self.fit_intercept, Rule.of(self, FOR_NUMBERS))

    @all_or_nothing
    def fit(
        self,
        X: Any,
        y: Any,
        coef_init: Any = None,
        intercept_init: Any = None,
        sample_weight: Any = None,
    ) -> Any:
        """Pass over the sample until the objective no longer falls.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        coef_init, intercept_init : array-like, optional
            The weights to start from, shaped as `coef_` and `intercept_` are.
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each example's loss.

        Returns
        -------
        self
        """
        passes = Passes.of(self)
        fresh = not (self.warm_start and hasattr(self, "players_"))
        rows, targets = self._validated(X, y, reset=fresh)
        weights = row_weights(sample_weight, rows)
        if fresh:
            self._open(rows.width)
        parts = SetAside.of(self, targets, weights, explained, by_class=False)
        seed = int(check_random_state(self.random_state).randint(MOST_OF_A_SEED))
        player = self._player()
        [coef] = starting_weights("coef_init", coef_init, (1, rows.width))
        [intercept] = starting_weights("intercept_init", intercept_init, (1, 1))
        player.restart(Rule.of(self, FOR_NUMBERS), coef, intercept)
        self.n_iter_ = self._learn(
            rows, lambda: player.run(rows, targets, weights, passes, seed, parts), kept=not fresh
        )
        passes.warn_after(self.n_iter_)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn some more examples, once each and in their order.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each example's loss.

        Returns
        -------
        self
        """
        first = not hasattr(self, "players_")
        rows, targets = self._validated(X, y, reset=first)
        weights = row_weights(sample_weight, rows)
        if first:
            refuse_early_stopping(self)
            self._open(rows.width)
        player = self._player()
        self._learn(rows, lambda: player.play(rows, targets, weights))
        self.n_iter_ = getattr(self, "n_iter_", 0) + 1
        return self

    def learn_one(self, x: Any, y: Any) -> None:
        """Learn from one example, as a `partial_fit` on it would."""
        if not hasattr(self, "players_"):
            refuse_early_stopping(self)
        super().learn_one(x, y)

    def _player(self) -> SGDPlayer:
        [player] = self.players_
        assert isinstance(player, SGDPlayer)
        return player

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """No theorem bounds a run of this learner: the list is empty."""
        self._fitted()
        return []
