"""Locks as Windows has them, by a `msvcrt` that is played: of an open file, and mandatory; and disks without any."""

from __future__ import annotations

import errno
import fcntl
import importlib.util
import os
import struct
import sys
import threading
from types import SimpleNamespace

import pytest

import assay.file_locks as here
from assay.server import keys
from assay.server.store import lock as store_lock
from assay.server.store.lock import StoreLock

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="played on Linux")


def locking(handle, mode, size):
    place = os.lseek(handle, 0, os.SEEK_CUR)
    try:
        fcntl.fcntl(
            handle, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, place, size, 0)
        )
    except OSError:
        raise PermissionError(errno.EACCES, "Permission denied") from None


@pytest.fixture
def windows(monkeypatch):
    """The module as it is where there is no fcntl."""
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    spec = importlib.util.spec_from_file_location("file_locks_of_windows", here.__file__)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    opened = os.open

    def open_no_folder(path, flags, *terms):
        if os.path.isdir(path):
            raise PermissionError(errno.EACCES, "Permission denied")
        return opened(path, flags, *terms)

    monkeypatch.setattr(os, "open", open_no_folder)
    return made


@pytest.fixture(params=["posix", "windows"])
def locks(request):
    return here if request.param == "posix" else request.getfixturevalue("windows")


def test_one_handle_at_a_time(locks, tmp_path):
    one, other = (os.open(tmp_path / "f", os.O_RDWR | os.O_CREAT) for _ in range(2))
    locks.try_lock(one)
    with pytest.raises((PermissionError, BlockingIOError)):
        locks.try_lock(other)
    os.close(one)
    locks.try_lock(other)
    os.close(other)


@pytest.mark.parametrize("what", ["file", "folder"])
def test_threads_wait_for_one_another(locks, tmp_path, what):
    place = tmp_path if what == "folder" else tmp_path / "work.lock"
    count = [0]

    def add():
        for _ in range(40):
            with locks.locked(place):
                seen = count[0]
                pause.wait(1e-4)
                count[0] = seen + 1

    pause = threading.Event()
    threads = [threading.Thread(target=add) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count == [120]


def test_without_locks_counts_get_lost(tmp_path):
    """What the test above would see if nobody waited."""
    count, pause = [0], threading.Event()

    def add():
        for _ in range(40):
            seen = count[0]
            pause.wait(1e-4)
            count[0] = seen + 1

    threads = [threading.Thread(target=add) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count[0] < 120


def test_a_disk_without_locks_stops_nobody(tmp_path, monkeypatch):
    def none(handle, how):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(here.fcntl, "flock", none)
    with here.locked(tmp_path / "f"):
        assert (tmp_path / "f").exists()


def test_a_folder_that_is_not_there_stops_nobody(locks, tmp_path):
    with locks.locked(tmp_path / "none" / "f"):
        assert not (tmp_path / "none").exists()


def test_one_server_for_one_store(windows, tmp_path, monkeypatch):
    monkeypatch.setattr(store_lock, "try_lock", windows.try_lock)
    monkeypatch.setattr(store_lock, "_lock_file", None)
    store = tmp_path / "assay.db"
    one = StoreLock(store)
    one.take()
    assert (
        tmp_path / "assay.db.lock"
    ).read_text() == f"{os.getpid()}\n"  # others may read who it is
    with pytest.raises(Exception, match=rf"is open in another server \(process {os.getpid()}\)"):
        StoreLock(store).take()
    one.release()
    again = StoreLock(store)
    again.take()
    again.release()


def test_keys_that_are_made_at_once_are_all_kept(windows, tmp_path, monkeypatch):
    monkeypatch.setattr(keys, "locked", windows.locked)
    path = tmp_path / "keys.json"

    def make(name):
        keys.add_key(path, keys.new_key(name, ["read"])[1])

    threads = [threading.Thread(target=make, args=(f"key {i}",)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {key.name for key in keys.read_keys(path)} == {f"key {i}" for i in range(8)}
