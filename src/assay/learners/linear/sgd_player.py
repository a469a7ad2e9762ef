"""Stochastic gradient descent on one problem: the rule, the weights, and the passes over a sample."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from assay.compiled.sgd import (
    AVERAGED,
    BIAS,
    CUT,
    PAID,
    ROUNDS,
    SCALE,
    TOTAL,
    sgd_pass,
    sgd_pass_csr,
)
from assay.compiled.wide import wide_square
from assay.errors import BadData, require
from assay.learners.linear.losses import loss_code
from assay.learners.linear.player import NotANumber, Player
from assay.learners.rows import Rows
from assay.theory.needs import count, nonnegative, positive

Weights: TypeAlias = NDArray[np.float64] | None

#: The checks of scikit-learn that cannot hold, and why.
SKIPPED_CHECKS = dict.fromkeys(
    (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ),
    "one step of double weight is not two steps, and the order of the examples matters",
)

_POWERS = {"constant": 0.0, "invsqrt": 0.5, "inverse": 1.0}


@dataclass(frozen=True)
class Rule:
    """What the loop needs to know of an estimator's parameters."""

    loss: int
    epsilon: float
    eta0: float
    power: float
    alpha: float
    average: int

    @classmethod
    def of(cls, learner: Any, *, numbers: bool) -> Rule:
        """The rule a learner's parameters describe; refuses what makes no sense."""
        named = learner.learning_rate
        must = "one of constant, invsqrt, inverse, invscaling"
        known = isinstance(named, str) and (named in _POWERS or named == "invscaling")
        require(known, "learning_rate", must, named)
        power = float(nonnegative("power_t", learner.power_t).low)
        average = learner.average
        return cls(
            loss=loss_code(learner.loss, numbers=numbers),
            epsilon=float(nonnegative("epsilon", learner.epsilon).low),
            eta0=float(positive("eta0", learner.eta0).low),
            power=_POWERS.get(named, power),
            alpha=float(nonnegative("alpha", learner.alpha).low),
            average=int(average) if isinstance(average, bool) else count("average", average),
        )


@dataclass(frozen=True)
class Passes:
    """How often `fit` goes over a sample, in what order, and when it stops."""

    most: int
    tol: float | None
    patience: int
    random: np.random.RandomState | None

    @classmethod
    def of(cls, learner: Any, random: np.random.RandomState) -> Passes:
        """The passes a learner's parameters describe."""
        tol = learner.tol
        return cls(
            most=count("max_iter", learner.max_iter, at_least=1),
            tol=None if tol is None else float(nonnegative("tol", tol).low),
            patience=count("n_iter_no_change", learner.n_iter_no_change, at_least=1),
            random=random if learner.shuffle else None,
        )


