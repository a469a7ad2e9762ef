"""Decisions joined with what was told of them, as files."""

from __future__ import annotations

import csv
import io
import json

import pyarrow.parquet as pq
import pytest

from assay.server.engine.decisions import COLUMNS
from assay.server.engine.export import Export, learners_of
from assay.server.store.store import Store
from tests.cli.runner import run
from tests.server.engines import ask, engine_at, make, opened, rank, tell
from tests.server.test_app import error, talk
from tests.server.test_contextual import ACTIONS, BANNER, SHOP, activate

ENDS = "a name that ends in .parquet, .jsonl, .csv"
SPAM = {"algorithm": "perceptron", "classes": ["ham", "spam"], "features": 2}


@pytest.fixture
def store(tmp_path):
    """A store of every kind of decision: told, told by default, activated, with slots, and untold."""
    now = 1000.0
    with engine_at(tmp_path / "a.db", clock=lambda: now) as engine:
        make(engine, "spam", **SPAM)
        make(
            engine,
            "coin",
            algorithm="exp3",
            actions=["head", "tail"],
            settings={"wait": 5, "default_reward": 0},
        )
        make(engine, "banner", **BANNER, settings={"apprentice": True})
        make(engine, "shop", **SHOP)
        ask(engine, "spam", trial="s1", x=[1, 0])
        ask(engine, "spam", trial="s2", rows=[[1, 0], [0, 1]])
        tell(engine, "spam", "s2", labels=["ham", "spam"])
        ask(engine, "coin", trial="c1")
        rank(
            engine, "banner", trial="b1", context=[1], actions=["green", "red"], excluded=["green"]
        )
        tell(engine, "banner", "b1", reward=0.75)
        slots = [{"id": "top"}, {"id": "side"}]
        rank(
            engine,
            "shop",
            trial="p1",
            context=[0.5, 1],
            actions=ACTIONS,
            slots=slots,
            deferred=True,
        )
        now = 1002.0
        activate(engine, "p1", "shop")
        now = 1006.0
        tell(engine, "shop", "p1", rewards={"side": 1})
        engine.sweep()
    return tmp_path / "a.db"


def lines(store, learner=None):
    held = Store(store, exclusive=False)
    export = Export(held, learners_of(held, learner), held.last()[0])
    text = b"".join(export.pieces("jsonl")).decode()
    held.close()
    rows = [json.loads(line) for line in text.splitlines()]
    assert export.rows == len(rows)
    return rows


def test_each_decision_is_a_row_with_what_was_told(store):
    rows = {(row["trial"], row["slot"]): row for row in lines(store)}
    assert list(rows) == [
        ("s1", None),
        ("s2", None),
        ("c1", None),
        ("b1", None),
        ("p1", "top"),
        ("p1", "side"),
    ]
    untold = rows["s1", None]
    assert list(untold) == list(COLUMNS)
    assert (untold["question"], untold["answer"]) == ('{"x":[1.0,0.0]}', '{"prediction":"spam"}')
    assert {untold[name] for name in ("told_at", "truth", "default", "wrong", "action")} == {None}
    block = rows["s2", None]
    assert json.loads(block["truth"]) == {"labels": ["ham", "spam"]}
    assert block["wrong"] in (0, 1, 2)

    coin = rows["c1", None]
    assert coin["action"] in ("head", "tail")
    assert (coin["probability"], coin["reward"], coin["default"]) == (0.5, 0.0, True)
    assert json.loads(coin["truth"]) == {"loss": 1.0}

    banner = rows["b1", None]
    assert (banner["action"], banner["probability"], banner["reward"]) == ("red", 1.0, 0.75)
    assert json.loads(banner["probabilities"]) == {"green": 0.0, "red": 1.0}
    assert banner["own_action"] == "red"  # green was excluded
    assert json.loads(banner["question"])["context"] == [1.0]

    top, side = rows["p1", "top"], rows["p1", "side"]
    assert (top["reward"], side["reward"]) == (None, 1.0)
    assert top["action"] != side["action"]
    assert json.loads(side["probabilities"])[top["action"]] == 0.0
    assert side["probability"] == json.loads(side["probabilities"])[side["action"]]
    assert (top["deferred"], top["default"]) == (True, False)
    assert top["asked_at"] == "1970-01-01T00:16:40.000+00:00"
    assert top["activated_at"] == "1970-01-01T00:16:42.000+00:00"
    assert top["told_at"] == "1970-01-01T00:16:46.000+00:00"


