"""What happened in the run of a learner of boolean concepts, and which concepts it left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from assay.record.online import OnlineRecord
from assay.types import Bools, Ints, Words

LONGEST_WORD = 62
"""The longest word of a code for concepts: weights are whole multiples of 2^-62."""


@dataclass(frozen=True, kw_only=True)
class EliminationRecord(OnlineRecord):
    """The run of a learner that drops literals from a disjunction.

    Attributes
    ----------
    negations : bool
        Whether features may be negated.
    missed_positives : int
        Mistakes on positive examples, after which no disjunction agrees with all labels.
    features_left, negations_left : array of bool
        Which features are still in the disjunction, and which negations of features.
    names : sequence or None
        What the features are called.
    """

    negations: bool
    missed_positives: int
    features_left: Bools = field(repr=False, compare=False)
    negations_left: Bools = field(repr=False, compare=False)
    names: Sequence[Any] | None = field(repr=False, compare=False)

    @property
    def literals_left(self) -> list[tuple[int, bool]]:
        """The literals that are left, in the order of the features."""
        literals = [(int(j), True) for j in np.flatnonzero(self.features_left)]
        literals += [(int(j), False) for j in np.flatnonzero(self.negations_left)]
        return sorted(literals, key=lambda literal: (literal[0], not literal[1]))


class Concepts(Protocol):
    """A finite class of concepts."""

    size: int

    def formula(self, place: int, names: Sequence[Any] | None) -> str:
        """One concept as text."""


@dataclass(frozen=True)
class SphereNet:
    """A net of the unit sphere, whose vectors are the normals of halfspaces.

    Attributes
    ----------
    radius, margin : float
        The length of examples and the margin that it was made for.
    features : int
        The dimension.
    """

    radius: float
    margin: float
    features: int


@dataclass(frozen=True, kw_only=True)
class VersionSpaceRecord(OnlineRecord):
    """The run of a learner that keeps the concepts of a finite class which no example has refuted.

    Attributes
    ----------
    refuted : int
        Rounds whose label no concept left has; there nothing was deleted.
    longest : float
        The largest length of an example, where features are not boolean.
    first : bool
        Whether the first concept left predicts, rather than the majority.
    coded : bool
        Whether the weights are those of a prefix-free code.
    concepts : Concepts
        The class.
    alive : array of bool
        Which concepts no example has refuted.
    prior : array of int
        What each concept weighs.
    net : SphereNet or None
        Of a class of halfspaces.
    names : sequence or None
        What the features are called.
    """

    refuted: int
    longest: float
    first: bool
    coded: bool
    concepts: Concepts = field(repr=False, compare=False)
    alive: Bools = field(repr=False, compare=False)
    prior: Ints = field(repr=False, compare=False)
    net: SphereNet | None = field(repr=False, compare=False)
    names: Sequence[Any] | None = field(repr=False, compare=False)

    @property
    def class_size(self) -> int:
        """The number of concepts in the class."""
        return len(self.alive)

    @property
    def left(self) -> int:
        """How many concepts are left."""
        return int(self.alive.sum())

    @property
    def shortest_word(self) -> int:
        """The bits of the heaviest concept left, where weights are those of a prefix-free code."""
        return LONGEST_WORD - int(self.prior[self.alive].max()).bit_length() + 1

    @property
    def formula(self) -> str:
        """The concept that is left, as text; of several the heaviest, and of these the first."""
        places = np.flatnonzero(self.alive)
        best = places[0] if self.first else places[np.argmax(self.prior[places])]
        return self.concepts.formula(int(best), self.names)


@dataclass(frozen=True, kw_only=True)
class MajorityRecord(OnlineRecord):
    """The run of a weighted majority of disjunctions.

    Attributes
    ----------
    literals : int
        How many features each disjunction has.
    best_mistakes : int
        The mistakes of the best of them.
    beta : float
        The factor of a mistake.
    """

    literals: int
    best_mistakes: int
    beta: float


@dataclass(frozen=True, kw_only=True)
class MistakenRecord(OnlineRecord):
    """The run of a learner that keeps its mistaken examples as bits.

    Attributes
    ----------
    negations : bool
        Whether features may be negated.
    words : array of uint64
        The bits of the mistaken examples, a row for each; their complements follow where features may be
        negated.
    signs : array of int
        Their labels of -1 and +1.
    names : sequence or None
        What the features are called.
    """

    negations: bool
    words: Words = field(repr=False, compare=False)
    signs: Ints = field(repr=False, compare=False)
    names: Sequence[Any] | None = field(repr=False, compare=False)

    @property
    def literals(self) -> int:
        """The number of features, negated ones included."""
        return self.width * (2 if self.negations else 1)

    @property
    def most_ones(self) -> int:
        """The largest number of literals that are true in a mistaken example."""
        return most_ones(self.words)

    @property
    def examples(self) -> Bools:
        """The mistaken examples as truth values of the features."""
        return unpacked(self.words, self.width)


def most_ones(words: Words) -> int:
    """The largest number of bits that are set in a row.

    Examples
    --------
    >>> most_ones(np.array([[5], [7]], dtype=np.uint64))
    3
    """
    return int(set_bits(words).sum(axis=1).max(initial=0))


def set_bits(words: Words) -> Ints:
    """How many bits of every word are set.

    Examples
    --------
    >>> set_bits(np.array([[5, 0], [7, 2**63]], dtype=np.uint64)).tolist()
    [[2, 0], [3, 1]]
    """
    if hasattr(np, "bitwise_count"):
        return np.asarray(np.bitwise_count(words), dtype=np.int64)
    octets = np.ascontiguousarray(words)[..., np.newaxis].view(np.uint8)  # NumPy 1.26
    return np.asarray(np.unpackbits(octets, axis=-1).sum(axis=-1, dtype=np.int64))


def unpacked(words: Words, width: int) -> Bools:
    """The first bits of every row as truth values.

    Examples
    --------
    >>> unpacked(np.array([[5]], dtype=np.uint64), 3).tolist()
    [[True, False, True]]
    """
    if words.ndim != 2 or words.dtype != np.uint64 or 64 * words.shape[1] < width:
        raise ValueError("the examples do not fit this learner")
    octets = np.ascontiguousarray(words).astype("<u8").view(np.uint8)
    bits = np.unpackbits(octets, axis=1, bitorder="little", count=width)
    return np.asarray(bits == 1)
