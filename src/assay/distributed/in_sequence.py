"""Blocks one after the other on this machine: no more rows are held than make a block, and the parts it lies in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from assay.distributed.cut import Reader, block_rows, groups_of, rows_of, with_lengths
from assay.distributed.tables import Sample, Table, load
from assay.distributed.tree import levels, merged
from assay.learners.common.blocks import Block, Part, added


class InSequence:
    """All blocks, read again in every pass, and what was made of each of them in the passes before.

    What `map` makes is made again in every pass as well, unless it is `kept`.
    """

    def __init__(
        self, read: Callable[[], Iterator[Any]], rows: int, width: int, each: int, weighted: bool
    ) -> None:
        self._read, self.rows, self.width, self._each = read, rows, width, each
        self.weighted = weighted

    @classmethod
    def of(cls, sample: Sample, *, gaps: bool) -> InSequence:
        """The blocks of a sample."""
        weights = None if sample.weights is None else _measured(sample.weights)
        X, y = _measured(sample.X), _measured(sample.y)
        sample = Sample(X, y, weights, sample.width, sample.names)
        each, reader = block_rows(sample.width), Reader.of(sample, gaps=gaps)
        blocks = lambda: _blocks(sample, reader, each)  # noqa: E731
        return cls(blocks, rows_of(sample), sample.width, each, sample.weights is not None)

    @property
    def most(self) -> int:
        """The most numbers that stand in a row in any sum."""
        return self._each + levels(-(-self.rows // self._each))

    def map(
        self, part: Part, *args: Any, keep: bool = False, width: int | None = None
    ) -> InSequence:
        """What a function makes of each block."""

        def read() -> Iterator[Any]:
            return (part(block, *args) for block in self._read())

        if keep:
            kept = list(read())
            return self._with(lambda: iter(kept), width)
        return self._with(read, width)

    def step(
        self, merge: Callable[[Any, Any], Any], part: Part, *args: Any
    ) -> tuple[InSequence, Any]:
        """What a function makes of each block, kept; and what it says of it, put together along the tree."""
        kept = []

        def answers() -> Iterator[Any]:
            for block in self._read():
                made, answer = part(block, *args)
                kept.append(made)
                yield answer

        whole = merged(answers(), merge)
        return self._with(lambda: iter(kept), None), whole

    def fold(self, merge: Callable[[Any, Any], Any], part: Part, *args: Any) -> Any:
        """What a function makes of each block, put together along the tree."""
        return merged((part(block, *args) for block in self._read()), merge)

    def total(self, part: Part, *args: Any) -> Any:
        """The same, added up."""
        return self.fold(added, part, *args)

    def _with(self, read: Callable[[], Iterator[Any]], width: int | None) -> InSequence:
        return InSequence(read, self.rows, width or self.width, self._each, self.weighted)


def _measured(table: Table) -> Table:
    if table.lengths is not None:
        return table
    return with_lengths(table, [len(load(part)) for part in table.parts])


def _blocks(sample: Sample, reader: Reader, each: int) -> Iterator[Block]:
    """Block by block; a part stays in memory as long as the next block begins in it."""
    held: list[dict[int, Any]] = [{} for _ in sample.tables]
    for cut in groups_of(sample, each, 1):
        parts = []
        for table, loaded, stretches in zip(sample.tables, held, cut.stretches, strict=True):
            wanted = [where.part for where in stretches]
            for number in [number for number in loaded if number not in wanted]:
                del loaded[number]
            for number in wanted:
                if number not in loaded:
                    loaded[number] = load(table.parts[number])
            parts.append([loaded[number] for number in wanted])
        yield from reader.blocks(cut, parts)
