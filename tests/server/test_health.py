"""Health says what is: not ready from the first failed commit until a probe was written, and why."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import sqlite3
import time
from contextlib import closing

import pytest

from assay.server.engine.hosted import Hosted
from assay.server.engine.requests import ask_decoder
from assay.server.refusals import Refusal
from assay.server.request_log import QueuedLines, RequestLog
from tests.server.engines import ask, engine_at, make, state, tell
from tests.server.test_app import talk

SPAM = {"algorithm": "perceptron", "classes": [0, 1], "features": 2}
HOME = "/v1/learners/spam"


def until(holds):
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


class Disk:
    """A disk that is full until somebody frees it, for commits and probes alike."""

    def __init__(self, engine):
        self.full, self._commit, self._probe = False, engine.writer._commit, engine.store.probe
        engine.writer._commit = lambda group: self._look() or self._commit(group)
        engine.store.probe = lambda: self._look() or self._probe()

    def _look(self):
        if self.full:
            raise sqlite3.OperationalError("database or disk is full")


def test_ready_is_false_with_its_cause_until_a_probe_was_written(tmp_path):
    async def conversation(client):
        engine = client._transport.app.state.service.engine
        disk = Disk(engine)
        await client.put(HOME, json=SPAM)
        assert (await client.get("/healthz")).json() == {"live": True, "ready": True}
        disk.full = True
        assert (await client.post(f"{HOME}/predict", json={"x": [1, 2]})).status_code == 503
        for _ in range(3):  # it does not become ready by being asked
            answer = await client.get("/healthz")
            assert (answer.status_code, answer.json()["ready"]) == (503, False)
            assert answer.json()["cause"] == "the store cannot be written: database or disk is full"
            assert (await client.get("/healthz/live")).status_code == 200
            assert (await client.post(f"{HOME}/predict", json={"x": [1, 2]})).status_code == 503
        assert "assay_ready 0" in (await client.get("/metrics")).text
        assert engine.writer.failures == 1, "nobody but the first one was let try"
        disk.full = False
        until(lambda: engine.ready)
        assert (await client.get("/healthz")).json() == {"live": True, "ready": True}
        assert (await client.post(f"{HOME}/predict", json={"x": [1, 2]})).status_code == 200

    talk(tmp_path, conversation)


def test_a_failed_commit_reads_again_only_what_it_touched(tmp_path, monkeypatch):
    with engine_at(tmp_path / "a.db") as engine:
        for name in ("one", "other"):
            make(engine, name, **SPAM)
            tell(engine, name, ask(engine, name, x=[1, 2])["trial"], label=1)
        engine.flushed().wait()
        disk, made, other = Disk(engine), [], engine.hosted("other")
        original = Hosted.__init__
        monkeypatch.setattr(
            Hosted,
            "__init__",
            lambda self, *given: (made.append(given[1]), original(self, *given))[1],
        )
        disk.full = True
        _, group = engine.predict("one", ask_decoder.decode(b'{"x": [3, 4]}'))
        with pytest.raises(Refusal):
            group.wait()
        disk.full = False
        until(lambda: engine.ready)
        assert made == ["one"]
        assert engine.hosted("other") is other
        before = state(engine, "one")
    with engine_at(tmp_path / "a.db") as engine:
        assert state(engine, "one") == before


def test_who_is_refused_does_not_wait_for_the_store_to_be_read(tmp_path, monkeypatch):
    """Reading many learners again takes seconds; the event loop must not stand still meanwhile."""
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, "one", **SPAM)
        engine.flushed()
        disk = Disk(engine)
        load = engine._load
        monkeypatch.setattr(engine, "_load", lambda: (time.sleep(1.5), load()))
        disk.full = True
        _, group = engine.predict("one", ask_decoder.decode(b'{"x": [3, 4]}'))
        with pytest.raises(Refusal):
            group.wait()
        disk.full = False
        slowest = 0.0
        while not engine.ready:
            begun = time.monotonic()
            with pytest.raises(Refusal, match="cannot be used at present"):
                ask(engine, "one", x=[3, 4])
            slowest = max(slowest, time.monotonic() - begun)
            time.sleep(0.01)
        assert slowest < 0.5


def test_a_snapshot_that_cannot_be_written_fails_nobody(tmp_path):
    with engine_at(tmp_path / "a.db", snapshot_every=4) as engine:
        make(engine, "it", **SPAM)
        commit = engine.writer._commit

        def no_snapshots(group):
            if group.jobs and not group.events:
                raise sqlite3.OperationalError("string or blob too big")
            commit(group)

        engine.writer._commit = no_snapshots
        for n in range(20):
            tell(engine, "it", ask(engine, "it", x=[n, 1])["trial"], label=n % 2)
            group = engine.flushed()
            if group is not None:
                group.wait()
        engine._scribe.submit(lambda: None).result()
        until(lambda: engine.writer.aside_failures)
        assert (engine.ready, engine.writer.failures) == (True, 0)


def test_a_snapshot_does_not_share_a_transaction_with_requests(tmp_path):
    with engine_at(tmp_path / "a.db", snapshot_every=2) as engine:
        commit, mixed = engine.writer._commit, []

        def watched(group):
            snapshots = [job for job in group.jobs if "put_snapshot" in job.__qualname__]
            mixed.append(bool(snapshots and group.events))
            commit(group)

        engine.writer._commit = watched
        make(engine, "it", **SPAM)
        for n in range(30):
            tell(engine, "it", ask(engine, "it", x=[n, 1])["trial"], label=n % 2)
    assert not any(mixed)
    with closing(sqlite3.connect(tmp_path / "a.db")) as file:
        assert file.execute("SELECT count(*) FROM snapshots").fetchone() == (1,)


def test_metrics_tell_of_the_process_the_store_and_the_disk(tmp_path):
    async def conversation(client):
        await client.put(HOME, json=SPAM)
        await client.post(f"{HOME}/predict", json={"x": [1, 2]})
        text = (await client.get("/metrics")).text
        numbers = dict(line.rsplit(" ", 1) for line in text.splitlines() if line and line[0] != "#")
        assert float(numbers["assay_commit_seconds_count"]) >= 2
        assert float(numbers["assay_commit_seconds_sum"]) > 0
        assert float(numbers["assay_commit_slowest_seconds"]) > 0
        assert int(numbers["assay_store_bytes"]) > 0
        assert int(numbers["assay_wal_bytes"]) > 0
        assert int(numbers['assay_snapshot_age_events{learner="spam"}']) == 1
        assert float(numbers['assay_snapshot_age_seconds{learner="spam"}']) >= 0
        assert numbers["assay_authentication_failures_total"] == "0"
        assert numbers["assay_log_lines_dropped_total"] == "0"
        if os.path.exists("/proc/self/statm"):
            assert int(numbers["process_resident_memory_bytes"]) > 10**7
            assert int(numbers["process_open_fds"]) > 3

    talk(tmp_path, conversation)


def _scope(*headers):
    return {
        "method": "GET",
        "headers": headers,
        "client": ("10.0.0.7", 1),
        "assay.reason": "conflict",
    }


def test_a_line_names_the_request_the_client_and_the_reason():
    out = io.StringIO()
    log = RequestLog(out)
    log.note(_scope((b"x-request-id", b"abc-1")), "/x", 409, 0.001)
    log.note(_scope((b"x-request-id", b'"}{')), "/x", 409, 0.001)
    log.close()
    first, second = map(json.loads, out.getvalue().splitlines())
    assert (first["request"], first["client"], first["reason"]) == ("abc-1", "10.0.0.7", "conflict")
    assert second["request"] not in ("abc-1", '"}{')


def test_nobody_waits_for_who_reads_the_log():
    """A pipe that nobody empties holds 64 KiB; an error must not hold up the service behind it."""
    read, write = os.pipe()
    pipe = os.fdopen(write, "w")
    log = RequestLog(pipe)
    handler = QueuedLines(log)
    record = logging.LogRecord("assay", logging.ERROR, "x.py", 1, "x" * 1000, None, None)
    begun = time.monotonic()
    for _ in range(11_000):
        handler.emit(record)
        log.note(_scope(), "/x", 500, 0.001)
    assert time.monotonic() - begun < 5
    assert log.dropped > 0
    os.close(read)
    log.close()
    with contextlib.suppress(BrokenPipeError):
        pipe.close()
