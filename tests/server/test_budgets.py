"""Limits count bytes: of trials that wait, of what waits for the disk, and of what is stored; what is refused says how
to allow more."""

from __future__ import annotations

import contextlib
import gc
import threading
import time
import tracemalloc

import pytest

from assay.server.engine.open_bytes import weight
from assay.server.engine.requests import ask_decoder
from assay.server.limits import Limits, how
from assay.server.refusals import Refusal
from assay.server.store import room
from assay.server.store.audit import ACTOR
from assay.server.store.stored_bytes import StoredBytes, size_of
from assay.server.wire.exchange import Exchange
from assay.server.wire.table import Connections
from tests.server.engines import ask, engine_at, make, opened, rank, refusal, state, tell
from tests.server.test_app import talk

SPAM = {"algorithm": "perceptron", "classes": [0, 1], "features": 3}
ANY = {"algorithm": "perceptron", "classes": [0, 1]}
NETWORK = {"algorithm": "mlp-classifier", "classes": [0, 1], "features": 10}
SHOP = {"algorithm": "linucb", "features": 2, "action_features": 2, "params": {"optimism": 0.5}}
HEDGE = {"algorithm": "hedge", "experts": 20}


@contextlib.contextmanager
def by(key):
    """As if a request came with this key."""
    token = ACTOR.set((key, None))
    try:
        yield
    finally:
        ACTOR.reset(token)


def fill(engine, name):
    """Ask until it is refused."""
    for _ in range(50):
        ask(engine, name, x=row())


def row(many=3):
    return [0.5] * many


# What a trial weighs

_ACTIONS = [{"id": f"a{n}", "features": [n / 50, 1]} for n in range(50)]
KINDS = [
    (SPAM, lambda engine, n: ask(engine, "it", x=[n, 0.5, 1])),
    (ANY | {"features": 1000}, lambda engine, n: ask(engine, "it", x=[n] * 1000)),
    (ANY, lambda engine, n: ask(engine, "it", x={f"feature {n} {k}": 1 for k in range(30)})),
    (SPAM, lambda engine, n: ask(engine, "it", rows=[[n, 0.5, 1]] * 100)),
    (HEDGE, lambda engine, n: ask(engine, "it")),
    (
        {"algorithm": "weighted-majority"},
        lambda engine, n: ask(engine, "it", advice=[n % 2, 1] * 20),
    ),
    ({"algorithm": "exp3", "params": {"arms": 20}}, lambda engine, n: ask(engine, "it")),
    (SHOP, lambda engine, n: rank(engine, context=[n, 1], actions=_ACTIONS)),
    (
        SHOP,
        lambda engine, n: rank(
            engine, context=[n, 1], actions=_ACTIONS, slots=[{"id": f"s{k}"} for k in range(10)]
        ),
    ),
]


def taken(engine, played, trials):
    """Bytes of memory that trials take, and bytes that are counted for them."""
    for n in range(5):
        played(engine, n)
    engine.flushed().wait()
    counted = engine.open_bytes.total
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for n in range(trials):
        played(engine, n)
    engine.flushed().wait()
    time.sleep(0.01)  # until the writer has let go of the group
    gc.collect()
    real = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return real, engine.open_bytes.total - counted


NAMES = ["row", "wide", "named", "block", "losses", "advice", "arm", "round", "slots"]
# Memory is traced slowly: two kinds at every run, all others by make guarantees.
TRACED = [
    pytest.param(*kind, id=name, marks=() if name in ("row", "round") else pytest.mark.guarantees)
    for name, kind in zip(NAMES, KINDS, strict=True)
]


@pytest.mark.parametrize(("definition", "played"), TRACED)
def test_what_is_counted_is_what_trials_take(tmp_path, definition, played):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **definition)
        real, counted = taken(engine, played, 200)
        assert 0.1 * counted < real < 1.1 * counted, (real / 200, counted / 200)


