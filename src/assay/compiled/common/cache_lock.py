# Problem   several processes compile at once and keep what they compiled in one folder. numba numbers the files of a
#           loop by an index that it reads, changes and writes back, and only then writes the file: two processes could
#           take one number for two versions of a loop, and a third would load the wrong one.
# Given     a folder that may be written to, on a disk with file locks; elsewhere numba does as it always did.
# Writes    an empty file in that folder, which is locked while a version is saved or loaded.
# Source    -
import os
from functools import wraps

from numba.core.caching import IndexDataCacheFile

from assay.file_locks import locked


def _alone(method):
    @wraps(method)
    def alone(self, *arguments):
        with locked(os.path.join(self._cache_path, "assay.lock")):
            return method(self, *arguments)

    return alone


def lock_cache():
    """One process at a time reads or writes the compiled versions of a loop."""
    if not hasattr(IndexDataCacheFile.save, "__wrapped__"):
        IndexDataCacheFile.save = _alone(IndexDataCacheFile.save)
        IndexDataCacheFile.load = _alone(IndexDataCacheFile.load)
