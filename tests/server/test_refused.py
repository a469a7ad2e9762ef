"""What a learner refuses leaves nothing behind, and what is deleted does not outlive its readers or a kill."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from assay.server.engine.check import check_store
from assay.server.refusals import Refusal
from tests.server.engines import ask, engine_at, make, opened, refusal, state, tell
from tests.server.test_snapshots import settle

#: A learner, an example that fits it, and one that it takes when asked and refuses when told.
REFUSED = {
    "margin-perceptron": ([1.0, 2.0], [1e308, 1e308]),
    "gradient-descent": ([1.0, 2.0], {"a": 1.0}),
    "gaussian-nb": ([1.0, 2.0], [1e308, 1e308]),
    "perceptron": ([1.0, 2.0], {"a": 1.0}),
    "winnow": ([1.0, 0.0], {"a": 1.0}),
    "consistent": ([1.0, 0.0], {"a": 1.0}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_example_refused_when_it_is_told_leaves_nothing(tmp_path, name):
    fits, odd = REFUSED[name]
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, algorithm=name, classes=[0, 1])
        refused, first, later = (ask(engine, "it", x=x)["trial"] for x in (odd, fits, fits))
        tell(engine, "it", first, label=1)
        settle(engine)
        before = state(engine)
        for label in (0, 1):
            with pytest.raises(Refusal):
                tell(engine, "it", refused, label=label)
            assert state(engine) == before
        tell(engine, "it", later, label=0)
        now = state(engine)
    with engine_at(tmp_path / "a.db") as engine:
        assert state(engine) == now
        assert check_store(engine.store).problems == ()


def test_a_learner_read_again_is_put_down_so_that_the_next_time_is_short(tmp_path, monkeypatch):
    monkeypatch.setattr("assay.server.engine.core._MANY", 3)
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, algorithm="perceptron", classes=[0, 1])
        refused, *trials = (ask(engine, "it", x=x)["trial"] for x in ({"a": 1.0}, [1, 2], [2, 1]))
        for trial in trials:
            tell(engine, "it", trial, label=1)
        settle(engine)
        with pytest.raises(Refusal):
            tell(engine, "it", refused, label=0)
        hosted = engine.hosted("it")
        assert hosted.snapshot_events == hosted.events == 6


def test_a_bound_that_could_never_be_worked_out_is_refused(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        for delta, said in (("x", "'x'"), (2, "2.0"), (0, "0.0")):
            with refusal(
                "refused", f"delta must be a number strictly between 0 and 1, but is {said}."
            ):
                make(engine, algorithm="perceptron", classes=[0, 1], delta=delta)
        assert engine.names() == []


def _secret(engine):
    make(engine, algorithm="perceptron", classes=[0, 1])
    tell(engine, "it", ask(engine, "it", x={"a-secret": 1.0})["trial"], label=0)
    settle(engine)


def _told_of(path):
    return [p.name for p in path.parent.glob("a.db*") if b"a-secret" in p.read_bytes()]


def test_a_deletion_held_up_by_a_reader_is_finished_when_it_has_gone(tmp_path):
    path = tmp_path / "a.db"
    with engine_at(path) as engine:
        _secret(engine)
        with closing(sqlite3.connect(path)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM events").fetchone()
            engine.delete("it")[1].wait()
            assert _told_of(path), "the reader must be able to see it"
        engine.sweep()
        settle(engine)
        assert _told_of(path) == []
        assert not engine.store.unemptied


def test_a_deletion_is_finished_by_the_start_after_a_kill(tmp_path):
    path = tmp_path / "a.db"
    engine = opened(path)
    _secret(engine)
    engine.store.checkpoint = lambda: None  # killed before it
    engine.delete("it")[1].wait()
    for part in tmp_path.glob("a.db*"):
        if part.suffix != ".lock":
            (tmp_path / "b").mkdir(exist_ok=True)
            (tmp_path / "b" / part.name).write_bytes(part.read_bytes())
    engine.close()
    killed = tmp_path / "b" / "a.db"
    assert _told_of(killed)
    with engine_at(killed):
        assert _told_of(killed) == []
