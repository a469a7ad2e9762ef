"""The mistaken examples of a learner that changes on mistakes only, as bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.learners.boolean.online import BooleanPlayer
from assay.learners.boolean.words import BLOCK
from assay.learners.common import kinds
from assay.record.boolean import MistakenRecord, most_ones, unpacked
from assay.types import Bools, Ints, Words


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
        return unpacked(support[: self.held], self.width), signs[: self.held]

    @property
    def most_ones(self) -> int:
        """The largest number of literals that are true in a mistaken example."""
        support, _ = self.store()
        return most_ones(support[: self.held])

    def record(self, *, trace: bool, names: Sequence[Any] | None = None) -> MistakenRecord:
        """What happened so far; the names are those of the features."""
        support, signs = self.store()
        # What is held is never written over, so the record does not change.
        return MistakenRecord(
            **self._recorded(trace),
            negations=self.negations,
            words=support[: self.held],
            signs=signs[: self.held],
            names=names,
        )
