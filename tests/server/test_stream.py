"""A stream through the service ends as `assay stream` does on the same rows in the same order, to the bit."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from assay import Perceptron, verify
from assay.certificates.certificate import Certificate
from assay.data.examples import Examples
from assay.files import read_table
from assay.learners.registry import make_learner
from assay.play.stream import Stream
from tests.server.engines import ask, engine_at, make, tell

PRICES = Path(__file__).parents[2] / "examples" / "data" / "elec2.parquet"
TABLE = read_table(PRICES, target="target")
X, Y = np.asarray(TABLE.X)[:1500], np.asarray(TABLE.y)[:1500]
LABELS = [int(y) for y in np.unique(Y)]


def streamed(learner, X, Y):
    stream = Stream(learner, labels=[str(label) for label in LABELS], source="prices")
    stream.learn(Examples(X, Y, list(TABLE.features), "target", None, 1))
    stream.close()
    return stream


def served(engine, name, order, *, delay=0, params=None):
    make(
        engine,
        algorithm=name,
        classes=LABELS,
        features=list(TABLE.features),
        source="prices",
        target="target",
        params=params or {},
    )
    chance, waiting, told = random.Random(0), [], []
    for place in order:
        waiting.append((place, ask(engine, "it", x=X[place].tolist())["trial"]))
        while len(waiting) > delay:
            late, trial = waiting.pop(chance.randrange(len(waiting)))
            tell(engine, "it", trial, label=int(Y[late]))
            told.append(late)
    for late, trial in waiting:
        tell(engine, "it", trial, label=int(Y[late]))
        told.append(late)
    engine.flushed().wait()
    return told


@pytest.mark.parametrize("delay", [0, 40])
@pytest.mark.parametrize("name", ["perceptron", "sgd-classifier"])
def test_weights_mistakes_and_certificate_are_those_of_a_stream(tmp_path, name, delay):
    with engine_at(tmp_path / "a.db", snapshot_every=700) as engine:
        told = served(engine, name, range(len(Y)), delay=delay)
        stream = streamed(make_learner(name, {}), X[told], Y[told])
        game = engine.hosted("it").game
        for mine, its in zip(game.model.players_, stream.learner.players_, strict=True):
            assert mine.weights.tobytes() == its.weights.tobytes()
            assert mine.bias.tobytes() == its.bias.tobytes()
        standing = stream.standing()
        assert (game.rows, game.errors) == (standing.rows, standing.errors)
        assert engine.work_out_bound("it") == (standing.promised, standing.rows)
        certificate = engine.certificate("it")
        assert certificate.to_json() == stream.certificate().to_json()
        assert verify(Certificate.from_json(json.dumps(certificate.to_json()))).ok
        as_made = engine.hosted("it").mistakes
        assert (as_made == standing.errors) == (delay == 0)


def test_blocks_are_the_same_as_single_rows(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, algorithm="perceptron", classes=LABELS, features=X.shape[1])
        for start in range(0, 1500, 300):
            rows = X[start : start + 300].tolist()
            trial = ask(engine, "it", rows=rows)["trial"]
            labels = [int(y) for y in Y[start : start + 300]]
            assert tell(engine, "it", trial, labels=labels)["told"] == start + 300
        twin = Perceptron().partial_fit(X, Y, classes=LABELS)
        game = engine.hosted("it").game
        assert game.model.players_[0].weights.tobytes() == twin.players_[0].weights.tobytes()
        assert game.errors == twin.record_.mistakes


def test_names_of_features_are_places(tmp_path):
    with engine_at(tmp_path / "a.db") as engine:
        make(engine, algorithm="perceptron", classes=LABELS, features=list(TABLE.features))
        row = dict(zip(reversed(TABLE.features), reversed(X[0].tolist()), strict=True))
        tell(engine, "it", ask(engine, "it", x=row)["trial"], label=LABELS[0])
        twin = Perceptron().partial_fit(X[:1], Y[:1] * 0 + LABELS[0], classes=LABELS)
        mine = engine.hosted("it").game.model.players_[0]
        assert mine.weights.tobytes() == twin.players_[0].weights.tobytes()
