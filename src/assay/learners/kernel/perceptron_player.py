"""The kernel perceptron on one binary problem: the mistaken examples, and sums of the kernel over them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import sparse

from assay.compiled.kernel.kernel_perceptron import (
    kernel_perceptron_pass,
    kernel_perceptron_pass_csr,
)
from assay.errors import BadData
from assay.kernels import Kernel
from assay.learners.common import kinds
from assay.learners.common.rows import Rows
from assay.learners.kernel.mistake_sum import MistakeSum
from assay.learners.kernel.program import program_of
from assay.types import Array, Floats, Ints

# States in which a compiled pass ends.
_PLAYED, _FULL, _NOT_FINITE = 0, 1, 2
_FIRST_ROOM = 16
# Values of the kernel that are computed at a time where it predicts.
_VALUES = 1 << 22


class KernelPlayer(MistakeSum):
    """Keeps the mistaken examples, dense or sparse as they come, and their labels.

    A kernel with a formula is computed pair by pair in compiled code; another one row by row, always against the
    whole support. Either way a chunk, a whole and single examples give the same bits.

    Attributes
    ----------
    support_vectors : array, or None
        Room for mistaken examples; those from `first` up to `last` are in use.
    support_cells, support_columns, support_starts : array, or None
        The same as sparse rows.
    support_labels : array, or None
        Their labels of -1 and +1.
    """

    state = kinds.declare(
        support_vectors=kinds.optional(kinds.numbers(None, None)),
        support_cells=kinds.optional(kinds.numbers()),
        support_columns=kinds.optional(kinds.counts()),
        support_starts=kinds.optional(kinds.counts()),
    )

    # What a fit knows of its rows from pass to pass; never saved.
    _known: tuple[Rows, Array, Array, Array] | None = None
    _keeping: Rows | None = None

    def __init__(self, width: int, kernel: Kernel, zero: int | str, budget: int | None) -> None:
        super().__init__(width, kernel, zero, budget)
        self.first = self.last = 0
        self.support_vectors: Floats | None = None
        self.support_cells: Floats | None = None
        self.support_columns: Ints | None = None
        self.support_starts: Ints | None = None
        self.support_labels: Floats | None = None

    # The mistaken examples

    @property
    def labels(self) -> Floats:
        """The labels of the mistaken examples that are in use."""
        if self.support_labels is None:
            return np.zeros(0)
        return self.support_labels[self.first : self.last]

    @property
    def examples(self) -> Any:
        """The mistaken examples in use, as an array or a CSR matrix."""
        if self.support_starts is None:
            if self.support_vectors is None:
                return np.zeros((0, self.width))
            return self.support_vectors[self.first : self.last]
        assert self.support_cells is not None
        assert self.support_columns is not None
        starts = self.support_starts[: self.last + 1]
        parts = (self.support_cells[: starts[-1]], self.support_columns[: starts[-1]], starts)
        return sparse.csr_matrix(parts, shape=(self.last, self.width))[self.first :]

    def _rebuild(self, examples: Any, room: int, cells: int) -> None:
        """Put the examples in use at the front, with room for so many, and for so many cells if sparse."""
        if self.first:
            self._known = None  # sums are kept by the places of the support, which move
        labels, self.first, self.last = self.labels.copy(), 0, examples.shape[0]
        self.support_labels = np.zeros(room)
        self.support_labels[: self.last] = labels
        self.support_vectors = self.support_cells = None
        self.support_columns = self.support_starts = None
        if sparse.issparse(examples):
            used = examples.nnz
            self.support_cells, self.support_columns = np.zeros(cells), np.zeros(cells, np.int64)
            self.support_starts = np.zeros(room + 1, np.int64)
            self.support_cells[:used] = examples.data
            self.support_columns[:used] = examples.indices
            self.support_starts[: self.last + 1] = examples.indptr
        else:
            self.support_vectors = np.zeros((room, self.width))
            self.support_vectors[: self.last] = examples

    def _make_room(self, rows: Rows, row: int) -> None:
        """Room for as many again, and at least for one row more."""
        held = self.examples
        many = max(_FIRST_ROOM, 2 * held.shape[0])
        if sparse.issparse(held) or (rows.dense is None and not held.shape[0]):
            held = sparse.csr_matrix(held)
            coming = int(rows.matrix.indptr[row + 1] - rows.matrix.indptr[row])
            self._rebuild(held, many, 2 * held.nnz + max(_FIRST_ROOM * coming, 1))
        else:
            self._rebuild(held, many, 0)

    def _like_support(self, rows: Rows) -> Rows:
        """Rows in the form of the support; one sparse row makes that sparse, unless it is dense already."""
        if rows.dense is not None and self.support_starts is not None:
            return Rows(matrix=sparse.csr_matrix(rows.dense))
        if rows.dense is None and self.support_vectors is not None:
            self._rebuild(sparse.csr_matrix(self.examples), len(self.labels), self.examples.size)
        return rows

    def widen(self, width: int) -> None:
        """Make room for features that were not there before; mistaken examples have zeros there."""
        more = width - self.width
        super().widen(width)
        if self.support_vectors is not None:
            self.support_vectors = np.pad(self.support_vectors, ((0, 0), (0, more)))

    # Playing

    def _pass(self, rows: Rows, signs: Array, updated: Ints) -> tuple[int, int, int]:
        rows = self._like_support(rows)
        if program_of(self.kernel) is None:
            return self._pass_by_rows(rows, signs, updated)
        done = mistakes = 0
        state = _FULL if self.support_labels is None else _PLAYED
        while done < len(rows):
            if state == _FULL:
                self._make_room(rows, done)
            made, done, state = self._compiled(rows, done, signs, updated, mistakes)
            mistakes += made
            if state == _NOT_FINITE:
                break
        return mistakes, mistakes, done

    def _compiled(
        self,
        rows: Rows,
        done: int,
        signs: Array,
        updated: Ints,
        mistakes: int,
        into: Floats | None = None,
    ) -> tuple[int, int, int]:
        """Play from a row on until the support is full; return mistakes, the row reached and the state."""
        program = program_of(self.kernel)
        assert program is not None
        n = len(rows)
        if self._known is not None and self._known[0] is rows:
            _, sums, begun, known = self._known
        else:
            sums = np.zeros(n) if into is None else into
            begun, known = np.full(n, -1), np.zeros(n, np.int64)
            if self._keeping is rows:
                self._known = (rows, sums, begun, known)
        span = np.array([self.first, self.last])
        tally = np.array([self.squared_length, self.largest_square])
        later = slice(done, n)
        end = (sums[later], begun[later], known[later], tally, updated[mistakes:])
        if rows.dense is not None:
            made, played, state = kernel_perceptron_pass(
                program.code,
                program.numbers,
                program.needs,
                program.own,
                rows.dense[later],
                signs[later],
                self.zero,
                self.support_vectors,
                self.support_labels,
                span,
                self.budget,
                *end,
            )
        else:
            made, played, state = kernel_perceptron_pass_csr(
                program.code,
                program.numbers,
                program.own,
                rows.matrix.data,
                rows.matrix.indices.astype(np.int64, copy=False),
                rows.matrix.indptr[done:].astype(np.int64, copy=False),
                signs[later],
                self.zero,
                self.support_cells,
                self.support_columns,
                self.support_starts,
                self.support_labels,
                span,
                self.budget,
                *end,
            )
        updated[mistakes : mistakes + made] += done
        self.first, self.last = span.tolist()
        self.squared_length, self.largest_square = tally.tolist()
        return made, done + played, state

    def keep(self, rows: Rows) -> None:
        """Keep what is computed of these rows from pass to pass."""
        self._keeping = rows

    def let_go(self) -> None:
        """Keep nothing any more."""
        for name in ("_keeping", "_known"):
            self.__dict__.pop(name, None)

    def _pass_by_rows(self, rows: Rows, signs: Array, updated: Ints) -> tuple[int, int, int]:
        """The same for a kernel without a formula."""
        mistakes = 0
        for t in range(len(rows)):
            one = rows.part(t, t + 1)
            try:
                score = self._sum_over(one)
                square = float(self.kernel.diagonal(one.whole)[0])
            except BadData:
                return mistakes, mistakes, t
            if not (math.isfinite(score) and math.isfinite(square) and _finite(one)):
                return mistakes, mistakes, t
            if not self.wrong(score, float(signs[t])):
                continue
            self._append(one, float(signs[t]))
            self.squared_length += 2 * float(signs[t]) * score + square
            self.largest_square = max(self.largest_square, square)
            updated[mistakes] = t
            mistakes += 1
        return mistakes, mistakes, len(rows)

    def _sum_over(self, one: Rows) -> float:
        if self.first == self.last:
            return 0.0
        return float(self.kernel(one.whole, self.examples)[0] @ self.labels)

    def _append(self, one: Rows, sign: float) -> None:
        if self.support_labels is None or self.last == len(self.support_labels):
            self._make_room(one, 0)
        if self.support_starts is not None and self.support_cells is not None:
            if self.support_starts[self.last] + one.matrix.nnz > len(self.support_cells):
                self._make_room(one, 0)
            assert self.support_columns is not None
            start = self.support_starts[self.last]
            stop = start + one.matrix.nnz
            self.support_cells[start:stop] = one.matrix.data
            self.support_columns[start:stop] = one.matrix.indices
            self.support_starts[self.last + 1] = stop
        else:
            assert self.support_vectors is not None
            self.support_vectors[self.last] = one.dense
        assert self.support_labels is not None
        self.support_labels[self.last] = sign
        self.last += 1
        if self.budget and self.last - self.first > self.budget:
            self.first += 1

    # Predicting

    def scores(self, rows: Rows) -> Floats:
        """The sum over the mistaken examples for every row: by products of matrices."""
        found = np.zeros(len(rows))
        examples, labels = self.examples, self.labels
        step = max(1, _VALUES // max(1, len(labels)))
        for start in range(0, len(rows) if len(labels) else 0, step):
            block = rows.part(start, min(start + step, len(rows))).whole
            found[start : start + step] = self.kernel(block, examples) @ labels
        return found

    def score(self, row: Array) -> float:
        """The score of one example."""
        if not np.isfinite(row).all():
            return math.nan
        one = Rows(dense=row.reshape(1, -1))
        if self.first == self.last or program_of(self.kernel) is None:
            return self._sum_over(one)
        return self._summed(one)

    def _summed(self, one: Rows) -> float:
        """The score as the compiled loop has it: with no room for a mistake, it stops after the sum."""
        whole = (self.support_vectors, self.support_labels)
        assert self.support_labels is not None
        self.support_labels = self.support_labels[: self.last]
        if self.support_vectors is not None:
            self.support_vectors = self.support_vectors[: self.last]
        else:
            one = Rows(matrix=sparse.csr_matrix(one.dense))
        state = (self.first, self.last, self.squared_length, self.largest_square)
        sums = np.zeros(1)
        try:
            self._compiled(one, 0, np.ones(1), np.zeros(1, np.int64), 0, sums)
        finally:
            self.support_vectors, self.support_labels = whole
            self.first, self.last, self.squared_length, self.largest_square = state
        return float(sums[0])

    def _require_state(self) -> None:
        """Refuse, in a model file, mistaken examples that do not fit each other."""
        if self.support_labels is None:
            parts = (self.support_vectors, self.support_cells, self.support_starts)
            fits = self.last == 0 and all(part is None for part in parts)
        else:
            fits = self._store_fits(len(self.support_labels))
        if not (fits and 0 <= self.first <= self.last):
            raise ValueError("the mistaken examples do not fit this learner")
        super()._require_state()

    def _store_fits(self, room: int) -> bool:
        if self.last > room:
            return False
        if self.support_starts is None:
            return self.support_vectors is not None and self.support_vectors.shape == (
                room,
                self.width,
            )
        cells, columns = self.support_cells, self.support_columns
        if cells is None or columns is None or self.support_vectors is not None:
            return False
        starts = self.support_starts[: self.last + 1]
        fits = len(self.support_starts) == room + 1 and len(cells) == len(columns)
        fits = fits and starts[0] == 0 and bool((np.diff(starts) >= 0).all())
        fits = fits and starts[-1] <= len(cells)
        if not fits or bool((columns >= max(self.width, 1)).any()):
            return False
        # Within a row the columns ascend; only where a new row starts may they not.
        used = columns[: starts[-1]]
        ascends = np.diff(used) > 0
        ascends[starts[1:-1][(starts[1:-1] > 0) & (starts[1:-1] < len(used))] - 1] = True
        return bool(ascends.all())


def _finite(one: Rows) -> bool:
    return bool(np.isfinite(one.arrays[0]).all())
