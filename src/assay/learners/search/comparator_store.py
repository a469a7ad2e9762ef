"""The examples behind an online learner's updates, kept so that the best comparator can be found.

A conservative learner behaves as if only these examples had been played, so bounds over them are
bounds over the run. They are kept up to a stated cap. Beyond it the comparator is the sum of all of them,
each with its sign, scaled down to the length 1 / R: no hinge is clipped there, so its loss is the number of
examples less the length of the sum over R. For a perceptron that sum is its weight vector.
"""

from __future__ import annotations

import math
from copy import copy

import numpy as np

from assay.compiled.common.rows import dot
from assay.compiled.linear.comparator import largest_square
from assay.learners.common import kinds
from assay.learners.common.rows import Rows
from assay.learners.search.comparator_search import ComparatorSearch
from assay.learners.search.max_margin import MarginSearch
from assay.record.online import Comparator, KeptExamples
from assay.types import Array, Floats, Ints

CAP = 10_000
"""How many examples are kept."""

CELLS = 10_000_000
"""How many numbers they may hold together, when they have many features."""

# How many cells a search for a comparator may visit.
_WORK = 150_000_000
# Up to so many features or examples the widest margin is found to the last digits.
_EXACT_SIZE = 128
_EXACTLY = 1e-9
_MOST_SCANS = 100
# Sums of a few thousand doubles are good to far better than this.
_SLACK = 1e-12


comparator = kinds.record(
    Comparator,
    vector=kinds.numbers().where(len),
    norm=kinds.amount,
    loss=kinds.amount,
    margin=kinds.optional(kinds.real(5e-324, math.inf)),
)


