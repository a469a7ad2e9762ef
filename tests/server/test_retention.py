"""What is old leaves the store, and nothing else changes: the model, what can be told, the chain and the replay."""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
from contextlib import closing

import pytest

from assay.errors import BadData
from assay.server.app import create_app
from assay.server.engine import erasing
from assay.server.engine.requests import Erase, tell_decoder
from assay.server.refusals import Refusal
from assay.server.store.store import Store
from assay.server.store.stored_bytes import ROW
from tests.cli.runner import run
from tests.server.engines import ask, engine_at, make, opened, refusal, state, tell
from tests.server.players import PLAYERS
from tests.server.test_erasing import checked

SPAM = {"algorithm": "perceptron", "classes": [0, 1], "features": 2}
DAY = 86_400


class Clock:
    def __init__(self):
        self.now = 1_700_000_000.0

    def __call__(self):
        return self.now


def let_go(engine, name="it"):
    """As often as there is something."""
    times = 0
    while (group := engine.let_go_old(name)) is not None:
        group.wait()
        times += 1
    return times


def rows(path):
    with closing(sqlite3.connect(path)) as file:
        return file.execute("SELECT seq, kind, trial, body FROM events ORDER BY seq").fetchall()


def played(engine, clock, days, name="it", each=20):
    for day in range(days):
        for n in range(each):
            ask(engine, name, trial=f"{day}:{n}", x=[day, n])
            if n % 5:
                tell(engine, name, f"{day}:{n}", label=n % 2)
        clock.now += DAY


def test_what_is_older_than_so_many_days_is_gone(tmp_path):
    path, clock = tmp_path / "a.db", Clock()
    with engine_at(path, clock=clock) as engine:
        make(engine, settings={"keep_days": 3, "feedback_within": DAY / 2}, **SPAM)
        played(engine, clock, 10)
        before, head = state(engine), engine.head()["learners"]
        assert let_go(engine) == 1
        assert state(engine)[0] == before[0]
        assert engine.describe("it")["trials"] == 200
        assert let_go(engine) == 0
        with refusal("unknown_trial", "No trial '6:1' has been predicted."):
            tell(engine, "it", "6:1", label=1)
        assert not tell(engine, "it", "7:1", label=1)["applied"]
        after = state(engine)
    left = {trial for _, _, trial, _ in rows(path) if trial is not None}
    assert {trial.partition(":")[0] for trial in left} == {"7", "8", "9"}
    found = checked(path, head=[(one["learner"], one["seq"], one["link"]) for one in head])
    assert found.problems == ()
    assert list(found.begun) == ["it"]
    for statement in ("SELECT 1", "DELETE FROM snapshots"):
        with closing(sqlite3.connect(path, isolation_level=None)) as file:
            file.execute(statement)
        with engine_at(path, clock=clock) as engine:
            assert state(engine) == after


def test_so_many_of_the_newest_events_stay(tmp_path):
    path, clock = tmp_path / "a.db", Clock()
    with engine_at(path, clock=clock) as engine:
        make(engine, settings={"keep_events": 100, "feedback_within": 60}, **SPAM)
        played(engine, clock, 10)
        let_go(engine)
        assert (
            100 <= len(rows(path)) <= 104
        )  # with the first, the last of the removed, and the event that says so
    assert checked(path).problems == ()


def test_a_trial_that_can_still_be_told_stays(tmp_path):
    path, clock = tmp_path / "a.db", Clock()
    with engine_at(path, clock=clock) as engine:
        make(engine, settings={"keep_days": 1}, **SPAM)
        ask(engine, "it", trial="waits", x=[1, 2])
        ask(engine, "it", trial="late", x=[3, 2])
        played(engine, clock, 4)
        tell(engine, "it", "late", label=1)
        let_go(engine)
        assert not tell(engine, "it", "late", label=1)["applied"]
        assert ask(engine, "it", trial="waits", x=[1, 2])["trial"] == "waits"
        assert tell(engine, "it", "waits", label=0)["applied"]
    assert checked(path).problems == ()


def test_the_chain_of_what_stays_is_checked(tmp_path):
    path, clock = tmp_path / "a.db", Clock()
    with engine_at(path, clock=clock) as engine:
        make(engine, settings={"keep_days": 1}, **SPAM)
        ask(engine, "it", trial="waits", x=[1, 2])
        played(engine, clock, 4)
        let_go(engine)
    for trial in ("waits", "3:7"):
        with closing(sqlite3.connect(path, isolation_level=None)) as file:
            where = "WHERE trial = ? AND kind = 'trial'"
            [[seq, body]] = file.execute(f"SELECT seq, body FROM events {where}", (trial,))
            file.execute("UPDATE events SET body = ? WHERE seq = ?", (body.replace("[", "[1"), seq))
            assert checked(path).broken == (
                f"Event {seq} does not follow from the event before it.",
            )
            file.execute("UPDATE events SET body = ? WHERE seq = ?", (body, seq))
            assert checked(path).broken == ()
    with closing(sqlite3.connect(path)) as file:  # nor can anything be cut out
        file.execute("DELETE FROM events WHERE trial = '3:7' AND kind = 'trial'")
        file.commit()
    assert "does not follow" in checked(path).broken[0]


