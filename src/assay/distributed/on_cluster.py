"""Blocks on the workers of a Dask cluster.

A task works on a branch of the tree: a few neighbouring blocks, how many depends on the workers and changes no bit.
What a worker held that is lost is made again by the scheduler, from the parts that the rows came in.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from assay.distributed.cut import Cut, Reader, block_rows, groups_of, rows_of, with_lengths
from assay.distributed.tables import Sample, Table, is_dask, load
from assay.distributed.tree import Merge, levels, merged
from assay.learners.common.blocks import Part, added

# So many tasks for each thread even out what is faster and slower; a group holds so many bytes at most.
_TASKS, _BYTES = 2, 2**27
# Results are put together by the workers while there are more than so many.
_FAN = 32


class OnCluster:
    """Groups of blocks, or of what was made of them, held by workers."""

    def __init__(
        self, client: Any, groups: Sequence[Any], rows: int, width: int, each: int, weighted: bool
    ) -> None:
        self._client, self._groups, self._each = client, groups, each
        self.rows, self.width, self.weighted = rows, width, weighted

    @classmethod
    def of(cls, client: Any, sample: Sample, *, gaps: bool) -> OnCluster:
        """The blocks of a sample, read by the workers."""
        tables = [_held(client, table) for table in sample.tables]
        weights = tables[2] if len(tables) > 2 else None
        sample = Sample(tables[0], tables[1], weights, sample.width, sample.names)
        each, rows = block_rows(sample.width), rows_of(sample)
        together = _together(client, rows, sample.width, each)
        reader = Reader.of(sample, gaps=gaps)
        groups = []
        for cut in groups_of(sample, each, together):
            parts = [
                [table.parts[where.part] for where in stretches]
                for table, stretches in zip(sample.tables, cut.stretches, strict=True)
            ]
            groups.append(client.submit(_read, reader, cut, parts, pure=False))
        return cls(client, groups, rows, sample.width, each, weights is not None)

    @property
    def most(self) -> int:
        """The most numbers that stand in a row in any sum."""
        return self._each + levels(-(-self.rows // self._each))

    def map(
        self, part: Part, *args: Any, keep: bool = False, width: int | None = None
    ) -> OnCluster:
        """What a function makes of each block, held by the worker that holds the block."""
        groups = self._client.map(_mapped, self._groups, part=part, args=args, pure=False)
        return OnCluster(
            self._client, groups, self.rows, width or self.width, self._each, self.weighted
        )

    def step(self, merge: Merge, part: Part, *args: Any) -> tuple[OnCluster, Any]:
        """What a function makes of each block, held where it is; and what it says of it, put together."""
        both = self._client.map(
            _stepped, self._groups, merge=merge, part=part, args=args, pure=False
        )
        answers = self._client.map(_answer, both, pure=False)
        blocks = OnCluster(self._client, both, self.rows, self.width, self._each, self.weighted)
        return blocks, self._put_together(merge, answers)

    def fold(self, merge: Merge, part: Part, *args: Any) -> Any:
        """What a function makes of each block, put together along the tree."""
        branches = self._client.map(
            _folded, self._groups, merge=merge, part=part, args=args, pure=False
        )
        return self._put_together(merge, branches)

    def _put_together(self, merge: Merge, branches: list[Any]) -> Any:
        while len(branches) > _FAN:
            fans = [branches[i : i + _FAN] for i in range(0, len(branches), _FAN)]
            branches = [self._client.submit(_merged, merge, fan, pure=False) for fan in fans]
        return merged(self._client.gather(branches), merge)

    def total(self, part: Part, *args: Any) -> Any:
        """The same, added up."""
        return self.fold(added, part, *args)


def _together(client: Any, rows: int, width: int, each: int) -> int:
    """How many blocks a task works on: a power of two."""
    threads: int = max(1, sum(client.nthreads().values()))
    blocks = -(-rows // each)
    wanted: int = min(blocks // (_TASKS * threads), _BYTES // (8 * max(1, width) * each))
    return 1 << (max(1, wanted).bit_length() - 1)


def _held(client: Any, table: Table) -> Table:
    """The same table with parts that workers hold or can read."""
    from dask.delayed import delayed

    parts = [part if is_dask(part) else delayed(load)(part) for part in table.parts]
    held = client.compute(parts)
    if table.lengths is None:
        lengths = client.gather(client.map(len, held, pure=False))
        table = with_lengths(table, [int(length) for length in lengths])
    return Table(held, table.lengths, table.read)


class _Group(NamedTuple):
    """Neighbouring blocks, or what was made of them; and what they answered in the step that made them."""

    blocks: list[Any]
    answer: Any = None


def _read(reader: Reader, cut: Cut, parts: Sequence[Sequence[Any]]) -> _Group:
    return _Group(reader.blocks(cut, parts))


def _answer(group: _Group) -> Any:
    return group.answer


def _mapped(group: _Group, part: Part, args: tuple[Any, ...]) -> _Group:
    return _Group([part(block, *args) for block in group.blocks])


def _folded(group: _Group, merge: Merge, part: Part, args: tuple[Any, ...]) -> Any:
    return merged((part(block, *args) for block in group.blocks), merge)


def _stepped(group: _Group, merge: Merge, part: Part, args: tuple[Any, ...]) -> _Group:
    both = [part(block, *args) for block in group.blocks]
    return _Group([made for made, _ in both], merged((answer for _, answer in both), merge))


def _merged(merge: Merge, branches: list[Any]) -> Any:
    return merged(branches, merge)
