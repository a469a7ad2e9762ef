"""A person's trials are erased: from the file to the last byte, while the chain can still be checked."""

from __future__ import annotations

import json
import sqlite3
import sys
from contextlib import closing

import pytest

from assay.server.engine.check import check_store
from assay.server.engine.requests import Erase
from assay.server.store.event import ERASED
from assay.server.store.store import Store
from tests.cli.runner import run
from tests.server.engines import ask, engine_at, make, rank, refusal, state, tell
from tests.server.processes import Caller, Forked, Gone
from tests.server.test_app import talk

SPAM = {"algorithm": "perceptron", "classes": ["ham", "spam"]}
SHOP = {"algorithm": "square-cb", "features": 2, "actions": ["tea", "cake"]}


def erase(engine, name="it", *trials, **wanted):
    answer, group = engine.erase(name, Erase(list(trials), **wanted))
    if group is not None:
        group.wait()
    return answer


def visits(engine, persons=4, each=5, name="it"):
    """Trials of several persons, most of them told; each holds a number by which it can be found in a file."""
    for n in range(each):
        for person in range(persons):
            trial = f"person-{person}:{n}"
            ask(engine, name, trial=trial, x={f"secret{person}": 1234.5 + person, "b": n})
            if n % 4:
                tell(engine, name, trial, label="spam" if person % 2 else "ham")


def checked(path, **terms):
    store = Store(path, exclusive=False)
    try:
        return check_store(store, **terms)
    finally:
        store.close()


def bytes_of(folder):
    return b"".join(file.read_bytes() for file in folder.iterdir())


def test_what_was_erased_is_in_no_byte_of_the_file_and_the_chain_is_checked(tmp_path):
    path = tmp_path / "a.db"
    with engine_at(path, snapshot_every=10) as engine:
        make(engine, **{**SPAM, "features": ["a", "b"]})
        for n in range(12):
            ask(engine, "it", trial=f"person-{n % 3}:{n}", x=[7654.25 + n % 3, n])
            if n % 4:
                tell(engine, "it", f"person-{n % 3}:{n}", label="spam")
        head = engine.head()["learners"]
        model = state(engine)[0]
        assert b"7655.25" in bytes_of(tmp_path)
        assert erase(engine, beginning="person-1:") == {
            "erased": 4,
            "unknown": 0,
            "learned": 3,
            "keeps_examples": False,
        }
        assert state(engine)[0] == model, "what was learned stays"
        held = bytes_of(tmp_path)
        assert b"7655.25" not in held
        assert b"person-1:" not in held
        assert b"7654.25" in held
        # Told and asked again, it is a trial that nobody knows.
        with refusal("unknown_trial", "No trial 'person-1:1' has been predicted."):
            tell(engine, "it", "person-1:1", label="spam")
        assert ask(engine, "it", trial="person-1:1", x=[1, 2])["trial"] == "person-1:1"
        assert tell(engine, "it", "person-1:1", label="ham")["applied"]
        assert not tell(engine, "it", "person-0:3", label="spam")["applied"], "others are known"
        assert erase(engine, "it", "person-1:4", "nobody") == {
            "erased": 0,
            "unknown": 2,
            "learned": 0,
            "keeps_examples": False,
        }
        before = state(engine)
    found = checked(path, head=[(one["learner"], one["seq"], one["link"]) for one in head])
    assert found.problems == ()
    [(name, place)] = found.begun.items()
    said = run("serve", "--store", str(path), "--check").out
    assert (
        f"it: events were erased or let go; replayed from the state behind event {place} on."
        in said
    )
    assert json.loads(run("serve", "--store", str(path), "--check", "--json").out)["begun"] == {
        name: place
    }
    with engine_at(path) as engine:
        assert state(engine) == before
    with sqlite3.connect(path) as file:  # from the state behind what was erased
        file.execute("DELETE FROM snapshots")
    with engine_at(path) as engine:
        assert state(engine) == before