class Hindsight:
    """Keeps examples and their labels of -1 and +1.

    Parameters
    ----------
    cap : int
        How many examples are kept.
    unit : bool
        Whether every example is scaled to length one, its constant feature included.
    """

    state = kinds.declare(
        unit=kinds.same,
        largest=kinds.amount,
        _blocks=kinds.each(kinds.block),
        _ones=kinds.each(kinds.numbers()),
        _signs=kinds.each(kinds.array("<f8", least=-1, most=1)),
        _singles=kinds.one_of([]),
        _single_signs=kinds.one_of([]),
        _constant=kinds.one_of(0.0, 1.0),
        _best=kinds.group(kinds.count, kinds.optional(comparator)),
        _widest=kinds.group(kinds.count, kinds.number, kinds.optional(comparator), kinds.number),
    )

    def __init__(self, cap: int = CAP, unit: bool = False) -> None:
        self.cap, self.unit = cap, unit
        self.count = self.kept = self.cells = 0
        self.largest = 0.0
        self._blocks: list[Rows] = []
        self._ones: list[Floats] = []
        self._signs: list[Floats] = []
        # Examples that came one by one, until they are put into a block.
        self._singles: list[Floats] = []
        self._single_signs: list[float] = []
        self._constant = 0.0
        # What was found last, for how many examples, and the least margin that was looked for.
        self._best: tuple[int, Comparator | None] = (0, None)
        self._widest: tuple[int, float, Comparator | None, float] = (0, 0.0, None, math.inf)

    @property
    def radius(self) -> float:
        """The largest length of an example, rounded up."""
        if self.unit:
            return 1.0 if self.count else 0.0
        return math.sqrt(self.largest) * (1 + _SLACK)

    @property
    def complete(self) -> bool:
        """Whether every example was kept."""
        return self.kept == self.count

    # Keeping

    def add(self, rows: Rows, places: Ints, signs: Array, constant: float) -> None:
        """Note some rows of a block, in the order in which they were played."""
        room = self._room()
        first, rest = places[:room], places[room:]
        self.count += len(places)
        if first.size:
            self._gather()
            self.keep_block(rows.take(first), signs[first], constant)
        if rest.size:
            self.largest = max(self.largest, largest_square(rows.block, rest) + constant**2)

    def add_one(self, row: Array, sign: float, constant: float) -> None:
        """Note one example: the same as `add`, but light."""
        if self.unit or self._room() < 1:
            self.add(
                Rows(dense=row.reshape(1, -1)), np.zeros(1, np.int64), np.array([sign]), constant
            )
            return
        double = row.astype(np.float64)
        self.largest = max(self.largest, dot(double, double) + constant**2)
        self._singles.append(double)
        self._single_signs.append(sign)
        self._constant = constant
        self.count += 1
        self.kept += 1
        self.cells += len(double)

    def _room(self) -> int:
        """How many more examples may be kept."""
        return self.cap - self.kept if self.kept == self.count and self.cells < CELLS else 0

    def _gather(self) -> None:
        """Put the examples that came one by one into a block."""
        if not self._singles:
            return
        width = max(map(len, self._singles))
        block = np.zeros((len(self._singles), width))
        for place, row in enumerate(self._singles):
            block[place, : len(row)] = row
        self._blocks.append(Rows(dense=block))
        self._ones.append(np.full(len(block), self._constant))
        self._signs.append(np.array(self._single_signs))
        self._singles, self._single_signs = [], []

    def keep_block(self, block: Rows, signs: Array, constant: float) -> None:
        """Keep all rows of a block, whether or not there is room."""
        squares = block.squares() + constant**2
        self.largest = max(self.largest, float(squares.max()))
        ones = np.full(len(block), constant)
        if self.unit:
            factors = 1 / np.sqrt(squares)
            block, ones = block.scaled(factors), ones * factors
        self._blocks.append(block)
        self._ones.append(ones)
        self._signs.append(np.asarray(signs, dtype=np.float64))
        self.kept += len(block)
        self.cells += block.cells

    def forget(self) -> None:
        """Let go of the kept examples; what was counted and measured stays."""
        self._blocks, self._ones, self._signs = [], [], []
        self._singles, self._single_signs = [], []
        self.kept = 0

    def examples(self) -> tuple[Rows, Floats, Floats]:
        """The kept examples as one block, their constant features, and their labels."""
        self._gather()
        if not self._blocks:
            return Rows(dense=np.zeros((0, 0))), np.zeros(0), np.zeros(0)
        if len(self._blocks) > 1:
            self._blocks = [Rows.stacked(self._blocks)]
            self._ones = [np.concatenate(self._ones)]
            self._signs = [np.concatenate(self._signs)]
        return self._blocks[0], self._ones[0], self._signs[0]

    # Model files

    def _settle(self) -> None:
        """Put what came in many chunks into one."""
        self.examples()

    def _require_state(self) -> None:
        """Refuse examples that do not fit their labels or what was found of them."""
        if not len(self._blocks) == len(self._ones) == len(self._signs) <= 1:
            raise ValueError("the examples that were kept are in pieces")
        X, constants, y = self.examples()
        together = len(X) == len(constants) == len(y) == self.kept <= self.count
        if not together or (np.abs(y) != 1).any():
            raise ValueError("the examples that were kept do not fit their labels")
        for of, best in (self._best, self._widest[::2]):
            complete = of == self.count == self.kept
            if of > self.count or (complete and best and len(best.vector) != X.width + 1):
                raise ValueError("what was found of the kept examples does not fit them")

    # Records

    def snapshot(self) -> Hindsight:
        """All of it as it is now: what is kept from now on does not change it."""
        twin = copy(self)
        for name in ("_blocks", "_ones", "_signs", "_singles", "_single_signs"):
            setattr(twin, name, list(getattr(self, name)))
        return twin

    def adopt(self, snapshot: KeptExamples | None) -> None:
        """Take over what was found of a snapshot, unless more was kept since."""
        if isinstance(snapshot, type(self)) and snapshot.count == self.count:
            vars(self).update(vars(snapshot.snapshot()))

    # Searching

    def best(self, total: Array | None = None) -> Comparator | None:
        """The separator of largest margin if there is one, else the comparator of the least bound.

        Parameters
        ----------
        total : array, optional
            The sum of all examples, each times its label, the constant feature last; used once examples
            were left out, when there is no comparator without it.
        """
        if not self.complete:
            return None if total is None else self._along(total)
        if self._best[0] != self.count:
            self._best = (self.count, self._searched())
        return self._best[1]

    def _along(self, total: Array) -> Comparator:
        """The comparator in the direction of a sum that was added up in its own precision."""
        trusted = max(0.0, 1 - self.count * float(np.finfo(total.dtype).eps))
        double = total.astype(np.float64)
        length = float(np.linalg.norm(double))
        unit = double / length if length > 0 else double
        radius = self.radius or 1.0
        loss = (self.count - trusted * length / radius) * (1 + _SLACK)
        return Comparator(unit / radius, (1 + _SLACK) / radius, loss, None)

    def _searched(self) -> Comparator:
        # A margin that promises a hundred times what was seen is not worth finding.
        separator, _ = self.widest(self.radius / math.sqrt(100 * self.count))
        return self._hinge() if separator is None else separator

    def widest(self, least: float) -> tuple[Comparator | None, float]:
        """The separator of largest margin, and a number that no separator's margin exceeds.

        The search ends where no margin of `least` or more is possible. There is no separator when none
        was found, or when examples were left out; the number then still holds for those kept.
        """
        if self._widest[:2] != (self.count, least):
            self._widest = (self.count, least, *self._separator(least))
        return self._widest[2:]

    def _separator(self, least: float) -> tuple[Comparator | None, float]:
        rows, ones, y = self.examples()
        if 0 < min(rows.width + 1, self.kept) <= _EXACT_SIZE:
            return self._exact_separator(least)
        search = ComparatorSearch(rows, ones, y)
        search.run(np.full(self.kept, np.inf), _WORK, least)
        total = float(search.alpha.sum())
        ceiling = search.norm / total * (1 + _SLACK) if total > 0 else math.inf
        smallest = float(min(search.margins(), default=0.0)) - self._noise(search)
        if smallest <= 0 or not self.complete:
            return None, ceiling
        margin = min(smallest / search.norm * (1 - _SLACK), self.radius)
        # Scaled so that every example has margin one, the separator has no hinge loss at all.
        norm = search.norm / smallest * (1 + _SLACK)
        return Comparator(search.vector / smallest, norm, 0.0, margin), ceiling

    def _exact_separator(self, least: float) -> tuple[Comparator | None, float]:
        """The separator to the last digits, and the proof that there is no wider one."""
        rows, ones, y = self.examples()
        augmented = rows.with_column(ones)
        widest = MarginSearch(augmented, y, 0.0, least).run(_EXACTLY, _MOST_SCANS)
        if widest.margin is None or widest.vector is None or not self.complete:
            return None, widest.ceiling
        # The margin is rounded down, so that scores are surely one and more at this length.
        size = float(np.linalg.norm(widest.vector))
        vector = widest.vector * ((1 + _SLACK) / (widest.margin * size))
        norm = float(np.linalg.norm(vector)) * (1 + _SLACK)
        return Comparator(vector, norm, 0.0, min(widest.margin, self.radius)), widest.ceiling

    def _hinge(self) -> Comparator:
        """The comparator of the least bound."""
        search = ComparatorSearch(*self.examples())
        # The bound in its textbook form, R^2 ||u||^2 + 2 L, is smallest at c = 1 / R^2. The sharp form is
        # smallest at u = 0, where it says that the learner made as many mistakes as it made.
        search.run(np.full(self.kept, 1 / max(self.radius**2, 1e-300)), _WORK, 0.0)
        losses = np.maximum(1 + self._noise(search) - search.margins(), 0)
        loss = math.fsum(losses.tolist()) * (1 + _SLACK)
        return Comparator(search.vector, search.norm * (1 + _SLACK), loss, None)

    def _noise(self, search: ComparatorSearch) -> float:
        """How far rounding can have taken a score from its true value."""
        return (len(search.u) + 10) * 2.0**-52 * self.radius * search.norm
