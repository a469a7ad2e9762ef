"""A server that is told to end takes nothing new, finishes what it accepted, and has ended in a stated time."""

from __future__ import annotations

import json
import socket
import sqlite3
import sys
import threading
import time
from contextlib import closing

import pytest

from assay.server.engine.check import check_store
from assay.server.store.store import Store
from tests.server.players import PLAYERS
from tests.server.processes import Caller, Forked, Gone

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are told by signals")
SPAM = PLAYERS["spam"]
HOME = "/v1/learners/spam"


def started(path, trouble=None, **limits):
    server = Forked(path / "a.db", trouble, **limits)
    assert server.ready(), server.output()
    with closing(Caller(server)) as call:
        assert call("PUT", HOME, SPAM.definition)[0] == 201
    return server


def trials(path):
    with closing(sqlite3.connect(path / "a.db")) as log:
        return {t for (t,) in log.execute("SELECT trial FROM events WHERE kind = 'trial'")}


def test_under_load_all_that_was_answered_is_kept_and_the_code_is_0(tmp_path):
    server = started(tmp_path, drain=10)
    answered, others = set(), set()

    def ask(client):
        with closing(Caller(server)) as call:
            for n in range(10**6):
                try:
                    status, answer = call("POST", f"{HOME}/predict", SPAM.ask(f"c{client}-{n}"))
                except Gone:
                    return
                if status != 200:
                    others.add((status, answer["error"]["code"]))
                    return
                answered.add(f"c{client}-{n}")

    clients = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for client in clients:
        client.start()
    while len(answered) < 200:
        time.sleep(0.01)
    begun = time.monotonic()
    server.terminate()
    assert server.wait() == 0, server.output()
    assert time.monotonic() - begun < 10
    for client in clients:
        client.join()
    assert others <= {(503, "stopping")}
    assert answered <= trials(tmp_path)
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port), timeout=1)
    store = Store(tmp_path / "a.db", exclusive=False)
    assert check_store(store).problems == ()
    store.close()


def test_a_disk_that_hangs_does_not_hold_up_the_end(tmp_path):
    server = started(tmp_path, drain=30)
    server.terminate()
    assert server.wait() == 0
    # Each commit takes longer than there is time for.
    server = Forked(tmp_path / "a.db", "slow:60000", drain=1)
    assert server.ready(), server.output()
    codes = []

    def ask():
        with closing(Caller(server)) as call:
            try:
                codes.append(call("POST", f"{HOME}/predict", SPAM.ask("late"))[0])
            except Gone:
                codes.append(None)

    client = threading.Thread(target=ask)
    client.start()
    with closing(Caller(server)) as call:
        while b"assay_queue_events 1" not in (seen := call("GET", "/metrics")[1]) and (
            b'assay_trials_total{learner="spam"} 1' not in seen
        ):
            time.sleep(0.01)
    begun = time.monotonic()
    server.terminate()
    code = server.wait()
    assert 0.5 < time.monotonic() - begun < 5
    client.join()
    # Nobody was told that it was kept, and it was not.
    assert (codes, code, trials(tmp_path)) == ([None], 1, set())
    line = json.loads(server.output().splitlines()[-1])
    assert line["level"] == "error"
    assert line["message"] == (
        "Requests that were accepted could not be written, and were not answered. "
        "The 1 seconds of `--limit drain=N` are over."
    )