@pytest.mark.parametrize("what", ["body", "said", "base", "link"])
def test_what_was_emptied_without_a_word_is_found(tmp_path, what):
    path = tmp_path / "a.db"
    with engine_at(path) as engine:
        make(engine, **SPAM)
        visits(engine)
        erase(engine, "it", "person-2:1")
    with sqlite3.connect(path) as file:
        if what == "body":  # another one
            [[seq]] = file.execute(
                "SELECT seq FROM events WHERE trial = 'person-3:2' AND kind = 'trial'"
            )
            file.execute("UPDATE events SET body = '', trial = NULL WHERE seq = ?", (seq,))
            wanted = f"Event {seq} was emptied, and no event of its learner says so."
        elif what == "said":  # by an event that is not chained
            [[seq]] = file.execute("SELECT seq FROM events WHERE kind = ?", (ERASED,))
            file.execute("UPDATE events SET body = '{\"events\":[]}' WHERE seq = ?", (seq,))
            wanted = f"Event {seq} does not follow from the event before it."
        elif what == "base":
            file.execute("UPDATE bases SET seq = 3")
            wanted = "The base of 'it' is of an event that is not in the log."
        else:  # the link of one that is empty: the next does not follow
            [[seq]] = file.execute("SELECT max(seq) FROM events WHERE body = ''")
            file.execute("UPDATE events SET link = 'f' WHERE seq = ?", (seq,))
            wanted = f"Event {seq + 1} does not follow from the event before it."
    assert wanted in checked(path).broken


def test_a_trial_that_waits_takes_part_no_more(tmp_path):
    path = tmp_path / "a.db"
    with engine_at(path) as engine:
        make(engine, "arms", algorithm="ucb1", params={"arms": 2})
        for n in range(4):
            ask(engine, "arms", trial=f"a{n}")
        tell(engine, "arms", "a0", loss=0.5)
        assert sum(count for _, count in engine.hosted("arms").game.counts()["pending"]) == 3
        assert erase(engine, "arms", "a1", "a2")["learned"] == 0
        assert sum(count for _, count in engine.hosted("arms").game.counts()["pending"]) == 1
        assert list(engine.hosted("arms").open) == ["a3"]
        make(engine, "shop", settings={"wait": 60, "default_reward": 0}, **SHOP)
        for n in range(3):
            rank(engine, "shop", trial=f"s{n}", context=[n, 1], deferred=n == 1)
        assert erase(engine, "shop", "s0", "s1") == {
            "erased": 2,
            "unknown": 0,
            "learned": 0,
            "keeps_examples": False,
        }
        before = state(engine, "arms"), state(engine, "shop")
        ask(engine, "arms")
    assert checked(path).problems == ()
    with engine_at(path) as engine:
        assert state(engine, "shop") == before[1]
        assert list(engine.hosted("shop").open) == ["s2"]
        assert not engine.hosted("shop").dormant


