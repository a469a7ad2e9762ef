"""The kernel perceptron on one binary problem: the mistaken examples, and sums of the kernel over them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import sparse

from assay.compiled.kernel.kernel_perceptron import joins, kernel_perceptron_pass
from assay.errors import BadData
from assay.kernels import Kernel
from assay.learners.common import kinds
from assay.learners.common.rows import Rows
from assay.learners.kernel.kernel_learner import block_sums
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

    def __init__(self, width: int, kernel: Kernel, zero: int | str, budget: int | None) -> None:
        super().__init__(width, kernel, zero, budget)
        self.first = self.last = 0
        self.support_vectors: Floats | None = None
        self.support_cells: Floats | None = None
        self.support_columns: Ints | None = None
        self.support_starts: Ints | None = None

    # The mistaken examples

    @property
    def labels(self) -> Floats:
        """The labels of the mistaken examples that are in use."""
        return super().labels[self.first : self.last]

    @property
    def examples(self) -> Any:
        """The mistaken examples in use, as an array or a CSR matrix."""
        cells, columns, starts = self._support
        if cells is None:
            return np.zeros((0, self.width))
        if starts is None:
            return cells[self.first : self.last]
        starts = starts[: self.last + 1]
        parts = (cells[: starts[-1]], columns[: starts[-1]], starts)
        return sparse.csr_matrix(parts, shape=(self.last, self.width))[self.first :]

    @property
    def _support(self) -> tuple[Any, Any, Any]:
        """With its room, as the compiled loop takes it: rows and twice None, or cells, columns and starts."""
        cells = self.support_cells if self.support_vectors is None else self.support_vectors
        return cells, self.support_columns, self.support_starts

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
            thin = Rows(matrix=sparse.csr_matrix(rows.dense))
            thin.order = rows.order
            return thin
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
        order = rows.order if rows.order.size else np.arange(len(rows))
        state = _FULL if self.support_labels is None else _PLAYED
        while done < len(rows):
            if state == _FULL:
                self._make_room(rows, int(order[done]))
            made, played, state = self._compiled(rows, order[done:], signs, updated[mistakes:])
            mistakes, done = mistakes + made, done + played
            if state == _NOT_FINITE:
                break
        return mistakes, mistakes, done

    def _compiled(
        self, rows: Rows, order: Ints, signs: Array, updated: Ints
    ) -> tuple[int, int, int]:
        """Play rows in an order until the support is full; return mistakes, rows played and the state."""
        known = self._known
        if known is None or known[0] is not rows:
            known = (rows, *_no_sums(len(rows)))
            if self._keeping is rows:
                self._known = known
        counted, span, tally = self._run(
            rows, order, signs, self.support_labels, known[1:], updated
        )
        self.first, self.last = span.tolist()
        self.squared_length, self.largest_square = tally.tolist()
        return counted

    def _run(
        self,
        rows: Rows,
        order: Ints,
        signs: Array,
        labels: Any,
        sums: tuple[Any, ...],
        missed: Ints,
    ) -> tuple[tuple[int, int, int], Ints, Floats]:
        """The compiled loop on rows in an order; there is room for as many mistakes as for labels.

        Returns what it returns, which mistakes are then in use, and the lengths of weights and examples.
        """
        program = program_of(self.kernel)
        assert program is not None
        span = np.array([self.first, self.last])
        tally = np.array([self.squared_length, self.largest_square])
        counted = kernel_perceptron_pass(
            *program,
            *_parts_of(rows),
            signs,
            order,
            self.zero,
            *self._support,
            labels,
            span,
            self.budget,
            *sums,
            tally,
            missed,
        )
        return counted, span, tally

    def _pass_by_rows(self, rows: Rows, signs: Array, updated: Ints) -> tuple[int, int, int]:
        """The same for a kernel without a formula."""
        mistakes = 0
        for turn in range(len(rows)):
            t = rows.turn(turn)
            one = rows.part(t, t + 1)
            try:
                score = self._sum_over(one)
                square = float(self.kernel.diagonal(one.whole)[0])
            except BadData:
                return mistakes, mistakes, turn
            finite = math.isfinite(score) and math.isfinite(square)
            if not (finite and np.isfinite(one.arrays[0]).all()):
                return mistakes, mistakes, turn
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
        full = self.support_labels is None or self.last == len(self.support_labels)
        if full or not self._joins(one):
            self._make_room(one, 0)
            self._joins(one)
        assert self.support_labels is not None
        self.support_labels[self.last] = sign
        self.last += 1
        if self.budget and self.last - self.first > self.budget:
            self.first += 1

    def _joins(self, one: Rows) -> bool:
        """Write an example behind the others; whether there was room for its cells."""
        X, columns, starts = _parts_of(one)
        cells = X[0] if columns is None else X
        return bool(joins(cells, columns, starts, 0, *self._support, self.last))

    # Predicting

    def scores(self, rows: Rows) -> Floats:
        """The sum over the mistaken examples for every row: by products of matrices."""
        if not (len(rows) and len(self.labels)):
            return np.zeros(len(rows))
        return block_sums(self.kernel, rows.whole, self.examples, self.labels, _VALUES)

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
        assert self.support_labels is not None
        if self.support_starts is not None:
            one = Rows(matrix=sparse.csr_matrix(one.dense))
        labels, sums = self.support_labels[: self.last], _no_sums(1)
        self._run(one, np.zeros(1, np.int64), np.ones(1), labels, sums, np.zeros(1, np.int64))
        return float(sums[0][0])

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


def _no_sums(rows: int) -> tuple[Floats, Ints, Ints]:
    """Sums over no mistakes yet, and from which mistake up to which they are."""
    return np.zeros(rows), np.full(rows, -1), np.zeros(rows, np.int64)


def _parts_of(rows: Rows) -> tuple[Any, Any, Any]:
    """The rows as the compiled loop takes them."""
    if rows.dense is not None:
        return rows.dense, None, None
    cells, columns, starts = rows.matrix.data, rows.matrix.indices, rows.matrix.indptr
    return cells, columns.astype(np.int64, copy=False), starts.astype(np.int64, copy=False)
