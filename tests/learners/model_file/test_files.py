"""Model files: the same bits after a break."""

from __future__ import annotations

import json
import re
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from assay import Perceptron, load, save
from assay.errors import BadData, BadParameter
from tests.learners.model_files import (
    CHUNKS,
    CLASSES,
    GOLDEN,
    POLICIES,
    RNG,
    SAMPLES,
    THREE,
    X,
    Y,
    begin,
    fresh,
    played,
    policy_of,
    same_state,
    targets,
)


@pytest.fixture
def again(tmp_path):
    def save_and_load(model):
        save(model, tmp_path / "a.assay")
        loaded = load(tmp_path / "a.assay")
        save(loaded, tmp_path / "b.assay")
        assert (tmp_path / "a.assay").read_bytes() == (tmp_path / "b.assay").read_bytes()
        return loaded

    return save_and_load


@pytest.mark.parametrize("name", CHUNKS)
def test_learning_goes_on_as_if_there_had_been_no_break(name, again):
    y = targets(name)
    whole, broken = begin(fresh(name), y), begin(fresh(name), y)
    for start in (100, 101, 150, 200):
        broken = again(broken)
        same_state(whole, broken)
        stop = start + 1 if start == 100 else start + 50
        whole.partial_fit(X[start:stop], y[start:stop])
        broken.partial_fit(X[start:stop], y[start:stop])
    same_state(whole, again(broken))


@pytest.mark.parametrize("name", SAMPLES)
def test_unfitted_and_fitted_learners(name, again):
    model = fresh(name)
    assert vars(again(model)) == vars(model)
    model.fit(X, targets(name))
    same_state(model, again(model))


@pytest.mark.parametrize("name", CHUNKS)
def test_sparse_rows_and_single_precision(name, again):
    y = targets(name)
    for matrix in (sparse.csr_matrix(X), X.astype(np.float32)):
        whole, broken = (begin(fresh(name), y, matrix), begin(fresh(name), y, matrix))
        broken = again(broken)
        for model in (whole, broken):
            model.partial_fit(matrix[100:], y[100:])
        same_state(whole, broken)


@pytest.mark.parametrize("trace", [False, True])
@pytest.mark.parametrize("name", POLICIES)
def test_policies_go_on_as_if_there_had_been_no_break(name, trace, again):
    runs = []
    for pause in (lambda policy: policy, again):
        rng = np.random.default_rng(8)
        policy = pause(policy_of(name, trace=trace))
        for _ in range(3):
            policy = pause(played(policy, rng))
        runs.append(policy)
    assert repr(runs[0].record_) == repr(runs[1].record_)
    assert runs[0].guarantees() == runs[1].guarantees()


def test_several_classes_trace_and_long_runs(again):
    model = begin(Perceptron(trace=True), THREE)
    loaded = again(model)
    for learner in (model, loaded):
        for start in range(100, 240, 20):
            learner.partial_fit(X[start : start + 20], THREE[start : start + 20])
    for one, other in zip(model.record_, loaded.record_, strict=True):
        assert one.trace.keys() == other.trace.keys()
        for name in one.trace:
            assert one.trace[name].tolist() == other.trace[name].tolist()
    assert loaded.classes_.tolist() == ["a", "b", "c"]


def test_beyond_the_cap_of_the_examples_that_are_kept(again):
    model, loaded = (Perceptron().partial_fit(X[:2], Y[:2], classes=CLASSES) for _ in range(2))
    for learner in (model, loaded):
        learner.players_[0].hindsight.cap = 5
    noise = RNG.permutation(Y)
    for start in range(0, 240, 40):
        loaded = again(loaded)
        for learner in (model, loaded):
            learner.partial_fit(X[start : start + 40], noise[start : start + 40])
        same_state(model, loaded)


def test_one_example_at_a_time_with_named_features(again):
    def examples():
        for i, row in enumerate(X):
            yield {f"x{j}": v for j, v in enumerate(row) if j <= i % 7}, bool(row[1])

    whole, broken = Perceptron(), Perceptron()
    for i, (x, y) in enumerate(examples()):
        assert whole.predict_one(x) == broken.predict_one(x)
        whole.learn_one(x, y)
        broken.learn_one(x, y)
        if i in (0, 1, 50, 120):
            broken = again(broken)
            assert broken.feature_index_ == whole.feature_index_
            assert broken.coef_.tobytes() == whole.coef_.tobytes()
    assert whole.guarantees() == broken.guarantees()


def test_names_of_features_are_kept(again):
    frame = pd.DataFrame(X, columns=[f"größe {j}" for j in range(6)])
    model = again(Perceptron().fit(frame, pd.Series(Y)))
    assert model.feature_names_in_.tolist() == list(frame.columns)
    assert model.feature_names_in_.dtype == object
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(frame)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"größe 0": "other"}))


@pytest.mark.parametrize(
    "labels",
    [
        np.array([0, 1]),
        np.array([-1, 1], dtype=np.int8),
        np.array([False, True]),
        np.array([0.0, 2.0]),
        np.array(["ham", "spam"]),
        np.array(["ham", "späm"], dtype=object),
        np.array([3, 4, 9], dtype=np.uint8),
    ],
    ids=lambda labels: f"{labels.dtype}",
)
def test_labels_keep_their_type(labels, again):
    model = again(Perceptron().fit(X, labels[(X[:, 0] + X[:, 1]).astype(int) % len(labels)]))
    assert model.classes_.dtype == labels.dtype
    assert model.classes_.tolist() == labels.tolist()


def test_a_file_of_format_1_reads_for_ever():
    model = load(GOLDEN / "perceptron-format-1.assay")
    expected = json.loads((GOLDEN / "perceptron-format-1.json").read_text())
    assert model.coef_.tolist() == expected["coef"]
    assert model.intercept_.tolist() == expected["intercept"]
    assert model.classes_.tolist() == expected["classes"]
    assert model.feature_names_in_.tolist() == expected["features"]
    assert model.record_.mistakes == expected["mistakes"]
    assert model.record_.rounds == expected["rounds"]
    assert all(g.holds for g in model.guarantees())
    assert len(model.guarantees()) == expected["guarantees"]
    assert model.get_params()["n_iter_no_change"] == 7


def test_what_cannot_be_saved(tmp_path):
    path = tmp_path / "a.assay"
    with pytest.raises(BadParameter, match="is none of assay's learners"):
        save(object(), path)
    model = Perceptron().fit(X, Y)
    model.helper_ = print
    sentence = "This perceptron cannot be saved: it holds a builtin_function_or_method, which a model file cannot."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        save(model, path)
    model.helper_ = 1
    sentence = "This perceptron cannot be saved: it declares no attribute 'helper_'."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        save(model, path)
    assert not list(tmp_path.iterdir())
    with pytest.raises(BadData, match="cannot be written"):
        save(Perceptron(), tmp_path / "missing" / "a.assay")


def test_saving_changes_nothing_and_replaces_whole_files(tmp_path):
    model, untouched = (begin(Perceptron(trace=True), Y) for _ in range(2))
    path = tmp_path / "a.assay"
    path.write_bytes(b"old")
    save(model, path)
    same_state(model, untouched)
    assert [p.name for p in tmp_path.iterdir()] == ["a.assay"]
    assert zipfile.ZipFile(path).testzip() is None
