"""What a learner of another package goes through; run in a process that has it installed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import assay
from assay.client import Client
from assay.learners.registry import find_learner, is_own, learner_names
from tests.cli.runner import run
from tests.server.engines import ask, engine_at, make, tell
from tests.server.processes import Command

FOLDER = Path(sys.argv[1])


def table():
    rng = np.random.default_rng(0)
    rows = [f"{x:.3f},{'pq'[int(x > 0)]}" for x in np.sort(rng.normal(size=400))]
    path = FOLDER / "t.csv"
    path.write_text("\n".join(["x,label", *rows]) + "\n")
    return path


def succeeds(*arguments):
    done = run(*arguments)
    assert done.code == 0, done
    return done.out


def by_command(path):
    model, certificate = FOLDER / "m.assay", FOLDER / "c.json"
    fit = ("fit", path, "--target", "label", "--learner", "last-label", "--order", "none", "--json")
    fitted = json.loads(succeeds(*fit, "--out", model, "--certificate", certificate))
    assert fitted["ok"]
    assert assay.verify(certificate)
    succeeds("predict", model, path, "--out", FOLDER / "p.csv")
    succeeds("compare", path, "--target", "label", "--learners", "last-label,gaussian-nb")
    streamed = FOLDER / "s.assay"
    stream = ("stream", path, "--target", "label", "--learner", "last-label", "--json")
    *_, last = succeeds(*stream, "--out", streamed).splitlines()
    told = json.loads(last)
    assert (told["rows"], told["errors"]) == (400, 1)
    record = assay.load(streamed).record_
    assert (record.rounds, record.mistakes, record.changes) == (400, 1, 1)


def by_hand():
    learner = find_learner("last-label")
    model = learner().fit([[0.0], [1.0], [2.0]], ["a", "b", "a"])
    assay.save(model, FOLDER / "hand.assay")
    again = assay.load(FOLDER / "hand.assay")
    assert type(again) is learner
    assert again.record_ == model.record_
    assert again.fitted_rows_.rows == 3
    [promise] = again.guarantees()
    assert (promise.theorem, promise.value, promise.holds) == ("last-label-changes", 3.0, True)
    assert assay.theorem("last-label-changes")(changes=2) == 3
    assert assay.certify(model, [[5.0], [6.0]], ["a", "a"]).rows == 2
    assert not is_own(model)


def by_service():
    with engine_at(FOLDER / "assay.db") as engine:
        make(engine, algorithm="last-label", classes=["a", "b"], features=1)
        for number, label in enumerate("aabba"):
            trial = ask(engine, "it", x=[1.0], trial=f"t{number}")
            tell(engine, "it", f"t{number}", label=label)
        assert trial["prediction"] == "b"
    with engine_at(FOLDER / "assay.db") as engine:  # replayed
        assert ask(engine, "it", x=[1.0], trial="last")["prediction"] == "a"


def by_http():
    server = Command(FOLDER / "http.db")
    try:
        assert server.ready(), server.output()
        with Client(f"http://127.0.0.1:{server.port}", timeout=20, retries=2) as client:
            told_over_http(client)
        server.terminate()
        assert server.wait() == 0, server.output()
    finally:
        if server.alive():
            server.kill()
    with engine_at(FOLDER / "http.db") as engine:  # replayed
        assert ask(engine, "it", x=[1.0], trial="last")["prediction"] == 0


def told_over_http(client):
    # Whole numbers, which the learner predicts as NumPy's.
    learner = client.create("it", algorithm="last-label", classes=[0, 1], features=1)
    answers = []
    for label in (0, 0, 1, 1, 0):
        answer = learner.predict([1.0])
        answers.append(answer["prediction"])
        learner.feedback(answer["trial"], label)
    assert answers == [0, 0, 0, 1, 1]
    standing = learner.standing()
    assert (standing["rows"], standing["errors"], standing["mistakes"]) == (5, 2, 2)
    [promise] = learner.guarantees()
    assert (promise["theorem"], promise["applies"]) == ("last-label-changes", True)
    certificate = FOLDER / "http.json"
    certificate.write_text(json.dumps(learner.certificate()))
    assert assay.verify(certificate)
    model = FOLDER / "http.assay"
    model.write_bytes(learner.model())
    record = assay.load(model).record_
    assert (record.rounds, record.mistakes, record.changes) == (5, 2, 2)
    learner.delete()
    learner = client.create("it", algorithm="last-label", classes=[0, 1], features=1)
    learner.feedback(learner.predict([1.0])["trial"], 0)


assert "last-label" in learner_names()
by_hand()
by_command(table())
by_service()
by_http()
print("all well")
