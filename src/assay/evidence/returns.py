"""Weighted losses of logged rounds as a histogram: all that bets on their mean ask for, in any order."""

from __future__ import annotations

import hashlib

import numpy as np

from assay.evidence.column_digest import LossDigest
from assay.evidence.digest import written
from assay.types import Floats

Returns = tuple[tuple[float, float], ...]
"""Values and how many rounds have them, the smallest first."""

# With more different values than this, each is shared out between two of a grid.
_MOST_VALUES = 2000
# Between a power of two and the next lie so many values of the grid, and below the largest so many powers.
_STEPS, _POWERS = 64, 30
# Shares of a round are multiples of this, so that they add up exactly whatever the order.
_SHARES = 1024


def returns_of(values: Floats) -> Returns:
    """How many rounds have which value; values are nonnegative.

    Of more than 2,000 different values, each is shared out between its two neighbours on a grid so that the mean stays
    the same, or falls by a hair. A bet's logarithm is concave in the value, so this can only make gamblers poorer.

    Examples
    --------
    >>> import numpy as np
    >>> returns_of(np.array([5.0, 0.0, 5.0]))
    ((0.0, 1.0), (5.0, 2.0))
    >>> values = np.random.default_rng(0).random(10_000)
    >>> shared = returns_of(values)
    >>> len(shared) < 2000, sum(many for _, many in shared)
    (True, 10000.0)
    >>> bool(0 <= values.mean() - sum(value * many for value, many in shared) / 10_000 < 1e-5)
    True
    """
    different, many = np.unique(values, return_counts=True)
    counts = many.astype(np.float64)
    if len(different) > _MOST_VALUES:
        different, counts = _on_a_grid(different, counts)
    return tuple(zip(different.tolist(), counts.tolist(), strict=True))


def digest_of_columns(*columns: Floats) -> str:
    """The digest of the columns of a log: of the text ``assay-log-1``, a newline, and the digest of each, in order.

    Examples
    --------
    >>> digest_of_columns(np.array([0.5]), np.array([1.0]))[:23]
    'sha256:828666b2063c50c6'
    """
    whole = hashlib.sha256(b"assay-log-1\n")
    for column in columns:
        digest = LossDigest()
        digest.update(column)
        whole.update(digest.finish().encode())
    return written(whole)


def _on_a_grid(values: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Values of the grid, with the shares of rounds that fall to them."""
    mantissa, power = np.frexp(values)
    least = int(power.max()) - _POWERS
    step = np.floor(mantissa * 2 * _STEPS)
    small = power <= least
    below = np.where(small, 0.0, np.ldexp(step / (2 * _STEPS), power))
    above = np.where(small, np.ldexp(1.0, least), np.ldexp((step + 1) / (2 * _STEPS), power))
    upper = np.floor((values - below) / (above - below) * _SHARES).astype(np.int64)
    upper = np.where(values > below, np.clip(upper, 0, _SHARES), 0)
    grid, places = np.unique(np.concatenate([below, above]), return_inverse=True)
    shares = np.zeros(len(grid), dtype=np.int64)
    rounds = np.tile(counts.astype(np.int64), 2)
    np.add.at(shares, places, np.concatenate([_SHARES - upper, upper]) * rounds)
    met = shares > 0
    return grid[met], shares[met] / _SHARES
