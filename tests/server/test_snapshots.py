"""Snapshots are written beside the requests: never of what was lost, never of what was deleted."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing

import pytest

from assay.server.engine.game import Game
from assay.server.engine.loading import load_hosted
from assay.server.engine.requests import Tell
from assay.server.refusals import Refusal
from tests.server.engines import ask, engine_at, make, state, tell

SPAM = {"algorithm": "perceptron", "classes": [0, 1], "features": 2}


@pytest.fixture
def held(monkeypatch):
    """Models become bytes only when this is set."""
    go, saved = threading.Event(), Game.saved

    def slowly(self):
        go.wait(10)
        return saved(self)

    monkeypatch.setattr(Game, "saved", slowly)
    yield go
    go.set()


def settle(engine):
    """Wait until nothing is being written, snapshots included."""
    engine._scribe.submit(lambda: None).result()
    while (group := engine.flushed()) is not None:
        group.wait()


def test_a_snapshot_of_what_was_lost_is_not_kept(tmp_path, held):
    with engine_at(tmp_path / "a.db", snapshot_every=6) as engine:
        make(engine, **SPAM)
        trials = [ask(engine, "it", x=[n, 1])["trial"] for n in range(12)]
        engine.flushed().wait()
        commit = engine.writer._commit

        def fails(group):
            raise sqlite3.OperationalError("database or disk is full")

        engine.writer._commit = fails
        with pytest.raises(Refusal):  # the sixth event asks for a snapshot, which takes its time
            engine.feedback("it", Tell(trial=trials[0], label=1))[1].wait()
        engine.writer._commit = commit
        for trial in trials[1:]:
            tell(engine, "it", trial, label=0)
        held.set()
        settle(engine)
        now = state(engine)
        assert state_from_store(engine) == now
    with engine_at(tmp_path / "a.db") as engine:
        assert state(engine) == now


def state_from_store(engine):
    """What a start would make of the store, whatever stands in memory."""
    hosted = load_hosted(engine.store, 1, "it", engine.limits)
    return hosted.game.saved(), hosted.counts(), hosted.link


def test_a_snapshot_of_what_was_deleted_is_not_kept(tmp_path, held):
    with engine_at(tmp_path / "a.db", snapshot_every=2) as engine:
        make(engine, **SPAM)
        tell(engine, "it", ask(engine, "it", x=[1, 1])["trial"], label=0)
        engine.delete("it")[1].wait()
        held.set()
        settle(engine)
    with closing(sqlite3.connect(tmp_path / "a.db")) as file:
        assert file.execute("SELECT count(*) FROM snapshots").fetchone() == (0,)


def test_a_snapshot_that_does_not_belong_to_the_log_is_left_aside(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SPAM)
        tell(engine, "it", ask(engine, "it", x=[1, 1])["trial"], label=0)
        now = state(engine)
    with closing(sqlite3.connect(tmp_path / "a.db")) as file, file:
        file.execute("UPDATE snapshots SET link = ?, model = zeroblob(9)", ("0" * 32,))
    with engine_at(tmp_path / "a.db") as engine:
        assert state(engine) == now
