"""Online gradient descent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.compiled.linear.gradient_descent import (
    DRIFT,
    LARGEST,
    LONGEST,
    PAID,
    RATE,
    RIVAL,
    ROUNDS,
    SCALE,
    SQUARES,
    gradient_descent_pass,
)
from assay.errors import require
from assay.guarantees.gradient import gradient_guarantees
from assay.guarantees.guarantee import Guarantee
from assay.learners.common import kinds
from assay.learners.common.linear_losses import loss_code
from assay.learners.common.online_classifier import OnlineLinearClassifier
from assay.learners.common.player import NotANumber, Player
from assay.learners.common.rows import Rows
from assay.learners.common.training_promises import MarginPromises
from assay.learners.linear.ogd_comparator import RivalHindsight
from assay.learners.registry import register
from assay.record.gradient import GradientRecord
from assay.theory.needs import count, nonnegative, positive
from assay.theory.tuning import gradient_step
from assay.types import Array, Floats


@register(
    "gradient-descent",
    use="a linear rule on a stream",
    promise="bounds regret and mistakes on any stream",
)
@dataclass(eq=False, repr=False)
class OnlineGradientDescent(MarginPromises, OnlineLinearClassifier):
    r"""Step against the gradient of the loss: :math:`w\leftarrow\Pi_U\bigl(w-\eta_t\,\ell'(w\cdot x,y)\,x\bigr)`.

    :math:`\Pi_U` is the nearest point in the ball of radius U. Against every vector u of that ball the
    hinge loss paid in T rounds exceeds that of u by at most :math:`U^2/2\eta+\eta/2\sum\|x_t\|^2`, the sum
    taken over the rounds with a step, and by at most :math:`UR\sqrt T` at :math:`\eta=U/(R\sqrt T)`
    (``ogd-hinge-regret``); since a mistake costs at least one, this bounds the mistakes as well
    (``ogd-mistakes``). When nobody knows T and R, the rate :math:`U\sqrt{2/t}/R_t` with :math:`R_t` the longest
    gradient so far promises :math:`2\sqrt2\,UR\sqrt T` after every round (``ogd-anytime-regret``,
    ``ogd-anytime-mistakes``). These theorems are about the hinge loss; the other losses are played the same
    way, but no number is promised.

    Parameters
    ----------
    loss : str, default="hinge"
        One of ``"hinge"``, ``"perceptron"``, ``"log_loss"``, ``"squared_error"`` (with the factor 1/2),
        ``"exponential"`` and ``"epsilon_insensitive"``.
    max_norm : float or None, default=1.0
        The radius U of the ball in which the weights are kept, the constant feature's included. None: they
        are not kept in a ball; `eta0` must then be given.
    eta0 : float or None, default=None
        The rate, the same in all rounds. None: as the theory says.
    rounds : int or None, default=None
        The number of rounds T, if it is known beforehand; the rate is then ``U / (R sqrt(T))``.
    radius : float or None, default=None
        The largest length R an example can have, the constant feature included; needed with `rounds`.
    proximal : bool, default=False
        Whether a hinge step ends where the loss reaches zero: the exact minimiser of the loss plus
        :math:`\|w-w_t\|^2/2\eta`, as in the passive-aggressive algorithm.
    epsilon : float, default=0.1
        The difference that costs nothing, for ``"epsilon_insensitive"``.
    fit_intercept : bool, default=True
        Whether a constant feature of one is appended.
    max_iter : int, default=1000
        The most passes `fit` makes over the sample.
    n_iter_no_change : int, default=5
        `fit` also stops after so many passes without fewer mistakes than before.
    warm_start : bool, default=False
        Whether `fit` goes on from the weights it has.
    trace : bool, default=False
        Whether `record_` holds, step by step, what the proof follows.
    shuffle : bool, default=True
        Whether `fit` plays the rows in a new random order in every pass. What is promised holds in any order.
        `partial_fit`, `learn_one` and `assay.play` keep the order in which examples come.
    random_state : int, RandomState instance or None, default=0
        The seed of these orders; the same by default, as that of scikit-learn's Perceptron is.

    Attributes
    ----------
    classes_ : array
        The labels.
    coef_, intercept_ : array
        The weights.
    n_iter_ : int
        Passes made.
    record_ : GradientRecord
        Rounds, mistakes, radius.

    References
    ----------
    .. [1] Zinkevich (2003). Online convex programming and generalized infinitesimal gradient ascent.

    Examples
    --------
    >>> import numpy as np
    >>> from assay import OnlineGradientDescent
    >>> X, y = np.eye(4), [0, 0, 0, 0]
    >>> model = OnlineGradientDescent(max_norm=2, radius=1, rounds=4, fit_intercept=False)
    >>> model = model.partial_fit(X, y, classes=[0, 1])
    >>> model.record_.mistakes, model.coef_.tolist()
    (4, [[-1.0, -1.0, -1.0, -1.0]])
    >>> print(model.guarantees()[-1])
    mistakes: at most 4, observed 4, by ogd-mistakes
    """

    declares = ("radius",)

    #: Parameters by the names that earlier versions wrote into files.
    _renamed: ClassVar[Mapping[str, str]] = {"horizon": "rounds"}

    loss: str = "hinge"
    max_norm: float | None = 1.0
    eta0: float | None = None
    rounds: int | None = None
    radius: float | None = None
    proximal: bool = False
    epsilon: float = 0.1
    fit_intercept: bool = True
    max_iter: int = 1000
    n_iter_no_change: int = 5
    warm_start: bool = False
    trace: bool = False
    shuffle: bool = True
    random_state: Any = 0

    def _begin(self, width: int, dtype: np.dtype[Any]) -> Player:
        return GradientDescentPlayer(width, self.fit_intercept, Rule.of(self))

    def _guarantees(
        self, record: GradientRecord, of: str, declared: Mapping[str, Any]
    ) -> list[Guarantee]:
        return gradient_guarantees(record, of, declared)


@dataclass(frozen=True)
class Rule:
    """What the loop needs to know of an estimator's parameters; 0 stands for none."""

    loss: int
    epsilon: float
    ball: float
    rate: float
    proximal: bool
    radius: float

    @property
    def hinge(self) -> bool:
        """Whether the theorems are about this rule."""
        return self.loss == loss_code("hinge")

    @classmethod
    def of(cls, learner: Any) -> Rule:
        """The rule a learner's parameters describe; refuses what makes no sense."""
        loss = loss_code(learner.loss)
        ball, rate, radius = (
            _positive_or_none(name, getattr(learner, name))
            for name in ("max_norm", "eta0", "radius")
        )
        must = "given when max_norm is None"
        require(ball > 0 or rate > 0, "eta0", must, None, "No rate follows without a ball.")
        if learner.rounds is not None:
            rounds = count("rounds", learner.rounds, at_least=1)
            require(rate == 0, "rounds", "left out when eta0 is given", learner.rounds)
            require(radius > 0, "radius", "given together with rounds", None)
            rate = gradient_step(rounds, ball, radius)
        hinge = loss == loss_code("hinge")
        require(hinge or not learner.proximal, "loss", "'hinge' for proximal steps", learner.loss)
        epsilon = float(nonnegative("epsilon", learner.epsilon).low)
        return cls(loss, epsilon, ball, rate, bool(learner.proximal), radius)