def test_a_count_without_values_would_be_caught(tmp_path, monkeypatch):
    monkeypatch.setattr("assay.server.engine.engine.weight", lambda text, values: 800)
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **ANY | {"features": 1000})
        real, counted = taken(engine, KINDS[1][1], 50)
        assert real > 1.1 * counted


# Trials that wait


def test_trials_of_a_learner_of_all_and_of_a_key_have_a_budget(tmp_path):
    one = weight(len('"x":[0.5,0.5,0.5],"prediction":0,"told":0'), 24)
    with engine_at(
        tmp_path / "a.db", open_bytes=7 * one, open_bytes_each=5 * one, open_bytes_key=3 * one
    ) as engine:
        for name in "abc":
            make(engine, name, **SPAM)
        with by("shop"):
            first = [ask(engine, "a", x=row())["trial"] for _ in range(2)]
            with pytest.raises(Refusal) as caught:
                fill(engine, "a")
        held = engine.open_bytes.of_key("shop")
        assert (caught.value.code, caught.value.status) == ("too_many", 429)
        assert str(caught.value) == (
            f"Trials of this key that wait for feedback take {held:,} bytes, of {3 * one:,} that they may take. "
            f"Tell some of them first. {how('open_bytes_key')}"
        )
        with by("office"), pytest.raises(Refusal, match=r"^Trials of 'a' that wait .*each=N`\.$"):
            fill(engine, "a")
        with (
            by("third"),
            pytest.raises(Refusal, match=r"^Trials that wait .*`--limit open_bytes=N`\.$"),
        ):
            fill(engine, "b")
        tell(engine, "a", first[0], label=1)  # which makes room
        with by("third"):
            ask(engine, "b", x=row())
        for name in "abc":
            engine.delete(name)
        assert (engine.open_bytes.total, engine.open_bytes.of_key("shop")) == (0, 0)


def test_bytes_are_counted_again_at_a_start_and_when_a_learner_is_read_again(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SPAM)
        with by("shop"):
            trials = [ask(engine, "it", x=row())["trial"] for _ in range(10)]
        tell(engine, "it", trials[0], label=1)
        engine.flushed().wait()
        engine._hosted["it"].damaged = True
        engine.hosted("it")
        assert engine.open_bytes.of_key("shop") == 0  # the log does not say whose they are
        assert engine.open_bytes.total == engine.hosted("it").bytes.total > 9 * 800
    with engine_at(tmp_path / "a.db") as engine:
        assert engine.open_bytes.total > 9 * 800
        for trial in trials[1:]:
            tell(engine, "it", trial, label=0)
        assert engine.open_bytes.total == 0


def test_a_store_is_opened_whatever_the_limits_have_become(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **ANY)
        make(engine, "n", **NETWORK)
        ask(engine, "it", trial="wide", x=row(20))
        ask(engine, "it", trial="block", rows=[row(20)] * 5)
        tell(engine, "it", "wide", label=1)
        before = state(engine)
    with engine_at(
        tmp_path / "a.db",
        width=2, features=2, rows=1, parameters=4, layers=1, open_bytes=1, stored_each=1,
    ) as engine:  # fmt: skip
        assert state(engine) == before
        assert not tell(engine, "it", "wide", label=1)["applied"]
        with refusal("refused", f"x must have at most 2 features, but has 3. {how('width')}"):
            ask(engine, "it", x=row(3))
        with pytest.raises(
            Refusal, match=r"^What is stored of 'it' takes .*`--limit stored_each=N`\.$"
        ):
            tell(engine, "it", "block", labels=[1] * 5)


