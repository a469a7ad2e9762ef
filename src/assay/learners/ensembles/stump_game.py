"""The game between examples and decision stumps: how large an edge boosting can rely on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog
from sklearn.utils.validation import check_X_y

from assay.errors import BadData, require
from assay.learners.common.number_kinds import is_count, is_number
from assay.learners.common.sign_labels import classes_of
from assay.learners.ensembles.stump_search import Stump, StumpSearch
from assay.types import Bools, Floats

# What sums of doubles may be off by.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class StumpGame:
    r"""The value of the game, between two numbers that its strategies prove.

    One player picks an example, the other a stump, and the second wins where the stump is right
    (``boosting-minimax``).

    Attributes
    ----------
    low : float
        Every example is right with at least this probability when stumps are drawn by `votes`.
    high : float
        No stump is right on more than this share of `weights`.
    votes : array
        A distribution over `stumps`.
    weights : array
        A distribution over the examples, about the hardest there is.
    stumps : tuple of (int, float, label, label)
        Feature, threshold, and the labels at most at the threshold and above it.
    """

    low: float
    high: float
    votes: Floats
    weights: Floats
    stumps: tuple[tuple[int, float, Any, Any], ...]

    @property
    def edge(self) -> float:
        r"""The largest :math:`\gamma` that is proved: with any weights some stump is right on 1/2 + this much.

        At most zero where no vote of stumps is right on every example.
        """
        return math.nextafter(self.low - 0.5, -math.inf)


def stump_game(X: Any, y: Any, *, tol: float = 1e-6, max_iter: int = 1000) -> StumpGame:
    r"""Solve the game between examples and stumps by linear programs.

    If boosting is to end with no example wrong, the weak learner must have an edge under every weighting of the
    examples. The largest such edge of the best stump is the value of a game, less one half. Only few of all stumps
    matter: a linear program finds the best strategies among those met so far, the search for the best stump
    answers the weights it found, and its answer is added until it is no better.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Two labels.
    tol : float, default=1e-6
        How far `low` and `high` may be apart.
    max_iter : int, default=1000
        The most linear programs.

    Returns
    -------
    StumpGame

    Examples
    --------
    >>> game = stump_game([[1.0], [2], [3], [4]], [1, 1, -1, 1])
    >>> round(game.low, 6), round(game.high, 6)
    (0.666667, 0.666667)
    """
    require(is_number(tol) and 0 < tol < math.inf, "tol", "a finite number above zero", tol)
    require(is_count(max_iter), "max_iter", "a whole number of at least 1", max_iter)
    X, y = check_X_y(X, y, dtype=np.float64)
    labels = np.asarray(y)
    classes = classes_of(labels)
    if len(classes) != 2:
        raise BadData(f"The game is played with two classes, but y holds {len(classes)}.")
    search = StumpSearch(X, np.searchsorted(classes, labels), "error")
    m = len(labels)
    weights, votes = np.full(m, 1 / m), np.ones(0)
    best_weights, low, high = weights, 0.0, 1.0
    stumps: list[Stump] = []
    columns: list[Bools] = []
    for _ in range(max_iter):
        stump = search.find(weights)
        right = search.said(stump) == search.labels
        share = float(weights[right].sum() / weights.sum())
        if share < high:
            high, best_weights = share, weights
        if high - low <= tol or stump in stumps:
            break
        stumps.append(stump)
        columns.append(right)
        votes, weights = _strategies(np.array(columns, dtype=np.float64).T)
        low = float((np.array(columns).T @ votes).min())
    back = np.empty(m)
    back[search.rows] = best_weights
    met = votes > 0
    return StumpGame(
        low=low - _ROUNDING,
        high=min(1.0, high + _ROUNDING),
        votes=votes[met],
        weights=back,
        stumps=tuple(
            (one.feature, one.threshold, classes[one.low].item(), classes[one.high].item())
            for one, kept in zip(stumps, met, strict=True)
            if kept
        ),
    )


def _strategies(right: Floats) -> tuple[Floats, Floats]:
    """The best votes for the hypotheses, and the hardest weights of the examples, each summing to one."""
    m, k = right.shape
    # Maximise v with right @ q >= v for every example; the duals of these rows weigh the examples.
    solution = linprog(
        c=np.append(np.zeros(k), -1.0),
        A_ub=np.column_stack([-right, np.ones(m)]),
        b_ub=np.zeros(m),
        A_eq=np.append(np.ones(k), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * k + [(None, None)],
        method="highs",
    )
    if not solution.success:
        raise RuntimeError(f"the linear program of the game was not solved: {solution.message}")
    votes = np.maximum(solution.x[:k], 0.0)
    weights = np.maximum(-solution.ineqlin.marginals, 0.0)
    return votes / votes.sum(), weights / weights.sum()
