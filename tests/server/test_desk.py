"""Nothing heavy on the event loop: whatever one tenant does, health answers, and so do the learners of others."""

import asyncio
import time

import httpx
import pytest

from assay.server import fast_routes
from assay.server.app import create_app
from assay.server.desk import Desk
from assay.server.engine import core, engine
from assay.server.engine.classifier import ClassifierGame
from assay.server.engine.experts import ExpertGame
from assay.server.engine.game import Game
from assay.server.refusals import Refusal

SPAM = {"algorithm": "perceptron", "classes": [0, 1], "features": 2}
ROUND = {"algorithm": "weighted-majority"}
SLOW_S = 1.0
BLOCK = {"rows": [[1.0, 2.0]] * 4000}


def slow(monkeypatch, where, name):
    """Have a function take long, as for a large learner; it lets others run, as compiled loops do."""
    quick = getattr(where, name)

    def long(*given, **named):
        time.sleep(SLOW_S)
        return quick(*given, **named)

    monkeypatch.setattr(where, name, long)


async def make_block(client):
    answer = await client.post("/v1/learners/a/predict", json=BLOCK)
    assert answer.status_code == 200
    return answer.json()["trial"]


async def predict_block(client):
    await make_block(client)


async def tell_block(client):
    trial = (await client.post("/v1/learners/a/predict", json={"x": [1, 2]})).json()["trial"]
    body = {"trial": trial, "label": 1}
    assert (await client.post("/v1/learners/a/feedback", json=body)).status_code == 200


async def fetch(client, what):
    assert (await client.get(f"/v1/learners/a/{what}")).status_code == 200


async def create(client):
    assert (await client.put("/v1/learners/new", json=SPAM)).status_code == 201


async def erase(client):
    trial = await make_block(client)
    answer = await client.post("/v1/learners/a/erase", json={"trials": [trial]})
    assert answer.json()["erased"] == 1


async def read_again(client):
    client.engine._hosted["a"].damaged = True
    assert (await client.post("/v1/learners/a/predict", json={"x": [1, 2]})).status_code == 200


async def standing_of_one_read_again(client):
    client.engine._hosted["a"].damaged = True
    assert (await client.get("/v1/learners/a")).status_code == 200


async def list_with_one_read_again(client):
    client.engine._hosted["a"].damaged = True
    assert (await client.get("/v1/learners")).status_code == 200


HEAVY = {
    "a learner is made": (create, (engine, "make_game")),
    "a large block is predicted": (predict_block, (ClassifierGame, "ask")),
    "a large block is read": (predict_block, (ClassifierGame, "read")),
    "a learner learns for the first time": (tell_block, (ClassifierGame, "learn")),
    "a model is copied": (lambda client: fetch(client, "model"), (Game, "copied")),
    "trials are erased": (erase, (Game, "saved")),
    "a model file is written": (lambda client: fetch(client, "model"), (Game, "saved")),
    "a certificate is issued": (lambda c: fetch(c, "certificate"), (Game, "certificate")),
    "guarantees are worked out": (lambda c: fetch(c, "guarantees"), (ClassifierGame, "guarantees")),
    "a learner is read again": (read_again, (core, "load_hosted")),
    "a standing needs a replay": (standing_of_one_read_again, (core, "load_hosted")),
    "a list needs a replay": (list_with_one_read_again, (core, "load_hosted")),
}


# Of those that load a learner again, and that save one, one each at every run.
_ALIKE = ("a model is copied", "a standing needs a replay", "a list needs a replay")


@pytest.mark.parametrize(
    "what", [pytest.param(w, marks=pytest.mark.guarantees if w in _ALIKE else ()) for w in HEAVY]
)
def test_others_do_not_wait_for_what_is_heavy(tmp_path, monkeypatch, what):
    heavy, place = HEAVY[what]
    waited = served_beside(tmp_path, monkeypatch, heavy, place)
    assert waited < SLOW_S / 2


def test_a_broken_twin_that_works_on_the_loop_is_found_out(tmp_path, monkeypatch):
    async def at_once(self, name, work):
        return work()

    monkeypatch.setattr(Desk, "alone", at_once)
    heavy, place = HEAVY["a large block is predicted"]
    assert served_beside(tmp_path, monkeypatch, heavy, place) > SLOW_S / 2


def served_beside(folder, monkeypatch, heavy, place):
    """The longest that health and another learner took to answer while something heavy was done."""

    async def conversation():
        app = create_app(folder / "a.db")
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app), base_url="http://localhost", timeout=30
            ) as client,
        ):
            client.engine = app.state.service.engine
            for name in "ab":
                assert (await client.put(f"/v1/learners/{name}", json=SPAM)).status_code == 201
                body = {"trial": "first", "x": [1, 2]}
                await client.post(f"/v1/learners/{name}/predict", json=body)
            told = {"trial": "first", "label": 1}
            await client.post("/v1/learners/a/feedback", json=told | {"trial": "first"})
            client.engine.flushed() and await client.engine.flushed().committed()
            app.gate._hot._quick.clear()
            slow(monkeypatch, *place)
            begun, longest = time.perf_counter(), 0.0
            work = asyncio.create_task(heavy(client))
            await asyncio.sleep(0.01)
            while not work.done():
                assert (await client.get("/healthz")).status_code == 200
                if place[1] not in ("ask", "read", "learn"):
                    answer = await client.post("/v1/learners/b/predict", json={"x": [2, 1]})
                    assert answer.status_code == 200
                longest = max(longest, time.perf_counter() - begun)
                begun = time.perf_counter()
                await asyncio.sleep(0.005)
            await work
            return longest

    return asyncio.run(conversation())


