"""Spells: how long rows that come near each other stay alike, and whether errors rise along the rows that come last.

Both are permutation tests (`assay.evidence.permuted`), exact where the blocks of rows that they order are
exchangeable.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.evidence.order_tests import Likeness, what_is_missed
from assay.evidence.permuted import Orders
from assay.types import Array, Floats

#: How often exchangeable blocks are called alike to their neighbours, or errors are said to rise.
ALPHA = 0.01
#: So many training rows, at equal distances, tell how long spells are.
LOOKED_AT = 16_384
# Blocks are put into other orders; of more of them neighbours are left out at the end.
_MOST_BLOCKS = 2_048
_SEED = 20_160_402
_LAST = (1 / 2, 1 / 4, 1 / 10)


def longest_spell(columns: Array, target: Array, blocks: Sequence[int]) -> int:
    """The first of these numbers of blocks of which neighbours are no more alike than by chance; else the last.

    Looked at is how well rows are predicted, by a ridge learned from all rows but one.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, calm = rng.normal(size=(4000, 2)), rng.random(40) < 0.5
    >>> y = (X[:, 0] > 0) ^ (np.repeat(calm, 100) & (rng.random(4000) < 0.5))
    >>> longest_spell(X, y.astype(int), (400, 200, 20)), longest_spell(X, (X[:, 0] > 0).astype(int), (400, 20))
    (20, 400)
    """
    losses = (what_is_missed(columns, target) ** 2).sum(axis=1)
    for many in blocks:
        if 2 <= many <= len(losses) and _alike(means_of(losses, many)) > ALPHA:
            return many
    return blocks[-1]


def means_of(losses: Array, blocks: int) -> Floats:
    """The mean of each block of consecutive rows."""
    edges = np.arange(blocks) * len(losses) // blocks
    totals: Floats = np.add.reduceat(np.asarray(losses, dtype=np.float64), edges)
    return totals / np.diff(np.append(edges, len(losses)))


def _alike(means: Floats) -> float:
    kept = means[-_MOST_BLOCKS:]
    middle = kept - kept.mean()
    size = float(np.sqrt((middle**2).mean()))
    scaled = (middle / size if size > 0 else middle)[:, None]
    return Orders(_SEED).p_value(len(kept), Likeness(scaled))


def rise(means: Floats) -> float:
    """The chance that means of exchangeable blocks rise as much along their order: by a line, or late.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> flat, steep = rng.random(100), rng.random(100) + np.linspace(0, 1, 100)
    >>> rise(flat) > 0.05, rise(steep), rise(-steep)
    (True, 0.0005, 1.0)
    """
    u = np.linspace(0, 1, len(means))
    shapes = np.stack([u, *((u > 1 - share).astype(np.float64) for share in _LAST)])
    shapes -= shapes.mean(axis=1, keepdims=True)
    lengths = np.sqrt((shapes**2).sum(axis=1, keepdims=True))
    shapes = shapes / np.where(lengths > 0, lengths, 1)
    middle = means - means.mean()
    size = float(np.sqrt((middle**2).sum()))
    if len(means) < 2 or size == 0:
        return 1.0
    scaled = middle / size

    def steepest(orders: Array) -> Floats:
        largest = np.max(scaled[orders] @ shapes.T, axis=1)
        return np.asarray(np.maximum(largest, 0.0))

    return Orders(_SEED).p_value(len(means), steepest)