@pytest.mark.parametrize("name", sorted(PLAYERS))
def test_nothing_else_changes_for_any_learner(tmp_path, name, monkeypatch):
    """Told early, late or never, with erasing and starts between: the same as where nothing is let go."""
    monkeypatch.setattr(erasing, "_MOST", 17)
    player, chance, clock = PLAYERS[name], random.Random(name), Clock()
    terms = {"clock": clock, "snapshot_every": 15}
    settings = {"feedback_within": 50, "keep_events": 25}
    engines = [opened(tmp_path / "a.db", **terms), opened(tmp_path / "b.db", **terms)]
    for engine, more in zip(engines, (settings, {"feedback_within": 50}), strict=True):
        engine.create(name, player.definition, more)
    # The same draws in both.
    seed = engines[0].hosted(name).seed
    engines[1].close()
    os.remove(tmp_path / "b.db")
    monkeypatch.setattr("assay.server.engine.engine.secrets.randbelow", lambda _: seed)
    engines[1] = opened(tmp_path / "b.db", **terms)
    engines[1].create(name, player.definition, {"feedback_within": 50})
    waiting, number = [], 0
    for step in range(160):
        clock.now += 1
        if waiting and chance.random() < 0.5:
            trial = waiting.pop(chance.randrange(len(waiting)))
            answers = []
            for engine in engines:
                try:
                    answer = engine.feedback(name, tell_decoder.decode(player.tell(trial)))[0]
                    answers.append((answer["applied"], answer["told"]))
                except Refusal as no:
                    answers.append(no.code)
            assert answers[0] == answers[1] or answers == ["unknown_trial", "too_late"]
        elif chance.random() < 0.9:
            number += 1
            asked = player.decoded(player.ask(f"p{number % 3}:{number}"))
            one, other = (engine.predict(name, asked)[0] for engine in engines)
            assert one == other
            waiting.append(f"p{number % 3}:{number}")
        if step % 20 == 19:
            let_go(engines[0], name)
        if step == 100:  # in both, since it changes what waits
            for engine in engines:
                engine.erase(name, Erase(trials=[], beginning="p1:"))[1].wait()
            waiting = [trial for trial in waiting if not trial.startswith("p1:")]
        if step % 50 == 49:
            engines[0].close()
            found = checked(tmp_path / "a.db")
            assert found.problems == ()
            if step > 100:
                with closing(sqlite3.connect(tmp_path / "a.db", isolation_level=None)) as file:
                    file.execute("DELETE FROM snapshots")
            engines[0] = opened(tmp_path / "a.db", **terms)
    one, other = (state(engine, name) for engine in engines)
    assert one[0] == other[0]
    assert {k: one[1][k] for k in ("trials", "told", "mistakes", "late", "truths", "game")} == {
        k: other[1][k] for k in ("trials", "told", "mistakes", "late", "truths", "game")
    }
    for engine in engines:
        engine.close()
    assert len(rows(tmp_path / "a.db")) < len(rows(tmp_path / "b.db")) / 2


def test_the_service_looks_for_what_is_old(tmp_path, monkeypatch):
    monkeypatch.setattr("assay.server.service._SWEEP_S", 0.01)
    path, clock = tmp_path / "a.db", Clock()

    async def whole():
        with engine_at(path, clock=clock) as engine:
            make(engine, settings={"keep_days": 1, "feedback_within": 60}, **SPAM)
            played(engine, clock, 5)
            app = create_app(engine)
            async with app.router.lifespan_context(app), asyncio.timeout(20):
                while len(rows(path)) > 50:
                    await asyncio.sleep(0.01)

    asyncio.run(whole())
    assert checked(path).problems == ()


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"keep_days": 0}, "keep_days must be days above zero, but is 0.0."),
        ({"keep_events": -5}, "keep_events must be a number above zero, but is -5."),
    ],
)
def test_terms_that_keep_nothing(tmp_path, settings, sentence):
    with engine_at(tmp_path / "a.db") as engine, refusal("refused", sentence):
        make(engine, settings=settings, **SPAM)


def test_the_disk_gets_back_what_was_let_go(tmp_path):
    path, clock = tmp_path / "a.db", Clock()
    with engine_at(path, clock=clock) as engine:
        make(engine, settings={"keep_days": 1, "feedback_within": 60}, **SPAM)
        played(engine, clock, 5, each=400)
        let_go(engine)
        before = state(engine)
        with pytest.raises(BadData, match="is open in another server"):
            Store(path).close()
        assert run("serve", "--store", str(path), "--shrink").code == 2
    size = path.stat().st_size
    done = run("serve", "--store", str(path), "--shrink")
    assert done.code == 0
    assert done.out.startswith(f"{path}: {size:,} bytes before, {path.stat().st_size:,} now.")
    assert len(rows(path)) < 800, "a fifth of all"
    assert path.stat().st_size < 0.7 * size
    assert checked(path).problems == ()
    with engine_at(path, clock=clock) as engine:
        assert state(engine) == before
    assert run("serve", "--store", str(tmp_path / "no.db"), "--shrink").code == 2
    assert not (tmp_path / "no.db").exists()


def test_what_is_gone_takes_no_part_of_a_budget(tmp_path):
    """Else a learner that lets go of what is old would be refused one day, with an empty log."""
    path, clock = tmp_path / "a.db", Clock()
    with engine_at(path, clock=clock) as engine:
        make(engine, settings={"keep_days": 1, "feedback_within": 60}, **SPAM)
        number = engine.hosted("it").number
        played(engine, clock, 5)
        before = engine.stored.of_learner(number)
        let_go(engine)
        assert engine.stored.of_learner(number) < before / 3
        engine.erase("it", Erase(beginning="4:"))[1].wait()
        erased = engine.stored.of_learner(number)
    with engine_at(path, clock=clock) as engine:
        assert engine.stored.of_learner(number) == erased
    with closing(sqlite3.connect(path)) as file:  # counted anew, it is about the same
        [[rows_, bodies]] = file.execute("SELECT count(*), sum(length(body)) FROM events")
    assert rows_ * ROW + bodies == pytest.approx(erased, rel=0.02)
