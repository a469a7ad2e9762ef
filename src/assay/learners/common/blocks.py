"""A sample cut into fixed blocks of rows, as learners see it that learn from more rows than a machine holds.

Which rows make a block depends on their number and width alone. What blocks say is put together along one tree over
their numbers, so that a sum of floating-point numbers has the same bits wherever its blocks were read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from assay.errors import BadData, BadParameter, Where
from assay.learners.common.sign_labels import classes_of
from assay.types import Array, Floats, Ints

Part = Callable[..., Any]
"""A function of a block, and of more arguments; it stands in a module, since it travels to where the block is."""


@dataclass(frozen=True)
class Block:
    """Some neighbouring rows.

    Attributes
    ----------
    first : int
        The number of the first of them in the whole sample.
    X : array of shape (n, d)
        In double precision.
    y : array
        Labels or targets.
    weights : array or None
        The weights of the rows, if given.
    """

    first: int
    X: Floats
    y: Array
    weights: Floats | None = None

    def __len__(self) -> int:
        return len(self.X)

    def __sizeof__(self) -> int:
        return held_bytes(self)


def held_bytes(block: Any) -> int:
    """The bytes of all arrays of a block, by which a cluster decides what is worth moving."""
    return 256 + sum(part.nbytes for part in vars(block).values() if isinstance(part, np.ndarray))


class Blocks(Protocol):
    """All blocks of a sample, or what was made of each of them."""

    @property
    def rows(self) -> int:
        """The number of rows."""
        ...

    @property
    def width(self) -> int:
        """The number of features."""
        ...

    @property
    def most(self) -> int:
        """The most numbers that stand in a row in any sum: the rows of a block, and the levels of the tree."""
        ...

    @property
    def weighted(self) -> bool:
        """Whether the rows have weights."""
        ...

    def map(self, part: Part, *args: Any, keep: bool = False, width: int | None = None) -> Blocks:
        """What a function makes of each block: `keep` says that making it again in every pass would cost more.

        The blocks that are made have as many features, or `width`.
        """
        ...

    def step(self, merge: Callable[[Any, Any], Any], part: Part, *args: Any) -> tuple[Blocks, Any]:
        """What a function makes of each block, kept there; and what it says of it, put together along the tree."""
        ...

    def fold(self, merge: Callable[[Any, Any], Any], part: Part, *args: Any) -> Any:
        """What a function makes of each block, two by two put together along the tree."""
        ...

    def total(self, part: Part, *args: Any) -> Any:
        """The same, added up: numbers, arrays, or tuples of them."""
        ...


def added(one: Any, other: Any) -> Any:
    """The sum of two numbers or arrays, or of the entries of two tuples."""
    if isinstance(one, tuple):
        return tuple(added(*pair) for pair in zip(one, other, strict=True))
    return one + other


def coded(blocks: Blocks) -> tuple[Array, Blocks]:
    """The classes in sorted order, and the blocks with the place of each row's class for its label."""
    classes = blocks.fold(_either, _labels)
    return classes, blocks.map(_with_codes, classes)


def _labels(block: Block) -> Array:
    if block.y.ndim != 1:
        raise BadData(f"y must be one column of labels, but has {block.y.shape[1]} columns.")
    return classes_of(block.y)


def _either(one: Array, other: Array) -> Array:
    if len(one) == len(other) and one.dtype == other.dtype and bool((one == other).all()):
        return one
    return classes_of(np.concatenate([one, other]))


def _with_codes(block: Block, classes: Array) -> Block:
    codes: Ints = np.searchsorted(classes, block.y).astype(np.int64)
    return Block(block.first, block.X, codes, block.weights)


def with_targets(blocks: Blocks) -> tuple[int | None, Blocks]:
    """How many targets there are, None where y is a vector; and the blocks with targets as columns of numbers."""
    return blocks.fold(_same, _targets), blocks.map(_with_columns)


def _targets(block: Block) -> int | None:
    return None if block.y.ndim == 1 else int(block.y.shape[1])


def _same(one: int | None, other: int | None) -> int | None:
    if one != other:
        raise BadData("y must have as many columns everywhere.")
    return one


def _with_columns(block: Block) -> Block:
    try:
        columns = np.asarray(block.y, dtype=np.float64).reshape(len(block), -1)
    except (TypeError, ValueError):
        raise BadData("y must hold numbers.") from None
    odd = np.flatnonzero(~np.isfinite(columns).all(axis=1))
    if odd.size:
        where = Where(row=block.first + int(odd[0]))
        raise BadData("y must hold finite numbers, but ", where, " does not.")
    return Block(block.first, block.X, np.ascontiguousarray(columns), block.weights)


def refuse_weights(model: Any, blocks: Blocks) -> None:
    """Refuse weights of rows where they change what is learned in a way that blocks cannot follow."""
    if blocks.weighted:
        raise BadParameter(
            f"{type(model).__name__} takes no sample_weight where it learns from blocks of rows; leave it out."
        )
