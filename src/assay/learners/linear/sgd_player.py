"""Stochastic gradient descent on one problem: the rule, the weights, and the passes over a sample."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from assay.compiled.common.shuffle import shuffle
from assay.compiled.linear.sgd import AVERAGED, BIAS, CUT, PAID, ROUNDS, SCALE, TOTAL, sgd_pass
from assay.errors import BadData, Where, require
from assay.learners.common import kinds
from assay.learners.common.linear_losses import loss_code
from assay.learners.common.player import NotANumber, Player
from assay.learners.common.rows import Rows
from assay.learners.common.skipped_checks import NOT_RUN
from assay.learners.linear.set_aside import SetAside
from assay.theory.needs import count, nonnegative, positive, unit
from assay.types import Array, Floats, Ints

Weights: TypeAlias = Floats | None

#: The checks of scikit-learn that are not run or cannot hold, and why.
SKIPPED_CHECKS = NOT_RUN | dict.fromkeys(
    (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ),
    "one step of double weight is not two steps, and the order of the examples matters",
)

_POWERS = {"constant": 0.0, "adaptive": 0.0, "invsqrt": 0.5, "inverse": 1.0, "pa1": 0.0, "pa2": 0.0}
_SCHEDULES = ("optimal", "invscaling", "constant", "adaptive", "invsqrt", "inverse", "pa1", "pa2")

# Steps as long as the loss asks for, and the losses that they are for: of classes, and of numbers.
_PASSIVE = {"pa1": 1, "pa2": 2}
_AGGRESSIVE_LOSSES = ("hinge", "epsilon_insensitive")

_PENALTIES = ("l2", "l1", "elasticnet", None)

# Over sparse rows the intercept, which every row shares, would jump to and fro; as in scikit-learn it
# moves by this much of a step.
SPARSE_SHARE = 0.01

# An adaptive rate is divided by the first for as long as it is above the second, as in scikit-learn.
_SLOWER, _SLOWEST = 5.0, 1e-6

#: Seeds are below this one, as in scikit-learn.
MOST_OF_A_SEED = 2**31 - 1


@dataclass(frozen=True)
class Rule:
    """What the loop needs to know of an estimator's parameters: the rate is eta0 / (first + t - 1) ** power.

    Weights are made smaller in proportion, by ``alpha``, and by so much each, by ``pull``.
    """

    loss: int
    epsilon: float
    eta0: float
    first: float
    power: float
    adaptive: bool
    alpha: float
    average: int
    pull: float = 0.0
    passive: int = 0

    @classmethod
    def of(cls, learner: Any, losses: tuple[str, ...]) -> Rule:
        """The rule a learner's parameters describe; refuses what makes no sense, or is not there."""
        named, average = learner.learning_rate, learner.average
        known = isinstance(named, str) and named in _SCHEDULES
        require(known, "learning_rate", f"one of {', '.join(_SCHEDULES)}", named)
        passive = _PASSIVE.get(named, 0)
        if passive:
            fits = learner.loss in _AGGRESSIVE_LOSSES and learner.loss in losses
            among = [repr(name) for name in _AGGRESSIVE_LOSSES if name in losses]
            where = f"{' or '.join(among)} where learning_rate is {named!r}"
            require(fits, "loss", where, learner.loss)
        alpha = float(nonnegative("alpha", learner.alpha).low)
        eta0 = float(positive("eta0", learner.eta0).low)
        power = _POWERS.get(named, float(nonnegative("power_t", learner.power_t).low))
        first = 1.0
        if named == "optimal":
            hint = "The penalty sets this schedule; for a step of your own choose another learning_rate."
            require(alpha > 0, "alpha", "above zero where learning_rate is 'optimal'", alpha, hint)
            # The first step is as long as a typical weight, alpha ** -(1/4); Bottou divides it by the slope of
            # the loss there, if that is above one, which it never is on the side scikit-learn looks at.
            eta0, first, power = 1 / alpha, 1 / (math.sqrt(1 / math.sqrt(alpha)) * alpha), 1.0
        lasso = _lasso_share(learner)
        return cls(
            loss=loss_code(learner.loss, losses),
            epsilon=float(nonnegative("epsilon", learner.epsilon).low),
            eta0=eta0,
            first=first,
            power=power,
            adaptive=named == "adaptive",
            alpha=0.0 if learner.penalty is None else alpha * (1 - lasso),
            pull=alpha * lasso,
            passive=passive,
            average=int(average) if isinstance(average, bool) else count("average", average),
        )

    @property
    def remedy(self) -> str:
        """What to do about steps that are too long."""
        if self.first != 1.0:
            return "the first steps are too long for such examples. Scale the features, or raise alpha."
        return (
            f"steps of eta0={self.eta0!r} are too long for such examples. "
            "Scale the features, or lower eta0."
        )


