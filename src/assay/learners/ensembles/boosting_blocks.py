"""Rounds of gradient boosting over blocks of rows: the blocks add up histograms, and questions are asked here.

Gradients are whole numbers, as in `Rounds`, and so are the sums of them: trees are the same as on one machine. A leaf's
histogram needs all rows, so leaves whose turn may come are cut together, ahead of their turn; which of them are kept
is decided in the order of their gains, as if each had been cut in its turn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.compiled.ensembles import boosting_blocks as block_loops
from assay.compiled.ensembles import boosting_gradients as loops
from assay.compiled.ensembles.boosting_bins import BINS, MISSING
from assay.compiled.ensembles.boosting_grow import EXACT_SQUARES, bins_at_left, leaf_values
from assay.errors import BadData
from assay.learners.common.blocks import Block, Blocks, held_bytes
from assay.learners.ensembles.boosted_trees import BoostedTrees
from assay.learners.ensembles.boosting_bins import GROUP, Bins, sampled_rows
from assay.learners.ensembles.boosting_losses import BoostingLoss, row_losses
from assay.learners.ensembles.boosting_rounds import MOST_ROWS, TreeLimits, Widths
from assay.types import Array, Floats, Ints

# So many bytes of histograms are added up in one pass at most.
_BYTES = 2**26


class Split(NamedTuple):
    """A leaf that is cut: its two new ones, and of which of them a histogram is wanted.

    Attributes
    ----------
    node, left, right : int
        Their numbers, each of which is given once in a tree.
    feature : int
    bins : array of shape (256,)
        The bins that go left, each with a one.
    wanted : int
        The number of the leaf whose histogram is wanted, or -1.
    """

    node: int
    left: int
    right: int
    feature: int
    bins: NDArray[np.uint8]
    wanted: int


class Orders(NamedTuple):
    """What the blocks shall do next, in this order.

    Attributes
    ----------
    splits : list of Split
    fine : list of int
        The leaves of which fine sums are wanted.
    units : array of shape (8,)
        Those of gradients and hessians.
    values : list of (int, float)
        What leaves add to the scores of their rows.
    output : int
        To which of the scores.
    slopes : bool
        Whether the losses of all rows are wanted; gradients are found with them.
    words : bool
        Whether gradients shall be made whole numbers.
    round : int
        By which they are rounded.
    root : int
        The output of which a histogram of all rows is wanted, or -1.
    """

    units: Floats
    splits: list[Split] = []  # noqa: RUF012
    fine: list[int] = []  # noqa: RUF012
    values: list[tuple[int, float]] = []  # noqa: RUF012
    output: int = 0
    slopes: bool = False
    words: bool = False
    round: int = 0
    root: int = -1


@dataclass(frozen=True)
class Answer:
    """What blocks answer: neighbours are put together.

    Attributes
    ----------
    histograms : array of shape (wanted, features * 256, 2)
    fine : array of shape (leaves, 2)
    sums : array
        The loss of each stretch of rows.
    largest : array of shape (2,)
        The largest gradient and hessian.
    """

    histograms: Ints
    fine: Ints
    sums: Floats
    largest: Floats

    def beside(self, other: Answer) -> Answer:
        """The answer of two neighbours."""
        return Answer(
            self.histograms + other.histograms,
            self.fine + other.fine,
            np.concatenate([self.sums, other.sums]),
            np.maximum(self.largest, other.largest),
        )


@dataclass(frozen=True)
class BoostBlock:
    """The rows of a block in bins, with their scores; a step makes another, and changes nothing in this one."""

    first: int
    codes: NDArray[np.uint8]
    y: Array
    weights: Floats | None
    score: Floats
    kind: tuple[BoostingLoss, float, int]
    words: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 0), np.int32))
    gradient: Floats = field(default_factory=lambda: np.zeros(0))
    hessian: Floats = field(default_factory=lambda: np.zeros(0))
    rows: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))
    leaves: dict[int, tuple[int, int]] = field(default_factory=dict)

    def __sizeof__(self) -> int:
        return held_bytes(self)


def begun(
    block: Block,
    bins: Bins,
    features: Ints,
    start: Floats,
    loss: BoostingLoss,
    share: float,
    shift: int,
) -> BoostBlock:
    """The rows of a block before the first round."""
    outputs, n = len(start), len(block)
    X = np.ascontiguousarray(block.X[:, features])
    y = np.ascontiguousarray(block.y, np.int64 if outputs > 1 else np.float64)
    score = np.empty((outputs, n))
    score[:] = 0.0 if loss.moves else start[:, None]
    target = y - start[0] if loss.moves else y
    weights = None if block.weights is None else np.ascontiguousarray(block.weights)
    return BoostBlock(block.first, bins.codes(X), target, weights, score, (loss, share, shift))


def stepped(state: BoostBlock, orders: Orders) -> tuple[BoostBlock, Answer]:
    """The block after some orders, and what it answers."""
    n, d = state.codes.shape
    shift = state.kind[2]
    rows, leaves = state.rows.copy(), dict(state.leaves)
    histograms = [_split(state, orders.output, split, rows, leaves) for split in orders.splits]
    histograms = [held for held in histograms if held is not None]
    fine = np.zeros((len(orders.fine), 2), np.int64)
    for place, node in enumerate(orders.fine):
        fine[place] = block_loops.fine_sums(
            state.gradient, state.hessian, float(orders.units[3]), float(orders.units[4]), rows, *leaves[node]
        )  # fmt: skip
    score, words = state.score, state.words
    if orders.values:
        score = score.copy()
        for node, value in orders.values:
            block_loops.add_value(score[orders.output], rows, *leaves[node], value)
    state = replace(state, score=score, rows=rows, leaves=leaves)
    sums, largest = np.zeros(0), np.zeros(2)
    if orders.slopes:
        state, sums, largest = _sloped(state, orders)
    elif orders.words:
        words = np.empty((1, n), np.int32)
        units = orders.units
        loops.words_of(
            state.gradient, state.hessian, words[0], float(units[0]), float(units[1]), orders.round, state.first
        )  # fmt: skip
        state = replace(state, words=words)
    if orders.root >= 0:
        state = replace(state, rows=np.arange(n, dtype=np.uint32), leaves={0: (0, n)})
        held = np.zeros((d * BINS, 2), np.int64)
        block_loops.node_histogram(
            state.codes, state.words[orders.root], shift, state.rows, 0, n, held
        )
        histograms.append(held)
    answered = np.array(histograms) if histograms else np.zeros((0, d * BINS, 2), np.int64)
    return state, Answer(answered, fine, sums, largest)


def _split(
    state: BoostBlock,
    output: int,
    split: Split,
    rows: NDArray[np.uint32],
    leaves: dict[int, tuple[int, int]],
) -> Ints | None:
    begin, end = leaves[split.node]
    middle = begin
    if end > begin:
        scratch = np.empty(len(rows), np.uint32)
        middle = block_loops.split_rows(
            state.codes, split.feature, split.bins, rows, begin, end, scratch
        )
    leaves[split.left], leaves[split.right] = (begin, middle), (middle, end)
    if split.wanted < 0:
        return None
    held = np.zeros((state.codes.shape[1] * BINS, 2), np.int64)
    shift = state.kind[2]
    block_loops.node_histogram(
        state.codes, state.words[output], shift, rows, *leaves[split.wanted], held
    )
    return held


def _sloped(state: BoostBlock, orders: Orders) -> tuple[BoostBlock, Floats, Floats]:
    """Gradients and losses; where units are known beforehand, whole numbers at once."""
    loss, share, _ = state.kind
    n, outputs, buffer = len(state.y), len(state.score), np.zeros(loops.OWN)
    sums = np.zeros(-(-n // loops.OWN))
    if loss.code >= 0:
        gradient, hessian, maxima = np.empty(n), np.empty(n), np.zeros((1, 8))
        weighted = state.weights is not None
        weight = np.ones(1) if state.weights is None else state.weights
        loops.slopes(
            0, 1, loss.code, share, state.score[0], state.y, weight, weighted, gradient, hessian, maxima, sums, buffer
        )  # fmt: skip
        return replace(state, gradient=gradient, hessian=hessian), sums, maxima[0, :2].copy()
    words, units = np.empty((outputs, n), np.int32), orders.units
    shared = (float(units[0]), float(units[1]), orders.round, sums, buffer)
    if outputs > 1:
        room = np.zeros((outputs + 2, loops.OWN))
        weighted = state.weights is not None
        weight = np.ones(1) if state.weights is None else state.weights
        loops.multinomial_words(
            0, 1, state.score, state.y, weight, weighted, words, *shared, room, state.first
        )
    elif state.weights is None:
        loops.log_loss_words(0, 1, state.score[0], state.y, words[0], *shared, state.first)
    else:
        loops.weighted_log_loss_words(
            0, 1, state.score[0], state.y, state.weights, words[0], *shared, state.first
        )
    return replace(state, words=words), sums, np.zeros(2)


@dataclass
class _Leaf:
    """A leaf that may be cut, or was."""

    number: int
    hist: Ints
    whole: int
    size: int
    low: float
    high: float
    alive: NDArray[np.uint8]
    depth: int = 0
    gain: float = -1.0
    chosen: Ints = field(default_factory=lambda: np.full(8, -1, np.int64))
    #: The numbers of its two parts, and their histograms, once blocks have cut it.
    parts: tuple[int, int] | None = None
    held: tuple[Ints | None, Ints | None] = (None, None)


class BlockRounds:
    """What `Rounds` is for a table in memory."""

    def __init__(
        self,
        blocks: Blocks,
        bins: Bins,
        start: Floats,
        loss: BoostingLoss,
        share: float,
        limits: TreeLimits,
        rising: Ints,
        together: NDArray[np.uint8],
        seed: int,
        weights: tuple[float, float] | None,
    ) -> None:
        n, d = blocks.rows, blocks.width
        if n > MOST_ROWS:
            raise BadData(f"The sample must have at most {MOST_ROWS} rows, but has {n}.")
        self._asked = np.arange(d)
        few = np.flatnonzero((bins.used > 1) | (bins.gaps > 0))
        few = few if len(few) else np.zeros(1, np.int64)
        if limits.share == 1.0 and 2 * len(few) <= d:
            self._asked, d = few, len(few)
            bins, rising, together = bins.some(few), rising[few], together[:, few]
        self.loss, self.share, self.limits, self.seed = loss, share, limits, seed
        self._together, self.outputs, self._rows = together, len(start), n
        self._features = np.stack([bins.used, bins.gaps, bins.kinds, rising])
        self._kinds_of = (int(rising.any()), int((bins.kinds == GROUP).any()))
        self._bits = Widths.of(n, loss.constant and weights is None)
        heaviest, self.total = (1.0, float(n)) if weights is None else weights
        self._heavy_least = 1e-3 * min(1.0, self.total / n)
        self._units, self._book = np.zeros(8), np.zeros(8)
        self._units[0] = 2.0**self._bits.g / heaviest
        self._units[1] = 2.0**self._bits.h / (0.25 * heaviest)
        self._book[2] = 0.0 if loss.moves else float(np.abs(start).max())
        self._book[3] = self.total
        terms = (bins, self._asked, start, loss, share, self._bits.shift)
        self._blocks = blocks.map(begun, *terms, keep=True)
        #: What the blocks do first in their next step: leaves that are only parted, and what leaves add.
        self._waiting: list[Split] = []
        self._pending: list[tuple[int, float]] = []
        self._output = 0
        self.squares = 0.0
        self.drops: list[float] = []
        self.losses: list[float] = []

    # Rounds

    def grow(self, first: int, last: int) -> BoostedTrees:
        """The trees of rounds from first to last; losses and drops are written down."""
        return BoostedTrees.joined([self._round(t) for t in range(first, last)])

    def finish(self) -> float:
        """The mean loss after the last round."""
        answer = self._ask(slopes=True, round=1 << 20)
        return math.fsum(answer.sums) / self.total

    def judged(self, part: Any, *args: Any) -> Any:
        """What a function of blocks in bins adds up to, after `finish`."""
        return self._blocks.total(part, *args)

    def _ask(self, **orders: Any) -> Answer:
        """Let all blocks take a step; what leaves add is added in the next step, before anything new is looked at."""
        splits = [*self._waiting, *orders.pop("splits", [])]
        values, self._pending, self._waiting = self._pending, [], []
        asked = Orders(self._units.copy(), splits, values=values, output=self._output, **orders)
        self._blocks, answer = self._blocks.step(Answer.beside, stepped, asked)
        return answer  # type: ignore[no-any-return]

    def _round(self, t: int) -> BoostedTrees:
        K, classes = self.outputs, self.loss.code < 0
        # Orders that end the tree before are carried out first, so its output is still the one they mean.
        answer = self._ask(slopes=True, round=t, root=0 if classes else -1)
        self.losses.append(math.fsum(answer.sums) / self.total)
        if not classes:
            units, bits = self._units, self._bits
            loops.units_of(
                float(answer.largest[0]), float(answer.largest[1]), answer.sums, len(answer.sums), self.loss.code,
                bits.constant, self.squares, bits.g, bits.h, bits.fine, units,
            )  # fmt: skip
            if t == 0:
                self.squares = float(units[2])
            answer = self._ask(words=True, round=t, root=0)
        trees = []
        for k in range(K):
            if k > 0:
                answer = self._ask(root=k)
            self._output = k
            trees.append(self._tree(answer.histograms[-1], t * K + k))
        return BoostedTrees.joined(trees)

    # One tree

    def _tree(self, root: Ints, tree: int) -> BoostedTrees:
        most = self.limits.leaves
        seed = (self.seed * 2**24 + tree) * 2**17 & (2**62 - 1)
        nodes, groups = np.zeros((1, most - 1, 6), np.int64), np.zeros((1, most - 1, 4), np.int64)
        gained, parent = np.zeros((1, most - 1)), [0] * most
        alive = np.ones(len(self._together), np.uint8)
        whole = int(root[:BINS, 0].sum())
        leaves = [_Leaf(0, root, whole, self._rows, -np.inf, np.inf, alive)]
        self._choose(leaves[0], seed)
        ready, self._numbers = 1, 1
        while ready < most:
            best = self._first(leaves)
            if best is None:
                break
            leaf, node = leaves[best], ready - 1
            if leaf.parts is None:
                self._cut(leaves, most - ready)
            left, right = self._divided(leaf)
            asked = leaf.chosen
            f, bins = int(asked[0]), _left_bins(asked)
            nodes[0, node, :4] = f, asked[1] & MISSING, -1 - best, -1 - ready
            missing = bins[MISSING] if self._features[1, f] else left.size >= right.size
            nodes[0, node, 4:] = missing, asked[3]
            groups[0, node] = asked[4:] if asked[3] == 1 else 0
            gained[0, node] = leaf.gain * (self._units[1] / self._units[0]) / self._units[0]
            if node > 0:
                nodes[0, parent[best] >> 1, 2 + (parent[best] & 1)] = node
            parent[best], parent[ready] = node * 2, node * 2 + 1
            leaves[best] = left
            leaves.append(right)
            ready += 1
            if ready == most:
                break
            for one, place in ((left, 0), (right, 1)):
                if one.hist.size:
                    self._choose(one, seed + 2 * node + 1 + place)
        value, held = self._said(leaves)
        nodes[:, :, 0] = self._asked[nodes[:, :, 0]]
        return BoostedTrees.of([ready], nodes, groups, gained, value, held)

    @staticmethod
    def _first(leaves: list[_Leaf]) -> int | None:
        """The leaf that is cut next, the first of those that gain most."""
        best, place = 0.0, None
        for q, leaf in enumerate(leaves):
            if leaf.chosen[0] >= 0 and leaf.gain > best:
                best, place = leaf.gain, q
        return place

    @property
    def _mask(self) -> int:
        return (1 << self._bits.shift) - 1

    def _choose(self, leaf: _Leaf, seed: int) -> None:
        """Find the best question of a leaf."""
        limits, h_unit = self.limits, float(self._units[1])
        hist, counts = (np.ascontiguousarray(leaf.hist[:, part]) for part in (0, 1))
        leaf.gain = block_loops.question(
            hist, counts, leaf.size, self._features, self._kinds_of, self._together, leaf.alive, limits.share,
            seed, leaf.whole, self._bits.shift, limits.smoothing * h_unit, h_unit,
            max(self._heavy_least * h_unit, 1.0), float(limits.rows) * 2.0**self._bits.h, limits.rows,
            leaf.low, leaf.high, leaf.chosen,
        )  # fmt: skip

    def _cut(self, leaves: list[_Leaf], room: int) -> None:
        """Let the blocks cut the leaves whose turn may come, those that gain most first."""
        may = [
            leaf for leaf in leaves if leaf.parts is None and leaf.chosen[0] >= 0 and leaf.gain > 0
        ]
        may.sort(key=lambda leaf: -leaf.gain)
        together = max(1, _BYTES // (16 * BINS * self._features.shape[1]))
        may, splits, wanted = may[: min(room, together)], [], []
        for leaf in may:
            left, right = self._sizes(leaf)
            numbers = self._numbers, self._numbers + 1
            self._numbers += 2
            leaf.parts = numbers
            fewer, more = min(left, right), max(left, right)
            deep = 0 <= self.limits.depth <= leaf.depth + 1
            asks = more >= 2 * self.limits.rows and not deep and room > 1
            less = numbers[0] if left <= right else numbers[1]
            f = int(leaf.chosen[0])
            splits.append(
                Split(leaf.number, *numbers, f, _left_bins(leaf.chosen), less if asks else -1)
            )
            if asks:
                wanted.append((leaf, less == numbers[0], fewer >= 2 * self.limits.rows))
        if not wanted:
            self._waiting += splits
            return
        answer = self._ask(splits=splits)
        for (leaf, first, both), hist in zip(wanted, answer.histograms, strict=True):
            small: Ints | None = hist if both else None
            large: Ints = leaf.hist - hist
            leaf.held = (small, large) if first else (large, small)

    def _sizes(self, leaf: _Leaf) -> tuple[int, int]:
        f = int(leaf.chosen[0])
        counts = leaf.hist[f * BINS : (f + 1) * BINS, 1]
        left = int(counts[_left_bins(leaf.chosen).astype(bool)].sum())
        return left, leaf.size - left

    def _divided(self, leaf: _Leaf) -> tuple[_Leaf, _Leaf]:
        """The two parts of a leaf that was cut."""
        assert leaf.parts is not None
        f, word = int(leaf.chosen[0]), int(leaf.chosen[2])
        nothing = np.zeros((0, 2), np.int64)
        sides = []
        alive = leaf.alive & self._together[:, f]
        for number, hist, whole, size in zip(
            leaf.parts, leaf.held, (word, leaf.whole - word), self._sizes(leaf), strict=True
        ):
            held = nothing if hist is None else hist
            bounds = (leaf.low, leaf.high)
            sides.append(_Leaf(number, held, whole, size, *bounds, alive, leaf.depth + 1))
        left, right = sides
        if self._features[3, f] != 0:
            middle = 0.0
            smooth = self.limits.smoothing * float(self._units[1])
            for one in sides:
                g, h = float(one.whole >> self._bits.shift), float(one.whole & self._mask) + smooth
                middle += 0.5 * min(max(-g / h, one.low), one.high)
            if self._features[3, f] > 0:
                left.high = right.low = middle
            else:
                left.low = right.high = middle
        return left, right

    def _said(self, leaves: list[_Leaf]) -> tuple[Floats, Ints]:
        """What the leaves add, which the blocks do in their next step; and how many rows each has."""
        many, limits, units = len(leaves), self.limits, self._units
        whole = np.array([leaf.whole for leaf in leaves])
        sizes = np.array([leaf.size for leaf in leaves])
        low, high = (np.array([getattr(leaf, end) for leaf in leaves]) for end in ("low", "high"))
        fine = np.zeros((1, many, 2), np.int64)
        numbers = [leaf.number for leaf in leaves]
        if self.loss.mode == EXACT_SQUARES:
            fine[0] = self._ask(fine=numbers).fine
        h_unit, own = float(units[1]), np.empty(many)
        leaf_values(
            many, whole, self._bits.shift, limits.smoothing * h_unit, h_unit, float(units[0]),
            self._heavy_least * h_unit, self.loss.mode, fine, sizes, low, high, units, limits.rate, own, self._book,
        )  # fmt: skip
        self.drops.append(float(self._book[1]))
        self._pending = list(zip(numbers, own.tolist(), strict=True))
        return own[None, :], sizes[None, :]


def _left_bins(asked: Ints) -> NDArray[np.uint8]:
    bins = np.zeros(BINS, np.uint8)
    bins_at_left(asked, bins)
    return bins


# What blocks say before the first round, and after the last


def bins_of_blocks(blocks: Blocks, arity: list[int], most: int) -> Bins:
    """The bins that the same rows have in one table."""
    cells, gaps = blocks.fold(_gathered, _sampled, blocks.rows)
    return replace(Bins.of(np.concatenate(cells), arity, most), gaps=gaps.astype(np.int64))


def _sampled(block: Block, rows: int) -> tuple[list[Floats], Array]:
    chosen = sampled_rows(rows)
    gaps: Array = np.asarray(np.isnan(block.X).any(axis=0))
    if chosen is None:
        return [block.X], gaps
    first, last = np.searchsorted(chosen, [block.first, block.first + len(block)])
    return [block.X[chosen[first:last] - block.first]], gaps


def _gathered(
    one: tuple[list[Floats], Array], other: tuple[list[Floats], Array]
) -> tuple[list[Floats], Array]:
    return one[0] + other[0], one[1] | other[1]


def loss_of(state: BoostBlock, start: Floats) -> float:
    """The losses of the predictions of a block, times the weights."""
    loss, share, _ = state.kind
    target = state.y + start[0] if loss.moves else state.y
    costs = row_losses(loss, target, state.score + (start[:, None] if loss.moves else 0.0), share)
    costs = costs if state.weights is None else costs * state.weights
    return float(np.add.accumulate(costs)[-1])


def errors_of(state: BoostBlock) -> int:
    """How many rows of a block are given the wrong class."""
    score = state.score
    places = score[0] > 0 if len(score) == 1 else score.argmax(axis=0)
    return int(np.count_nonzero(places != state.y))


def weights_of_blocks(blocks: Blocks, classes: int) -> tuple[Floats, tuple[float, float, float]]:
    """How much each class weighs; and the least and the largest weight of a row, and the sum."""
    heavy, low, high, total = blocks.fold(_heavier, _weighed, classes)
    if not low > 0:
        raise BadData(
            "sample_weight must be above zero for all rows: leave out those that do not count."
        )
    return heavy, (low, high, total)


def _weighed(block: Block, classes: int) -> tuple[Floats, float, float, float]:
    weights = np.ones(len(block)) if block.weights is None else block.weights
    heavy = np.zeros(classes)
    if classes:
        heavy += np.bincount(block.y, weights, minlength=classes)
    total = float(np.add.accumulate(weights)[-1])
    return heavy, float(weights.min()), float(weights.max()), total


def _heavier(
    one: tuple[Floats, float, float, float], other: tuple[Floats, float, float, float]
) -> tuple[Floats, float, float, float]:
    return one[0] + other[0], min(one[1], other[1]), max(one[2], other[2]), one[3] + other[3]


def target_sum(block: Block) -> float:
    """The sum of the targets of a block, times the weights."""
    targets = block.y if block.weights is None else block.y * block.weights
    return float(np.add.accumulate(targets)[-1])
