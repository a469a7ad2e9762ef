"""Boolean rows whose label is an OR of a few of the features, or of features and negations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.data.synthetic.draws import generator, require_counts, satisfied
from assay.errors import require
from assay.types import Bools, Floats


@dataclass(frozen=True)
class Disjunction:
    """Examples with the disjunction that labels them.

    Parameters
    ----------
    X, y : numpy.ndarray
        Rows of 0.0 and 1.0, and labels -1.0 and +1.0.
    literals : tuple of (int, bool)
        Each feature in the disjunction, from 0, and whether it stands there as it is (True) or
        negated (False).
    """

    X: Floats
    y: Floats
    literals: tuple[tuple[int, bool], ...]

    def holds(self, X: Floats) -> Bools:
        """Whether the disjunction is true of each row."""
        return satisfied([(literal,) for literal in self.literals], X)


def disjunction(
    rows: int, features: int, *, relevant: int = 3, negated: bool = False, random_state: int = 0
) -> Disjunction:
    """Draw boolean examples, about half of them positive, and label them by a disjunction.

    Parameters
    ----------
    rows, features : int
        At least one of each.
    relevant : int
        How many features the disjunction holds.
    negated : bool
        Whether each of them is negated by the toss of a coin; otherwise it is monotone.
    random_state : int
        The seed.

    Examples
    --------
    >>> data = disjunction(6, 10, relevant=2, random_state=3)
    >>> [plain for feature, plain in data.literals]
    [True, True]
    >>> int(((data.y > 0) != data.holds(data.X)).sum())
    0
    """
    require_counts(rows=rows, features=features, relevant=relevant)
    require(relevant <= features, "relevant", f"at most the {features} features", relevant)
    rng = generator(random_state)
    places = np.sort(rng.choice(features, size=relevant, replace=False))
    plain = rng.random(relevant) < 0.5 if negated else np.ones(relevant, dtype=bool)
    # A literal is true so rarely that none of them is in half of the rows.
    rate = 1 - 0.5 ** (1 / relevant)
    X = (rng.random((rows, features)) < rate).astype(np.float64)
    for place in places[~plain]:
        X[:, place] = 1 - X[:, place]
    literals = tuple((int(place), bool(flag)) for place, flag in zip(places, plain, strict=True))
    y = np.where(satisfied([(literal,) for literal in literals], X), 1.0, -1.0)
    return Disjunction(X, y, literals)