def test_what_was_told_is_remembered_until_it_is_on_disk_and_not_longer(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SPAM)
        go_on, commit = threading.Event(), engine.writer._commit
        go_on.set()
        engine.writer._commit = lambda group: (go_on.wait(10), commit(group))
        for _ in range(50):
            tell(engine, "it", ask(engine, "it", x=row())["trial"], label=1)
            engine.flushed().wait()
            assert len(engine.hosted("it").recent) <= 1
        go_on.clear()
        trials = [ask(engine, "it", x=row())["trial"] for _ in range(20)]
        for trial in trials:
            tell(engine, "it", trial, label=1)
        assert len(engine.hosted("it").recent) >= 20
        assert not tell(engine, "it", trials[3], label=1)["applied"]
        with refusal("conflict", f"Trial {trials[3]!r} has been told something else before."):
            tell(engine, "it", trials[3], label=0)
        go_on.set()
        engine.flushed().wait()
        engine.sweep()
        assert not engine.hosted("it").recent
        assert not tell(engine, "it", trials[3], label=1)["applied"]
        with refusal("conflict", f"Trial {trials[3]!r} has been told something else before."):
            tell(engine, "it", trials[3], label=0)


# What waits for the disk, and what is stored


def test_bytes_wait_for_the_disk_up_to_a_limit(tmp_path):
    engine = opened(tmp_path / "a.db", queue_bytes=50_000)
    make(engine, **ANY)
    engine.flushed().wait()
    go_on, commit = threading.Event(), engine.writer._commit
    engine.writer._commit = lambda group: (go_on.wait(10), commit(group))
    try:
        with refusal("busy", "The server is busy writing. Try again soon."):
            for _ in range(1000):
                ask(engine, "it", x=row(500))
        assert 0 < engine.writer.waiting_bytes <= 50_000
        go_on.set()
        engine.flushed().wait()
        ask(engine, "it", x=row(500))
    finally:
        go_on.set()
        engine.close()


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        (b'{"trial":"t","x":[ 1 ,\n\t2.5000000000000000000000,3e0]}', b'"x":[1.0,2.5,3.0]'),
        (b'{"trial":"t", "rows" : [[1,2,3] , [4,5,6.00]]}', b'"rows":[[1.0,2.0,3.0],[4.0,5.0,6.0]]'),
    ],
)  # fmt: skip
def test_what_is_stored_is_canonical(tmp_path, sent, kept):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SPAM)
        answer, group = engine.predict("it", ask_decoder.decode(sent))
        group.wait()
        body = engine.store.of_trial(1, "t")["trial"].body
        assert body.encode().startswith(b"{" + kept + b',"predict')
        assert engine.predict("it", ask_decoder.decode(sent))[0] == answer  # again: the same


def test_padding_takes_no_room(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SPAM)
        make(engine, "wm", algorithm="weighted-majority")
        for name, field in (("it", b'"x":[1,2,3.%b]' % (b"0" * 50_000)), ("wm", b'"advice":[1%b]')):
            padded = field % (b" " * 50_000) if b"%b" in field else field
            engine.predict(name, ask_decoder.decode(b"{%b}" % padded))[1].wait()
        assert all(len(event.body) < 1000 for event in engine.store.events())


def test_what_is_stored_of_a_learner_and_of_a_key_is_bounded(tmp_path):
    with engine_at(tmp_path / "a.db", stored_each=6_000, stored_key=4_000) as engine:
        make(engine, **SPAM)
        make(engine, "other", **SPAM)
        with by("shop"), pytest.raises(Refusal) as caught:
            fill(engine, "it")
        held = engine.stored.of_key("shop")
        assert (caught.value.code, caught.value.status) == ("store_full", 507)
        assert str(caught.value) == (
            f"What is stored of this key takes {held:,} bytes, of 4,000 that it may take. {how('stored_key')}"
        )
        assert 4_000 < held < 4_500
        with by("office"), pytest.raises(Refusal, match=r"^What is stored of 'it' .*each=N`\.$"):
            fill(engine, "it")
        ask(engine, "other", x=row())
        engine.delete("it")  # that is always possible, and makes room
        assert engine.stored.of_key("shop") == 0
        make(engine, **SPAM)
        with by("shop"):
            ask(engine, "it", x=row())


def counted(engine):
    return {n: engine.stored.of_learner(n) for n in engine.store.names()}