def test_a_kernel_learner_says_that_it_keeps_examples(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(
            engine, algorithm="kernel-perceptron", classes=[0, 1], features=1, params={"budget": 5}
        )
        ask(engine, "it", trial="a", x=[1])
        tell(engine, "it", "a", label=1)
        assert erase(engine, "it", "a")["keeps_examples"]


def test_a_state_of_before_is_never_put_down_again(tmp_path):
    """One may have been on its way while trials were erased: it would need them."""
    path = tmp_path / "a.db"
    with engine_at(path) as engine:
        make(engine, **SPAM)
        visits(engine)
        hosted = engine.hosted("it")
        engine.flushed() and engine.flushed().wait()
        waiting = []
        submit = engine._scribe.submit
        engine._scribe.submit = waiting.append
        engine._put_down(hosted)
        engine._scribe.submit = submit
        erase(engine, beginning="person-")
        for written in waiting:
            written()
        before = state(engine)
    with closing(sqlite3.connect(path)) as file:
        [[place]] = file.execute("SELECT seq FROM bases")
        for (seq,) in file.execute("SELECT seq FROM snapshots"):
            assert seq >= place
    with engine_at(path) as engine:
        assert state(engine) == before
        engine.delete("it")[1].wait()
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("SELECT count(*) FROM bases").fetchone() == (0,)


def test_a_disk_that_refuses_erases_nothing(tmp_path, monkeypatch):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SPAM)
        visits(engine)
        engine.flushed() and engine.flushed().wait()
        before = state(engine)
        commit, failing = engine.store.commit, [True]

        def full(group):
            if failing and group.events:
                failing.clear()
                raise sqlite3.OperationalError("disk full")
            commit(group)

        monkeypatch.setattr(engine.writer, "_commit", full)
        with refusal(
            "store_failed",
            "The store could not be written, so nothing of this request was kept. Send it again.",
        ):
            erase(engine, beginning="person-1:")
        while not engine.ready:
            pass
        assert state(engine) == before
        assert erase(engine, beginning="person-1:")["erased"] == 5


def test_certificates_go_on(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SPAM)
        visits(engine)
        before = engine.certificate("it").to_json()["claims"]
        erase(engine, beginning="person-1:")
        assert engine.certificate("it").to_json()["claims"] == before
    with engine_at(tmp_path / "a.db") as engine:
        assert engine.certificate("it").to_json()["claims"] == before


def test_the_route(tmp_path):
    async def conversation(client):
        await client.put("/v1/learners/it", json=SPAM)
        for n in range(3):
            await client.post("/v1/learners/it/predict", json={"trial": f"p{n}", "x": {"a": n}})
        path = "/v1/learners/it/erase"
        answer = await client.post(path, json={"trials": ["p0", "p9"], "beginning": "p2"})
        assert answer.json() == {"erased": 2, "unknown": 1, "learned": 0, "keeps_examples": False}
        rows = (await client.get("/v1/learners/it/export")).text.splitlines()
        assert [json.loads(row)["trial"] for row in rows] == ["p1"]
        for body, status in (
            ({"trial": "p1"}, 422),
            ({"trials": 3}, 422),
            ([], 422),
            ({"beginning": ""}, 422),
        ):
            assert (await client.post(path, json=body)).status_code == status
        assert (await client.post("/v1/learners/no/erase", json={})).status_code == 404

    talk(tmp_path, conversation)


@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed by signals")
@pytest.mark.parametrize("trouble", ["commit", "answer"])
def test_a_kill_erases_all_or_nothing(tmp_path, trouble):
    """Before the commit that erases is done, or behind it and before anybody is told."""
    home, path = "/v1/learners/it", tmp_path / "a.db"
    server = Forked(path, f"{trouble}:8")
    assert server.ready(), server.output()
    with closing(Caller(server)) as call:  # seven commits
        call("PUT", home, {**SPAM, "features": 2})
        for n in range(4):
            call("POST", f"{home}/predict", {"trial": f"p{n % 2}:{n}", "x": [98765.5 + n % 2, n]})
        for n in range(2):
            call("POST", f"{home}/feedback", {"trial": f"p{n}:{n}", "label": "spam"})
        with pytest.raises(Gone):
            call("POST", f"{home}/erase", {"beginning": "p1:"})
    server.wait()
    done = trouble == "answer"
    server = Forked(path)
    assert server.ready(), server.output()
    assert (b"98766.5" in bytes_of(tmp_path)) is not done
    with closing(Caller(server)) as call:
        status, answer = call("POST", f"{home}/erase", {"beginning": "p1:"})
        assert (status, answer["erased"]) == (200, 0 if done else 2)
        assert call("POST", f"{home}/feedback", {"trial": "p0:2", "label": "ham"})[0] == 200
    server.terminate()
    assert server.wait() == 0
    assert b"98766.5" not in bytes_of(tmp_path)
    assert checked(path).problems == ()
