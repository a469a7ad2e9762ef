"""A store that an earlier version wrote: it opens, says what it said, and a check tells rounding from damage."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from assay.server.engine.arithmetic import ARITHMETIC, alike
from assay.server.engine.check import check_store
from assay.server.store.event import NO_LINK, link_of
from assay.server.store.store import Store
from tests.cli.runner import run
from tests.server.engines import ask, engine_at, make, tell

GOLDEN = Path(__file__).parents[1] / "goldens" / "cedf297"
CHANGED = ("flowers", "averaged", "forecast")


@pytest.fixture
def old(tmp_path):
    return Path(shutil.copy(GOLDEN / "assay.db", tmp_path / "old.db"))


def checked(path):
    store = Store(path, exclusive=False)
    try:
        return check_store(store)
    finally:
        store.close()


def rewritten(path, learner, change):
    """Let somebody change the bodies of a learner's events, and chain them anew."""
    connection = sqlite3.connect(path)
    link = NO_LINK
    rows = "SELECT seq, kind, at, trial, body FROM events WHERE learner = ? ORDER BY seq"
    for seq, kind, at, trial, body in connection.execute(rows, (learner,)).fetchall():
        now = change(seq, kind, json.loads(body))
        text = body if now == json.loads(body) else json.dumps(now)
        link = link_of(link, seq, learner, kind, at, trial, text)
        update = "UPDATE events SET body = ?, link = ? WHERE seq = ?"
        connection.execute(update, (text, link, seq))
        connection.execute("UPDATE snapshots SET link = ? WHERE seq = ?", (link, seq))
    connection.commit()
    connection.close()


def test_a_check_says_that_an_earlier_version_wrote_it(old):
    found = checked(old)
    assert found.problems == ()
    assert found.earlier == CHANGED
    result = run("serve", "--store", old, "--check")
    assert result.code == 0
    assert f"{old} is sound: 404 events of 4 learners, chained and replayed." in result.out
    assert result.out.count("written by an earlier version") == len(CHANGED)
    answer = json.loads(run("serve", "--store", old, "--check", "--json").out)
    assert answer["ok"]
    assert answer["earlier"] == list(CHANGED)


def test_it_is_served_and_says_what_it_said(old):
    golden = json.loads((GOLDEN / "store.json").read_text())
    with engine_at(old) as engine:
        for name, kept in golden.items():
            standing = kept["standing"]
            bound = standing.pop("bound", None)
            standing.pop("bound_at", None)
            now = engine.describe(name)
            assert alike({key: now[key] for key in standing}, standing), name
            if bound is not None:
                assert engine.work_out_bound(name)[0] == bound
        answer = ask(engine, "flowers", x=[0.1, 0.2, 0.3])
        assert tell(engine, "flowers", answer["trial"], label="yes")["applied"]
    found = checked(old)
    assert found.problems == ()
    assert found.earlier[:1] == ("flowers",)


def test_an_answer_that_was_changed_is_damage(old):
    def change(seq, kind, body):
        return body | {"prediction": 0.345} if seq == 328 else body

    rewritten(old, 3, change)
    [problem] = checked(old).problems
    assert problem.startswith("forecast: Event 328 holds the answer {'prediction': 0.345}")
    assert run("serve", "--store", old, "--check").code == 1


def test_a_body_that_was_changed_breaks_the_chain(old):
    with sqlite3.connect(old) as connection:
        connection.execute("UPDATE events SET body = replace(body, '0.3', '0.4') WHERE seq = 328")
    assert "Event 328 does not follow from the event before it." in checked(old).problems


@pytest.mark.parametrize(
    ("learner", "name", "change"),
    [
        (1, "flowers", lambda counts: counts["game"].update(errors=20)),
        (1, "flowers", lambda counts: counts["game"].update(rows=79)),
        (2, "averaged", lambda counts: counts.update(mistakes=55)),
    ],
)
def test_counts_that_were_changed_are_damage(old, learner, name, change):
    with sqlite3.connect(old) as connection:
        [text] = connection.execute(
            "SELECT counts FROM snapshots WHERE learner = ?", (learner,)
        ).fetchone()
        counts = json.loads(text)
        change(counts)
        update = "UPDATE snapshots SET counts = ? WHERE learner = ?"
        connection.execute(update, (json.dumps(counts), learner))
    sentence = f"{name}: the counts of the snapshot are not those of a replay."
    assert checked(old).problems == (sentence,)


def test_what_this_version_writes_must_be_the_same_to_the_bit(tmp_path):
    path = tmp_path / "new.db"
    with engine_at(path) as engine:
        make(engine, algorithm="weighted-average", experts=2)
        for outcome in (1.0, 0.0, 1.0):
            answer = ask(engine, "it", advice=[0.3, 0.9])
            tell(engine, "it", answer["trial"], outcome=outcome)
    assert checked(path).earlier == ()
    with sqlite3.connect(path) as connection:
        [body] = connection.execute("SELECT body FROM events WHERE kind = 'created'").fetchone()
        [counts] = connection.execute("SELECT counts FROM snapshots").fetchone()
    assert json.loads(body)["arithmetic"] == json.loads(counts)["arithmetic"] == ARITHMETIC

    def nearly(seq, kind, body):
        moved = kind == "trial" and seq > 2
        return body | {"prediction": body["prediction"] * (1 + 1e-12)} if moved else body

    rewritten(path, 1, nearly)
    assert "holds the answer" in checked(path).problems[0]


def test_alike_but_for_rounding():
    assert alike([0.1 + 0.2, None, "a"], [0.3, None, "a"])
    assert alike(float("inf"), float("inf"))
    for one, other in ((0.3, 0.3001), ([1], [1, 2]), ({"a": 1}, {"b": 1}), (1, 2), ("a", None)):
        assert not alike(one, other)
