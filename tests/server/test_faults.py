"""Disks, clocks, clients and files that misbehave: the service says so, loses nothing and goes on."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from assay.errors import BadData
from assay.server.store import store as store_module
from assay.server.store.store import Store
from tests.server.engines import ask, engine_at, make, opened, refusal, state, tell
from tests.server.players import PLAYERS
from tests.server.processes import ASSAY, Caller, Forked, Gone

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by signals")
SPAM = PLAYERS["spam"]
HOME = "/v1/learners/spam"


@contextmanager
def served(path, trouble=None, **limits):
    """A server with a learner, and a connection to it; at the end it must stop in order, unless it was ended before."""
    server = Forked(path / "a.db", trouble, **limits)
    assert server.ready(), server.output()
    with closing(Caller(server)) as call:
        try:
            assert call("PUT", HOME, SPAM.definition)[0] in (200, 201)
            yield server, call
        finally:
            killed = not server.alive()
            server.terminate()
            code = server.wait()
    assert killed or code in (0, -signal.SIGTERM), server.output()
    assert "Traceback" not in server.output(), server.output()


def told(path):
    """The trials whose feedback is in the log."""
    with closing(sqlite3.connect(path / "a.db")) as log:
        return [t for (t,) in log.execute("SELECT trial FROM events WHERE kind = 'feedback'")]


def lines(ones):
    return b"\n".join(ones), "application/x-ndjson"


# The disk


def test_a_full_disk_refuses_and_loses_nothing(tmp_path):
    kept = []
    with served(tmp_path, "full:500000") as (server, call):
        for turn in range(2000):
            trial = f"t{turn}"
            status, answer = call("POST", f"{HOME}/predict", SPAM.ask(trial))
            if status == 200:
                status, answer = call("POST", f"{HOME}/feedback", SPAM.tell(trial))
            if status != 200:
                break
            kept.append(trial)
        assert (status, answer["error"]["code"]) == (503, "store_failed")
        assert answer["error"]["retry_after"] == 1
        assert len(kept) > 10
        os.kill(server.pid, signal.SIGUSR1)
        until = time.monotonic() + 20
        while (status := call("POST", f"{HOME}/predict", SPAM.ask(trial))[0]) != 200:
            assert status == 503
            assert time.monotonic() < until, (
                "the disk is free again, but the service does not go on"
            )
            time.sleep(0.1)
        assert call("POST", f"{HOME}/feedback", SPAM.tell(trial))[0] == 200
        assert call("GET", HOME)[1]["told"] == len(kept) + 1
    assert told(tmp_path) == [*kept, trial]
    assert checked(tmp_path) == (0, 2 * len(kept) + 3)


def checked(path):
    """The code of `assay serve --check`, and the events it counted or the problems it found."""
    done = subprocess.run(
        [*ASSAY, "serve", "--check", "--store", str(path / "a.db"), "--json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    return done.returncode, found["problems"] or found["events"]


def test_a_store_that_may_not_be_written_is_refused_with_a_sentence():
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        with engine_at(folder / "a.db") as engine:
            make(engine, "spam", **SPAM.definition)
        for part in folder.iterdir():
            part.chmod(0o444)
        folder.chmod(0o555)
        server = Forked(folder / "a.db", "nobody:0")
        said = _end(server)
        folder.chmod(0o755)
    assert said == (2, f"assay: {folder}/a.db.lock cannot be made: Permission denied.\n")


def _end(server):
    try:
        return server.wait(), server.output()
    finally:
        server.kill()


def test_a_locked_store_refuses_and_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(store_module, "_PATIENCE_S", 0.05)
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, "spam", **SPAM.definition)
        trial = ask(engine, "spam", x=[1, 2, 3, 4])["trial"]
        engine.flushed().wait()
        before = state(engine, "spam")
        with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            _, group = engine.feedback("spam", _tell(trial))
            with refusal(
                "store_failed",
                "The store could not be written, so nothing of this request was kept. Send it again.",
            ):
                group.wait()
            assert (engine.ready, engine.cause) == (
                False,
                "the store cannot be written: database is locked",
            )
            other.execute("ROLLBACK")
        until = time.monotonic() + 10
        while not engine.ready:
            assert time.monotonic() < until
            time.sleep(0.01)
        assert state(engine, "spam") == before
        assert tell(engine, "spam", trial, label=1)["applied"]


def _tell(trial):
    from assay.server.engine.requests import Tell

    return Tell(trial=trial, label=1)


def test_a_clock_that_jumps_back_over_a_restart(tmp_path):
    with engine_at(tmp_path / "a.db", clock=lambda: 2e9) as engine:
        make(engine, "spam", {"feedback_within": 60}, **SPAM.definition)
        trial = ask(engine, "spam", x=[1, 2, 3, 4])["trial"]
    with engine_at(tmp_path / "a.db", clock=lambda: 1e9) as engine:
        later = ask(engine, "spam", x=[1, 2, 3, 4])["trial"]
        assert tell(engine, "spam", later, label=1)["applied"]
        assert tell(engine, "spam", trial, label=0)["applied"]
        at = [event.at for event in engine.store.events()]
    assert at == sorted(at)
    assert checked(tmp_path) == (0, 5)


def _damage(path, page):
    """Overwrite a page of the file, behind what the write-ahead log holds."""
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        [size] = file.execute("PRAGMA page_size").fetchone()
        [pages] = file.execute("PRAGMA page_count").fetchone()
    with open(path, "r+b") as raw:
        raw.seek(size * (page % pages))
        raw.write(b"\xa5" * size)
    return pages


def test_a_damaged_page_is_found_and_the_server_refuses_to_start(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, "spam", **SPAM.definition)
        for turn in range(300):
            tell(engine, "spam", ask(engine, "spam", x=[turn, 1, 2, 3])["trial"], label=turn % 2)
    sound = (tmp_path / "a.db").read_bytes()
    for page in (0, 1, 5, 20, -1):
        (tmp_path / "a.db").write_bytes(sound)
        _damage(tmp_path / "a.db", page)
        code, said = _end(Forked(tmp_path / "a.db"))
        assert code == 2, (page, said)
        assert said.startswith("assay: ")
        assert "Traceback" not in said
        assert said.count("\n") == 1, said
    code, [problem] = checked(tmp_path)
    assert code == 1
    assert problem.startswith("The file is damaged: ")


def test_a_second_server_refuses_the_store(tmp_path):
    with served(tmp_path) as (server, call):
        second = subprocess.run(
            [*ASSAY, "serve", "--store", str(tmp_path / "a.db"), "--port", "0"],
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert second.returncode == 2
        assert second.stderr == (
            f"assay: {tmp_path}/a.db is open in another server (process {server.pid}). "
            "Stop that one, or name another store.\n"
        )
        assert call("GET", HOME)[0] == 200
    with pytest.raises(BadData, match="is open in another server"), Held(tmp_path / "a.db"):
        opened(tmp_path / "a.db")


class Held:
    """A store that is open."""

    def __init__(self, path):
        self._store = Store(path)

    def __enter__(self):
        return self._store

    def __exit__(self, *error):
        self._store.close()


# Clients


def _raw(server, text):
    held = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    held.sendall(text)
    return held


_HEAD = b"POST %s/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


def test_slow_clients_and_half_sent_bodies_hold_up_nobody(tmp_path):
    with served(tmp_path) as (server, call):
        body, home = SPAM.ask("slow"), HOME.encode()
        slow = _raw(server, _HEAD % (home, len(body)) + body[:7])
        idle = [_raw(server, b"POST /v1/lear") for _ in range(20)]
        half = _raw(server, _HEAD % (home, len(SPAM.ask("half"))) + SPAM.ask("half")[:-3])
        half.close()
        for turn in range(20):
            assert call("POST", f"{HOME}/predict", SPAM.ask(f"quick{turn}"))[0] == 200
        for byte in body[7:]:
            slow.sendall(bytes([byte]))
        assert slow.recv(65536).startswith(b"HTTP/1.1 200")
        assert call("POST", f"{HOME}/feedback", SPAM.tell("slow"))[0] == 200
        assert call("POST", f"{HOME}/feedback", SPAM.tell("half"))[0] == 404, (
            "half a request is none"
        )
        for held in (slow, *idle):
            held.close()


def test_bodies_that_are_too_large_are_refused_before_they_are_read(tmp_path):
    with served(tmp_path, body=1000) as (server, call):
        with closing(_raw(server, _HEAD % (HOME.encode(), 10**12) + b"[" * 2000)) as held:
            answer = held.recv(65536)
            assert answer.startswith(b"HTTP/1.1 413"), answer
        chunks = (
            b"POST %s/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        with closing(_raw(server, chunks % HOME.encode() + b"7d0\r\n" + b" " * 2000)) as held:
            assert held.recv(65536).startswith(b"HTTP/1.1 413")
        huge = {"x": [1.0] * 500}
        assert call("POST", f"{HOME}/predict", huge)[0] == 413
        assert call("PUT", "/v1/learners/other", SPAM.definition | {"source": "x" * 2000})[0] == 413
        assert call("POST", f"{HOME}/predict", SPAM.ask("fine"))[0] == 200


def test_ten_thousand_open_trials_survive_a_kill(tmp_path):
    names = [f"t{n}" for n in range(10_000)]
    with served(tmp_path) as (server, call):
        status, answer = call("POST", f"{HOME}/predict", *lines(map(SPAM.ask, names)))
        assert status == 200
        assert answer.count(b'"prediction"') == len(names)
        server.kill()
        with pytest.raises(Gone):
            call("GET", HOME)
        server = Forked(tmp_path / "a.db")
        assert server.ready(), server.output()
        with closing(Caller(server)) as again:
            assert again("GET", HOME)[1]["open"] == 10_000
            status, answer = again("POST", f"{HOME}/feedback", *lines(map(SPAM.tell, names[::-1])))
            assert answer.count(b'"applied":true') == len(names)
            standing = again("GET", HOME)[1]
        server.terminate()
        server.wait()
    assert (standing["told"], standing["open"]) == (10_000, 0)
    assert told(tmp_path) == names[::-1]


def test_too_much_at_once_is_put_off_and_not_lost(tmp_path):
    put_off, answered = [], []

    def one(number):
        with closing(Caller(server)) as mine:
            for turn in range(6):
                trial = f"c{number}-{turn}"
                while True:
                    mine._connection.request("POST", f"{HOME}/predict", SPAM.ask(trial))
                    answer = mine._connection.getresponse()
                    body = json.loads(answer.read())
                    if answer.status == 200:
                        break
                    put_off.append(
                        (answer.status, body["error"]["code"], answer.headers["Retry-After"])
                    )
                    time.sleep(0.01)
                answered.append(trial)

    with served(tmp_path, "slow:30", queue=4) as (server, call):
        clients = [threading.Thread(target=one, args=(n,)) for n in range(16)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        assert call("GET", HOME)[1]["trials"] == len(answered) == 96
    assert set(put_off) == {(429, "busy", "1")}


def test_a_stop_finishes_what_was_accepted(tmp_path):
    answers = []

    def one(number):
        with closing(Caller(server)) as mine:
            answers.append(mine("POST", f"{HOME}/predict", SPAM.ask(f"t{number}"))[0])

    with served(tmp_path, "slow:1000") as (server, call):
        listener = _raw(server, f"GET {HOME}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        clients = [threading.Thread(target=one, args=(n,)) for n in range(5)]
        for client in clients:
            client.start()
        while b'assay_trials_total{learner="spam"} 5' not in call("GET", "/metrics")[1]:
            time.sleep(0.01)  # all five are accepted, none is answered
        assert answers == []
        begun = time.monotonic()
        server.terminate()
        server.wait()
        took = time.monotonic() - begun
        for client in clients:
            client.join()
        listener.close()
    assert answers == [200] * 5
    assert took < 10, "an open event stream holds the end up"
    with closing(sqlite3.connect(tmp_path / "a.db")) as log:
        assert log.execute("SELECT count(*) FROM events WHERE kind = 'trial'").fetchone() == (5,)


def test_a_client_that_stops_half_way_does_not_hold_up_the_end(tmp_path):
    with served(tmp_path, stall=0.3) as (server, _):
        half = _raw(server, _HEAD % (HOME.encode(), 100) + b"{")
        other = _raw(
            server, _HEAD.replace(b"POST", b"PUT").replace(b"/predict", b"") % (HOME.encode(), 9)
        )
        time.sleep(0.1)
        begun = time.monotonic()
        server.terminate()
        server.wait()
        assert time.monotonic() - begun < 5
        for held in (half, other):
            assert held.recv(65536).startswith(b"HTTP/1.1 408")
            held.close()
