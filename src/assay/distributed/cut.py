"""Rows cut into blocks whose boundaries depend on the number and width of the rows alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.distributed.tables import Sample, Stretch, Table, require_finite, require_labels
from assay.errors import BadData
from assay.learners.common.blocks import Block
from assay.types import Array

# A block of so many bytes stays in the caches' reach and is still much work for one task.
_BYTES = 2**24
# Boosting sums losses over stretches of 1,024 rows, none of which may lie in two blocks.
_FEWEST, _MOST = 2**10, 2**16


def block_rows(width: int) -> int:
    """How many rows of this width make a block: a power of two.

    Examples
    --------
    >>> block_rows(10), block_rows(100), block_rows(10**6)
    (65536, 16384, 1024)
    """
    fit = _BYTES // (8 * max(1, width))
    return min(_MOST, max(_FEWEST, 1 << (max(1, fit).bit_length() - 1)))


@dataclass(frozen=True)
class Cut:
    """Where a group of neighbouring blocks lies.

    Attributes
    ----------
    first, stop : int
        Its rows.
    each : int
        How many rows a block has.
    stretches : list of lists
        For each table of the sample the parts that its rows lie in.
    """

    first: int
    stop: int
    each: int
    stretches: list[list[Stretch]]


def groups_of(sample: Sample, each: int, together: int) -> Iterator[Cut]:
    """All rows in groups of so many blocks."""
    rows = rows_of(sample)
    for first in range(0, rows, each * together):
        stop = min(first + each * together, rows)
        yield Cut(first, stop, each, [table.stretches(first, stop) for table in sample.tables])


def rows_of(sample: Sample) -> int:
    """How many rows there are; refuses tables of different lengths."""
    counts = [sum(table.lengths or ()) for table in sample.tables]
    if len(set(counts)) > 1:
        told = " and ".join(f"{count:,}" for count in counts)
        raise BadData(
            f"X, y and sample_weight must have as many rows as one another, but have {told}."
        )
    if not counts[0]:
        raise BadData("X holds no rows.")
    return counts[0]


@dataclass(frozen=True)
class Reader:
    """From the parts of a group to its blocks.

    Attributes
    ----------
    reads : list of callables
        How rows of each table become an array.
    width : int
        The number of features.
    names : tuple of str or None
        What they are called.
    gaps : bool
        Whether a cell may be missing.
    """

    reads: list[Any]
    width: int
    names: tuple[str, ...] | None
    gaps: bool

    @classmethod
    def of(cls, sample: Sample, *, gaps: bool) -> Reader:
        """The reader of a sample."""
        return cls([table.read for table in sample.tables], sample.width, sample.names, gaps)

    def blocks(self, cut: Cut, parts: Sequence[Sequence[Any]]) -> list[Block]:
        """The blocks of a group, from the parts of each table that it lies in."""
        arrays = []
        for read, stretches, held in zip(self.reads, cut.stretches, parts, strict=True):
            pieces = [
                read(part, where.start, where.stop)
                for part, where in zip(held, stretches, strict=True)
            ]
            for piece, where in zip(pieces, stretches, strict=True):
                if len(piece) != where.stop - where.start:
                    raise BadData("X changed while it was read: a part has fewer rows than before.")
            arrays.append(pieces[0] if len(pieces) == 1 else _joined(pieces))
        X, y, weights = arrays[0], arrays[1], arrays[2] if len(arrays) > 2 else None
        if X.shape[1] != self.width:
            raise BadData(f"X must have {self.width} columns everywhere, but has {X.shape[1]}.")
        require_finite(X, cut.first, self.names, gaps=self.gaps)
        require_labels(y, cut.first)
        blocks = []
        for start in range(0, len(X), cut.each):
            rows = slice(start, start + cut.each)
            # A copy of its own: a block must not keep the part alive that it was cut from.
            own = np.array(X[rows], order="C")
            held_weights = None if weights is None else np.array(weights[rows])
            blocks.append(Block(cut.first + start, own, np.array(y[rows]), held_weights))
        return blocks


def _joined(pieces: list[Array]) -> Array:
    kinds = {piece.dtype.kind for piece in pieces}
    if len(kinds) > 1 and not kinds <= set("biuf"):
        pieces = [piece.astype(object) for piece in pieces]
    return np.concatenate(pieces)


def with_lengths(table: Table, lengths: list[int]) -> Table:
    """The same table, the lengths of its parts being known."""
    return Table(table.parts, lengths, table.read)