def test_stored_bytes_are_those_of_the_log_after_every_start(tmp_path):
    for turn in range(4):
        engine = opened(tmp_path / "a.db")
        make(engine, f"it{turn}", **SPAM)
        with by("shop"):
            trial = ask(engine, f"it{turn}", x=row())["trial"]
            tell(engine, f"it{turn}", trial, label=1)
        if turn % 2:
            engine.sweep()
        if turn == 2:
            engine.delete("it0")
        engine.flushed().wait()
        held, key = counted(engine), engine.stored.of_key("shop")
        log = dict.fromkeys(held, 0)
        for event in engine.store.events():
            if event.learner in log:
                log[event.learner] += size_of(event.body)
        assert held == log
        if turn == 3:  # as if it were killed: nothing is written down at the end
            again = StoredBytes.of_store(engine.store)
            assert {n: again.of_learner(n) for n in held} == held
            assert again.of_key("shop") == key
        engine.close()
    with engine_at(tmp_path / "a.db") as engine:
        assert (counted(engine), engine.stored.of_key("shop")) == (held, key)


def test_letters_of_several_bytes_are_counted():
    assert size_of('"ä"') == size_of('"ae"')


def test_a_disk_that_is_nearly_full_takes_nothing_more_and_says_so(tmp_path, monkeypatch):
    free = [2**40]
    monkeypatch.setattr(room.shutil, "disk_usage", lambda _: type("", (), {"free": free[0]}))
    sentence = (
        "The disk of the store has 1,000 bytes left, and 67,108,864 are to stay free. Make room, or start the service "
        "with a smaller `--limit disk_free=N`."
    )

    async def conversation(client):
        engine = client._transport.app.state.service.engine
        await client.put("/v1/learners/it", json=SPAM)
        trial = (await client.post("/v1/learners/it/predict", json={"x": row()})).json()["trial"]
        free[0] = 1000
        engine.look_for_room()
        answer = await client.get("/healthz")
        assert (answer.status_code, answer.json()["cause"]) == (503, sentence)
        for place, body in (("predict", {"x": row()}), ("feedback", {"trial": trial, "label": 1})):
            answer = await client.post(f"/v1/learners/it/{place}", json=body)
            assert answer.status_code == 507
            assert answer.json()["error"]["message"] == sentence
            assert answer.headers["retry-after"] == "60"
        assert (await client.put("/v1/learners/new", json=SPAM)).status_code == 507
        assert (await client.get("/v1/learners/it")).status_code == 200
        free[0] = 2**40
        engine.look_for_room()
        assert (await client.get("/healthz")).json()["ready"]
        feedback = {"trial": trial, "label": 1}
        assert (await client.post("/v1/learners/it/feedback", json=feedback)).status_code == 200

    talk(tmp_path, conversation)


def test_a_store_that_is_too_large_takes_nothing_more(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SPAM)
    with engine_at(tmp_path / "a.db", stored=1000) as engine:
        taken = room.bytes_of(engine.store.path)
        assert taken > 1000
        sentence = f"The store takes {taken:,} bytes, and may take 1,000. {how('stored')}"
        with refusal("store_full", sentence):
            ask(engine, "it", x=row())
        engine.delete("it")


# Models


@pytest.mark.parametrize(
    ("definition", "sentence"),
    [
        (
            NETWORK | {"params": {"hidden_layer_sizes": [2] * 17}},
            f"params.hidden_layer_sizes must be at most 16 in number, but are 17. {how('layers')}",
        ),
        (
            NETWORK | {"params": {"hidden_layer_sizes": [4000, 4000]}},
            "The model would hold 48,168,006 numbers, and may hold 10,000,000. Give fewer features or classes, or "
            f"smaller layers. {how('parameters')}",
        ),
        (
            {"algorithm": "sgd-classifier", "classes": list(range(5000)), "features": 5000},
            "The model would hold 75,015,000 numbers, and may hold 10,000,000. Give fewer features or classes. "
            f"{how('parameters')}",
        ),
        (
            {"algorithm": "kernel-perceptron", "classes": [0, 1], "features": 9000, "params": {"budget": 9000}},
            "The model would hold 486,054,000 numbers, and may hold 10,000,000. Give fewer features or classes. "
            f"{how('parameters')}",
        ),
        (
            SPAM | {"features": 10_001},
            f"features must be 1 to 10,000 in number, but is 10,001. {how('width')}",
        ),
    ],
)  # fmt: skip
def test_models_that_would_be_too_large_are_refused_before_they_are_made(
    tmp_path, definition, sentence
):
    with engine_at(tmp_path / "a.db") as engine:
        with refusal("refused", sentence):
            make(engine, **definition)
        assert engine.names() == []


