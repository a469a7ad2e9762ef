"""Examples on which a weak learner has an edge that is known, whatever weights they get."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from assay.data.synthetic.draws import generator, require_counts
from assay.errors import require
from assay.types import Array, Floats, Ints


@dataclass(frozen=True)
class WeaklyLearnable:
    """Examples whose features are weak hypotheses.

    Parameters
    ----------
    X : numpy.ndarray
        What each hypothesis says of each example, -1.0 or +1.0.
    y : numpy.ndarray
        Labels -1.0 and +1.0.
    edge : float
        By how much the best hypothesis beats a coin under the hardest weights, at least; met in every row:
        each is right for exactly a share of one half plus the edge.
    """

    X: Floats
    y: Floats
    edge: float

    @property
    def right(self) -> Ints:
        """1 where a hypothesis is right on an example, else 0: the matrix of the game they play."""
        return np.asarray(self.y[:, None] == self.X, dtype=np.int64)

    def reluctant_learner(self) -> ReluctantLearner:
        """A weak learner that keeps the promise of its edge, and does no more than that."""
        return ReluctantLearner(self.edge)


class ReluctantLearner:
    """Takes, of all features that are right on enough of the weight, the one that is right on the least.

    Each feature, -1 or +1, is a hypothesis. It is as unhelpful as a weak learner of this edge may be.

    Parameters
    ----------
    edge : float
        What it must beat a coin by.

    Examples
    --------
    >>> data = weakly_learnable(rows=50, hypotheses=9, edge=0.2, random_state=1)
    >>> learner = data.reluctant_learner().fit(data.X, data.y, np.full(50, 0.02))
    >>> bool((learner.predict(data.X) == data.y).mean() >= 0.7)
    True
    """

    def __init__(self, edge: float = 0.1) -> None:
        self.edge = edge

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The edge, for copies."""
        return {"edge": self.edge}

    def set_params(self, **parameters: Any) -> ReluctantLearner:
        """Change the edge."""
        for name, value in parameters.items():
            setattr(self, name, value)
        return self

    def fit(self, X: Floats, y: Array, sample_weight: Floats) -> ReluctantLearner:
        """Choose a feature; where none is right on enough, the best one."""
        self.classes_ = np.unique(y)
        signs = np.where(y == self.classes_[-1], 1.0, -1.0)
        right = sample_weight @ (signs[:, None] == X) / sample_weight.sum()
        enough = right >= 0.5 + self.edge - 1e-12
        least, most = np.where(enough, right, np.inf).argmin(), right.argmax()
        self.feature_ = int(least if enough.any() else most)
        return self

    def predict(self, X: Floats) -> Array:
        """What the feature says."""
        return np.asarray(self.classes_[(X[:, self.feature_] > 0).astype(int)])


class CoinFlipLearner:
    """Flips a coin for every example, and is right with a probability of one half plus its edge.

    It looks at no feature and at no weight: it keeps the promise of its edge on average, and not every time. It can
    only be asked about the examples it was fitted to, in their order.

    Parameters
    ----------
    edge : float
        By how much a coin is better than even.
    random_state : int or numpy.random.Generator
        Where the coins come from; one generator goes on from fit to fit.

    Examples
    --------
    >>> data = weakly_learnable(rows=2000, hypotheses=9, edge=0.2, random_state=1)
    >>> learner = CoinFlipLearner(0.2, random_state=1).fit(data.X, data.y)
    >>> float((learner.predict(data.X) == data.y).mean().round(2))
    0.7
    """

    def __init__(self, edge: float = 0.1, random_state: Any = 0) -> None:
        self.edge, self.random_state = edge, random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The edge and the coins, for copies."""
        return {"edge": self.edge, "random_state": self.random_state}

    def set_params(self, **parameters: Any) -> CoinFlipLearner:
        """Change the edge or the coins."""
        for name, value in parameters.items():
            setattr(self, name, value)
        return self

    def fit(self, X: Floats, y: Array, sample_weight: Floats | None = None) -> CoinFlipLearner:
        """Flip a coin for every example; weights change nothing."""
        labels = np.asarray(y)
        self.classes_ = np.unique(labels)
        require(len(self.classes_) == 2, "y", "two labels", len(self.classes_))
        right = np.random.default_rng(self.random_state).random(len(labels)) < 0.5 + self.edge
        other = np.where(labels == self.classes_[0], self.classes_[1], self.classes_[0])
        self.answers_ = np.where(right, labels, other)
        return self

    def predict(self, X: Floats) -> Array:
        """What the coins said of the examples of the fit."""
        rows, answers = len(X), self.answers_
        require(rows == len(answers), "X", f"the {len(answers)} examples of the fit", rows)
        return np.asarray(answers)


def weakly_learnable(
    rows: int, hypotheses: int, *, edge: float = 0.1, random_state: int = 0
) -> WeaklyLearnable:
    r"""Draw examples on which each of them has just enough hypotheses on its side.

    Every example is right under exactly r of the k hypotheses, r being the least number with
    :math:`r/k\ge\tfrac12+\gamma`; which ones is drawn. So a hypothesis drawn evenly is right on every example
    with probability r/k, and under any weights some hypothesis is right on at least that share of the weight.

    Parameters
    ----------
    rows, hypotheses : int
        At least one of each.
    edge : float
        More than 0 and less than one half; what comes out may be larger, by less than 1/k.
    random_state : int
        The seed.

    Examples
    --------
    >>> data = weakly_learnable(1000, 25, edge=0.1, random_state=1)
    >>> data.edge, set(data.right.sum(axis=1).tolist())
    (0.1, {15})
    """
    require_counts(rows=rows, hypotheses=hypotheses)
    good = not isinstance(edge, bool | str) and 0 < edge < 0.5
    require(good, "edge", "a number strictly between 0 and 1/2", edge)
    wanted = (Fraction(1, 2) + Fraction(repr(float(edge)))) * hypotheses
    r = math.ceil(wanted)
    must = f"so small that not all of the {hypotheses} hypotheses must be right"
    require(r < hypotheses, "edge", must, edge)
    rng = generator(random_state)
    y = rng.permutation(np.resize([-1.0, 1.0], rows))
    right = rng.random((rows, hypotheses)).argsort(axis=1) < r
    planted = Fraction(r, hypotheses) - Fraction(1, 2)
    known = float(planted)
    while Fraction(repr(known)) > planted:  # as it prints, it must not say too much
        known = math.nextafter(known, 0.0)
    return WeaklyLearnable(np.where(right, y[:, None], -y[:, None]), y, known)