def _lasso_share(learner: Any) -> float:
    """How much of the penalty is on absolute values."""
    penalty = learner.penalty
    require(penalty in _PENALTIES, "penalty", "'l2', 'l1', 'elasticnet' or None", penalty)
    if penalty == "elasticnet":
        return float(unit("l1_ratio", learner.l1_ratio).low)
    return float(penalty == "l1")


@dataclass(frozen=True)
class Passes:
    """How often `fit` goes over a sample, in what order, and when it stops."""

    most: int
    tol: float | None
    patience: int
    shuffled: bool
    told: bool

    @classmethod
    def of(cls, learner: Any) -> Passes:
        """The passes a learner's parameters describe."""
        tol, told = learner.tol, learner.verbose
        says = isinstance(told, int | np.integer) and bool(told >= 0)
        require(says, "verbose", "a whole number, zero or more", told)
        stops = isinstance(learner.early_stopping, bool | np.bool_)
        require(stops, "early_stopping", "True or False", learner.early_stopping)
        return cls(
            most=count("max_iter", learner.max_iter, at_least=1),
            tol=None if tol is None else float(nonnegative("tol", tol).low),
            patience=count("n_iter_no_change", learner.n_iter_no_change, at_least=1),
            shuffled=bool(learner.shuffle),
            told=bool(told),
        )

    def warn_after(self, made: int) -> None:
        """Say so when `fit` made all the passes it may, and the objective may still fall."""
        if self.tol is not None and made == self.most:
            warnings.warn(
                f"fit made all of its max_iter={made} passes, and the objective may still fall. "
                "Raise max_iter, or set tol=None to make just these passes.",
                ConvergenceWarning,
                stacklevel=3,
            )


