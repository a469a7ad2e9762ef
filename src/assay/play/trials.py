"""What experiments share that learn again and again: sources, copies of a learner, intervals for what was seen."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit
from sklearn.base import BaseEstimator, clone, is_classifier

from assay.errors import BadParameter
from assay.learners.common.sign_labels import plain
from assay.play.turns import Constant
from assay.types import Array, Floats


@dataclass(frozen=True)
class Estimate:
    """A number from repeated trials, and an interval that covers the true one but in a share delta of all cases, about.

    The interval is Student's: trials are independent, and their mean is taken to be nearly normal.

    Attributes
    ----------
    value : float
    low, high : float
        The ends of the interval.

    Examples
    --------
    >>> print(estimate(np.array([1.0, 2.0, 3.0]), 0.05))
    2 (-0.484 to 4.48)
    """

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3g} ({self.low:.3g} to {self.high:.3g})"

    def covers(self, number: float) -> bool:
        """Whether a number lies in the interval."""
        return self.low <= number <= self.high


def estimate(trials: Floats, delta: float) -> Estimate:
    """The mean of independent trials."""
    spread = float(trials.std(ddof=1) / np.sqrt(len(trials)))
    return around(float(trials.mean()), spread, len(trials), delta)


def around(value: float, spread: float, trials: int, delta: float) -> Estimate:
    """An interval of so many standard errors."""
    reach = float(stdtrit(trials - 1, 1 - delta / 2)) * spread
    return Estimate(value, value - reach, value + reach)


def require_source(source: Any, *methods: str) -> None:
    """Refuse what cannot be drawn from, or does not know what is asked of it."""
    missing = [name for name in methods if not hasattr(source, name)]
    if missing:
        raise BadParameter(
            f"source must have {' and '.join(methods)}, as those of assay.data.synthetic have, but "
            f"{type(source).__name__} has no {missing[0]}."
        )


def fitted(learner: Any, X: Array, y: Array, *, classes: bool = False) -> Any:
    """A copy of a learner, fitted; a classifier whose sample has one label only can but repeat it."""
    if classes or (isinstance(learner, BaseEstimator) and is_classifier(learner)):
        labels = np.unique(y)
        if len(labels) == 1:  # most learners refuse a single class
            return Constant(plain(labels[0]))
    fresh = clone(learner) if isinstance(learner, BaseEstimator) else copy.deepcopy(learner)
    done = fresh.fit(X, y)
    return fresh if done is None else done


@dataclass(frozen=True)
class Population:
    """Points with their probabilities, and what the source knows about y at each of them.

    Of a source with finitely many points these are all of them; otherwise they are drawn, and every error
    is an error on these points, known exactly.

    Attributes
    ----------
    X : array
    mass : array
        The probabilities of the points.
    chances : array of shape (n_points, n_classes) or None
        Those of the labels at each point, where there are classes.
    mean, variance : array or None
        Of y, where it is a number.
    """

    X: Floats
    mass: Floats
    chances: Floats | None = None
    mean: Floats | None = None
    variance: Floats | None = None

    @classmethod
    def of(cls, source: Any, size: int, rng: np.random.Generator) -> Population:
        """All points of a source, or so many of them."""
        if hasattr(source, "mass"):
            X, mass = source.points, source.mass
        elif hasattr(source, "quadrature") and source.features == 1:
            X, mass = source.quadrature()
        else:
            X = source.sample(size, rng)[0]
            mass = np.full(len(X), 1 / len(X))
        if hasattr(source, "probabilities"):
            return cls(X, mass, chances=source.probabilities(X))
        return cls(X, mass, mean=source.mean(X), variance=source.variance(X))

    def error(self, predictions: Any, classes: Any = None) -> float:
        """The expected error of predictions at all points: how often they are wrong, or their square error."""
        if self.chances is None:
            assert self.mean is not None
            assert self.variance is not None
            off = (np.asarray(predictions, dtype=np.float64) - self.mean) ** 2
            return float(self.mass @ (off + self.variance))
        hits = np.asarray(predictions)[:, None] == np.asarray(classes)[None, :]
        return float(self.mass @ (1 - (self.chances * hits).sum(axis=1)))


def named(learner: Any) -> str:
    """What a report calls a learner."""
    return type(learner).__name__