def _positive_or_none(name: str, value: Any) -> float:
    return 0.0 if value is None else float(positive(name, value).low)


class GradientDescentPlayer(Player):
    """Online gradient descent on one binary problem, in double precision."""

    arrays = ("weights", "bias", "numbers", "counts")
    state = kinds.declare(numbers=kinds.numbers(), _steps=kinds.each(kinds.finite))
    hindsight: RivalHindsight

    def __init__(self, width: int, constant: bool, rule: Rule) -> None:
        super().__init__(width, np.dtype(np.float64), constant)
        self.rule = rule
        self.numbers, self.counts = np.zeros(9), np.zeros(2, dtype=np.int64)
        self.numbers[SCALE], self.numbers[LONGEST] = 1.0, rule.radius
        self.hindsight = RivalHindsight(rule.ball or None)
        self._steps: list[float] = []

    def _require_state(self) -> None:
        """Refuse, in a model file, numbers that no run leaves behind: theorems divide by the rate."""
        super()._require_state()
        rival = self.hindsight.fixed
        fits = rival is None or len(rival.vector) <= self.width + 1
        if not fits or not len(self._steps) == len(self._log) <= self.updates:
            raise ValueError("the parts of a player do not belong together")
        moved = self.updates > 0 or self.hindsight.largest > 0
        if not self.numbers[SCALE] > 0 or (moved and not self.numbers[RATE] > 0):
            raise ValueError("the numbers of a player do not fit its steps")

    def record(self, *, trace: bool, names: Sequence[Any] | None = None) -> GradientRecord:
        """What happened so far; the names are those of the features."""
        rule = self.rule
        return GradientRecord(
            **self._recorded(trace),
            loss=float(self.numbers[PAID]),
            squares=float(self.numbers[SQUARES]),
            weighted_squares=float(self.numbers[DRIFT]),
            rate=float(self.numbers[RATE]),
            falling=rule.rate == 0,
            counted_loss=float(self.numbers[RIVAL]),
            max_norm=rule.ball,
            known_radius=rule.radius,
            proximal=rule.proximal,
            hinge=rule.hinge,
        )

    @property
    def coef(self) -> Array:
        """The weights of the features in the score."""
        return np.asarray(self.weights * self.numbers[SCALE])

    def _played(self, rows: Rows, signs: Array) -> int:
        rule = self.rule
        terms = (rule.loss, rule.epsilon, rule.ball, rule.rate, rule.proximal, self.constant)
        start, before = 0, self.mistakes
        while start < len(rows):
            # A rival is needed where a theorem is: otherwise nothing is kept.
            room = self.hindsight.room(rows.width) if rule.hinge else 0
            pause = room or len(rows) + 1
            size = min(pause, len(rows) - start) if room or self.tracing else 0
            stepped, lengths, losses = (
                np.empty(size, dtype=np.int64),
                np.empty(size),
                np.empty(size),
            )
            mistakes, steps, stopped = gradient_descent_pass(
                rows.block,
                signs,
                rows.order,
                start,
                self.weights,
                self.bias,
                self.numbers,
                self.counts,
                terms,
                self.hindsight.vector(rows.width),
                pause,
                stepped,
                lengths,
                losses,
            )
            self._enter(mistakes, steps, lengths, losses)
            if room:
                self.hindsight.keep(rows, stepped[:steps], signs, self.constant)
                if not self.hindsight.room(rows.width):
                    self.hindsight.fix(float(self.numbers[RATE]))
            if stopped < len(rows) and steps < pause:
                raise NotANumber(rows.turn(stopped))
            start = stopped
        return self.mistakes - before

    def _enter(self, mistakes: int, steps: int, lengths: Array, losses: Array) -> None:
        self.rounds = int(self.counts[ROUNDS])
        self.mistakes += mistakes
        self.updates += steps
        self.hindsight.count = self.updates
        self.hindsight.largest = float(self.numbers[LARGEST])
        if self.tracing and steps:
            self._steps.append(float(lengths[0]))
            self._log.append({"round": self.rounds - 1.0, "loss": float(losses[0])} | self._marks())

    def _log_columns(self) -> set[str]:
        return super()._log_columns() | {"loss"}

    def _marks(self) -> dict[str, float]:
        return {"rate": float(self.numbers[RATE]), "norm": self._norm()}

    def _norm(self) -> float:
        return math.hypot(float(np.linalg.norm(self.coef)), float(self.bias[0]))

    def _trace(self) -> dict[str, Floats]:
        """The columns of the log, and the squared distance to the rival after every step."""
        columns = super()._trace()
        if self.rule.hinge and self.updates and self.hindsight.kept == self.updates:
            columns["squared_distance"] = self._distances()
        return columns

    def _distances(self) -> Floats:
        X, ones, _ = self.hindsight.examples()
        u = self.hindsight.rival(float(self.numbers[RATE])).vector
        w, distances = np.zeros(len(u)), np.empty(len(ones))
        for t, length in enumerate(self._steps):
            w += length * np.append(X.row(t), ones[t])
            size = float(np.linalg.norm(w))
            if 0 < self.rule.ball < size:
                w *= self.rule.ball / size
            distances[t] = (w - u) @ (w - u)
        return distances
