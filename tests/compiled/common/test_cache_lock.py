import os
import subprocess
import sys

from numba.core.caching import IndexDataCacheFile

from assay.compiled.common.cache_lock import lock_cache

# Each process saves versions of its own of one loop, as fast as it can.
SAVE = """
import sys
from numba.core.caching import IndexDataCacheFile
if sys.argv[3] == "locked":
    from assay.compiled.common.cache_lock import lock_cache
    lock_cache()
kept = IndexDataCacheFile(sys.argv[1], "loop", "stamp")
for i in range(60):
    kept.save((sys.argv[2], i), (sys.argv[2], i))
"""


def wrong_versions(folder, how):
    """How many versions that two processes saved at once are lost, or another's."""
    saving = [
        subprocess.Popen([sys.executable, "-c", SAVE, str(folder), name, how]) for name in "ab"
    ]
    assert [one.wait() for one in saving] == [0, 0]
    kept = IndexDataCacheFile(str(folder), "loop", "stamp")
    return sum(kept.load((name, i)) != (name, i) for name in "ab" for i in range(60))


def test_two_processes_save_at_once(tmp_path):
    assert wrong_versions(tmp_path, "locked") == 0


def test_without_locks_versions_get_lost(tmp_path):
    """Another process saves between the moment at which the index is read and that at which it is written back."""
    save = getattr(IndexDataCacheFile.save, "__wrapped__", IndexDataCacheFile.save)
    one, other, kept = (IndexDataCacheFile(str(tmp_path), "loop", "stamp") for _ in range(3))
    load = one._load_index

    def meanwhile():
        index = load()
        save(other, "b", "b")
        return index

    one._load_index = meanwhile
    save(one, "a", "a")
    assert (kept.load("a"), kept.load("b")) != ("a", "b")


def test_locked_once(tmp_path):
    lock_cache()
    method = IndexDataCacheFile.save
    lock_cache()
    assert IndexDataCacheFile.save is method


def test_a_folder_that_cannot_be_written_to_is_read(tmp_path):
    kept = IndexDataCacheFile(str(tmp_path), "loop", "stamp")
    kept.save("key", "data")
    os.remove(tmp_path / "assay.lock")
    (tmp_path / "assay.lock").mkdir()  # nobody can open this for writing, not even root
    assert kept.load("key") == "data"
