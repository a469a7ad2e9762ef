"""The real thing: processes on loopback, the shipped client, and kill -9."""

from __future__ import annotations

import asyncio
import random
import re
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from assay import Perceptron
from assay.client import AsyncClient, Client, ServiceRefused
from assay.server.engine.check import check_store
from assay.server.store.store import Store
from tests.server.engines import engine_at

MAIN = "from assay.cli.app import main; main()"
SPAM = {"algorithm": "perceptron", "classes": [0, 1], "features": 4}
ROWS = np.random.default_rng(0).normal(size=(4000, 4))
TRUTH = (ROWS[:, 0] > 0).astype(int)


class Served:
    """A store, and the process that serves it at present."""

    def __init__(self, path):
        self.path, self.port = path, 0
        self.start()

    def start(self):
        options = ["--store", str(self.path), "--port", str(self.port), "--log-refusals"]
        self.process = subprocess.Popen(
            [sys.executable, "-c", MAIN, "serve", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        said = self.process.stdout.readline()
        found = re.search(r"http://\S+:(\d+)", said)
        assert found, said + self.process.stdout.read()
        self.port, self.url = int(found[1]), found[0]

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        code = self.process.wait(60)
        self.process.stdout.close()
        return code


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The tests below share it, in their order: a start takes longer than all they do."""
    held = Served(tmp_path_factory.mktemp("service") / "a.db")
    yield held
    if held.process.poll() is None:
        held.end(signal.SIGKILL)


def test_the_client(served):
    with Client(served.url) as client:
        learner = client.create("other", **SPAM)
        rows = np.eye(4)
        found = learner.predict_many(rows)
        told = learner.feedback_many((one["trial"], 1) for one in found)
        assert [one["told"] for one in told] == [1, 2, 3, 4]
        block = learner.predict(rows=rows)
        assert len(block["predictions"]) == 4
        assert learner.feedback(block["trial"], labels=[1, 1, 1, 0])["told"] == 8
        assert learner.standing()["bound_at"] == 8
        assert client.health() == {"live": True, "ready": True}
        with pytest.raises(ServiceRefused, match=r"No trial 'a' has been predicted\.") as caught:
            learner.feedback("a", 1)
        assert (caught.value.status, caught.value.code) == (404, "unknown_trial")

    async def beside():
        async with AsyncClient(served.url) as other:
            it = other.learner("other")
            asked = await asyncio.gather(*(it.predict([t, 0, 0, 0]) for t in range(5)))
            return await asyncio.gather(*(it.feedback(one["trial"], 1) for one in asked))

    assert {one["applied"] for one in asyncio.run(beside())} == {True}


def test_killed_again_and_again_nothing_acknowledged_is_lost_or_applied_twice(served, monkeypatch):
    monkeypatch.setattr("assay.client.terms._LONGEST_WAIT_S", 0.1)
    chance, stop, lock = random.Random(1), threading.Event(), threading.Lock()
    acknowledged, places = set(), iter(range(len(ROWS)))
    client = Client(served.url, retries=200)
    learner = client.create("it", **SPAM)

    def work():
        while not stop.is_set():
            with lock:
                place = next(places)
            asked = learner.predict(ROWS[place], trial=f"row-{place}")
            learner.feedback(asked["trial"], int(TRUTH[place]))
            with lock:
                acknowledged.add(f"row-{place}")

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for _ in range(2):
        threading.Event().wait(chance.uniform(0.1, 0.4))
        served.end(signal.SIGKILL)
        served.start()
    stop.set()
    for worker in workers:
        worker.join()
    # An open event stream does not keep the server from ending.
    events = learner.events()
    assert next(events)["told"] == len(acknowledged)
    assert served.end() == 0
    assert list(events) == []
    client.close()
    with pytest.raises(ServiceRefused, match="cannot be reached"):
        Client(served.url, retries=0).learners()
    _compare(served.path, acknowledged)


def _compare(path, acknowledged):
    """What the store holds, with a learner that was told the same."""
    store = Store(path, exclusive=False)
    assert check_store(store).problems == ()
    number = next(n for n, name in store.names().items() if name == "it")
    told = [event.trial for event in store.events(number) if event.kind == "feedback"]
    store.close()
    assert len(set(told)) == len(told), "applied twice"
    assert acknowledged == set(told), "lost"
    twin = Perceptron()
    for trial in told:
        place = int(trial.removeprefix("row-"))
        twin.learn_one(ROWS[place], int(TRUTH[place]), classes=[0, 1])
    with engine_at(path) as engine:
        mine = engine.hosted("it").game.model.players_[0]
        assert mine.weights.tobytes() == twin.players_[0].weights.tobytes()
        assert engine.hosted("it").told == len(told)
