"""Disjoint pairs of a positive and a negative row, drawn by the truth alone.

Which rows are paired, and how equal scores are settled, derive from which rows are positive, in their order, and from
nothing else: neither from a score nor from the names of the labels. So whoever calls a label otherwise, or asks again,
gets the same pairs. Another order of the rows gives others, which is why that order must have been fixed before scores
were seen.

**The numbers.** Let ``s`` be the first eight bytes, little-endian, of the SHA-256 of the text ``assay-pairs-1`` and a
newline, followed by one bit for each row, eight to a byte and the first one highest: whether it is of the same kind as
the first row. Row i has the key ``mix(s + i)`` and pair k the coin ``mix(~s + k) & 1``; ``mix(x)`` is the finaliser
of SplitMix64 at ``x * 0x9E3779B97F4A7C15``, all in 64 bits. Positive rows in the order of their keys are paired with
negative rows in the order of theirs, as far as both go.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.types import Bools, Floats, Ints

_Words = NDArray[np.uint64]


class Pairs(NamedTuple):
    """Places of the positive row and of the negative row of each pair, and the coin that settles equal scores."""

    positive: Ints
    negative: Ints
    coin: Bools

    def concordant(self, scores: Floats) -> int:
        """In how many pairs the positive row scores higher; an equal score counts where the coin says so."""
        above, below = scores[self.positive], scores[self.negative]
        return int(np.count_nonzero((above > below) | ((above == below) & self.coin)))


def disjoint_pairs(positive: Bools) -> Pairs:
    """As many pairs as there are rows of the rarer kind.

    Examples
    --------
    >>> pairs = disjoint_pairs(np.array([True, False, False, True, False]))
    >>> sorted(pairs.positive.tolist()), len(set(pairs.negative.tolist()))
    ([0, 3], 2)
    >>> renamed = disjoint_pairs(np.array([False, True, True, False, True]))
    >>> renamed.negative.tolist() == pairs.positive.tolist()
    True
    """
    seed = _seed(positive)
    keys = mixed_words(seed, len(positive))
    kinds = np.flatnonzero(positive), np.flatnonzero(~positive)
    sides = [rows[np.argsort(keys[rows], kind="stable")] for rows in kinds]
    many = min(len(side) for side in sides)
    coin = (mixed_words(~seed, many) & np.uint64(1)).astype(bool)
    return Pairs(sides[0][:many], sides[1][:many], coin)


def _seed(positive: Bools) -> np.uint64:
    same = positive == positive[0] if len(positive) else positive
    digest = hashlib.sha256(b"assay-pairs-1\n" + np.packbits(same).tobytes()).digest()
    return np.uint64(int.from_bytes(digest[:8], "little"))


def mixed_words(start: np.uint64, many: int) -> _Words:
    """So many words, each from its number alone: the same on every machine and with every version of NumPy.

    Examples
    --------
    >>> [int(word) >> 48 for word in mixed_words(np.uint64(5), 3)]
    [6969, 21451, 11394]
    """
    with np.errstate(over="ignore"):
        z = np.arange(many, dtype=np.uint64) + start
        z *= np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed: _Words = z ^ (z >> np.uint64(31))
    return mixed
