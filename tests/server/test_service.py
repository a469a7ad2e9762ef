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


class Process:
    """A server of its own."""

    def __init__(self, path, port=0):
        self.process = subprocess.Popen(
            [sys.executable, "-c", MAIN, "serve", "--store", str(path), "--port", str(port)],
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
        code = self.process.wait(30)
        self.process.stdout.close()
        return code


def test_killed_again_and_again_nothing_acknowledged_is_lost_or_applied_twice(tmp_path):
    path, chance = tmp_path / "a.db", random.Random(1)
    rows = np.random.default_rng(0).normal(size=(4000, 4))
    truth = (rows[:, 0] > 0).astype(int)
    acknowledged, lock, stop = {}, threading.Lock(), threading.Event()
    server = Process(path)
    client = Client(server.url, retries=200)
    learner = client.create("it", **SPAM)
    places = iter(range(len(rows)))

    def work():
        while not stop.is_set():
            with lock:
                place = next(places)
            asked = learner.predict(rows[place], trial=f"row-{place}")
            told = learner.feedback(asked["trial"], int(truth[place]))
            with lock:
                acknowledged[place] = told["told"]

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for _ in range(2):
        threading.Event().wait(chance.uniform(0.1, 0.4))
        server.end(signal.SIGKILL)
        server = Process(path, server.port)
    stop.set()
    for worker in workers:
        worker.join()
    client.close()
    assert server.end() == 0
    store = Store(path, exclusive=False)
    assert check_store(store).problems == ()
    told = [event.trial for event in store.events(kind="feedback")]
    store.close()
    assert len(set(told)) == len(told), "applied twice"
    assert {f"row-{place}" for place in acknowledged} == set(told), "lost"
    twin = Perceptron()
    for trial in told:
        place = int(trial.removeprefix("row-"))
        twin.learn_one(rows[place], int(truth[place]), classes=[0, 1])
    with engine_at(path) as engine:
        mine = engine.hosted("it").game.model.players_[0]
        assert mine.weights.tobytes() == twin.players_[0].weights.tobytes()
        assert engine.hosted("it").told == len(told)


def test_the_client_and_a_polite_end(tmp_path):
    server = Process(tmp_path / "a.db")
    with Client(server.url) as client:
        learner = client.create("it", **SPAM)
        rows = np.eye(4)
        found = learner.predict_many(rows)
        told = learner.feedback_many((one["trial"], 1) for one in found)
        assert [one["told"] for one in told] == [1, 2, 3, 4]
        block = learner.predict(rows=rows)
        assert len(block["predictions"]) == 4
        assert learner.feedback(block["trial"], labels=[1, 1, 1, 0])["told"] == 8
        events = learner.events()
        assert next(events)["told"] == 8
        assert learner.standing()["bound_at"] == 8
        assert client.health() == {"live": True, "ready": True}
        with pytest.raises(ServiceRefused, match=r"No trial 'a' has been predicted\.") as caught:
            learner.feedback("a", 1)
        assert (caught.value.status, caught.value.code) == (404, "unknown_trial")

        async def beside():
            async with AsyncClient(server.url) as other:
                it = other.learner("it")
                asked = await asyncio.gather(*(it.predict([t, 0, 0, 0]) for t in range(5)))
                return await asyncio.gather(*(it.feedback(one["trial"], 1) for one in asked))

        assert {one["applied"] for one in asyncio.run(beside())} == {True}
        # An open event stream does not keep the server from ending.
        assert server.end(signal.SIGTERM) == 0
        assert list(events) == []
    with pytest.raises(ServiceRefused, match="cannot be reached"):
        Client(server.url, retries=0).learners()
