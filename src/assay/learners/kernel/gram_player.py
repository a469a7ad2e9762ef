"""The kernel perceptron on examples that are known by their kernel values: strings, or columns of a given matrix."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import sparse

from assay.kernels import Kernel, Precomputed
from assay.learners.common import kinds
from assay.learners.common.rows import IN_ORDER
from assay.learners.kernel.feature_space import KeptMistakes
from assay.learners.kernel.mistake_sum import MistakeSum
from assay.types import Array, Floats, Ints

# Strings that are played together: their values with each other are computed at once.
_BLOCK = 1024
# Up to so many are kept from pass to pass.
_KEPT = 4096
# Values between mistaken examples of a given matrix that are kept, since nobody can compute them again.
MOST_VALUES = 1500


class Texts:
    """Strings in the place of rows.

    Attributes
    ----------
    whole : array
        The strings.
    """

    width = 1
    dtype = np.dtype(np.float64)

    def __init__(self, whole: Array) -> None:
        self.whole = whole
        self.order: Ints = IN_ORDER

    def __len__(self) -> int:
        return len(self.whole)

    def turn(self, number: int) -> int:
        """The place of the string that is played at this turn."""
        return int(self.order[number]) if self.order.size else number

    def part(self, start: int, stop: int) -> Texts:
        """Some neighbouring strings."""
        return Texts(self.whole[start:stop])

    def row(self, place: int) -> Floats:
        """A string has no numbers that could be wrong."""
        return np.zeros(1)


class GramPlayer(MistakeSum):
    """Keeps the mistaken strings, or the places of the mistaken examples in a precomputed matrix.

    Scores are added up mistake by mistake, for a block of examples at a time, so that a chunk, a whole and single
    examples give the same bits.

    Attributes
    ----------
    support_texts : array, or None
        The mistaken strings.
    support_places : array, or None
        The columns of the mistaken examples.
    support_values : array, or None
        The kernel between these; None beyond 1500, and for strings.
    support_labels : array
        Their labels of -1 and +1.
    """

    state = kinds.declare(
        support_texts=kinds.optional(kinds.texts()),
        support_places=kinds.optional(kinds.counts()),
        support_values=kinds.optional(kinds.numbers(None, None)),
    )

    def __init__(self, width: int, kernel: Kernel, zero: int | str, budget: int | None) -> None:
        super().__init__(width, kernel, zero, budget)
        self.support_texts: Array | None = None
        self.support_places: Ints | None = None
        self.support_values: Floats | None = None

    @property
    def _given(self) -> bool:
        return isinstance(self.kernel, Precomputed)

    # The mistaken examples

    @property
    def examples(self) -> Any:
        """The mistaken strings, or the places of the mistaken examples."""
        examples = self.support_places if self._given else self.support_texts
        if examples is None:
            return np.empty(0, np.int64 if self._given else object)
        return examples

    def _kept(self) -> KeptMistakes:
        """The mistaken examples in use."""
        given = self.support_values
        if self._given and self._known is not None:
            given = self._looked_up(self._known[1])
        return KeptMistakes(self.kernel, self.examples, self.labels, given)

    def _looked_up(self, K: Floats) -> Floats | None:
        places = self.examples
        if len(places) > MOST_VALUES:
            return None
        return np.ascontiguousarray(K[np.ix_(places, places)])

    def _append(self, block: Any, place: int, sign: float) -> bool:
        """Add a mistaken example of a block; whether another one had to go."""
        full = bool(self.budget) and len(self.labels) == self.budget
        first = int(full)
        self.support_labels = np.append(self.labels[first:], sign)
        if self._given:
            self.support_places = np.append(self.examples[first:], place)
        else:
            self.support_texts = np.append(self.examples[first:], block[place : place + 1])
        return full

    # Playing

    def play(self, rows: Any, signs: Array) -> int:
        """Predict and learn example by example; a trace is written on the way."""
        return self._played(rows, signs)

    def _pass(self, rows: Any, signs: Array, updated: Ints) -> tuple[int, int, int]:
        mistakes, n = 0, len(rows)
        step = n if self._given or self._keeping is rows else _BLOCK
        for start in range(0, n, max(step, 1)):
            stop = min(n, start + step)
            made, played = self._block(rows, start, stop, signs, updated[mistakes:])
            mistakes += made
            if played < stop - start:
                return mistakes, mistakes, start + played
        return mistakes, mistakes, n

    def _block(
        self, rows: Any, start: int, stop: int, signs: Array, updated: Ints
    ) -> tuple[int, int]:
        """Play some examples, all values between which are known; return mistakes and how many were played."""
        places = rows.order[start:stop] if rows.order.size else np.arange(start, stop)
        # All examples together stay where they are, since their values are kept from pass to pass.
        together = len(places) == len(rows)
        block = rows.whole if together else rows.whole[places]
        turns = places if together else np.arange(len(places))
        K, sums = self._values_of(rows, block)
        mistakes, turn = 0, 0
        while turn < stop - start:
            wrong = self._next_mistake(K, sums, signs[places], turns, turn)
            if wrong is None:
                break
            turn, t, sign = wrong, int(turns[wrong]), float(signs[places[wrong]])
            score, square = float(sums[t]), float(K[t, t])
            if not (math.isfinite(score) and math.isfinite(square)):
                return mistakes, turn
            if self._append(block, t, sign):
                sums[:] = self._sums(block)  # without the oldest
            else:
                sums += sign * K[:, t]
            self.squared_length += 2 * sign * score + square
            self.largest_square = max(self.largest_square, square)
            updated[mistakes] = places[turn]
            mistakes += 1
            if self.tracing:
                self._log.append({"round": float(self.rounds + start + turn)} | self._marks())
            turn += 1
        return mistakes, stop - start

    def _next_mistake(
        self, K: Floats, sums: Array, signs: Array, turns: Ints, first: int
    ) -> int | None:
        """The next turn whose example is called wrong, or whose score or k(x, x) is no number."""
        left = turns[first:]
        margin = signs[first:] * sums[left]
        wrong = ~(margin > 0) & ~((sums[left] == 0) & (signs[first:] == self.zero))
        wrong |= ~np.isfinite(margin) | ~np.isfinite(K.diagonal()[left])
        places = np.flatnonzero(wrong)
        return first + int(places[0]) if places.size else None

    def _values_of(self, rows: Any, block: Any) -> tuple[Floats, Floats]:
        """The values between the examples of a block, and their scores."""
        if self._known is not None and self._known[0] is rows:
            return self._known[1], self._known[2]
        # Of a precomputed kernel the rows themselves.
        K = np.asarray(self.kernel(block), dtype=np.float64)
        sums = self._sums(block)
        if self._keeping is rows:
            self._known = (rows, K, sums)
        return K, sums

    def _sums(self, block: Any) -> Floats:
        """The scores of some examples, added up in the order of the mistakes."""
        sums = np.zeros(block.shape[0])
        if len(self.labels):
            for sign, column in zip(self.labels.tolist(), self._columns(block).T, strict=True):
                sums += sign * column
        return sums

    def _columns(self, block: Any) -> Floats:
        if not self._given:
            return np.asarray(self.kernel(block, self.examples), dtype=np.float64)
        picked = block[:, self.examples]
        return np.asarray(picked.toarray() if sparse.issparse(picked) else picked, np.float64)

    def keep(self, rows: Any) -> None:
        """Keep the values of these examples from pass to pass, if they are few or given anyway."""
        if self._given or len(rows) <= _KEPT:
            super().keep(rows)

    def let_go(self) -> None:
        """Keep nothing any more but the values that nobody can compute again."""
        if self._given and self._known is not None:
            self.support_values = self._looked_up(self._known[1])
        super().let_go()

    def scores(self, rows: Any) -> Floats:
        """The sum over the mistaken examples for every row, as the pass adds it up."""
        parts = [self._sums(rows.whole[i : i + _BLOCK]) for i in range(0, len(rows), _BLOCK)]
        return np.concatenate(parts) if parts else np.zeros(0)

    # What happened

    def _note(self, rows: Any, signs: Array, updated: Ints, mistakes: int, played: int) -> None:
        # The trace was written on the way.
        self.mistakes += mistakes
        self.updates += len(updated)
        self.rounds += played

    def _require_state(self) -> None:
        """Refuse, in a model file, mistaken examples that do not fit each other."""
        texts, places, values = self.support_texts, self.support_places, self.support_values
        other = texts if self._given else places
        fits = other is None and len(self.examples) == len(self.labels)
        if self._given and fits:
            many = len(self.examples)
            fits = bool((self.examples < self.width).all())
            fits = fits and (values is None or values.shape == (many, many))
        if not fits or (values is not None and not self._given):
            raise ValueError("the mistaken examples do not fit this learner")
        super()._require_state()