def test_all_formats_hold_the_same(store, tmp_path):
    held = Store(store, exclusive=False)
    made = {}
    for kind in ("jsonl", "csv", "parquet"):
        export = Export(held, learners_of(held), held.last()[0])
        made[kind] = b"".join(export.pieces(kind))
    held.close()
    table = pq.read_table(io.BytesIO(made["parquet"]))
    rows = table.to_pylist()
    assert table.column_names == list(COLUMNS)
    spelt = [
        {
            k: v.isoformat(timespec="milliseconds") if k.endswith("_at") and v else v
            for k, v in row.items()
        }
        for row in rows
    ]
    assert spelt == [json.loads(line) for line in made["jsonl"].splitlines()]
    read = list(csv.DictReader(io.StringIO(made["csv"].decode(), newline="")))
    assert read == [{k: "" if v is None else str(v) for k, v in row.items()} for row in spelt]


def test_it_is_of_one_moment_whatever_is_told_meanwhile(tmp_path):
    engine = opened(tmp_path / "a.db")
    make(engine, **BANNER)
    for t in range(3):
        rank(engine, trial=str(t), context=[1])
    engine.flushed() and engine.flushed().wait()
    pieces = engine.export("it").pieces("jsonl")
    engine.predict("it", engine_rank(trial="later", context=[1]))[1].wait()
    tell(engine, "it", "0", reward=1)
    engine.flushed() and engine.flushed().wait()
    rows = [json.loads(line) for line in b"".join(pieces).splitlines()]
    assert [(row["trial"], row["told_at"]) for row in rows] == [
        ("0", None),
        ("1", None),
        ("2", None),
    ]
    engine.close()


def engine_rank(**asked):
    from assay.server.engine.requests import rank_decoder

    return rank_decoder.decode(json.dumps(asked))


def test_more_than_a_page(tmp_path):
    engine = opened(tmp_path / "a.db")
    make(engine, **BANNER)
    for t in range(2_500):
        rank(engine, trial=str(t), context=[1])
        if t % 2:
            tell(engine, "it", str(t), reward=t / 2500)
    engine.close()
    rows = lines(tmp_path / "a.db")
    assert [row["trial"] for row in rows] == [str(t) for t in range(2_500)]
    assert [row["reward"] for row in rows] == [t / 2500 if t % 2 else None for t in range(2_500)]


# By command and by HTTP


def test_the_command(store, tmp_path):
    out = tmp_path / "decisions.parquet"
    done = run("export", str(store), str(out), "--learner", "shop")
    assert (done.code, done.out) == (0, f"2 decisions written to {out}.\n")
    assert set(pq.read_table(out)["learner"].to_pylist()) == {"shop"}
    done = run("export", str(store), str(tmp_path / "log.parquet"), "--events")
    assert "14 events written" in done.out
    for given, sentence in (
        ([str(store)], "The file to write must be named, such as decisions.parquet."),
        ([str(store), "x.txt"], f"The file to write must be {ENDS}, but is 'x.txt'."),
        ([str(store), "x.csv", "--events"], "The file to write must be Parquet with --events, but is 'x.csv'."),
        ([str(store), str(out), "--learner", "x"], f"There is no learner 'x' in {store}."),
        (["none.db", str(out)], "none.db cannot be read: No such file or directory."),
    ):  # fmt: skip
        done = run("export", *given)
        assert (done.code, done.err.strip()) == (2, f"assay: {sentence}")


def test_the_route(tmp_path):
    async def conversation(client):
        home = "/v1/learners/it"
        await client.put(home, json=BANNER)
        for t in range(5):
            await client.post(f"{home}/rank", json={"trial": str(t), "context": [1]})
            await client.post(f"{home}/reward", json={"trial": str(t), "reward": 0.5})
        answer = await client.get(f"{home}/export")
        assert answer.headers["content-type"] == "application/x-ndjson"
        assert [json.loads(line)["reward"] for line in answer.text.splitlines()] == [0.5] * 5
        answer = await client.get(f"{home}/export?format=csv")
        assert answer.headers["content-type"].startswith("text/csv")
        assert answer.headers["content-disposition"] == 'attachment; filename="it.csv"'
        assert len(answer.text.splitlines()) == 6
        answer = await client.get(f"{home}/export?format=parquet")
        assert pq.read_table(io.BytesIO(answer.content)).num_rows == 5
        assert error(await client.get(f"{home}/export?format=xls")) == "refused"
        assert error(await client.get("/v1/learners/x/export")) == "unknown_learner"

    talk(tmp_path, conversation)
