"""Opponents: sequences and distributions on which no learner, or not this one, can do well.

They show that a bound cannot be improved, and that it was computed for the worst case.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import require
from assay.play.trials import fitted
from assay.play.turns import Examples, Player
from assay.theory.needs import count, inside_unit
from assay.types import Floats

_CLASSES = np.array([-1, 1])


@dataclass(frozen=True)
class Forced:
    """A sequence that was made up as the learner went along.

    Attributes
    ----------
    X, y : array
        The examples, and labels of -1 and +1.
    mistakes : int
        How many predictions were wrong: all of them.
    target : tuple of int
        The features whose disjunction gives these labels.
    """

    X: Floats
    y: NDArray[np.int_]
    mistakes: int
    target: tuple[int, ...]


def against_disjunctions(learner: Any, features: int) -> Forced:
    r"""Force a learner of monotone disjunctions to make a mistake for every feature.

    Shows :math:`e_1,\dots,e_d` and each time answers the opposite of the prediction. The disjunction of
    the features whose example was predicted negative gives these labels, so nothing false was said
    (``online-disjunction-lower``: every deterministic learner can be forced to d mistakes).

    Parameters
    ----------
    learner : object
        As for `assay.play`; it learns in place.
    features : int
        The number d of features.

    References
    ----------
    .. [1] Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.11.

    Examples
    --------
    >>> from assay import Perceptron
    >>> forced = against_disjunctions(Perceptron(), features=20)
    >>> forced.mistakes
    20
    """
    d = count("features", features, at_least=1)
    X = np.eye(d)
    player = Player(learner, _CLASSES)
    row, _ = player.row(Examples(X))
    y = np.empty(d, dtype=int)
    for j in range(d):
        y[j] = -int(player.ask(row(j)))
        player.teach(row(j), int(y[j]))
    return Forced(X, y, d, tuple(int(j) for j in np.flatnonzero(y == 1)))


@dataclass(frozen=True)
class Separable:
    """A sequence with the separator that proves its margin.

    Attributes
    ----------
    X, y : array
        The examples, and labels of -1 and +1.
    radius, margin : float
        The largest length of an example, and the margin of the separator.
    separator : array
        A unit vector.
    """

    X: Floats
    y: NDArray[np.int_]
    radius: float
    margin: float
    separator: Floats


def orthonormal(features: int, zero: Literal[1, -1] = 1) -> Separable:
    r"""The sequence on which the perceptron makes exactly :math:`(R/\gamma)^2` mistakes.

    The unit vectors :math:`e_1,\dots,e_d`, each labelled with the opposite of what a score of zero is
    taken for. Every example is orthogonal to all before it, so its score is zero and wrong; the
    separator :math:`\pm(1,\dots,1)/\sqrt d` has margin :math:`1/\sqrt d`. The perceptron must have no
    constant feature.

    Parameters
    ----------
    features : int
        The number d of features.
    zero : {1, -1}, default=1
        The label predicted at a score of zero.

    Examples
    --------
    >>> from assay import Perceptron, play
    >>> worst = orthonormal(50)
    >>> play(Perceptron(fit_intercept=False), worst.X, worst.y, classes=[-1, 1]).mistakes
    50
    """
    d = count("features", features, at_least=1)
    require(zero in (1, -1), "zero", "1 or -1", zero)
    y = np.full(d, -zero)
    root = math.sqrt(d)
    return Separable(np.eye(d), y, 1.0, 1 / root, np.full(d, -zero / root))


@dataclass(frozen=True)
class TwoPoints:
    r"""A distribution with a common point and a rare one.

    A sample of m rows misses the rare point with probability :math:`(1-\varepsilon)^m`
    (``unseen-point``), and what its label is nobody can then tell.

    Parameters
    ----------
    rare : number
        The mass :math:`\varepsilon` of the rare point.
    labels : pair of labels
        Of the common point and of the rare one.

    Examples
    --------
    >>> X, y = TwoPoints(rare=0.1).sample(20, random_state=1)
    >>> int((y == 1).sum())
    1
    """

    rare: float
    labels: tuple[int, int] = (-1, 1)

    def __post_init__(self) -> None:
        inside_unit("rare", self.rare)

    def sample(self, rows: int, random_state: Any = None) -> tuple[Floats, NDArray[np.int_]]:
        """Independent draws; the single feature is 0 at the common point and 1 at the rare one."""
        rng = np.random.default_rng(random_state)
        hit = rng.random(count("rows", rows)) < self.rare
        return hit[:, None].astype(np.float64), np.where(hit, self.labels[1], self.labels[0])

    def error(self, predict: Callable[[Any], Any]) -> float:
        """The true error of a rule, which is given the two points as rows."""
        common, rare = np.asarray(predict(np.array([[0.0], [1.0]]))).tolist()
        wrong = (1 - self.rare) * (common != self.labels[0])
        return float(wrong + self.rare * (rare != self.labels[1]))


@dataclass(frozen=True)
class NoFreeLunch:
    r"""Points that have nothing to do with each other, labelled by coins.

    Drawn uniformly from N points, m rows leave :math:`N(1-1/N)^m` of them unseen on average, and
    every learner is wrong about half of those: over all labellings its expected error is at least
    :math:`\frac12(1-\frac1N)^m` (``no-free-lunch``), so on some labelling it is.

    Parameters
    ----------
    points : int
        The number N of points; point j is the unit vector :math:`e_j`.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> lunch = NoFreeLunch(points=20)
    >>> errors = [lunch.error(DecisionTreeClassifier(), rows=10, random_state=s) for s in range(100)]
    >>> round(sum(errors) / 100, 1)
    0.3
    """

    points: int

    def __post_init__(self) -> None:
        count("points", self.points, at_least=2)

    def error(self, learner: Any, rows: int, random_state: Any = None) -> float:
        """The true error of a copy of a learner, fitted to a sample from a random labelling."""
        rng = np.random.default_rng(random_state)
        labels = rng.choice(_CLASSES, self.points)
        drawn = rng.integers(self.points, size=count("rows", rows, at_least=1))
        everything = np.eye(self.points)
        model = fitted(learner, everything[drawn], labels[drawn], classes=True)
        return float(np.mean(np.asarray(model.predict(everything)) != labels))
