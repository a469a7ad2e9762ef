"""Locks of open files, which the system gives back when a process ends, however it ends."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

#: How often Windows is asked again for a lock that somebody else holds.
_PAUSE_S = 0.02

try:
    import fcntl

    def try_lock(handle: int) -> None:
        """Lock an open file, or raise an `OSError` if another handle holds the lock."""
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def wait_for_lock(handle: int) -> None:
        """Lock an open file, as soon as nobody else holds the lock."""
        fcntl.flock(handle, fcntl.LOCK_EX)

except ImportError:  # Windows
    import msvcrt

    # What is locked there cannot be read by others: a byte far behind the end.
    _FAR = 2**20

    def _far(handle: int, mode: str) -> None:
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            getattr(msvcrt, "locking")(handle, getattr(msvcrt, mode), 1)  # noqa: B009
        finally:
            os.lseek(handle, 0, os.SEEK_SET)

    def try_lock(handle: int) -> None:
        """Lock an open file, or raise an `OSError` if another handle holds the lock."""
        _far(handle, "LK_NBLCK")

    def wait_for_lock(handle: int) -> None:
        """Lock an open file, as soon as nobody else holds the lock."""
        while True:
            # The system's own way of waiting gives up after ten seconds.
            with suppress(PermissionError):
                return try_lock(handle)
            time.sleep(_PAUSE_S)


@contextmanager
def locked(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let one at a time do what is done within: among processes, and among threads.

    Where nothing can be opened, nobody can do anything there. Where the disk has no locks, nobody waits.

    Parameters
    ----------
    path : str or path
        A folder, or an empty file, which is made if it is not there and stays. Windows opens no folder: there a file
        ``assay.lock`` in it is taken.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, locked(os.path.join(folder, "work.lock")):
    ...     os.listdir(folder)
    ['work.lock']
    """
    try:
        handle = _opened(path)
    except OSError:
        yield
        return
    try:
        with suppress(OSError):
            wait_for_lock(handle)
        yield
    finally:
        os.close(handle)


def _opened(path: str | os.PathLike[str]) -> int:
    if os.path.isdir(path):
        with suppress(PermissionError):
            return os.open(path, os.O_RDONLY)
        path = os.path.join(path, "assay.lock")
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
