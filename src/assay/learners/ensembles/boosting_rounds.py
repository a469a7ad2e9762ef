"""Rounds of gradient boosting: threads that run the same compiled loops, tree after tree."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from assay.compiled.ensembles import boosting_gradients as loops
from assay.compiled.ensembles.boosting_bins import BINS
from assay.compiled.ensembles.boosting_grow import LATER, grow_tree
from assay.errors import BadData
from assay.learners.ensembles.boosted_trees import BoostedTrees
from assay.learners.ensembles.boosting_bins import GROUP, Bins
from assay.learners.ensembles.boosting_losses import BoostingLoss, weighted_quantile
from assay.types import Array, Floats, Ints

# Bytes of bins up to which histograms are made by features, not by rows.
_FITS = 1 << 23
# Rows of a leaf up to which that is so in any case.
_FEW = 2048
# Rows below which a second thread costs more than it brings.
_ALONE = 4096
# The fewest bits of a gradient with which trees are as good as with all of them.
_LEAST_BITS = 5
MOST_ROWS = 2**26 - 1
# More than sums of rows lose by rounding, as a share.
_ROUNDING = 1e-12
# Leaves whose nodes are written down before they are put together.
_AT_ONCE = 500_000


@dataclass(frozen=True)
class TreeLimits:
    """When leaves are not cut any more.

    Attributes
    ----------
    leaves : int
        The most leaves of a tree.
    depth : int
        The most questions on any way down; -1 for any number.
    rows : int
        The fewest rows of a leaf.
    smoothing : float
        What is added to the hessian of a leaf.
    share : float
        The share of the features that is drawn for each leaf.
    rate : float
        The share of its value that a leaf adds.
    """

    leaves: int
    depth: int
    rows: int
    smoothing: float
    share: float
    rate: float


@dataclass(frozen=True)
class Widths:
    """How many bits there are for sums of so many rows.

    Attributes
    ----------
    g, h : int
        Those of one gradient, and of one hessian.
    shift : int
        Those of a sum of hessians.
    fine : int
        Those of one gradient or hessian in the fine sums of leaves.
    constant : bool
        Whether every row has the same hessian.
    """

    g: int
    h: int
    shift: int
    fine: int
    constant: bool

    @classmethod
    def of(cls, rows: int, constant: bool) -> Widths:
        """For so many rows."""
        size = int(rows).bit_length()
        spare = 63 - 2 * size
        g = min(14, spare if constant else (spare + 1) // 2)
        h = 0 if constant else min(15, spare - g)
        assert g >= _LEAST_BITS
        assert 2 * size + h + g <= 63
        return cls(g, h, size + h, min(61 - size, 50), constant)


class Rounds:
    """A sample in bins, its scores, and trees that are grown from them."""

    def __init__(
        self, X: Any, y: Array, weights: Floats | None, bins: Bins, loss: BoostingLoss, share: float,
        limits: TreeLimits, rising: Ints, together: NDArray[np.uint8], seed: int, score: Floats, workers: int,
    ) -> None:  # fmt: skip
        n, d = X.shape
        if n > MOST_ROWS:
            raise BadData(f"The sample must have at most {MOST_ROWS} rows, but has {n}.")
        self._asked, self._sets = np.arange(d), together
        few = bins.divisible(X, limits.rows)
        # Where features are drawn, those that no cut divides are drawn too.
        if limits.share == 1.0 and 2 * len(few) <= d:
            self._asked, d = few, len(few)
            X = X[:, few] if sparse.issparse(X) else np.take(X, few, axis=1)
            bins, rising, self._sets = bins.some(few), rising[few], together[:, few]
        self.loss, self.share, self.limits, self.seed = loss, share, limits, seed
        self.score, self.weights = score, weights
        self.outputs = len(score)
        self.y = np.ascontiguousarray(y, np.int64 if self.outputs > 1 else np.float64)
        self.rows_in, self.threads = n, min(workers, d) if n >= _ALONE else 1
        T = self.threads
        self._first = np.array([d * t // T for t in range(T + 1)])
        place, stride, size = self._places(n, d)
        self._place, self._stride = place, stride
        self._records = np.empty(size, np.uint8)
        self._cols = bins.lay_out(X, place, stride, self._records, T)
        self._features = np.stack([bins.used, bins.gaps, bins.kinds, rising])
        self._kinds_of = np.array([int(rising.any()), int((bins.kinds == GROUP).any())])
        self._prepare(n, d)
        self.squares = 0.0
        self.drops: list[float] = []
        self.losses: list[float] = []

    def _places(self, n: int, d: int) -> tuple[Ints, Ints, int]:
        """Where the bins of rows lie: one record a row, or while these are small one for each thread."""
        self._by_rows = n * d > _FITS
        if self._by_rows:  # a little wider where that keeps it within one cache line
            wide = next((w for w in range(d, int(d * 1.15) + 1) if 64 % w == 0), d)
            return np.arange(d), np.full(d, wide), n * wide
        widths = np.diff(self._first)
        place = np.arange(d) + np.repeat(self._first[:-1] * (n - 1), widths)
        return place, np.repeat(widths, widths), n * d

    def _prepare(self, n: int, d: int) -> None:
        T, K, leaves = self.threads, self.outputs, self.limits.leaves
        loss, w = self.loss, self.weights
        bits = Widths.of(n, loss.constant and w is None)
        self._constant, self._g_bits, self._h_bits = bits.constant, bits.g, bits.h
        self._shift, self._fine_bits = bits.shift, bits.fine
        heavy = 1.0 if w is None else float(w.max())
        self.total = float(n) if w is None else float(w.sum())
        self._heavy_least = 1e-3 * min(1.0, self.total / n)
        self._weight = np.ones(1) if w is None else w
        # One allocation, so that the system gives large pages.
        arena = np.empty(max((2 + (K + 1) // 2) * n + 512, 1 << 20), np.int64)
        self._order = arena[:n].view(np.uint32).reshape(2, n)
        self._words = arena[n : n + (K * n + 1) // 2].view(np.int32)[: K * n].reshape(K, n)
        several = loss.code >= 0
        self._gradient, self._hessian = np.empty(n if several else 1), np.empty(n if several else 1)
        self._pool, self._partial = (
            np.empty((leaves, d * BINS), np.int64),
            np.empty((T, d * BINS), np.int64),
        )
        self._begin, self._end = np.zeros((T, leaves), np.int64), np.zeros((T, leaves), np.int64)
        own = [
            sum(min(b + loops.OWN, n) - b for b in range(t * loops.OWN, n, T * loops.OWN))
            for t in range(T)
        ]
        self._begin[:, 0] = np.cumsum([0, *own[:-1]])
        self._turn, self._fine = np.zeros((T, leaves), np.int64), np.zeros((T, leaves, 2), np.int64)
        self._gains, self._chosen = np.zeros((T, leaves)), np.zeros((T, leaves, 8), np.int64)
        self._units, self._book = np.zeros((T, 8)), np.zeros((T, 8))
        self._units[:, 0] = 2.0**self._g_bits / heavy
        self._units[:, 1] = 2.0**self._h_bits / (0.25 * heavy)
        self._book[:, 2], self._book[:, 3] = float(np.abs(self.score).max()), self.total
        self._maxima, self._loss = np.zeros((T, 8)), np.zeros((T, loops.OWN))
        self._room = np.zeros((T, K + 2 if K > 1 else 1, loops.OWN))
        self._blocks = (n + loops.OWN - 1) // loops.OWN
        self._sync = np.zeros(16 + 8 * T, np.int64)

    def grow(self, first: int, last: int) -> BoostedTrees:
        """The trees of rounds from first to last; scores have them added, losses and drops are written down."""
        K = self.outputs
        step = 1 if self.loss.mode == LATER else max(1, _AT_ONCE // (K * self.limits.leaves))
        return BoostedTrees.joined(
            [self._grow(begin, min(begin + step, last)) for begin in range(first, last, step)]
        )

    def _grow(self, first: int, last: int) -> BoostedTrees:
        K, leaves, many = self.outputs, self.limits.leaves, []
        trees = (last - first) * K
        nodes, groups = (
            np.zeros((trees, leaves - 1, 6), np.int64),
            np.zeros((trees, leaves - 1, 4), np.int64),
        )
        gain, value = np.zeros((trees, leaves - 1)), np.zeros((trees, leaves))
        held, sums = np.zeros((trees, leaves), np.int64), np.zeros((last - first, self._blocks))

        def work(thread: int) -> None:
            for t in range(first, last):
                self._slopes(thread, t, sums[t - first])
                for k in range(K):
                    at = (t - first) * K + k
                    self._tree(
                        thread, t * K + k, k, nodes[at], groups[at], gain[at], value[at], held[at]
                    )
                    if self._sync[8]:
                        return
                    if thread == 0:
                        many.append(int(self._book[0, 0]))
                        self.drops.append(float(self._book[0, 1]))

        self._together(work)
        self.losses.extend(self._mean(row) for row in sums)
        if self.loss.mode == LATER:
            self._leaf_values(many[0], value[0])
        nodes[:, :, 0] = self._asked[nodes[:, :, 0]]
        return BoostedTrees.of(many, nodes, groups, gain, value, held)

    def _mean(self, sums: Floats) -> float:
        """The mean loss, from that of all blocks of rows."""
        return math.fsum(sums) / self.total

    def _together(self, work: Callable[[int], None]) -> None:
        """Run the same in all threads; an exception in one, such as an interruption, ends all."""
        problems: list[BaseException] = []
        self._sync[:] = 0

        def guarded(thread: int) -> None:
            try:
                work(thread)
            except BaseException as problem:
                self._sync[8] = 1
                problems.append(problem)

        others = [threading.Thread(target=guarded, args=(t,)) for t in range(1, self.threads)]
        for one in others:
            one.start()
        guarded(0)
        for one in others:
            one.join()
        if problems:
            raise problems[0]

    def _slopes(self, thread: int, round_: int, sums: Floats) -> None:
        loss, T, units = self.loss, self.threads, self._units[thread]
        words, score, buffer = self._words, self.score, self._loss[thread]
        if loss.code < 0 and self.outputs == 1:
            shared = (words[0], float(units[0]), float(units[1]), round_, sums, buffer, 0)
            if self.weights is None:
                loops.log_loss_words(thread, T, score[0], self.y, *shared)
            else:
                loops.weighted_log_loss_words(thread, T, score[0], self.y, self._weight, *shared)
        elif loss.code < 0:
            loops.multinomial_words(
                thread, T, score, self.y, self._weight, self.weights is not None, words, float(units[0]),
                float(units[1]), round_, sums, buffer, self._room[thread], 0,
            )  # fmt: skip
        else:
            loops.slopes(
                thread, T, loss.code, self.share, score[0], self.y, self._weight, self.weights is not None,
                self._gradient, self._hessian, self._maxima, sums, buffer,
            )  # fmt: skip
            loops.quantise(
                thread, T, self._sync, loss.code, self._constant, self._gradient, self._hessian, words[0],
                self._maxima, units, sums, self.squares, self._g_bits, self._h_bits, self._fine_bits, round_,
            )  # fmt: skip
            if round_ == 0 and thread == 0:
                self.squares = float(units[2])

    def _tree(
        self,
        thread: int,
        tree: int,
        output: int,
        nodes: Ints,
        groups: Ints,
        gain: Floats,
        value: Floats,
        held: Ints,
    ) -> None:
        limits = self.limits
        grow_tree(
            thread, self.threads, self._sync, self._cols, self._records, self._place, self._stride, self._first,
            self._features, self._kinds_of, self._words[output], self._units[thread], self._shift, self._gradient,
            self._hessian, self.score[output], self._order, self._pool, self._partial, self._begin, self._end,
            self._gains, self._chosen, self._fine, self._turn, nodes, groups, gain, value, held,
            self._book[thread], limits.rows, limits.depth, limits.share, self._sets,
            (self.seed * 2**24 + tree) * 2**17 & (2**62 - 1), limits.smoothing, self._heavy_least,
            float(2**self._h_bits), limits.rate, self.loss.mode, _FEW if self._by_rows else self.rows_in,
        )  # fmt: skip

    def _leaf_values(self, leaves: int, value: Floats) -> None:
        """The constant of each leaf that costs least, times the rate; and what whole steps would save."""
        score, left, w = self.score[0], self.y - self.score[0], self.weights
        before, after, now = np.zeros(len(left)), np.zeros(len(left)), np.zeros(len(left))
        for q in range(leaves):
            rows = np.concatenate(
                [
                    self._order[self._turn[t, q], self._begin[t, q] : self._end[t, q]]
                    for t in range(self.threads)
                ]
            )
            rows.sort()  # the same order whatever the number of threads
            part, weights = left[rows], None if w is None else w[rows]
            best = weighted_quantile(part, weights, self.share)
            cost, saved = self._costs(part, weights), self._costs(part - best, weights)
            value[q] = self.limits.rate * best
            moved = score[rows] + value[q]
            reached = self._costs(self.y[rows] - moved, weights)
            least = (1.0 - _ROUNDING) * cost.sum()
            if not max(saved.sum(), reached.sum()) < least:
                # Rounding has the say here: the leaf adds nothing.
                value[q], moved, saved, reached = 0.0, score[rows], cost, cost
            before[rows], after[rows], now[rows], score[rows] = cost, saved, reached, moved
        start, end, last = self._sum(before), self._sum(after), self._sum(now)
        if start > 0:
            share = min(1.0 - end / start, (1.0 - last / start) / self.limits.rate)
            self.drops[-1] = max(0.0, share)

    def _sum(self, costs: Floats) -> float:
        sums = np.zeros(self._blocks)
        loops.block_sums(costs, sums)
        return math.fsum(sums)

    def _costs(self, left: Floats, weights: Floats | None) -> Floats:
        costs = np.where(left > 0, self.share, self.share - 1.0) * left
        if self.loss.name == "absolute_error":
            costs = np.abs(left)
        return costs if weights is None else weights * costs

    def finish(self) -> float:
        """The mean loss after the last round."""
        sums = np.zeros(self._blocks)
        self._together(lambda thread: self._slopes(thread, 1 << 20, sums))
        return self._mean(sums)
