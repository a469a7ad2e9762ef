"""One server for one store: a lock that the system gives back when the process ends, however it ends."""

from __future__ import annotations

import os
from pathlib import Path

from assay.errors import BadData


class StoreLock:
    """The lock of a store, held from `take` to `release`."""

    def __init__(self, store: Path) -> None:
        self._store = store
        if not store.name or store.is_dir():
            raise BadData(f"{store} is a folder. Name a file in it.")
        self._path = store.with_name(store.name + ".lock")
        self._handle: int | None = None

    def take(self) -> None:
        """Take the lock, or refuse with a sentence."""
        try:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as problem:
            raise BadData(f"{self._path} cannot be made: {problem.strerror or problem}.") from None
        try:
            _lock(handle)
        except OSError:
            owner = os.read(handle, 32).decode("ascii", "replace").strip()
            os.close(handle)
            who = f" (process {owner})" if owner.isdigit() else ""
            raise BadData(
                f"{self._store} is open in another server{who}. Stop that one, or name another store."
            ) from None
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
        self._handle = handle

    def release(self) -> None:
        """Give the lock back."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


try:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

except ImportError:  # Windows
    import msvcrt

    def _lock(handle: int) -> None:
        # A byte far behind the text, which others may still read.
        os.lseek(handle, 2**20, os.SEEK_SET)
        getattr(msvcrt, "locking")(handle, getattr(msvcrt, "LK_NBLCK"), 1)  # noqa: B009
        os.lseek(handle, 0, os.SEEK_SET)
