"""How much memory a piece of work takes: the most that the process grew by while it ran."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_STATM = Path("/proc/self/statm")
_PERIOD = 0.002


@dataclass
class Used:
    """The most memory that was used, in bytes; None where the system does not tell."""

    bytes: int | None = None


@contextmanager
def memory_used() -> Iterator[Used]:
    """Look at the size of this process again and again while something runs.

    What is freed and taken again by the same process is not seen to grow, so a second run may seem to take less
    than a first one.

    Examples
    --------
    >>> with memory_used() as used:
    ...     block = bytearray(2**25)
    >>> used.bytes is None or used.bytes >= 0
    True
    """
    used, done = Used(), threading.Event()
    before = _resident()
    if before is None:
        yield used
        return
    most = before

    def look() -> None:
        nonlocal most
        while not done.wait(_PERIOD):
            most = max(most, _resident() or 0)

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield used
    finally:
        done.set()
        watcher.join()
        used.bytes = max(most, _resident() or 0) - before


def _resident() -> int | None:
    """The resident size of this process, from the system's own account of it."""
    import mmap

    try:
        return int(_STATM.read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE
    except (OSError, ValueError, IndexError):
        return None
