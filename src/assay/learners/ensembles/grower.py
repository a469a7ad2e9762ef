"""The trees of a forest: the bag of each, and its growth by the compiled loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.compiled.common.generator import start_stream
from assay.compiled.ensembles.forest_bag import draw_bag, draw_features, pack_bag
from assay.compiled.ensembles.forest_cuts import ENTROPY, GINI
from assay.compiled.ensembles.forest_grow import grow_best_first, grow_tree
from assay.compiled.ensembles.forest_node import CLASSES, NUMBERS, TWO_CLASSES, calls_of
from assay.learners.ensembles.columns import Columns
from assay.learners.trees.structure import Tree
from assay.types import Array, Floats, Words

# Counts of a bag are packed into fields of 21 bits.
_PACKED = 2**21


class Limits(NamedTuple):
    """When a node is not cut."""

    most_depth: int
    least_split: int
    least_rows: int
    least_share: float
    least_decrease: float
    most_leaves: int


@dataclass(frozen=True)
class Bags:
    """Which rows each member is fitted to: the same for the same seed, whatever else is drawn.

    Attributes
    ----------
    seed : int
    rows : int
        Rows of the sample.
    draws : int
        Rows drawn for each member; 0 for all rows, each once.
    again : bool
        Whether a row may be drawn again.

    Examples
    --------
    >>> generator, counts = Bags(seed=1, rows=8, draws=8).draw(0)
    >>> int(counts.sum())
    8
    """

    seed: int
    rows: int
    draws: int
    again: bool = True

    def draw(self, member: int) -> tuple[Words, NDArray[np.int32]]:
        """The generator of a member, and how often each row is in its bag."""
        generator = np.zeros(4, np.uint64)
        start_stream(generator, self.seed, member)
        counts = np.ones(self.rows, np.int32)
        if self.draws and self.again:
            draw_bag(generator, self.draws, counts)
        elif self.draws:
            every = np.arange(self.rows, dtype=np.int32)
            draw_features(generator, self.draws, every)
            counts[every[self.draws :]] = 0
        return generator, counts


@dataclass(frozen=True)
class Grower:
    """Grows the tree of a number from what all trees share.

    Attributes
    ----------
    columns : Columns
    bags : Bags
    label : array of int32 or None
        The number of each row's class; None for a regressor.
    target : array of float64 or None
        The number to predict; None for a classifier.
    outputs : int
        How many classes there are, or 1.
    criterion : str
        ``"gini"``, ``"entropy"`` or ``"squared_error"``.
    weights : array or None
        The weights of the rows.
    reweigh : callable or None
        From how often rows are in a bag to factors of their weights.
    most_features : int
        How many features are drawn.
    per_tree : bool
        Whether they are drawn once for a tree, and not at each node.
    limits : Limits
    """

    columns: Columns
    bags: Bags
    label: NDArray[np.int32] | None
    target: Floats | None
    outputs: int
    criterion: str
    weights: Floats | None
    reweigh: Callable[[NDArray[np.int32]], Floats] | None
    most_features: int
    per_tree: bool
    limits: Limits

    def grow(self, number: int) -> Tree:
        """The tree of this number; it depends on nothing but the rows of its bag."""
        generator, counts = self.bags.draw(number)
        task, rows, packed, weight, two = self._bag(counts)
        outputs = 2 if task == TWO_CLASSES else self.outputs
        features = np.arange(len(self.columns.codes), dtype=np.int32)
        if self.per_tree:
            draw_features(generator, self.most_features, features)
            features = features[: self.most_features].copy()
        entropy = self.criterion == "entropy"
        # The mean is taken off, so that squares do not swamp differences.
        center = 0.0 if self.target is None else float(self.target[rows].mean())
        sample = (
            self.columns.codes,
            self.columns.gaps,
            packed,
            np.zeros(0, np.int32) if self.label is None else self.label,
            np.zeros(0) if self.target is None else self.target - center,
            weight,
            _table_of_logs(int(counts.sum())) if entropy and task == TWO_CLASSES else np.zeros(0),
        )
        heavy = float(counts.sum()) if task == TWO_CLASSES else float(weight[rows].sum())
        depth, split, least_rows, share, decrease, most_leaves = self.limits
        bounds = (depth, split, least_rows, share * heavy, decrease)
        draw = (features, self.most_features, generator)
        most = len(rows) if most_leaves < 1 else min(len(rows), most_leaves)
        tree = _room(2 * most - 1, outputs)
        calls = calls_of(task, self.columns.codes.dtype)
        shared = (
            task, ENTROPY if entropy else GINI, sample, calls, self.columns.most, rows, draw, bounds
        )  # fmt: skip
        limited = most_leaves >= 1
        nodes = grow_best_first(*shared, most, tree) if limited else grow_tree(*shared, tree)
        return self._tree(tuple(part[:nodes].copy() for part in tree), center, two)

    def _bag(
        self, counts: NDArray[np.int32]
    ) -> tuple[int, NDArray[np.int32], Words, Floats, list[int]]:
        """The task, the distinct rows of a bag, what its loops need to know of them, and the two classes of a bag.

        Of the bag alone: the two kinds of loops may round otherwise, and rows left out must not matter, neither by
        their missing cells nor by being of a third class.
        """
        plain = self.weights is None and self.reweigh is None
        plain = plain and max(len(counts), self.bags.draws) < _PACKED
        plain = plain and not (self.columns.incomplete & (counts > 0)).any()
        two = self._two(counts) if plain and self.label is not None else []
        if self.label is not None and two:
            rows = np.empty(len(counts), np.int32)
            packed = np.empty(len(counts), np.uint64)
            second = self.label if self.outputs == 2 else (self.label == two[1]).astype(np.int32)
            many = pack_bag(counts, second, packed, rows)
            return TWO_CLASSES, rows[:many], packed, np.zeros(0), two
        weight = counts.astype(np.float64)
        if self.weights is not None:
            weight *= self.weights
        if self.reweigh is not None:
            weight *= self.reweigh(counts)
        rows = np.flatnonzero(weight > 0).astype(np.int32)
        if not len(rows):  # every row that was drawn has no weight
            rows = np.flatnonzero(counts).astype(np.int32)
            weight = counts.astype(np.float64)
        task = CLASSES if self.target is None else NUMBERS
        return task, rows, np.zeros(0, np.uint64), weight, []

    def _two(self, counts: NDArray[np.int32]) -> list[int]:
        """The two classes of a bag; none if there are more of them, or one that makes a leaf of it anyway."""
        if self.outputs == 2:
            return [0, 1]
        assert self.label is not None
        present = np.flatnonzero(np.bincount(self.label[counts > 0], minlength=2)).tolist()
        return present if len(present) == 2 else []

    def _tree(self, parts: tuple[Array, ...], center: float, two: list[int]) -> Tree:
        feature, before, after, missing_left, right, value, heavy, impurity, held = parts
        if two and self.outputs > 2:
            of_two, value = value, np.zeros((len(value), self.outputs))
            value[:, two] = of_two
        return Tree.binary(
            feature,
            threshold=self.columns.thresholds(feature, before, after),
            right=right,
            value=value + center if self.target is not None else value,
            weight=heavy,
            impurity=impurity,
            missing_left=missing_left,
            rows=held,
        )


def _room(nodes: int, outputs: int) -> tuple[Array, ...]:
    kinds = (np.int32, np.int32, np.int32, np.int8, np.int32)
    arrays = [np.empty(nodes, kind) for kind in kinds]
    numbers = [np.empty((nodes, outputs)), np.empty(nodes), np.empty(nodes)]
    return (*arrays, *numbers, np.empty(nodes, np.int64))


def _table_of_logs(most: int) -> Floats:
    table = np.arange(most + 1, dtype=np.float64)
    table[1:] *= np.log(table[1:])
    return table
