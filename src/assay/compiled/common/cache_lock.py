# Problem   several processes compile at once and keep what they compiled in one folder. numba numbers the files of a
#           loop by an index that it reads, changes and writes back, and only then writes the file: two processes could
#           take one number for two versions of a loop, and a third would load the wrong one.
# Given     a folder that may be written to, on a system with file locks; elsewhere numba does as it always did.
# Writes    an empty file in that folder, which is locked while a version is saved or loaded.
# Source    -
import contextlib
import os
from functools import wraps

from numba.core.caching import IndexDataCacheFile

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

#: Whether several processes may compile into one folder.
CAN_LOCK = fcntl is not None


@contextlib.contextmanager
def _locked(folder):
    try:
        place = os.open(os.path.join(folder, "assay.lock"), os.O_RDWR | os.O_CREAT, 0o644)
    except OSError:
        yield  # nothing can be written there, so nobody does
        return
    try:
        fcntl.flock(place, fcntl.LOCK_EX)
        yield
    finally:
        os.close(place)


def _alone(method):
    @wraps(method)
    def alone(self, *arguments):
        with _locked(self._cache_path):
            return method(self, *arguments)

    return alone


def lock_cache():
    """One process at a time reads or writes the compiled versions of a loop."""
    if CAN_LOCK and not hasattr(IndexDataCacheFile.save, "__wrapped__"):
        IndexDataCacheFile.save = _alone(IndexDataCacheFile.save)
        IndexDataCacheFile.load = _alone(IndexDataCacheFile.load)
