"""From a truth table to a formula in disjunctive normal form, and from the formula to a network of threshold gates."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import require
from assay.learners.boolean.dnf import MOST_FEATURES, cube, terms_of
from assay.theory.needs import count
from assay.types import Bools, Floats

Term = tuple[tuple[int, bool], ...]


@dataclass(frozen=True)
class ThresholdNetwork:
    """A network with one hidden layer of gates that fire when a weighted sum exceeds a threshold.

    Attributes
    ----------
    weights : array of shape (gates, features)
        Of the hidden gates, one for each term: 1, -1 or 0.
    thresholds : array of shape (gates,)
        What their sums must exceed.
    output : float
        How many hidden gates must fire is more than this: 1/2, so that one is enough.
    """

    weights: Floats
    thresholds: Floats
    output: float = 0.5

    def predict(self, X: Any) -> Bools:
        """What the network says of rows of zeros and ones."""
        rows = np.asarray(X, dtype=np.float64)
        hidden = rows @ self.weights.T > self.thresholds
        return np.asarray(hidden.sum(axis=1) > self.output)


@dataclass(frozen=True)
class TruthTable:
    """A function of truth values, as a table, as formulas and as a network.

    Attributes
    ----------
    truth : array of bool
        The value at every point; bit j of a row's number is the value of feature j.
    points : array of bool, shape (2^features, features)
        The points themselves.
    terms : tuple
        A short formula: of each term the features and whether they are true in it.
    names : tuple of str
        What the features are called.
    """

    truth: Bools
    points: Bools
    terms: tuple[Term, ...]
    names: tuple[str, ...]

    @property
    def formula(self) -> str:
        """The short formula: as few terms as a greedy choice among the largest ones needs."""
        return _text(self.terms, self.names)

    @property
    def full_formula(self) -> str:
        """The formula that is read off the table: a term for every true row, which names all features."""
        rows = self.points[self.truth]
        return _text([tuple((j, bool(v)) for j, v in enumerate(row)) for row in rows], self.names)

    def network(self) -> ThresholdNetwork:
        """The formula as a network: a hidden gate for each term, and one that fires when any of them does."""
        weights = np.zeros((len(self.terms), len(self.names)))
        for gate, term in enumerate(self.terms):
            for feature, true in term:
                weights[gate, feature] = 1.0 if true else -1.0
        # As many as are true in the term, and none that is false in it: a half less is the place between.
        return ThresholdNetwork(weights, (weights > 0).sum(axis=1) - 0.5)


def truth_table(
    function: Callable[..., Any] | Sequence[Any],
    features: int | None = None,
    *,
    names: Sequence[str] | None = None,
) -> TruthTable:
    """The table of a function of truth values, from which its formulas and its network follow.

    Every function of truth values is a disjunction of terms: take one term for each row of its table that is true. So a
    network with one hidden layer can be it, with a gate for each term.

    Parameters
    ----------
    function : callable or sequence
        A function of so many truth values; or its values on all points, feature 0 changing fastest.
    features : int, optional
        How many features there are, at most 16; of a sequence it follows.
    names : sequence of str, optional
        What they are called; left out, x0, x1, ...

    Returns
    -------
    TruthTable

    Examples
    --------
    >>> import assay
    >>> table = assay.truth_table(lambda a, b, c: (a and b) or c, 3, names=["a", "b", "c"])
    >>> table.formula, int(table.truth.sum())
    ('c or (a and b)', 5)
    >>> assay.truth_table([0, 1, 1, 0]).full_formula
    '(x0 and not x1) or (not x0 and x1)'
    >>> network = table.network()
    >>> network.weights.tolist(), network.thresholds.tolist()
    ([[0.0, 0.0, 1.0], [1.0, 1.0, 0.0]], [0.5, 1.5])
    """
    if callable(function):
        d = count("features", features, at_least=1)
        require(d <= MOST_FEATURES, "features", f"at most {MOST_FEATURES}", d)
        points = cube(d)
        truth = np.array([bool(function(*row)) for row in points.tolist()])
    else:
        truth = np.asarray(function, dtype=bool)
        d = max(len(truth).bit_length() - 1, 0)
        fits = truth.ndim == 1 and len(truth) == 2**d and 1 <= d <= MOST_FEATURES
        must = f"a value for each of 2^d points, d being at most {MOST_FEATURES}"
        require(fits, "function", must, truth.shape)
        require(features in (None, d), "features", f"{d}, as the table has it", features)
        points = cube(d)
    called = tuple(names) if names is not None else tuple(f"x{j}" for j in range(d))
    require(len(called) == d, "names", f"one for each of {d} features", list(called))
    return TruthTable(truth, points, tuple(terms_of(truth)), called)


def _text(terms: Sequence[Term], names: Sequence[str]) -> str:
    if not terms:
        return "false"
    if any(not term for term in terms):
        return "true"
    parts = [
        " and ".join(names[j] if true else f"not {names[j]}" for j, true in term) for term in terms
    ]
    return " or ".join(
        f"({part})" if " and " in part and len(parts) > 1 else part for part in parts
    )