def test_a_model_that_knows_its_width_later_is_bounded_then(tmp_path):
    with engine_at(tmp_path / "a.db", parameters=3_000, features=8) as engine:
        make(engine, **NETWORK | {"features": None, "params": {"hidden_layer_sizes": [10]}})
        with refusal(
            "refused",
            "x must have at most 96 features, since the model may hold 3,000 numbers, but has 98. "
            + how("parameters"),
        ):
            ask(engine, "it", x=row(98))
        ask(engine, "it", x=row(96))


def test_a_learner_comes_to_know_so_many_names(tmp_path):
    with engine_at(tmp_path / "a.db", features=8) as engine:
        make(engine, **ANY)
        for start in (0, 3):
            trial = ask(engine, "it", x={f"f{start + n}": 1 for n in range(5)})["trial"]
            tell(engine, "it", trial, label=start // 3)
        with refusal(
            "refused",
            "The learner may come to know 8 names of features, but with x would know 9. "
            + how("features"),
        ):
            ask(engine, "it", x={"f0": 1, "new": 1})
        ask(engine, "it", x={"f0": 1, "f7": 1})  # which it knows


# Bodies that come at once


class Line:
    """A connection that counts."""

    common = ()

    def __init__(self, table):
        self.hold, self.written = table.hold, []

    def write(self, data):
        self.written.append(data)

    def pause(self):
        pass

    resume = pause

    def answered(self, keep, status):
        pass


def test_bodies_that_come_in_pieces_are_counted_until_they_are_answered():
    import asyncio

    table = Connections(Limits(bodies=100))
    scope = {"method": "POST", "headers": []}

    async def app(scope, receive, send):
        while (message := await receive())["more_body"]:
            assert message["type"] == "http.request"
        assert table.bodies == 90

    async def sent(pieces):
        exchange = Exchange(Line(table), scope, True, False)
        running = asyncio.ensure_future(exchange.run(app))
        for n, piece in enumerate(pieces, 1):
            exchange.feed(piece)
            exchange.whole = n == len(pieces)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        exchange.wake()
        await running

    asyncio.run(sent([b"x" * 50, b"y" * 40]))
    assert table.bodies == 0

    async def refused():
        table.hold(20)
        exchange = Exchange(Line(table), scope, True, False)
        exchange.feed(b"x" * 90)
        with pytest.raises(Refusal, match="Too many large requests come at once"):
            await exchange.receive()
        exchange.whole = True

    asyncio.run(refused())
    assert table.bodies == 20


def test_trials_that_wait_are_let_go_when_their_time_is_over(tmp_path):
    now = [0.0]
    with engine_at(tmp_path / "a.db", clock=lambda: now[0], open_bytes_each=3_000) as engine:
        make(engine, **SPAM, settings={"feedback_within": 1})
        with pytest.raises(Refusal):
            fill(engine, "it")
        now[0] = 2.0
        ask(engine, "it", x=row())
        assert engine.open_bytes.total < 1_500


def test_metrics_tell_the_budgets(tmp_path):
    async def conversation(client):
        await client.put("/v1/learners/it", json=SPAM)
        await client.post("/v1/learners/it/predict", json={"x": row()})
        lines = (await client.get("/metrics")).text.splitlines()
        held = {line.split(" ")[0]: float(line.split(" ")[1]) for line in lines if line[0] != "#"}
        assert 800 < held["assay_open_bytes"] < 1200
        assert held["assay_open_bytes_most"] == 2**30
        assert held["assay_queue_bytes"] == 0

    talk(tmp_path, conversation)
