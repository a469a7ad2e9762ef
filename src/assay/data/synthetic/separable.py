"""Rows that a hyperplane through the origin separates, with radius and margin exactly as chosen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.data.synthetic.draws import generator, require_counts, require_positive
from assay.errors import require
from assay.types import Floats


@dataclass(frozen=True)
class Separable:
    """Examples with their largest length and their largest margin.

    Parameters
    ----------
    X, y : numpy.ndarray
        Rows, and labels -1.0 and +1.0.
    separator : numpy.ndarray
        A vector of length exactly 1 with ``y * (X @ separator) >= margin`` in every row, the witness
        of the margin. No other vector of length 1 has a larger margin.
    radius, margin : float
        The length of the longest row, and the margin; both are met, and exactly so.
    """

    X: Floats
    y: Floats
    separator: Floats
    radius: float
    margin: float


def separable(
    rows: int, features: int, *, radius: float = 1.0, margin: float = 0.1, random_state: int = 0
) -> Separable:
    """Draw separable examples.

    The separator has entries of plus or minus a power of two, 4^k of them, so that its length is
    exactly 1. One row lies on it at the distance of the margin, which no separator can beat, and
    one at the distance of the radius. The others are drawn from what lies between, and are kept
    clear of both edges by more than rounding can move them.

    Parameters
    ----------
    rows, features : int
        At least two rows and one feature.
    radius, margin : float
        The margin is at most the radius, and at least a millionth of it.
    random_state : int
        The seed.

    Examples
    --------
    >>> data = separable(100, 5, radius=2.0, margin=0.5, random_state=1)
    >>> float((data.y * (data.X @ data.separator)).min())
    0.5
    >>> float(np.linalg.norm(data.X, axis=1).max())
    2.0
    """
    require_counts(rows=rows, features=features)
    require(rows >= 2, "rows", "at least 2", rows)
    require_positive(radius=radius, margin=margin)
    must = f"at most the radius {radius!r} and at least a millionth of it"
    require(1e-6 * radius <= margin <= radius, "margin", must, margin)
    rng = generator(random_state)
    u = _unit(features, rng)
    y = rng.choice([-1.0, 1.0], size=rows)
    # Rounding in a row of d features moves it by less than d ulps of the radius.
    clear = radius * features * 1e-14
    low, high = margin + clear, radius - clear
    along = rng.uniform(low, high, size=rows) if low < high else np.full(rows, margin)
    X = np.outer(along, u)
    if low < high and features > 1:
        across = rng.normal(size=(rows, features))
        across -= np.outer(across @ u, u)
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        reach = np.sqrt((high - along) * (high + along))
        across *= (rng.random(rows) ** (1 / (features - 1)) * reach)[:, None]
        X += across
    X *= y[:, None]
    first, second = rng.choice(rows, size=2, replace=False)
    X[first], X[second] = y[first] * margin * u, y[second] * radius * u
    return Separable(X, y, u, float(radius), float(margin))


def _unit(features: int, rng: np.random.Generator) -> Floats:
    """A vector of length exactly 1: as many entries of one size as the largest power of 4 allows."""
    doublings = (features.bit_length() - 1) // 2
    u = np.zeros(features)
    places = rng.choice(features, size=4**doublings, replace=False)
    u[places] = rng.choice([-1.0, 1.0], size=len(places)) / 2.0**doublings
    return u
