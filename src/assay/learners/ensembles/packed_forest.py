"""The trees of a forest in one piece, and what they say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.compiled.ensembles.forest_votes import add_votes, leaves
from assay.learners.common.jobs import in_threads
from assay.learners.common.written_out import rows_of
from assay.learners.trees.structure import Tree, sound
from assay.types import Array, Floats, Ints

_BLOCK = 2048  # rows that one thread takes at a time


@dataclass(frozen=True, eq=False)
class Grove:
    """Trees without categories, one after another.

    Attributes
    ----------
    starts : array of int64
        Where each tree begins, and where the last one ends.
    feature, threshold, right, value, weight, impurity, missing_left, rows : arrays
        As `Tree` has them; children are counted from the beginning of their tree.
    levels : tuple of int
        The number of classes of each output, side by side in `value`; empty for numbers.
    """

    starts: Ints
    feature: NDArray[np.int32]
    threshold: Floats
    right: NDArray[np.int32]
    value: Floats
    weight: Floats
    impurity: Floats
    missing_left: NDArray[np.int8]
    rows: Ints
    levels: tuple[int, ...] = ()

    @classmethod
    def of(cls, trees: Sequence[Tree], levels: tuple[int, ...] = ()) -> Grove:
        """These trees in one piece."""
        arrays: dict[str, Any] = {
            name: np.concatenate([getattr(tree, name) for tree in trees]) for name in _ARRAYS[1:]
        }
        return cls(starts=np.cumsum([0, *map(len, trees)]), **arrays, levels=levels)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def arrays(self) -> dict[str, Array]:
        """What it is made of, by name."""
        return {name: getattr(self, name) for name in _ARRAYS}

    @cached_property
    def trees(self) -> list[Tree]:
        """The trees one by one."""
        parts = self.arrays
        del parts["starts"]
        return [
            Tree.binary(**{name: array[start:stop] for name, array in parts.items()})
            for start, stop in pairwise(self.starts.tolist())
        ]

    @cached_property
    def nodes(self) -> Array:
        """The packed nodes of all trees, which the compiled walk follows."""
        return np.concatenate([tree.nodes for tree in self.trees])

    @cached_property
    def shares(self) -> Floats:
        """The share of each class at every node; of a regressor's trees the means."""
        if not self.levels:
            return self.value
        parts = self.of_outputs(self.value)
        return np.concatenate([part / part.sum(axis=1, keepdims=True) for part in parts], axis=1)

    def of_outputs(self, table: Floats) -> list[Floats]:
        """The columns of a table that belong to each output; of numbers all of them together."""
        return np.split(table, np.cumsum(self.levels[:-1]), axis=1) if self.levels else [table]

    def votes(self, X: Any, workers: int) -> Floats:
        """The mean over all trees of what their leaves say of each row."""
        nodes, shares = self.nodes, self.shares

        def vote(rows: slice) -> Floats:
            cells = rows_of(X, rows)
            out = np.zeros((len(cells), shares.shape[1]))
            add_votes(nodes, self.starts, shares, cells, out)
            return out

        return np.concatenate([*in_threads(vote, blocks(X.shape[0]), workers)]) / len(self)

    def leaves(self, X: Any, workers: int) -> NDArray[np.int32]:
        """The leaf that each row ends in, of every tree."""
        nodes = self.nodes

        def walk(rows: slice) -> NDArray[np.int32]:
            cells = rows_of(X, rows)
            out = np.empty((len(cells), len(self)), np.int32)
            leaves(nodes, self.starts, cells, out)
            return out

        return np.concatenate([*in_threads(walk, blocks(X.shape[0]), workers)])

    def importances(self, features: int) -> Floats:
        """For every feature the decrease of impurity at its cuts, as a share, averaged over the trees that have any."""
        inner = np.flatnonzero(self.feature >= 0)
        tree = np.repeat(np.arange(len(self)), np.diff(self.starts))[inner]
        heavy = self.weight * self.impurity
        gained = heavy[inner] - heavy[inner + 1] - heavy[self.starts[tree] + self.right[inner]]
        gained /= self.weight[self.starts[tree]]
        places = tree * features + self.feature[inner]
        sums = np.bincount(places, gained, minlength=len(self) * features).astype(np.float64)
        table = sums.reshape(len(self), features)[np.diff(self.starts) > 1]
        totals = table.sum(axis=1, keepdims=True)
        shares = np.divide(table, totals, out=np.zeros_like(table), where=totals > 0)
        if not len(shares) or not shares.any():
            return np.zeros(features)
        mean = shares.mean(axis=0)
        return np.asarray(mean / mean.sum())

    def require_sound(self, features: int, outputs: int) -> None:
        """Refuse trees that a compiled walk could leave, or that say nothing, as a changed file may hold them."""
        starts, many = self.starts, len(self.feature)
        sizes = np.diff(starts)
        follow = len(starts) >= 2 and starts[0] == 0 and starts[-1] == many and (sizes >= 1).all()
        sound(follow, "its trees do not follow one another")
        sound(self.value.shape == (many, outputs), "its trees do not fit its outputs")
        size = np.repeat(sizes, sizes)
        place = np.arange(many) - np.repeat(starts[:-1], sizes)
        inner, right = self.feature >= 0, self.right
        fits = (self.feature >= -1) & (self.feature < features)
        # The left child comes next, so the right one comes after it: no walk ever goes back.
        fits &= np.where(inner, (right > place + 1) & (right < size), right == -1)
        fits &= np.isnan(self.threshold) != inner
        fits &= (self.rows > 0) & (self.weight > 0)
        sound(fits.all(), "its trees lead out of themselves")
        sums = [part.sum(axis=1) for part in self.of_outputs(self.value)]
        heavy = (self.value >= 0).all() and all((part > 0).all() for part in sums)
        sound(not self.levels or heavy, "its leaves hold no weights")


_ARRAYS = [field.name for field in fields(Grove)][:-1]


def blocks(rows: int) -> list[slice]:
    """Rows in pieces, the same ones whatever the number of threads.

    Examples
    --------
    >>> blocks(5000)[-1], blocks(0)
    (slice(4096, 5000, None), [slice(0, 0, None)])
    """
    ends = [*range(0, rows, _BLOCK), rows]
    return [slice(*pair) for pair in pairwise(ends)] or [slice(0, 0)]