def test_requests_for_a_busy_learner_wait_in_their_order():
    async def scene():
        desk, order = Desk(), []

        def work(n):
            time.sleep(0.02)
            order.append(n)
            return n

        async def look(n):
            await desk.free("a")
            order.append(n)

        first, second = desk.alone("a", lambda: work(0)), desk.alone("a", lambda: work(2))
        done = await asyncio.gather(first, look(1), second, look(3))
        desk.close()
        return order, done, desk.busy

    order, done, busy = asyncio.run(scene())
    assert order[:2] == [0, 1]
    assert sorted(order) == [0, 1, 2, 3]
    assert done == [0, None, 2, None]
    assert not busy


def test_one_learner_is_never_worked_on_twice_at_once():
    running = []

    async def scene():
        desk = Desk()

        def work():
            running.append(1)
            assert len(running) == 1
            time.sleep(0.002)
            running.pop()

        await asyncio.gather(*(desk.alone("a", work) for _ in range(30)))
        desk.close()

    asyncio.run(scene())


def test_who_fails_leaves_the_learner_free_and_too_many_do_not_wait():
    async def scene():
        desk = Desk()

        def fail():
            time.sleep(0.05)
            raise ValueError("no")

        first = asyncio.create_task(desk.alone("a", fail))
        await asyncio.sleep(0)
        waiting = [asyncio.create_task(desk.free("a")) for _ in range(256)]
        await asyncio.sleep(0)
        with pytest.raises(Refusal, match="busy"):
            await desk.free("a")
        with pytest.raises(ValueError, match="no"):
            await first
        await asyncio.gather(*waiting)
        assert not desk.busy
        desk.close()

    asyncio.run(scene())


def test_a_learner_that_turned_slow_goes_to_the_desk_and_comes_back(tmp_path, monkeypatch):
    async def conversation():
        app = create_app(tmp_path / "a.db")
        hot = app.gate._hot
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app), base_url="http://localhost"
            ) as client,
        ):
            await client.put("/v1/learners/a", json=SPAM)
            for _ in range(2):
                await client.post("/v1/learners/a/predict", json={"x": [1, 2]})
            assert ("a", "predict") in hot._quick
            monkeypatch.setattr(fast_routes, "_LONG_S", -1.0)
            await client.post("/v1/learners/a/predict", json={"x": [1, 2]})
            assert ("a", "predict") not in hot._quick
            monkeypatch.setattr(fast_routes, "_LONG_S", 10.0)
            await client.post("/v1/learners/a/predict", json={"x": [1, 2]})
            assert ("a", "predict") in hot._quick

    asyncio.run(conversation())


WRONG = [
    (ROUND, {"advice": [0, 1]}, {"outcome": "x"}),
    (ROUND, {"advice": [0, 1]}, {"outcome": 5}),
    (
        {"algorithm": "weighted-average", "params": {"loss": "square"}},
        {"advice": [0.1, 0.9]},
        {"outcome": 7},
    ),
    ({"algorithm": "hedge", "experts": 2}, {}, {"losses": [1, 2]}),
    ({"algorithm": "adahedge", "experts": 2}, {}, {"losses": [-1e308, 1e308]}),
    (
        {"algorithm": "sleeping-experts", "experts": ["a", "b"]},
        {"advice": {"a": "x"}},
        {"outcome": 5},
    ),
    (
        {"algorithm": "gaussian-nb", "classes": [0, 1], "features": 2},
        {"x": [1e300, 1.0]},
        {"label": 0},
    ),
]


@pytest.mark.parametrize(("definition", "asked", "told"), WRONG)
def test_a_wrong_truth_is_refused_before_anything_is_touched(
    tmp_path, monkeypatch, definition, asked, told
):
    """Each of these had the learner replay its whole log."""

    def never(*given, **named):
        raise AssertionError("a learner was read again")

    async def conversation():
        app = create_app(tmp_path / "a.db")
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app), base_url="http://localhost"
            ) as client,
        ):
            assert (await client.put("/v1/learners/a", json=definition)).status_code == 201
            monkeypatch.setattr(core, "load_hosted", never)
            hosted = app.state.service.engine._hosted["a"]
            for _ in range(3):
                trial = (await client.post("/v1/learners/a/predict", json=asked)).json()["trial"]
                before = hosted.game.saved(), hosted.counts()
                answer = await client.post("/v1/learners/a/feedback", json=told | {"trial": trial})
                assert answer.status_code == 422
                assert (hosted.game.saved(), hosted.counts()) == before
                assert not hosted.damaged

    asyncio.run(conversation())


def test_what_was_rehearsed_is_learned_as_it_would_be_without():
    """The same rounds with and without a copy before each: the same bits."""
    from assay.server.engine.definition import read_definition
    from assay.server.engine.hosted import make_game
    from assay.server.limits import Limits

    wanted = read_definition(ROUND | {"experts": 2}, Limits())
    one, other = (make_game(wanted, 3, Limits()) for _ in range(2))
    for outcome in [0, 1, 1, 0, 1]:
        for game in (one, other):
            answer = game.ask([0, 1])
            if game is one:
                game.rehearse([0, 1], answer, {"outcome": outcome})
            game.learn([0, 1], answer, {"outcome": outcome})
    assert isinstance(one, ExpertGame)
    assert one.saved() == other.saved()
