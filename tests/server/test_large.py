"""A large store: what a start and a certificate cost follows what waits, not all that ever happened."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import msgspec
import numpy as np
import pytest

from assay.server.engine import hosted as hosted_module
from assay.server.engine.classifier import ClassifierGame
from assay.server.engine.requests import Ask, Tell
from assay.server.engine.truths import Truths
from assay.server.limits import Limits
from assay.server.store.store import Store
from tests.server.engines import ask, engine_at, make, opened, tell

SPAM = {"algorithm": "perceptron", "classes": ["ham", "spam"], "features": 3}


def test_a_certificate_reads_no_event(tmp_path, monkeypatch):
    def played(engine, rounds, start=0):
        for t in range(start, start + rounds):
            trial = ask(engine, "it", x=[1.0, float(t), -1.0])["trial"]
            tell(engine, "it", trial, label=("ham", "spam")[t % 3 == 0])

    with engine_at(tmp_path / "a.db", snapshot_every=7) as engine:
        make(engine, **SPAM)
        played(engine, 50)
    with engine_at(tmp_path / "a.db") as engine:
        played(engine, 5, start=50)
        engine.flushed().wait()
        whole = Truths(engine.hosted("it").game.label_type)
        for body in engine.store.answers(1, 10**9):
            whole.add([json.loads(body)["label"]])
        monkeypatch.setattr(Store, "answers", None)
        monkeypatch.setattr(Store, "events", None)
        certificate = engine.certificate("it")
        monkeypatch.undo()
    assert certificate.to_json()["data"]["sha256"] == whole.digest().removeprefix("sha256:")


@pytest.mark.parametrize("kind", ["text", "bool", "int"])
def test_truths_in_pieces_have_the_digest_of_the_whole(kind, monkeypatch):
    from assay.evidence import column_digest, labels

    for module in (column_digest, labels):
        monkeypatch.setattr(module, "BLOCK", 300)
    chance = np.random.default_rng(0)
    drawn = chance.integers(0, 2 if kind == "bool" else 5, 2000)
    values = {
        "text": [f"c{n}" for n in drawn],
        "bool": (drawn > 0).tolist(),
        "int": drawn.tolist(),
    }[kind]
    whole, pieces = Truths(), Truths()
    whole.add(values)
    for start in range(0, len(values), 7):
        pieces.add(values[start : start + 7])
        if start % 70 == 0:
            pieces = Truths.from_json(json.loads(json.dumps(pieces.to_json())))
    assert whole.digest() == pieces.copy().digest() == pieces.digest()


def test_what_waits_is_read_when_it_is_told(tmp_path, monkeypatch):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, **SPAM)
        trials = [ask(engine, "it", x=[1.0, float(t), 0.0])["trial"] for t in range(20)]
        block = engine.predict("it", Ask(rows=msgspec.Raw(b"[[1,2,3],[4,5,6]]")))[0]
    read, restore = [], ClassifierGame.restore
    monkeypatch.setattr(
        ClassifierGame, "restore", lambda self, kept: (read.append(1), restore(self, kept))[1]
    )
    with engine_at(tmp_path / "a.db") as engine:
        assert (len(read), engine.hosted("it").waiting) == (0, 22)
        assert tell(engine, "it", trials[3], label="ham")["applied"]
        assert engine.feedback("it", Tell(trial=block["trial"], labels=["ham", "ham"]))[0][
            "applied"
        ]
        assert (len(read), engine.hosted("it").waiting) == (2, 19)
        assert isinstance(engine.hosted("it").open[trials[4]], hosted_module.StoredTrial)


@pytest.mark.guarantees
def test_a_start_and_a_certificate_of_a_large_store(tmp_path):
    """A tenth of 2.3 million events and 300,000 open trials, and less than a tenth of 4 s; by processor time."""
    told, left = 100_000, 30_000
    engine = opened(tmp_path / "a.db", queue=10**9)
    make(engine, **SPAM)
    for t in range(told + left):
        with engine.writer.held():
            trial = ask(engine, "it", x=[1.0, t % 97, -1.0])["trial"]
        if t >= left:
            tell(engine, "it", trial, label=("ham", "spam")[t % 3 == 0])
    engine.close()
    begun = time.process_time()
    engine = opened(tmp_path / "a.db")
    start = time.process_time() - begun
    engine.certificate("it")
    begun = time.process_time()
    engine.certificate("it")
    issued = time.process_time() - begun
    standing = engine.describe("it")
    engine.close()
    assert (standing["told"], standing["open"]) == (told, left)
    assert Limits().open_trials > left
    assert start < 0.4
    assert issued < 0.1


def test_linear_algebra_is_one_thread_where_a_store_is_served():
    found = subprocess.run(
        [sys.executable, "-c", _THREADS], capture_output=True, text=True, check=True, timeout=120
    )
    before, after = json.loads(found.stdout)
    assert after == [1] * len(before) != []


_THREADS = """
import json, numpy, scipy.linalg
from threadpoolctl import threadpool_info
from assay.server.engine.arithmetic import in_one_thread
def threads():
    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]
before = threads()
in_one_thread()
print(json.dumps([before, threads()]))
"""
