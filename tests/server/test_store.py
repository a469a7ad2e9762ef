"""The store: nothing is acknowledged before it is on disk, and what is on disk is all there is."""

from __future__ import annotations

import sqlite3
import threading
import time

import pyarrow.parquet as pq
import pytest

from assay.errors import BadData
from assay.server.engine.check import check_store
from assay.server.refusals import Refusal
from assay.server.store.export import export_log
from assay.server.store.store import Store
from assay.server.store.writer import Writer
from tests.server.engines import ask, engine_at, make, opened, refusal, state, tell

SPAM = {"algorithm": "perceptron", "classes": ["ham", "spam"]}


def played(path, rounds=6):
    with engine_at(path) as engine:
        make(engine, **SPAM)
        for t in range(rounds):
            trial = ask(engine, "it", x=[1.0, float(t)])["trial"]
            tell(engine, "it", trial, label=("ham", "spam")[t % 2])


def problems(path):
    store = Store(path, exclusive=False)
    try:
        return check_store(store).problems
    finally:
        store.close()


def changed(path, statement):
    with sqlite3.connect(path) as connection:
        connection.execute(statement)
    connection.close()


def test_a_second_server_is_refused(tmp_path):
    with engine_at(tmp_path / "a.db"), pytest.raises(BadData, match="is open in another server"):
        Store(tmp_path / "a.db")
    Store(tmp_path / "a.db").close()


def test_every_commit_reaches_the_disk(tmp_path):
    store = Store(tmp_path / "a.db")
    [[journal]] = store._connection.execute("PRAGMA journal_mode")
    [[synchronous]] = store._connection.execute("PRAGMA synchronous")
    assert (journal, synchronous) == ("wal", 2)
    store.close()


def test_what_is_no_store_or_of_a_later_version_is_refused(tmp_path):
    (tmp_path / "text.db").write_text("hello" * 1000)
    with pytest.raises(BadData, match="cannot be opened as a store: file is not a database"):
        Store(tmp_path / "text.db")
    played(tmp_path / "a.db")
    changed(tmp_path / "a.db", "INSERT INTO steps VALUES ('s999_future')")
    with pytest.raises(BadData, match="written by a later version of assay: it has taken the step"):
        Store(tmp_path / "a.db")


def test_nothing_is_acknowledged_before_its_commit(tmp_path):
    store = Store(tmp_path / "a.db")
    held, commit = threading.Event(), store.commit
    groups = []

    def slowly(group):
        groups.append(len(group.events))
        held.wait()
        commit(group)

    store.commit = slowly
    from assay.server.engine.engine import Engine

    engine = Engine(store)
    try:
        first = engine.create("it", SPAM)[1]
        while not groups:
            time.sleep(0.001)
        asked = [engine.predict("it", _asked(t))[1] for t in range(5)]
        told = threading.Event()
        waiter = threading.Thread(target=lambda: (asked[0].wait(), told.set()))
        waiter.start()
        assert not told.wait(0.05)
        assert not first.done
        assert store.last()[0] == 0
        held.set()
        waiter.join(5)
        assert told.is_set()
        assert store.last()[0] == 6
        assert groups == [1, 5], "requests that wait together share a commit"
    finally:
        held.set()
        engine.close()


def _asked(t):
    from assay.server.engine.requests import ask_decoder

    return ask_decoder.decode(b'{"x": [1, %d]}' % t)


def test_a_commit_that_fails_is_forgotten_by_all(tmp_path):
    engine = opened(tmp_path / "a.db")
    try:
        make(engine, **SPAM)
        trial = ask(engine, "it", x=[1, 0])["trial"]
        engine.flushed().wait()
        before, commit = state(engine), engine.store.commit

        def fails(group):
            raise sqlite3.OperationalError("database or disk is full")

        engine.writer._commit = fails
        _, group = engine.feedback("it", _told(trial, "spam"))
        with pytest.raises(Refusal) as caught:
            group.wait()
        assert caught.value.code == "store_failed"
        engine.writer._commit = commit
        assert state(engine) == before
        assert tell(engine, "it", trial, label="ham")["applied"]
    finally:
        engine.close()
    assert problems(tmp_path / "a.db") == ()


def _told(trial, label):
    from assay.server.engine.requests import Tell

    return Tell(trial=trial, label=label)