class SGDPlayer(Player):
    """Weights moved against the gradient of a loss, in double precision."""

    arrays = ("weights", "bias", "lag", "numbers", "counts")
    state = kinds.declare(
        numbers=kinds.array("<f8"), pulled=kinds.array("<f8"), owed=kinds.array("<f8")
    )

    def __init__(self, width: int, constant: bool, rule: Rule) -> None:
        super().__init__(width, np.dtype(np.float64), constant)
        #: The weights of the labels -1 and +1.
        self.class_weights = (1.0, 1.0)
        self.restart(rule)

    def restart(self, rule: Rule, coef: Any = None, intercept: Any = None) -> None:
        """Count the rounds anew, from given weights or from those there are."""
        if hasattr(self, "counts"):
            self.weights = np.array(self.coef if coef is None else coef, dtype=np.float64)
            self.bias = np.array(
                self.intercept if intercept is None else intercept, dtype=np.float64
            )
        self.rule = rule
        self.lag = np.zeros(self.width if rule.average else 0)
        self.pulled = np.zeros(self.width if rule.pull else 0)
        self.owed = np.zeros(1)
        self.numbers, self.counts = np.zeros(4), np.zeros(3, dtype=np.int64)
        self.numbers[SCALE] = 1.0

    def _require_state(self) -> None:
        """Refuse, in a model file, averages that are not what the rule says.

        The loop writes into the sum of the weights as soon as the sum of the scales is above zero, and into what
        weights were pulled by wherever there is a pull.
        """
        super()._require_state()
        averaged, room = int(self.counts[AVERAGED]), len(self.lag)
        scale, total, bias, _ = self.numbers.tolist()
        fits = 0 < scale <= 1 and total >= 0 and averaged <= self.counts[ROUNDS]
        fits = fits and (averaged or total == bias == 0)
        if not fits or not (room == self.width if self.rule.average else room == averaged == 0):
            raise ValueError("the averages of a player do not fit its rule")
        if not 0 <= float(self.owed[0]) < np.inf or len(self.pulled) != (
            self.width if self.rule.pull else 0
        ):
            raise ValueError("what weights were pulled by does not fit the rule of a player")

    @property
    def coef(self) -> Array:
        """The weights of the features in the score, averaged once averaging has begun."""
        if self.counts[AVERAGED]:
            total = self.numbers[TOTAL] * self.weights - self.lag
            return np.asarray(total / self.counts[AVERAGED])
        return np.asarray(self.weights * self.numbers[SCALE])

    @property
    def intercept(self) -> Array:
        """What is added to the score, averaged once averaging has begun."""
        if self.counts[AVERAGED]:
            return np.asarray(self.numbers[BIAS : BIAS + 1] / self.counts[AVERAGED])
        return self.bias

    def play(self, rows: Rows, signs: Array, weights: Weights = None) -> int:
        """Learn every row once, in order; return the number of wrong signs."""
        before, order = int(self.counts[CUT]), np.arange(len(rows))
        mistakes = self._through(rows, signs, self._weighted(rows, signs, weights), order)
        self._warn_since(before)
        return mistakes

    def run(
        self,
        rows: Rows,
        signs: Array,
        weights: Weights,
        passes: Passes,
        seed: int,
        parts: SetAside | None = None,
    ) -> int:
        """Pass over a sample until the objective no longer falls; return the passes made.

        With rows set aside: until the score on these, weighted as given and not by class, no longer rises.
        """
        weighted, watched = self._weighted(rows, signs, weights), passes.tol is not None
        watched = (watched and parts is None) or passes.told
        best, since, eta = np.inf, 0, self.rule.eta0
        order, judge, learned = np.arange(len(rows)), None, len(rows)
        if parts is not None:
            given = np.ones(len(rows)) if weights is None else weights
            judge, learned = parts.judge(rows, signs, given), len(rows) - len(parts.aside)
        before = int(self.counts[CUT])
        for done in range(1, passes.most + 1):
            if passes.shuffled:
                shuffle(order, seed)
            played = order if parts is None else order[parts.learned[order]]
            self.numbers[PAID] = 0.0
            before = int(self.counts[CUT])
            mistakes = self._through(rows, signs, weighted, played, eta, watched)
            self.passes, self.clean = done, mistakes == 0
            paid = objective = float(self.numbers[PAID]) / learned
            if judge is not None:
                paid = -judge(self.weights * self.numbers[SCALE], self.bias)
            if passes.told:
                _tell(done, objective, None if judge is None else -paid)
            since = since + 1 if passes.tol is not None and paid > best - passes.tol else 0
            best = min(best, paid)
            if since >= passes.patience:
                if not self.rule.adaptive or eta <= _SLOWEST:
                    break
                eta, since = eta / _SLOWER, 0
        self._warn_since(before)
        return done

    def _weighted(self, rows: Rows, signs: Array, weights: Weights) -> Floats:
        if weights is None:
            weights = np.ones(len(rows))
        if self.class_weights == (1.0, 1.0):
            return weights
        negative, positive = self.class_weights
        return weights * np.where(signs > 0, positive, negative)

    def _through(
        self,
        rows: Rows,
        signs: Array,
        weights: Floats,
        order: Ints,
        eta0: float | None = None,
        watched: bool = False,
    ) -> int:
        share = self.constant if rows.dense is not None else SPARSE_SHARE * self.constant
        rule, eta = self.rule, self.rule.eta0 if eta0 is None else eta0
        terms = (rule.loss, rule.epsilon, eta, rule.first, rule.power, rule.alpha, rule.pull)
        mistakes, updates, played = sgd_pass(
            rows.block,
            signs,
            weights,
            order,
            self.weights,
            self.lag,
            self.pulled,
            self.owed,
            self.bias,
            self.numbers,
            self.counts,
            (*terms, rule.passive, rule.average, share, watched),
        )
        self.rounds += int(played)
        self.mistakes += mistakes
        self.updates += updates
        if played < len(order):
            raise NotANumber(int(order[played]))
        return int(mistakes)

    def _warn_since(self, before: int) -> None:
        """Say so when slopes had to be cut off."""
        if self.counts[CUT] > before:
            warnings.warn(
                f"The weights ran away: {self.rule.remedy}", ConvergenceWarning, stacklevel=4
            )

    def widen(self, width: int) -> None:
        """Make room for features that were not there before; their weights start at zero."""
        if self.rule.average:
            self.lag = np.append(self.lag, np.zeros(width - len(self.lag)))
        if self.rule.pull:
            # What was owed before a feature was there is none of its own.
            owed = np.full(width - len(self.pulled), -self.owed[0])
            self.pulled = np.append(self.pulled, owed)
        super().widen(width)

    def refusal(self, rows: Rows, place: int, names: Sequence[Any] | None) -> BadData:
        """Why a row could not be played: a cell that is no number, or weights that ran away."""
        if np.isfinite(rows.row(place)).all():
            why = f" of X: {self.rule.remedy}"
            return BadData("The weights overflow at ", Where(row=place), why)
        return super().refusal(rows, place, names)


