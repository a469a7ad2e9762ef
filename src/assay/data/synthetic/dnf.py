"""Boolean rows whose label is an OR of a few terms, each an AND of a few features or negations."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay.data.synthetic.draws import generator, require_counts, satisfied
from assay.errors import require
from assay.types import Bools, Floats


@dataclass(frozen=True)
class DNF:
    """Examples with the formula that labels them.

    Parameters
    ----------
    X, y : numpy.ndarray
        Rows of 0.0 and 1.0, and labels -1.0 and +1.0.
    terms : tuple of tuples of (int, bool)
        The terms, each with its features, from 0, and whether each stands there as it is (True) or
        negated (False).
    """

    X: Floats
    y: Floats
    terms: tuple[tuple[tuple[int, bool], ...], ...]

    def holds(self, X: Floats) -> Bools:
        """Whether the formula is true of each row."""
        return satisfied(self.terms, X)


def dnf(
    rows: int,
    features: int,
    *,
    terms: int = 2,
    literals: int = 2,
    negated: bool = False,
    random_state: int = 0,
) -> DNF:
    """Draw boolean examples and label them by a DNF of terms of equal length, no two over the same features.

    Parameters
    ----------
    rows, features : int
        At least one of each.
    terms, literals : int
        How many terms there are, and how many features each holds.
    negated : bool
        Whether features are negated in a term by the toss of a coin; otherwise the formula is monotone,
        and features are set so often that about half of the rows are positive.
    random_state : int
        The seed.

    Examples
    --------
    >>> data = dnf(100, 8, terms=2, literals=3, random_state=1)
    >>> data.terms
    (((0, True), (5, True), (7, True)), ((2, True), (3, True), (6, True)))
    >>> int(((data.y > 0) != data.holds(data.X)).sum())
    0
    """
    require_counts(rows=rows, features=features, terms=terms, literals=literals)
    require(literals <= features, "literals", f"at most the {features} features", literals)
    most = math.comb(features, literals)
    require(terms <= most, "terms", f"at most the {most} choices of features", terms)
    rng = generator(random_state)
    chosen: set[tuple[int, ...]] = set()
    while len(chosen) < terms:
        places = np.sort(rng.choice(features, size=literals, replace=False))
        chosen.add(tuple(int(place) for place in places))
    formula = tuple(
        tuple((place, bool(rng.random() < 0.5) if negated else True) for place in places)
        for places in sorted(chosen)
    )
    # A term is true so rarely that none of them is in about half of the rows.
    rate = 0.5 if negated else (1 - 0.5 ** (1 / terms)) ** (1 / literals)
    X = (rng.random((rows, features)) < rate).astype(np.float64)
    return DNF(X, np.where(satisfied(formula, X), 1.0, -1.0), formula)
