"""One server for one store: locks that the system gives back when the process ends, however it ends.

The file ``STORE.lock`` stands beside the store, wherever links lead to, and names the process. Where the system has
locks of open files (Linux), the store itself is locked too, far behind its end: that one is found under every name.
"""

from __future__ import annotations

import contextlib
import os
import struct
import sys
from pathlib import Path

from assay.errors import BadData
from assay.file_locks import try_lock

#: Where the store itself is locked: SQLite's own locks end before 2**30 + 512.
_FAR = 2**62
#: What this process holds, since to close a second handle of a file would give back SQLite's own locks on it.
_held: set[tuple[int, int]] = set()


class StoreLock:
    """The lock of a store, held from `take` to `release`."""

    def __init__(self, store: Path) -> None:
        if not store.name or store.is_dir():
            raise BadData(f"{store} is a folder. Name a file in it.")
        self._store, self._file = store, Path(os.path.realpath(store))
        self._path = self._file.with_name(self._file.name + ".lock")
        self._handles: list[int] = []
        self._inode: tuple[int, int] | None = None

    def take(self) -> None:
        """Take the lock, or refuse with a sentence; the store is made if it is not there."""
        handle = self._opened(self._path)
        try:
            try_lock(handle)
        except OSError:
            owner = os.read(handle, 32).decode("ascii", "replace").strip()
            os.close(handle)
            raise self._refusal(owner) from None
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
        self._handles.append(handle)
        try:
            self._take_inode()
        except BaseException:
            self.release()
            raise

    def _take_inode(self) -> None:
        if not self._file.exists():
            os.close(self._opened(self._file))
        state = self._file.stat()
        if state.st_nlink > 1:
            raise BadData(
                f"{self._store} has {state.st_nlink} names (hard links), and what stands in its write-ahead log "
                "belongs to one of them. Copy the store, and serve the copy."
            )
        if state.st_mode & 0o007:
            os.chmod(self._file, state.st_mode & 0o770)
        inode = state.st_dev, state.st_ino
        if inode in _held:
            raise self._refusal(str(os.getpid()))
        if _lock_file is not None:
            handle = self._opened(self._file)
            try:
                _lock_file(handle)
            except OSError:
                os.close(handle)
                raise self._refusal() from None
            self._handles.append(handle)
        _held.add(inode)
        self._inode = inode

    def _refusal(self, owner: str = "") -> BadData:
        who = f" (process {owner})" if owner.isdigit() else ""
        return BadData(
            f"{self._store} is open in another server{who}. Stop that one, or name another store."
        )

    def _opened(self, path: Path) -> int:
        try:
            return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as problem:
            raise BadData(f"{path} cannot be made: {problem.strerror or problem}.") from None

    def release(self) -> None:
        """Give the lock back."""
        if self._inode is not None:
            _held.discard(self._inode)
            self._inode = None
        while self._handles:
            os.close(self._handles.pop())


_lock_file = None

if sys.platform == "linux":
    with contextlib.suppress(ImportError):
        import fcntl

        def _lock_file(handle: int) -> None:
            wanted = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, _FAR, 1, 0)
            fcntl.fcntl(handle, fcntl.F_OFD_SETLK, wanted)
