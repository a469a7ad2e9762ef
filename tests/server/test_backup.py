"""Backups are of one moment, whole or not there, and done in seconds however much is written meanwhile."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing

import pytest

from assay.errors import BadData
from assay.server.engine.check import check_store
from assay.server.store import store as store_module
from assay.server.store.store import Store
from tests.server.engines import ask, engine_at, make
from tests.server.processes import ASSAY

SPAM = {"algorithm": "perceptron", "classes": ["ham", "spam"], "features": 2}


def filled(path, megabytes):
    """A store with trials of so much text, chained by nobody: only their size matters."""
    with engine_at(path) as engine:
        make(engine, **SPAM)
    with closing(sqlite3.connect(path)) as file, file:
        rows = ((n, "x" * 10_000) for n in range(10, 10 + 100 * megabytes))
        file.executemany("INSERT INTO events VALUES (?, 99, 'trial', 0, NULL, ?, '')", rows)


class Writing(threading.Thread):
    """Somebody who commits all the time."""

    def __init__(self, engine):
        super().__init__(daemon=True)
        self._engine, self.ended, self.commits = engine, threading.Event(), 0

    def run(self):
        while not self.ended.is_set():
            ask(self._engine, "it", x=[1.0, float(self.commits)])
            self._engine.flushed().wait()
            self.commits += 1
            time.sleep(0.002)


def copied_under_load(path, target, monkeypatch, seconds):
    """How many commits were made while the copy was, which must not take longer than so many seconds."""
    monkeypatch.setattr(store_module, "_PAGES", 256, raising=False)
    with engine_at(path) as engine:
        writing = Writing(engine)
        writing.start()
        beside = Store(path, exclusive=False)
        copying = threading.Thread(target=lambda: beside.backup(target), daemon=True)
        while not writing.commits:
            time.sleep(0.001)
        before = writing.commits
        copying.start()
        copying.join(seconds)
        during, done = writing.commits - before, not copying.is_alive()
        writing.ended.set()
        writing.join()
        copying.join()
        beside.close()
    assert done, "the copy is begun anew with each commit"
    return during


def test_a_copy_is_done_while_others_write(tmp_path, monkeypatch):
    filled(tmp_path / "a.db", 60)
    assert copied_under_load(tmp_path / "a.db", tmp_path / "b.db", monkeypatch, 20) > 0
    with closing(sqlite3.connect(tmp_path / "b.db")) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert copy.execute("SELECT count(*) FROM events WHERE learner = 99").fetchone() == (6000,)


def test_a_copy_that_fails_leaves_nothing(tmp_path, monkeypatch):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SPAM)
        beside = Store(tmp_path / "a.db", exclusive=False)

        def full(*given):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(store_module, "_synced", full)
        with pytest.raises(BadData, match=r"b\.db cannot be written: No space left on device\."):
            beside.backup(tmp_path / "b.db")
        beside.close()
        assert not list(tmp_path.glob("*b.db*"))


def test_a_copy_takes_nobodys_place_and_is_for_its_owner(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        engine.create("it", SPAM)[1].wait()
        beside = Store(tmp_path / "a.db", exclusive=False)
        beside.backup(tmp_path / "b.db")
        assert (tmp_path / "b.db").stat().st_mode & 0o777 == 0o600
        before = (tmp_path / "b.db").read_bytes()
        with pytest.raises(BadData, match="exists already"):
            beside.backup(tmp_path / "b.db")
        assert (tmp_path / "b.db").read_bytes() == before
        beside.close()
    copy = Store(tmp_path / "b.db", exclusive=False)
    assert check_store(copy).problems == ()
    copy.close()


@pytest.mark.skipif(sys.platform == "win32", reason="killed by a signal")
def test_a_copy_that_is_killed_has_no_name_yet(tmp_path):
    filled(tmp_path / "a.db", 60)
    copying = subprocess.Popen(
        [*ASSAY, "serve", "--store", str(tmp_path / "a.db"), "--backup", str(tmp_path / "b.db")],
        stdout=subprocess.DEVNULL,
    )
    while copying.poll() is None and not list(tmp_path.glob("*b.db*")):
        time.sleep(0.0005)
    copying.kill()
    copying.wait()
    if (tmp_path / "b.db").exists():  # it was quicker than the kill
        with closing(sqlite3.connect(tmp_path / "b.db")) as copy:
            assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.guarantees
def test_a_large_copy_is_done_in_seconds_under_load(tmp_path, monkeypatch):
    filled(tmp_path / "a.db", 600)
    begun = time.monotonic()
    during = copied_under_load(tmp_path / "a.db", tmp_path / "b.db", monkeypatch, 30)
    assert during > 10
    assert time.monotonic() - begun < 40
    assert os.path.getsize(tmp_path / "b.db") > 600 * 10**6
