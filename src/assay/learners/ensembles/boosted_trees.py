"""Boosted trees in one piece: bins to ask for, leaves that add to scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.compiled.ensembles.boosting_bins import BINS, MISSING
from assay.compiled.ensembles.boosting_walk import BLOCK, walk, walk_groups
from assay.learners.common import kinds
from assay.learners.common.jobs import in_threads
from assay.learners.trees.structure import sound
from assay.types import Array, Floats, Ints

#: The most leaves of a tree: places of nodes and leaves have 16 bits.
MOST_LEAVES = 2**15 - 1
# Rows that one thread takes at a time.
_ROWS = 16 * BLOCK


@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """Trees one after another, each with one node less than leaves; a node comes before its children.

    Attributes
    ----------
    starts : array of int64
        Where the leaves of each tree begin, and where those of the last one end; its nodes begin as many places
        earlier as there are trees before it.
    feature, cut : arrays of int32
        What a node asks: bins up to the cut go left.
    left, right : arrays of int32
        Its children in its tree: a node, or -1 - q for leaf q.
    missing_left : array of int8
        1 where missing cells go left.
    group : array of int32
        The node's place in `groups`, -1 where it asks for a number.
    gain : array of float64
        By how much it lowers the loss, to second order.
    groups : array of int64 of shape (nodes that ask for categories, 4)
        The bins that go left, one bit each.
    value : array of float64
        What each leaf adds to the score.
    rows : array of int64
        How many rows of the sample came to each leaf.
    """

    starts: Ints
    feature: NDArray[np.int32]
    cut: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    missing_left: NDArray[np.int8]
    group: NDArray[np.int32]
    gain: Floats
    groups: Ints
    value: Floats
    rows: Ints

    @classmethod
    def none(cls) -> BoostedTrees:
        """No trees."""
        return cls.of([], np.zeros((0, 1, 6), np.int64), *(np.zeros((0, 0, 4)),) * 4)

    @classmethod
    def of(
        cls,
        leaves: Sequence[int],
        nodes: Ints,
        groups: Array,
        gain: Array,
        value: Array,
        rows: Array,
    ) -> BoostedTrees:
        """From what the compiled grower writes down, one row of arrays for each tree."""
        starts = np.cumsum([0, *leaves], dtype=np.int64)
        inner = np.concatenate(
            [nodes[t, : many - 1] for t, many in enumerate(leaves)] or [nodes[:0, 0]]
        )
        grouped = inner[:, 5] == 1
        bits = [groups[t, : many - 1] for t, many in enumerate(leaves)]
        return cls(
            starts=starts,
            feature=inner[:, 0].astype(np.int32),
            cut=inner[:, 1].astype(np.int32),
            left=inner[:, 2].astype(np.int32),
            right=inner[:, 3].astype(np.int32),
            missing_left=inner[:, 4].astype(np.int8),
            group=np.where(grouped, np.cumsum(grouped) - 1, -1).astype(np.int32),
            gain=_joined([gain[t, : many - 1] for t, many in enumerate(leaves)], np.float64),
            groups=(np.concatenate(bits)[grouped] if bits else np.zeros((0, 4))).astype(np.int64),
            value=_joined([value[t, :many] for t, many in enumerate(leaves)], np.float64),
            rows=_joined([rows[t, :many] for t, many in enumerate(leaves)], np.int64),
        )

    @classmethod
    def joined(cls, parts: Sequence[BoostedTrees]) -> BoostedTrees:
        """Trees of several pieces in one."""
        if len(parts) == 1:
            return parts[0]
        many = np.cumsum([0, *(int(part.starts[-1]) for part in parts)])
        held = np.cumsum([0, *(len(part.groups) for part in parts)])
        starts = [part.starts[:-1] + at for part, at in zip(parts, many, strict=False)]
        group = [
            np.where(part.group >= 0, part.group + at, -1)
            for part, at in zip(parts, held, strict=False)
        ]
        rest = {
            field.name: np.concatenate([getattr(part, field.name) for part in parts])
            for field in fields(cls)
            if field.name not in ("starts", "group")
        }
        return cls(
            starts=np.concatenate([*starts, many[-1:]]),
            group=np.concatenate(group).astype(np.int32),
            **rest,
        )

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def arrays(self) -> dict[str, Array]:
        """What it is made of, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def head(self, trees: int) -> BoostedTrees:
        """The first trees."""
        end = int(self.starts[trees])
        parts = {
            name: array[: end - trees]
            for name, array in self.arrays.items()
            if name not in _OF_LEAVES
        }
        grouped = int((parts["group"] >= 0).sum())
        return BoostedTrees(
            starts=self.starts[: trees + 1],
            groups=self.groups[:grouped],
            value=self.value[:end],
            rows=self.rows[:end],
            **parts,
        )

    @cached_property
    def _tree_of_node(self) -> Ints:
        return np.repeat(np.arange(len(self)), np.diff(self.starts) - 1)

    @cached_property
    def _walk(self) -> tuple[Array, ...]:
        """The nodes as words, which the compiled walk follows, then the leaves; see `boosting_walk`."""
        leaves = np.diff(self.starts)
        starts = 2 * self.starts[:-1] - np.arange(len(self))
        tree = self._tree_of_node
        place = np.arange(len(tree)) - (self.starts[:-1] - np.arange(len(self)))[tree]
        own = leaves[tree] - 2
        children = [
            np.where(side < 0, own - side, side).astype(np.uint64)
            for side in (self.left, self.right)
        ]
        total = int(2 * self.starts[-1] - len(self))
        steps, value = np.zeros(total, np.uint64), np.zeros(total)
        shift = self.missing_left.astype(np.uint64) * (self.group < 0)
        cut = (self.cut.astype(np.uint64) + shift) & np.uint64(MISSING)
        at = starts[tree] + place
        steps[at] = (
            children[0]
            | (children[1] << np.uint64(16))
            | (cut << np.uint64(32))
            | (shift << np.uint64(40))
            | (self.feature.astype(np.uint64) << np.uint64(41))
        )
        of_leaf = np.repeat(np.arange(len(self)), leaves)
        leaf = np.arange(len(of_leaf)) - self.starts[of_leaf] + leaves[of_leaf] - 1
        spot = starts[of_leaf] + leaf
        itself = leaf.astype(np.uint64)
        steps[spot] = itself | (itself << np.uint64(16)) | np.uint64(MISSING << 32)
        value[spot] = self.value
        bits = np.zeros((total if len(self.groups) else 0, 4), np.uint64)
        if len(bits):
            bits[at] = self._bits()
        return steps, bits.reshape(-1), starts, self.depths, value

    def _bits(self) -> Array:
        """The bins that go left at every node, one bit each."""
        low = np.arange(BINS) <= self.cut[:, None]
        low[:, MISSING] = self.missing_left == 1
        words = np.packbits(low, axis=1, bitorder="little").view("<u8").astype(np.uint64)
        grouped = self.group >= 0
        own = self.groups.view(np.uint64).copy()
        last = np.uint64(1) << np.uint64(63)
        left = self.missing_left[grouped] == 1
        own[:, 3] = np.where(left, own[:, 3] | last, own[:, 3] & ~last)
        words[grouped] = own
        return words

    @cached_property
    def depths(self) -> Ints:
        """The most questions on a way down, of every tree."""
        depth = np.ones(len(self.feature), np.int64)
        first = (self.starts[:-1] - np.arange(len(self)))[self._tree_of_node]
        # Children come after their parents, so that one pass in the order of places does, over all trees at once.
        place = np.arange(len(depth)) - first
        for k in range(int(place.max(initial=-1)) + 1):
            nodes = np.flatnonzero(place == k)
            for side in (self.left, self.right):
                inner = nodes[side[nodes] >= 0]
                depth[first[inner] + side[inner]] = depth[inner] + 1
        deepest = np.zeros(len(self), np.int64)
        np.maximum.at(deepest, self._tree_of_node, depth)
        return deepest

    def add_to(
        self, score: Floats, codes: NDArray[np.uint8], first: int, last: int, workers: int = 1
    ) -> None:
        """Add what trees from first to last say of rows given as bins to their scores, (outputs, rows)."""
        rows, width = codes.shape
        flat = codes.reshape(-1)
        steps, bits, starts, depths, value = self._walk

        def add(begin: int) -> None:
            end = min(begin + _ROWS, rows)
            if len(bits):
                walk_groups(
                    flat, width, steps, bits, starts, depths, value, first, last, score, begin, end
                )
            else:
                walk(flat, width, steps, starts, depths, value, first, last, score, begin, end)

        list(in_threads(add, range(0, rows, _ROWS), workers))

    def importances(self, features: int) -> Floats:
        """The share of each feature in what all nodes gain."""
        sums = np.bincount(self.feature, self.gain, minlength=features).astype(np.float64)
        total = sums.sum()
        return sums / total if total > 0 else np.zeros(features)

    def require_sound(self, used: Ints, kinds_of: Ints) -> None:
        """Refuse trees that a compiled walk could leave, as a changed file may hold them."""
        starts, leaves = self.starts, np.diff(self.starts)
        follow = starts[0] == 0 and starts[-1] == len(self.value) and (leaves >= 1).all()
        follow = follow and (leaves <= MOST_LEAVES).all()
        sound(
            follow and len(self.feature) == len(self.value) - len(self),
            "its trees do not follow one another",
        )
        tree = self._tree_of_node
        first = (starts[:-1] - np.arange(len(self)))[tree]
        place = np.arange(len(tree)) - first
        fits = (self.feature >= 0) & (self.feature < len(used))
        sound(fits.all(), "it asks for features that are not there")
        fits = (self.cut >= 0) & (self.cut < MISSING)
        grouped = self.group >= 0
        fits &= grouped == (kinds_of[self.feature] == 2)
        sound(fits.all(), "its questions do not fit its features")
        same = np.array_equal(self.group[grouped], np.arange(len(self.groups)))
        sound(same and (self.group >= -1).all(), "its questions do not fit its categories")
        met = np.zeros(len(tree), np.int64)
        ended = np.zeros(len(self.value), np.int64)
        for side in (self.left, self.right):
            inner = side >= 0
            fits = np.where(
                inner, (side > place) & (side < leaves[tree] - 1), -1 - side < leaves[tree]
            )
            sound(fits.all(), "its trees lead out of themselves")
            np.add.at(met, first[inner] + side[inner], 1)
            np.add.at(ended, starts[tree[~inner]] - 1 - side[~inner], 1)
        alone = np.repeat(leaves == 1, leaves)
        once = (met == (place > 0)).all() and (ended == ~alone).all()
        sound(once, "some node has no parent, or two")


_OF_LEAVES = ("starts", "groups", "value", "rows")


def _joined(parts: Sequence[Array], dtype: Any) -> Array:
    return np.concatenate(parts).astype(dtype) if parts else np.zeros(0, dtype)


#: What a model file may hold of boosted trees; `require_sound` sees whether they lead anywhere.
TREES = kinds.entries(
    starts=kinds.counts(),
    feature=kinds.array("<i4", "nodes", least=0),
    cut=kinds.array("<i4", "nodes", least=0),
    left=kinds.array("<i4", "nodes"),
    right=kinds.array("<i4", "nodes"),
    missing_left=kinds.array("|i1", "nodes", least=0, most=1),
    group=kinds.array("<i4", "nodes", least=-1),
    gain=kinds.array("<f8", "nodes", least=0),
    groups=kinds.array("<i8", None, 4),
    value=kinds.numbers("leaves"),
    rows=kinds.counts("leaves"),
)
