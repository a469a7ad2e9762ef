"""Finite classes of concepts, built: what each concept says of rows, how it reads, how long its code is.

A class says for up to 64 rows at once what each of its concepts thinks of them, one word for each concept,
so that a round costs a bit for each concept still in play.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay.compiled.boolean.concept_words import or_words
from assay.errors import BadData
from assay.guarantees.boolean_text import (
    Literal,
    conjunction_text,
    disjunction_text,
    dnf_text,
    literal_text,
)
from assay.learners.boolean.words import column_words
from assay.record.boolean import set_bits
from assay.types import Array, Bools, Floats, Ints, Words

Names = Sequence[Any] | None


class ConceptClass:
    """A finite class over examples of a fixed number of features.

    Attributes
    ----------
    size : int
        The number of concepts.
    boolean : bool
        Whether features must be 0 or 1.
    bits : array of int
        The length of each concept's word in a prefix-free code.
    """

    boolean = True
    size: int

    @property
    def bits(self) -> Ints:
        """All words equally long, unless a class has a code of its own."""
        return np.full(self.size, (self.size - 1).bit_length(), dtype=np.int64)

    def words(self, block: Array, places: Ints) -> Words:
        """What some concepts say of up to 64 rows: bit t of a word is for row t."""
        raise NotImplementedError

    def formula(self, place: int, names: Names) -> str:
        """One concept as text."""
        raise NotImplementedError


def description_bits(literals: int, chosen: int) -> int:
    """The length of a disjunction's word in a prefix-free code: how many in unary, then which ones.

    Examples
    --------
    >>> description_bits(literals=24, chosen=3)
    15
    """
    return chosen + 1 + (math.comb(literals, chosen) - 1).bit_length()


class OrClass(ConceptClass):
    """ORs of some of N terms, each an AND of literals; or, turned round, ANDs of some of N literals.

    Parameters
    ----------
    terms : list of tuples of literals
        The terms; of one literal each for disjunctions and conjunctions.
    masks : array of uint64 of shape (concepts, words)
        Bit j % 64 of word j // 64 says whether term j is in a concept.
    conjunctions : bool
        Whether a concept is the AND of its literals, rather than their OR.
    """

    def __init__(
        self, terms: list[tuple[Literal, ...]], masks: Words, conjunctions: bool = False
    ) -> None:
        self.terms, self.masks, self.conjunctions = terms, masks, conjunctions
        self.size = len(masks)

    @property
    def bits(self) -> Ints:
        """First the number of terms in unary, then which ones: the fewer, the shorter."""
        n = len(self.terms)
        lengths = np.array([description_bits(n, k) for k in range(n + 1)], dtype=np.int64)
        return np.asarray(lengths[set_bits(self.masks).sum(axis=1)])

    def words(self, block: Array, places: Ints) -> Words:
        """What some concepts say of up to 64 rows."""
        features = column_words(block == 1)
        columns = np.empty(len(self.terms), dtype=np.uint64)
        for j, term in enumerate(self.terms):
            word = ~np.uint64(0)
            for place, plain in term:
                word &= features[place] if plain else ~features[place]
            columns[j] = word
        # An AND is false where one of its literals is.
        if self.conjunctions:
            columns = ~columns
        words = np.empty(len(places), dtype=np.uint64)
        or_words(self.masks, places, columns, words)
        return ~words if self.conjunctions else words

    def formula(self, place: int, names: Names) -> str:
        """One concept as text."""
        mask = self.masks[place]
        chosen = [t for j, t in enumerate(self.terms) if int(mask[j // 64]) >> j % 64 & 1]
        if self.conjunctions:
            return conjunction_text((term[0] for term in chosen), names)
        if all(len(term) == 1 for term in chosen):
            return disjunction_text((term[0] for term in chosen), names)
        return dnf_text(chosen, names)


class ThresholdClass(ConceptClass):
    """Concepts made of comparisons ``feature >= threshold``: stumps and intervals.

    Parameters
    ----------
    cuts : list of (feature, threshold)
        The comparisons.
    low, high : arrays of int
        A concept is true where comparison `low` is true and comparison `high` is not; -1 stands for
        one that is always true, and never true.
    texts : list of (feature, text)
        How each concept reads, with ``{}`` for the feature's name.
    """

    boolean = False

    def __init__(
        self, cuts: list[tuple[int, float]], low: Ints, high: Ints, texts: list[tuple[int, str]]
    ) -> None:
        self.cuts, self.low, self.high, self.texts = cuts, low, high, texts
        self.size = len(low)

    def words(self, block: Array, places: Ints) -> Words:
        """What some concepts say of up to 64 rows."""
        features = np.array([feature for feature, _ in self.cuts], dtype=np.int64)
        thresholds = np.array([threshold for _, threshold in self.cuts])
        reached = column_words(block[:, features].astype(np.float64) >= thresholds)
        above = np.append(reached, ~np.uint64(0))[self.low[places]]
        beyond = np.append(reached, np.uint64(0))[self.high[places]]
        return above & ~beyond

    def formula(self, place: int, names: Names) -> str:
        """One concept as text."""
        feature, text = self.texts[place]
        return text.format(literal_text((feature, True), names))


class TableClass(ConceptClass):
    """Concepts given by their labels on numbered points; an example is the number of a point."""

    boolean = False

    def __init__(self, labels: Bools) -> None:
        self.labels = labels
        self.size, self.points = labels.shape

    def words(self, block: Array, places: Ints) -> Words:
        """What some concepts say of up to 64 points."""
        points = block[:, 0].astype(np.int64)
        wrong = (points != block[:, 0]) | (points < 0) | (points >= self.points)
        if wrong.any():
            raise BadData(
                f"X must hold the numbers of points, 0 to {self.points - 1}, "
                f"but holds {float(block[wrong][0, 0])!r}."
            )
        return column_words(self.labels[places][:, points].T)

    def formula(self, place: int, names: Names) -> str:
        """The number of the concept."""
        return f"concept {place}"


class FunctionClass(ConceptClass):
    """Concepts that are functions from rows to truth values, or to labels of -1 and +1."""

    boolean = False

    def __init__(self, functions: Sequence[Callable[[Any], Any]]) -> None:
        self.functions = list(functions)
        self.size = len(self.functions)

    def words(self, block: Array, places: Ints) -> Words:
        """What some functions say of up to 64 rows."""
        holds = np.empty((len(block), len(places)), dtype=bool)
        for i, place in enumerate(places):
            answer = np.asarray(self.functions[place](block))
            if answer.shape != (len(block),):
                raise BadData(
                    f"{self.formula(int(place), None)} must give one label for each of {len(block)} "
                    f"rows, but gives the shape {answer.shape}."
                )
            holds[:, i] = answer > 0
        return column_words(holds)

    def formula(self, place: int, names: Names) -> str:
        """The name of the function."""
        name = getattr(self.functions[place], "__name__", "")
        return name if name and name != "<lambda>" else f"concept {place}"


class HalfspaceClass(ConceptClass):
    """Homogeneous halfspaces whose normal vectors are a net of the unit sphere."""

    boolean = False

    def __init__(self, net: Floats, radius: float, margin: float) -> None:
        self.net, self.radius, self.margin = net, radius, margin
        self.size = len(net)

    def words(self, block: Array, places: Ints) -> Words:
        """What some halfspaces say of up to 64 rows."""
        return column_words(block.astype(np.float64) @ self.net[places].T >= 0)

    def formula(self, place: int, names: Names) -> str:
        """The halfspace as an inequality."""
        parts = [
            f"{weight:+.3f} {literal_text((j, True), names)}"
            for j, weight in enumerate(self.net[place])
        ]
        return " ".join(parts) + " >= 0"