def seeds_of(random: np.random.RandomState, problems: int) -> list[int]:
    """The seeds of the orders of several problems, drawn as scikit-learn draws them for classes."""
    each = [random]
    if problems > 1:
        each = [
            np.random.RandomState(seed) for seed in random.randint(MOST_OF_A_SEED, size=problems)
        ]
    for own in each:
        own.randint(1, MOST_OF_A_SEED)  # the first is of another generator, which nobody asks
    return [int(own.randint(MOST_OF_A_SEED)) for own in each]


def _tell(done: int, objective: float, score: float | None) -> None:
    judged = "" if score is None else f", score on rows set aside {score:.6g}"
    print(f"Pass {done}: objective {objective:.6g}{judged}.")


def refuse_early_stopping(learner: Any) -> None:
    """Refuse to stop early where there are no passes."""
    hint = "Which rows to set aside only fit knows: it has the whole sample."
    given = learner.early_stopping
    require(given in (False, 0), "early_stopping", "False for partial_fit", given, hint)


class CountsRounds:
    """Base of the learners whose steps follow a schedule: the next round of it, as scikit-learn names it."""

    players_: list[Any]

    @property
    def t_(self) -> float:
        """The round of the schedule that comes next; with several problems, that of the one furthest on."""
        check_is_fitted(self, "players_")
        return 1.0 + max(int(player.counts[ROUNDS]) for player in self.players_)


def starting_weights(name: str, given: Any, shape: tuple[int, ...]) -> list[Any]:
    """What each player starts from, or None for what it has; refuses another number of weights."""
    if given is None:
        return [None] * shape[0]
    weights = np.asarray(given, dtype=np.float64)
    require(weights.size == math.prod(shape), name, f"of shape {shape}", weights.shape)
    if not np.isfinite(weights).all():
        raise BadData(f"{name} must hold finite numbers.")
    return list(weights.reshape(shape))