def test_too_much_at_once_is_refused_and_not_lost(tmp_path):
    store = Store(tmp_path / "a.db")
    held, commit = threading.Event(), store.commit
    store.commit = lambda group: (held.wait(), commit(group))
    from assay.server.engine.engine import Engine
    from assay.server.limits import Limits

    engine = Engine(store, Limits(queue=10))
    try:
        make(engine, **SPAM)
        kept = 0
        with refusal("busy", "The server is busy writing. Try again soon."):
            while True:
                ask(engine, "it", x=[1, 0])
                kept += 1
        held.set()
        engine.flushed().wait()
        assert engine.hosted("it").trials == kept
        ask(engine, "it", x=[1, 0])
    finally:
        held.set()
        engine.close()


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        (
            "UPDATE events SET body = replace(body, 'spam', 'ham') WHERE seq = 5",
            "Event 5 does not follow from the event before it.",
        ),
        ("DELETE FROM events WHERE seq = 4", "Event 5 does not follow from the event before it."),
        (
            "UPDATE events SET trial = 'x' WHERE seq = 2",
            "Event 2 does not follow from the event before it.",
        ),
        ("DELETE FROM learners", "Events of learner 1 have no name."),
        (
            "UPDATE snapshots SET counts = replace(counts, '\"mistakes\":', '\"mistakes\":1')",
            "it: the counts of the snapshot are not those of a replay.",
        ),
        (
            "UPDATE snapshots SET model = zeroblob(10)",
            "it: the snapshot is not, bit for bit, what a replay gives.",
        ),
    ],
)
def test_a_check_finds_what_was_changed(tmp_path, statement, sentence):
    played(tmp_path / "a.db")
    assert problems(tmp_path / "a.db") == ()
    changed(tmp_path / "a.db", statement)
    assert problems(tmp_path / "a.db")[0] == sentence


def test_a_check_finds_a_forged_answer(tmp_path):
    """Even one whose chain was made to fit."""
    from assay.server.store.event import NO_LINK, Event, link_of

    played(tmp_path / "a.db")
    with sqlite3.connect(tmp_path / "a.db") as connection:
        connection.execute("DELETE FROM snapshots")
        before = NO_LINK
        rows = connection.execute("SELECT * FROM events ORDER BY seq").fetchall()
        for event in map(Event._make, rows):
            body = event.body
            if event.seq == 6:
                body = body.replace('"prediction":"spam"', '"prediction":"ham"')
                assert body != event.body
            link = link_of(before, *event[:5], body)
            connection.execute(
                "UPDATE events SET body = ?, link = ? WHERE seq = ?", (body, link, event.seq)
            )
            before = link
    connection.close()
    [found] = problems(tmp_path / "a.db")
    assert found.startswith(
        "it: Event 6 holds the answer {'prediction': 'ham'}, but a replay gives"
    )


def test_damage_to_the_file_is_found(tmp_path):
    played(tmp_path / "a.db", rounds=200)
    data = bytearray((tmp_path / "a.db").read_bytes())
    data[len(data) // 2 : len(data) // 2 + 3000] = b"\xff" * 3000
    (tmp_path / "a.db").write_bytes(data)
    assert problems(tmp_path / "a.db")


def test_snapshots_of_another_version_are_left_aside(tmp_path):
    played(tmp_path / "a.db")
    with engine_at(tmp_path / "a.db") as engine:
        before = state(engine)
    changed(tmp_path / "a.db", "UPDATE snapshots SET model = zeroblob(10)")
    with engine_at(tmp_path / "a.db") as engine:
        assert state(engine) == before


def test_deleting_deletes(tmp_path):
    path = tmp_path / "a.db"
    with engine_at(path) as engine:
        make(engine, "other", **SPAM)
        make(engine, **SPAM | {"classes": ["ham", "a-secret-label"]})
        trial = ask(engine, "it", x={"a-secret-feature": 1.0})["trial"]
        tell(engine, "it", trial, label="a-secret-label")
        engine.flushed().wait()
        engine.delete("it")[1].wait()
        with refusal("unknown_learner", "There is no learner 'it'."):
            tell(engine, "it", trial, label="ham")
        while engine.flushed() is not None:
            time.sleep(0.001)
        for part in tmp_path.glob("a.db*"):
            assert b"a-secret" not in part.read_bytes(), part
        make(engine, **SPAM)
        assert engine.describe("it")["trials"] == 0
        assert engine.hosted("it").number == 3
    assert problems(path) == ()
    with engine_at(path) as engine:
        assert engine.names() == ["it", "other"]


def test_backup_and_export_while_it_runs(tmp_path):
    played(tmp_path / "a.db")
    with engine_at(tmp_path / "a.db") as engine:
        beside = Store(tmp_path / "a.db", exclusive=False)
        beside.backup(tmp_path / "b.db")
        with pytest.raises(BadData, match="exists already"):
            beside.backup(tmp_path / "b.db")
        assert export_log(beside, tmp_path / "log.parquet") == 13
        before = state(engine)
        beside.close()
    table = pq.read_table(tmp_path / "log.parquet")
    assert table["seq"].to_pylist() == list(range(1, 14))
    assert table["kind"].to_pylist() == ["created", *["trial", "feedback"] * 6]
    assert set(table["name"].to_pylist()) == {"it"}
    assert sorted(p.name for p in tmp_path.glob("b.db*")) == ["b.db"]
    with engine_at(tmp_path / "b.db") as engine:
        assert state(engine) == before


def test_when_a_store_is_mended_nothing_rests_on_the_group_that_failed():
    """Whoever asks at that moment would be told that it cannot be written."""
    pending = []

    def full(group):
        raise sqlite3.OperationalError("disk full")

    def mended():
        pending.append(writer.pending())
        return True

    writer = Writer(full, lambda problem: writer.drop_open(), mended, 10, 10_000)
    group = writer.add(job=lambda held: None)
    with pytest.raises(Refusal, match="could not be written"):
        group.wait()
    writer.stop()
    assert pending == [None]
