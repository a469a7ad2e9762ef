"""How much room there is: on the disk, and in what the store may take of it."""

from __future__ import annotations

import shutil
from pathlib import Path

from assay.server.limits import Limits, how


def bytes_of(path: Path) -> int:
    """Bytes of a store with its write-ahead log."""
    total = 0
    for part in ("", "-wal"):
        try:
            total += path.with_name(path.name + part).stat().st_size
        except OSError:
            continue
    return total


def no_room(path: Path, limits: Limits) -> str | None:
    """Why nothing more may be stored, as a sentence; None where there is room."""
    taken = bytes_of(path)
    if taken >= limits.stored:
        return f"The store takes {taken:,} bytes, and may take {limits.stored:,}. {how('stored')}"
    try:
        free = shutil.disk_usage(path.parent).free
    except OSError:  # the disk does not say
        return None
    if free < limits.disk_free:
        return (
            f"The disk of the store has {free:,} bytes left, and {limits.disk_free:,} are to stay free. Make room, "
            "or start the service with a smaller `--limit disk_free=N`."
        )
    return None
