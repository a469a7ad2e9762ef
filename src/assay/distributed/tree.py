"""The tree along which blocks are put together: neighbours two by two, and those two by two, and so on.

A block without a neighbour goes up as it is. Any stretch of 2^k blocks that begins at a multiple of 2^k is a branch of
the tree of all of them: it may be put together anywhere, and gives the same bits there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Merge = Callable[[Any, Any], Any]


def merged(parts: Iterable[Any], merge: Merge) -> Any:
    """All parts in their order, put together along the tree; no more than one is held for each level.

    Examples
    --------
    >>> merged(["a", "b", "c", "d", "e"], lambda one, other: f"({one}{other})")
    '(((ab)(cd))e)'
    """
    waiting: list[tuple[int, Any]] = []
    for part in parts:
        level = 0
        while waiting and waiting[-1][0] == level:
            part = merge(waiting.pop()[1], part)
            level += 1
        waiting.append((level, part))
    whole = waiting.pop()[1]
    while waiting:
        whole = merge(waiting.pop()[1], whole)
    return whole


def levels(blocks: int) -> int:
    """How many levels the tree of so many blocks has above them.

    Examples
    --------
    >>> levels(1), levels(5), levels(8)
    (0, 3, 3)
    """
    return max(0, blocks - 1).bit_length()
