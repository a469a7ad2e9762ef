"""The mistaken examples of a learner that changes on mistakes only, as bits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.guarantees.guarantee import Guarantee
from assay.guarantees.mistakes import mistake_guarantee
from assay.learners.boolean.online import BooleanPlayer
from assay.learners.boolean.words import BLOCK
from assay.learners.common import kinds
from assay.learners.search.small_dnf import Witness, explained, small_dnf
from assay.theory.needs import count
from assay.theory.registry import find_theorem
from assay.types import Bools, Ints, Words

MOST = 10_000
"""How many are looked at for a formula that explains them."""


class MistakenPlayer(BooleanPlayer):
    """Keeps the mistaken examples: the kernel perceptron predicts with them, others only explain them.

    Attributes
    ----------
    support : array of uint64, or None
        The bits of the mistaken examples, of which the first `held` are in use.
    signs : array of int64, or None
        Their labels of -1 and +1.
    """

    state = kinds.declare(
        negations=kinds.same,
        support=kinds.optional(kinds.array("<u8", None, None)),
        signs=kinds.optional(kinds.counts(least=-1, most=1)),
    )

    def __init__(self, width: int, negations: bool) -> None:
        super().__init__(width, np.dtype(np.float64), constant=False)
        self.negations = negations
        self.support: Words | None = None
        self.signs: Ints | None = None
        self.held = 0

    def widen(self, width: int) -> None:
        """Make room for features before the first round."""
        self.weights = np.zeros(width)
        self.support = self.signs = None

    @property
    def words(self) -> int:
        """How many words a row takes, its complement included where features may be negated."""
        return -(-max(self.literals, 1) // BLOCK)

    @property
    def literals(self) -> int:
        """The number of features, negated ones included."""
        return self.width * (2 if self.negations else 1)

    def store(self) -> tuple[Words, Ints]:
        """The arrays of the mistaken examples; refuses those that do not fit, as from a changed file."""
        if self.support is None or self.signs is None:
            self.support = np.zeros((16, self.words), dtype=np.uint64)
            self.signs = np.zeros(16, dtype=np.int64)
        support, signs = self.support, self.signs
        fits = support.dtype == np.uint64 and signs.dtype == np.int64
        fits = fits and support.shape == (len(signs), self.words) and np.abs(signs).max() <= 1
        if not fits or not 0 <= self.held <= len(signs) or not support.flags.c_contiguous:
            raise ValueError("the mistaken examples do not fit this learner")
        return support, signs

    def _require_state(self) -> None:
        super()._require_state()
        bare = self.support is None
        if bare != (self.signs is None) or (bare and self.held):
            raise ValueError("the mistaken examples do not fit this learner")
        if not bare:
            self.store()

    def double(self) -> None:
        """Make room for as many mistaken examples again."""
        support, signs = self.store()
        self.support = np.concatenate([support, np.zeros_like(support)])
        self.signs = np.concatenate([signs, np.zeros_like(signs)])

    def examples(self) -> tuple[Bools, Ints]:
        """The mistaken examples as truth values of the features, and their labels."""
        support, signs = self.store()
        return self._unpacked(support[: self.held]), signs[: self.held]

    def _unpacked(self, words: Words) -> Bools:
        """Rows of bits as truth values of the features; their complements are left out."""
        if words.ndim != 2 or words.dtype != np.uint64 or 64 * words.shape[1] < self.width:
            raise ValueError("the examples do not fit this learner")
        octets = np.ascontiguousarray(words).astype("<u8").view(np.uint8)
        bits = np.unpackbits(octets, axis=1, bitorder="little", count=self.width)
        return np.asarray(bits == 1)

    @property
    def most_ones(self) -> int:
        """The largest number of literals that are true in a mistaken example."""
        support, _ = self.store()
        return int(np.bitwise_count(support[: self.held]).sum(axis=1).max(initial=0))

    def witness(self) -> Witness | None:
        """A small DNF that agrees with all mistaken examples; None where too many were made."""
        if self.held != self.mistakes or self.held > MOST:
            return None
        return small_dnf(*self.examples(), self.negations)


def dnf_guarantees(
    theorem: str,
    sizes: Mapping[str, int],
    player: MistakenPlayer,
    of: str,
    declared: Mapping[str, Any],
    names: Sequence[Any] | None,
) -> list[Guarantee]:
    """The bound for as many terms as were declared, and for those of a formula that explains the mistakes.

    `sizes` are the inputs of the theorem beside the number of terms.
    """
    if not player.width:
        return []
    bound, witness = find_theorem(theorem), player.witness()
    asked: list[tuple[int, int | None, int | None]] = []
    if "terms" in declared:
        terms = count("terms", declared["terms"])
        asked.append((terms, terms, bound(terms=terms, **sizes)))
    if witness is not None:
        asked.append((len(witness.terms), None, None))
    return [
        mistake_guarantee(
            theorem,
            {"terms": terms, **sizes},
            player.mistakes,
            of=of,
            known=[explained(witness, meant, allowed, player.mistakes, bound.assumes[0], names)],
        )
        for terms, meant, allowed in asked
    ]
