"""Models of River in ``assay stream``."""

from __future__ import annotations

import json

import numpy as np
import pytest

from assay import play, verify
from assay.errors import AssayError
from assay.play.river_model import RiverModel
from tests.cli.runner import run

linear_model = pytest.importorskip("river.linear_model")
X = np.random.default_rng(0).normal(size=(600, 3))
LABELS = np.where(X @ [1.0, -1.0, 0.5] > 0, "up", "down")


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "rows.csv"
    rows = [",".join([*map(repr, row.tolist()), y]) for row, y in zip(X, LABELS, strict=True)]
    path.write_text("a,b,c,y\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_a_stream_counts_what_play_counts(csv, tmp_path):
    certificate = tmp_path / "c.json"
    asked = ("--target", "y", "--learner", "river:linear_model.PAClassifier", "--param", "C=0.1")
    done = run("stream", csv, *asked, "--certificate", certificate, "--json")
    last = json.loads(done.out.splitlines()[-1])
    assert done.code == 0
    played = play(RiverModel(linear_model.PAClassifier(C=0.1)), X, LABELS)
    assert last["errors"] == played.mistakes
    assert 0 < last["errors"] < 100
    assert last["error"] < last["promised"] < 0.3
    # No theorem speaks of the run itself.
    assert [claim["theorem"] for claim in last["certificate"]["claims"]] == ["progressive-anytime"]
    assert run("verify", certificate).code == 0
    assert verify(certificate)
    text = run("stream", csv, *asked).out
    assert text.startswith(f"Stream of {csv}, learned by PAClassifier of River\n")


def test_labels_of_many_classes(tmp_path):
    path = tmp_path / "rows.csv"
    rows = [f"{a},{'xyz'[int(a > 0) + int(a > 1)]}" for a in X[:, 0].tolist()]
    path.write_text("a,y\n" + "\n".join(rows) + "\n", encoding="utf-8")
    done = run(
        "stream", path, "--target", "y", "--learner", "river:naive_bayes.GaussianNB", "--json"
    )
    assert done.code == 0
    assert json.loads(done.out.splitlines()[-1])["error"] < 0.3


def test_a_third_label_is_refused_for_a_model_of_two():
    model = RiverModel(linear_model.PAClassifier())
    model.learn_one({"f": 1.0}, "a")
    model.learn_one({"f": -1.0}, "b")
    with pytest.raises(AssayError, match="must be one of the labels 'a' and 'b'"):
        model.learn_one({"f": 1.0}, "c")
    assert model.guarantees() == []
    again = RiverModel(linear_model.PAClassifier())
    again.learn_one({"f": -1.0}, True)
    assert again.predict_one({"f": -1.0}) is True
    assert again.predict_one({"f": 1.0}) is False


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("river:linear_model.Nothing",),
            "River has no 'linear_model.Nothing'. Name module and class, as in river:linear_model.LogisticRegression.",
        ),
        (
            ("river:os.system",),
            "River has no 'os.system'. Name module and class, as in river:linear_model.LogisticRegression.",
        ),
        (
            ("river:linear_model.LinearRegression",),
            "river:linear_model.LinearRegression is no classifier, and a stream counts wrong labels.",
        ),
        (
            ("river:linear_model.PAClassifier", "--out", "model.assay"),
            "--out cannot hold a model of River: a model file holds numbers and no code, and River keeps its models as "
            "Python objects. The certificate can be written.",
        ),
        (
            ("river:linear_model.PAClassifier", "--warm-start", "model.assay"),
            "--warm-start reads a learner of assay's, and River's start anew.",
        ),
    ],
)
def test_refusals(csv, arguments, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused = run("stream", csv, "--target", "y", "--learner", *arguments)
    assert (refused.code, refused.out, refused.err) == (2, "", f"assay: {sentence}\n")


def test_a_parameter_that_it_does_not_have_is_refused(csv):
    asked = ("--learner", "river:linear_model.PAClassifier", "--param", "colour=1")
    refused = run("stream", csv, "--target", "y", *asked)
    assert refused.code == 2
    assert refused.err.startswith("assay: river:linear_model.PAClassifier cannot be made from its")


def test_the_service_and_model_files_say_why_they_do_not_hold_one():
    from assay.learners.registry import find_learner

    with pytest.raises(AssayError, match="River keeps its models as Python objects"):
        find_learner("river:linear_model.PAClassifier")
