"""A linear classifier learned by stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.metaestimators import available_if

from assay.errors import BadData, BadParameter, require
from assay.guarantees.guarantee import Guarantee
from assay.learners.common.atomic_fit import all_or_nothing
from assay.learners.common.linear_losses import FOR_CLASSES
from assay.learners.common.online_classifier import OnlineLinearClassifier
from assay.learners.common.player import Player
from assay.learners.common.row_weights import row_weights
from assay.learners.common.rows import Rows
from assay.learners.common.sign_labels import classes_of
from assay.learners.common.training_promises import MarginPromises
from assay.learners.linear.set_aside import SetAside, accuracy
from assay.learners.linear.sgd_player import (
    SKIPPED_CHECKS,
    CountsRounds,
    Passes,
    Rule,
    SGDPlayer,
    refuse_early_stopping,
    seeds_of,
    starting_weights,
)
from assay.learners.registry import register
from assay.types import Array, Floats

if TYPE_CHECKING:
    from assay.record.linear_fit import LinearFitRecord
    from assay.theory.rounding import Number


def _gives_probabilities(learner: SGDClassifier) -> bool:
    if learner.loss in ("log_loss", "logistic", "modified_huber"):
        return True
    raise AttributeError(
        f"predict_proba needs loss='log_loss' or 'modified_huber', but loss is {learner.loss!r}: its scores say "
        "nothing about probabilities."
    )


@register(
    "sgd-classifier",
    use="tables too large for memory, streams, texts",
    promise="bounds its error from training rows alone",
)
@dataclass(eq=False, repr=False)
class SGDClassifier(CountsRounds, MarginPromises, OnlineLinearClassifier):
    r"""Step against the gradient of a loss: :math:`w\leftarrow(1-\eta_t\alpha)w-\eta_tc\,\ell'(w\cdot x,y)\,x`.

    This is stochastic gradient descent on the mean of :math:`c\,\ell(w\cdot x,y)`, where c is the weight of
    the example, plus :math:`\frac\alpha2\|w\|^2`, unless another `penalty` is chosen. Parameters, defaults and
    every step are scikit-learn's. With ``loss="perceptron"``, a constant step and ``penalty=None`` it is the
    perceptron that counts a score of zero as wrong (``perceptron-as-sgd``). No theorem bounds a run of it in
    general. After a `fit`, `guarantees` states what the number of its weights (``occam-exact``,
    ``occam-float64``), its hinge loss (``surrogate-upper-bounds``) and, of two classes, the capacity of
    halfspaces say; `certificate` states its error from a holdout.

    Parameters
    ----------
    loss : str, default="hinge"
        One of ``"hinge"``, ``"squared_hinge"``, ``"perceptron"``, ``"log_loss"`` (or ``"logistic"``),
        ``"modified_huber"``, ``"exponential"``, and those of regression: ``"squared_error"`` (or ``"squared"``,
        with the factor 1/2), ``"huber"``, ``"epsilon_insensitive"`` and ``"squared_epsilon_insensitive"``.
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
    n_jobs : int or None, default=None
        Here for scikit-learn's sake; it changes nothing.
    random_state : int, RandomState instance or None, default=None
        The seed of the orders, which are scikit-learn's, and of the rows set aside.
    learning_rate : str, default="optimal"
        The step of round t: ``"optimal"`` (1 / (alpha (t0 + t)), which begins with a step of
        alpha ** -0.25), ``"invscaling"`` (eta0 / t ** power_t), ``"constant"`` (eta0), ``"adaptive"`` (eta0, divided by
        five whenever `fit` would stop), ``"invsqrt"`` (eta0 / sqrt(t)) or ``"inverse"`` (eta0 / t). Rounds are counted
        through all passes and chunks, and anew in each `fit`. With ``"pa1"`` and ``"pa2"`` a step is as long as
        the loss asks for, at most eta0, or shorter the smaller eta0 is: the passive-aggressive rules, for
        ``loss="hinge"``.
    eta0 : float, default=0.01
        The first step; unused by ``"optimal"``.
    power_t : float, default=0.5
        The exponent of ``"invscaling"``.
    early_stopping : bool, default=False
        Whether `fit` sets rows aside and stops when the score on them has not risen by `tol` for
        `n_iter_no_change` passes. The weights are those of the last pass.
    validation_fraction : float, default=0.1
        The share of rows set aside.
    n_iter_no_change : int, default=5
        How many passes without progress `fit` waits for.
    class_weight : dict, "balanced" or None, default=None
        The weights of the classes. With more than two classes, a class's weight counts in its own problem
        against the rest. They multiply the weights of the examples. ``"balanced"``: in inverse proportion to
        how frequent they are.
    warm_start : bool, default=False
        Whether `fit` starts from the weights there are; the rounds of the schedule are counted anew.
    average : bool or int, default=False
        Whether the weights after all rounds are averaged; a number: from that round on.

    Attributes
    ----------
    classes_ : array
        The labels.
    coef_, intercept_ : array
        The weights, averaged on request.
    n_iter_ : int
        Passes made.
    t_ : float
        The round of the schedule that comes next.
    record_ : OnlineRecord
        Rounds and mistakes.

    References
    ----------
    .. [1] Bottou (2012). Stochastic gradient descent tricks.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import SGDClassifier
    >>> X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    >>> model = SGDClassifier(loss="log_loss", random_state=0).fit(X, [0, 1, 1, 1])
    >>> model.score(X, [0, 1, 1, 1])
    1.0
    """

    #: The checks of scikit-learn that are not run or cannot hold, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = SKIPPED_CHECKS

    trace = False

    counts_errors = True

    loss: str = "hinge"
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
    n_jobs: int | None = None
    random_state: Any = None
    learning_rate: str = "optimal"
    eta0: float = 0.01
    power_t: float = 0.5
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5
    class_weight: Any = None
    warm_start: bool = False
    average: bool | int = False

    def _begin(self, width: int, dtype: np.dtype[Any]) -> Player:
        return SGDPlayer(width, self.fit_intercept, Rule.of(self, FOR_CLASSES))

    def _guarantees(self, record: Any, of: str, declared: Mapping[str, Any]) -> list[Guarantee]:
        return []

    def _from_fit(self, fit: LinearFitRecord | None, delta: Number) -> list[Guarantee]:
        from assay.guarantees.halfspaces import linear_fit_guarantees

        return linear_fit_guarantees(fit, delta)

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
        rows, labels = self._validated(X, y, reset=fresh)
        weights = row_weights(sample_weight, rows)
        if fresh:
            self._open(classes_of(labels), rows)
        self._weigh(labels)
        if sample_weight is not None and len(classes_of(labels[weights > 0])) < 2:
            raise BadData(
                "sample_weight must leave rows of at least two classes, but leaves one class."
            )

        parts = SetAside.of(self, labels, weights, accuracy, by_class=True)
        self._restart(rows.width, coef_init, intercept_init)

        seeds = iter(seeds_of(check_random_state(self.random_state), len(self.players_)))

        def run(player: Player, rows: Rows, signs: Array) -> int:
            assert isinstance(player, SGDPlayer)
            return player.run(rows, signs, weights, passes, next(seeds), parts)

        self.n_iter_ = max(self._each(rows, labels, run, kept=not fresh))
        self._count_errors(rows, labels)
        passes.warn_after(self.n_iter_)
        return self

    def _restart(self, width: int, coef_init: Any, intercept_init: Any) -> None:
        """Let every player start a new count of rounds, from the weights given or from those it has."""
        several = len(self.players_)
        coefs = starting_weights("coef_init", coef_init, (several, width))
        intercepts = starting_weights("intercept_init", intercept_init, (several, 1))
        rule = Rule.of(self, FOR_CLASSES)
        for player, coef, intercept in zip(self.players_, coefs, intercepts, strict=True):
            assert isinstance(player, SGDPlayer)
            player.restart(rule, coef, intercept)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Learn some more examples, once each and in their order.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        classes : array-like, optional
            All labels there are; needed in the first call.
        sample_weight : array-like of shape (n_samples,), optional
            The weight of each example's loss.

        Returns
        -------
        self
        """
        self._refuse_what_only_fit_knows()
        rows, labels = self._continued(X, y, classes)
        weights = row_weights(sample_weight, rows)

        def play(player: Player, rows: Rows, signs: Array) -> int:
            assert isinstance(player, SGDPlayer)
            return player.play(rows, signs, weights[: len(rows)])

        self._each_once(rows, labels, play)
        self.n_iter_ = getattr(self, "n_iter_", 0) + 1
        return self

    def learn_one(self, x: Any, y: Any, classes: Sequence[Any] | None = None) -> None:
        """Learn from one example, as a `partial_fit` on it would."""
        self._refuse_what_only_fit_knows()
        super().learn_one(x, y, classes)

    def _refuse_what_only_fit_knows(self) -> None:
        if not hasattr(self, "players_"):
            refuse_early_stopping(self)
        hint = "How frequent the classes are is known only to fit."
        by_name = isinstance(self.class_weight, str)
        require(not by_name, "class_weight", "a dict or None", self.class_weight, hint)

    def _open(self, classes: Array, rows: Rows) -> None:
        super()._open(classes, rows)
        if not isinstance(self.class_weight, str):
            self._weigh(classes)

    def _weigh(self, labels: Array) -> None:
        """Give every player the weights of its two classes."""
        if self.class_weight is None:
            return
        given = self.class_weight
        known = isinstance(given, Mapping) or given == "balanced"
        require(known, "class_weight", "a dict, 'balanced' or None", given)
        if isinstance(given, Mapping):
            for label, weight in given.items():
                if not weight >= 0:
                    raise BadParameter(
                        f"class_weight[{label!r}] must be a number, zero or more, but is {weight!r}."
                    )
        each = compute_class_weight(given, classes=self.classes_, y=labels)
        each = [float(weight) for weight in each]
        pairs = [(each[0], each[1])] if len(each) == 2 else [(1.0, weight) for weight in each]
        for player, pair in zip(self.players_, pairs, strict=True):
            assert isinstance(player, SGDPlayer)
            player.class_weights = pair

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The probability of every class in every row, for the logistic and the modified Huber loss.

        With more than two classes, the probabilities of each against the rest, made to sum to one.
        """
        scores = self.decision_function(X)
        near = self.loss == "modified_huber"  # its scores of -1 and +1 stand for certainty
        scores = (scores.clip(-1, 1) + 1) / 2 if near else expit(scores)
        if scores.ndim == 1:
            return np.column_stack([1 - scores, scores])
        total = scores.sum(axis=1, keepdims=True)
        # Where every class is refused outright, none is more likely than another.
        scores[total[:, 0] == 0] = 1.0
        return np.asarray(scores / scores.sum(axis=1, keepdims=True))

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of the probabilities."""
        with np.errstate(divide="ignore"):  # certainty against a class is minus infinity
            return np.asarray(np.log(self.predict_proba(X)))