class SGDPlayer(Player):
    """Weights moved against the gradient of a loss, in double precision."""

    arrays = ("weights", "bias", "lag", "numbers", "counts")

    def __init__(self, width: int, constant: bool, rule: Rule) -> None:
        super().__init__(width, np.dtype(np.float64), constant)
        self.rule = rule
        self.lag = np.zeros(width if rule.average else 0)
        self.numbers, self.counts = np.zeros(4), np.zeros(3, dtype=np.int64)
        self.numbers[SCALE] = 1.0
        #: The weights of the labels -1 and +1.
        self.class_weights = (1.0, 1.0)

    @property
    def coef(self) -> NDArray[Any]:
        """The weights of the features in the score, averaged once averaging has begun."""
        if self.counts[AVERAGED]:
            total = self.numbers[TOTAL] * self.weights - self.lag
            return np.asarray(total / self.counts[AVERAGED])
        return np.asarray(self.weights * self.numbers[SCALE])

    @property
    def intercept(self) -> NDArray[Any]:
        """What is added to the score, averaged once averaging has begun."""
        if self.counts[AVERAGED]:
            return np.asarray(self.numbers[BIAS : BIAS + 1] / self.counts[AVERAGED])
        return self.bias

    def play(self, rows: Rows, signs: NDArray[Any], weights: Weights = None) -> int:
        """Learn every row once, in order; return the number of wrong signs."""
        weighted = self._weighted(rows, signs, weights)
        before = int(self.counts[CUT])
        mistakes = self._through(rows, signs, weighted, np.flatnonzero(weighted))
        self._warn_since(before)
        return mistakes

    def run(self, rows: Rows, signs: NDArray[Any], weights: Weights, passes: Passes) -> int:
        """Pass over a sample until the objective no longer falls; return the passes made."""
        weighted = self._weighted(rows, signs, weights)
        # Without its weight an example is not there at all: no round, no shrinking.
        there, total = np.flatnonzero(weighted), float(weighted.sum())
        best, since = np.inf, 0
        for done in range(1, passes.most + 1):
            order = there if passes.random is None else passes.random.permutation(there)
            self.numbers[PAID] = 0.0
            before = int(self.counts[CUT])
            mistakes = self._through(rows, signs, weighted, order)
            self.passes, self.clean = done, mistakes == 0
            objective = float(self.numbers[PAID]) / total + self._penalty()
            since = since + 1 if passes.tol is not None and objective > best - passes.tol else 0
            best = min(best, objective)
            if since >= passes.patience:
                break
        self._warn_since(before)
        return done

    def _weighted(self, rows: Rows, signs: NDArray[Any], weights: Weights) -> NDArray[np.float64]:
        if weights is None:
            weights = np.ones(len(rows))
        if self.class_weights == (1.0, 1.0):
            return weights
        negative, positive = self.class_weights
        return weights * np.where(signs > 0, positive, negative)

    def _through(
        self,
        rows: Rows,
        signs: NDArray[Any],
        weights: NDArray[np.float64],
        order: NDArray[np.int64],
    ) -> int:
        loop = sgd_pass if rows.dense is not None else sgd_pass_csr
        rule = self.rule
        told = (rule.loss, rule.epsilon, rule.eta0, rule.power, rule.alpha, rule.average)
        mistakes, updates, played = loop(
            *rows.arrays,
            signs,
            weights,
            order,
            self.weights,
            self.lag,
            self.bias,
            self.numbers,
            self.counts,
            (*told, self.constant),
        )
        self.rounds = int(self.counts[ROUNDS])
        self.mistakes += mistakes
        self.updates += updates
        if played < len(order):
            raise NotANumber(int(order[played]))
        return int(mistakes)

    def _warn_since(self, before: int) -> None:
        """Say so when slopes had to be cut off."""
        if self.counts[CUT] > before:
            warnings.warn(
                f"The weights ran away: steps of eta0={self.rule.eta0!r} are too long for such examples. "
                "Scale the features, or lower eta0.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _penalty(self) -> float:
        if self.rule.alpha == 0.0:
            return 0.0
        square = float(self.numbers[SCALE]) ** 2 * float(wide_square(self.weights))
        return 0.5 * self.rule.alpha * square

    def widen(self, width: int) -> None:
        """Make room for features that were not there before; their weights start at zero."""
        if self.rule.average:
            self.lag = np.append(self.lag, np.zeros(width - len(self.lag)))
        super().widen(width)

    def refusal(self, rows: Rows, place: int, names: Sequence[Any] | None) -> str:
        """Why a row could not be played: a cell that is no number, or weights that ran away."""
        if np.isfinite(rows.row(place)).all():
            return (
                f"The weights overflow at row {place} of X: steps of eta0={self.rule.eta0!r} are too long for "
                "such examples. Scale the features, or lower eta0."
            )
        return super().refusal(rows, place, names)


def row_weights(sample_weight: Any, rows: Rows) -> NDArray[np.float64]:
    """The weights of the rows, one unless given; refuses what is no weight."""
    if sample_weight is None:
        return np.ones(len(rows))
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(len(rows), float(weights))
    require(
        weights.shape == (len(rows),),
        "sample_weight",
        f"one number per row, of shape ({len(rows)},)",
        weights.shape,
    )
    odd = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if odd.size:
        place, value = int(odd[0]), float(weights[odd[0]])
        raise BadData(
            f"sample_weight must hold finite numbers, zero or more, but holds {value!r} in row {place}."
        )
    if not weights.any():
        raise BadData("sample_weight must leave at least one row, but is zero for all of them.")
    return weights
