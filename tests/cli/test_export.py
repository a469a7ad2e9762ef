"""``assay export --onnx``: what it writes, and what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest

import assay
from tests.cli.runner import run

X = np.random.default_rng(0).normal(size=(200, 3))
Y = np.where(X[:, 0] + X[:, 1] > 0, "spam", "ham")


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "tree.assay"
    assay.save(assay.DecisionTreeClassifier(max_depth=3).fit(X, Y), path)
    return path


def test_a_model_becomes_onnx(model):
    pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    done = run("export", model, "--onnx")
    written = model.with_suffix(".onnx")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"{written} predicts as {model} does, on 1,000 rows")
    assert "Its input X has 3 columns: x0, x1, x2." in done.out
    answer = runtime.InferenceSession(written.read_bytes()).run(None, {"X": X.astype(np.float32)})
    assert (answer[0] == assay.load(model).predict(X)).all()
    other = model.with_name("other.onnx")
    told = json.loads(run("export", model, "--onnx", other, "--json").out)
    assert told["ok"]
    assert (told["file"], told["features"]) == (str(other), ["x0", "x1", "x2"])
    assert other.read_bytes() == written.read_bytes()


def test_the_scale_of_a_stream_goes_along(tmp_path):
    pytest.importorskip("skl2onnx")
    runtime = pytest.importorskip("onnxruntime")
    table = tmp_path / "mails.csv"
    lines = [f"{a},{b},{c},{y}" for (a, b, c), y in zip(X * 100 + 7, Y, strict=True)]
    table.write_text("a,b,c,y\n" + "\n".join(lines) + "\n", encoding="utf-8")
    model = tmp_path / "stream.assay"
    asked = ("--target", "y", "--learner", "sgd-classifier", "--param", "loss=log_loss")
    assert run("stream", table, *asked, "--standardize", "--out", model).code == 0
    done = run("export", model, "--onnx")
    assert (done.code, done.err) == (0, "")
    assert "a, b, c" in done.out
    rows = (X * 100 + 7).astype(np.float32)
    answer = runtime.InferenceSession(model.with_suffix(".onnx").read_bytes()).run(
        None, {"X": rows}
    )
    known = assay.load(model)
    del known.feature_names_in_  # rows have none here
    expected = known.predict(known.scale_.transform(rows.astype(np.float64), learn=False))
    assert (answer[0] == expected).mean() > 0.99


def test_refusals(model, tmp_path):
    for arguments, sentence in (
        ((model, "--onnx", "--learner", "spam"), "--learner does not go with --onnx."),
        ((model, "--onnx", "--events"), "--events does not go with --onnx."),
        (
            (model, model, "--onnx"),
            f"{model} is the model file itself. Name another file to write.",
        ),
        (
            ("log.parquet", "more"),
            "The file to write must be a name that ends in .parquet, .jsonl, .csv, but is 'more'.",
        ),
    ):
        refused = run("export", *arguments)
        assert (refused.code, refused.out, refused.err) == (2, "", f"assay: {sentence}\n")
    assert not (tmp_path / "tree.onnx").exists()


def test_a_missing_extra_is_named(model, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "skl2onnx", None)
    refused = run("export", model, "--onnx")
    assert refused.code == 2
    assert refused.err.endswith("Run: pip install 'assay-ml[onnx]'\n")


def test_what_has_no_onnx_says_why(tmp_path):
    pytest.importorskip("skl2onnx")
    path = tmp_path / "kernel.assay"
    assay.save(assay.KernelPerceptron().fit(X, Y), path)
    refused = run("export", path, "--onnx")
    assert (refused.code, refused.out) == (2, "")
    assert "KernelPerceptron has no equal in scikit-learn." in refused.err
