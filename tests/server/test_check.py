"""A check reads one moment, says what is broken and what only differs, and compares with a head that was published."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import sys
import threading

import pytest

from assay import __version__
from assay.errors import BadData
from assay.server.engine.check import check_store
from assay.server.store.event import NO_LINK, link_of
from assay.server.store.head import digest_of
from assay.server.store.store import Store
from tests.cli.runner import run
from tests.server.engines import ask, engine_at, make, tell
from tests.server.test_store import changed, played

SPAM = {"algorithm": "perceptron", "classes": ["ham", "spam"]}


def test_what_is_written_meanwhile_is_no_finding(tmp_path, monkeypatch):
    """Not even that a learner is deleted between the look at its name and its replay."""
    played(tmp_path / "a.db")
    with engine_at(tmp_path / "a.db") as engine:
        beside, looks = Store(tmp_path / "a.db", exclusive=False), []
        names = beside.names

        def meanwhile():
            found = names()
            looks.append(found)
            if len(looks) == 2:
                other = threading.Thread(target=lambda: engine.delete("it")[1].wait())
                other.start()
                other.join()
            return found

        monkeypatch.setattr(beside, "names", meanwhile)
        found = check_store(beside)
        beside.close()
    assert (found.problems, found.events, len(looks)) == ((), 13, 2)


def test_a_broken_chain_is_told_from_a_replay_that_differs(tmp_path):
    path = tmp_path / "a.db"
    played(path)
    with sqlite3.connect(path) as connection:  # as another processor may have answered
        connection.execute("DELETE FROM snapshots")
        link, rows = NO_LINK, connection.execute("SELECT * FROM events ORDER BY seq").fetchall()
        for seq, learner, kind, at, trial, body, _ in rows:
            text = body.replace('"prediction":"spam"', '"prediction":"ham"') if seq == 6 else body
            link = link_of(link, seq, learner, kind, at, trial, text)
            connection.execute(
                "UPDATE events SET body = ?, link = ? WHERE seq = ?", (text, link, seq)
            )
    connection.close()
    result = run("serve", "--store", path, "--check")
    assert result.code == 1
    assert result.out.splitlines()[0] == (
        f"{path} is whole: 13 events of 1 learners, chained as they were written. But a replay on this machine "
        f"({platform.machine()}, assay {__version__}) gives something else:"
    )
    found = json.loads(run("serve", "--store", path, "--check", "--json").out)
    assert (found["ok"], found["broken"], len(found["differs"])) == (False, [], 1)
    changed(path, "UPDATE events SET body = body || ' ' WHERE seq = 3")
    result = run("serve", "--store", path, "--check")
    assert result.out.splitlines() == [
        f"{path} is broken:", "Event 3 does not follow from the event before it."
    ]  # fmt: skip
    assert json.loads(run("serve", "--store", path, "--check", "--json").out)["differs"] == []


def test_empty_and_later_stores_are_refused(tmp_path):
    (tmp_path / "nothing.db").touch()
    result = run("serve", "--store", tmp_path / "nothing.db", "--check")
    assert result.code == 2
    with engine_at(tmp_path / "new.db"):
        pass
    result = run("serve", "--store", tmp_path / "new.db", "--check")
    assert (result.code, result.err.strip()) == (
        2, f"assay: {tmp_path}/new.db is empty: it holds no event that could be checked."
    )  # fmt: skip
    played(tmp_path / "a.db")
    changed(tmp_path / "a.db", "INSERT INTO steps VALUES ('s999_future')")
    for option in ("--check", "--backup"):
        given = [option] if option == "--check" else [option, tmp_path / "copy.db"]
        result = run("serve", "--store", tmp_path / "a.db", *given)
        assert result.code == 2
        assert "was written by a later version of assay" in result.err


def test_a_log_whose_end_was_cut_is_found_by_a_published_head(tmp_path):
    path, published = tmp_path / "a.db", tmp_path / "head.json"
    played(path)
    with engine_at(path) as engine:
        make(engine, "other", **SPAM)
        make(engine, "gone", **SPAM)
        head = engine.head()
        assert head["digest"] == digest_of(
            (one["learner"], one["seq"], one["link"]) for one in head["learners"]
        )
        assert head["seq"] == engine.store.last()[0]
        tell(engine, "it", ask(engine, "it", x=[1.0, 2.0])["trial"], label="ham")
        engine.delete("gone")
    published.write_text(json.dumps(head))
    assert run("serve", "--store", path, "--check", "--head", published).code == 0
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM snapshots")
        connection.execute("DELETE FROM events WHERE learner = 1 AND seq > 11")
    connection.close()
    assert run("serve", "--store", path, "--check").code == 0  # what is left is a chain
    result = run("serve", "--store", path, "--check", "--head", published)
    assert result.code == 1
    assert "Event 13 of learner 1 is not the one that was published: the log was cut" in result.out
    head["learners"][0]["seq"] = 11
    published.write_text(json.dumps(head))
    result = run("serve", "--store", path, "--check", "--head", published)
    assert (result.code, "its digest is not that of its learners" in result.err) == (2, True)
    published.write_text("{}")
    assert (
        "is no head of a log" in run("serve", "--store", path, "--check", "--head", published).err
    )
    assert run("serve", "--store", path, "--head", published).code == 2


def test_a_trial_is_in_the_file_once(tmp_path):
    played(tmp_path / "a.db")
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE constraint failed"):
        changed(
            tmp_path / "a.db",
            "INSERT INTO events SELECT 100, learner, kind, at, trial, body, link FROM events WHERE seq = 3",
        )


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_files_are_for_their_owner(tmp_path):
    before = os.umask(0o022)
    try:
        with engine_at(tmp_path / "a.db") as engine:
            make(engine, **SPAM)
            engine.flushed()
            parts = sorted(part.name for part in tmp_path.iterdir())
            assert parts == ["a.db", "a.db-shm", "a.db-wal", "a.db.lock"]
            assert {part.stat().st_mode & 0o777 for part in tmp_path.iterdir()} == {0o600}
        (tmp_path / "a.db").chmod(0o644)  # as earlier versions made it
        with engine_at(tmp_path / "a.db"):
            assert (tmp_path / "a.db").stat().st_mode & 0o007 == 0
    finally:
        os.umask(before)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_store_is_locked_under_every_name(tmp_path):
    (tmp_path / "other").mkdir()
    with engine_at(tmp_path / "a.db"):
        (tmp_path / "other" / "link.db").symlink_to(tmp_path / "a.db")
        with pytest.raises(BadData, match="is open in another server"):
            Store(tmp_path / "other" / "link.db")
        os.link(tmp_path / "a.db", tmp_path / "other" / "hard.db")
        with pytest.raises(BadData, match=r"has 2 names \(hard links\)"):
            Store(tmp_path / "other" / "hard.db")
        (tmp_path / "other" / "hard.db").unlink()
    with engine_at(tmp_path / "other" / "link.db"):
        assert not (
            tmp_path / "other" / "link.db.lock"
        ).exists()  # it stands beside the file itself


@pytest.mark.skipif(sys.platform != "linux", reason="locks of open files")
def test_a_store_is_locked_as_a_file(tmp_path):
    """Mounted into two containers under two names, it has two files beside it, but is one."""
    with engine_at(tmp_path / "a.db"):
        (tmp_path / "a.db.lock").unlink()  # what the other container does not see
        done = run_other(
            f"from assay.server.store.store import Store; Store({str(tmp_path / 'a.db')!r})"
        )
    assert done.returncode == 1
    assert "is open in another server. Stop that one, or name another store." in done.stderr


def run_other(code):
    import subprocess

    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
