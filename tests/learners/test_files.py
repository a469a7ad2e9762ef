"""Model files: the same bits after a break, and nothing but a sentence for a file that is not one."""

from __future__ import annotations

import contextlib
import io
import json
import re
import struct
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from assay import Perceptron, load, save
from assay.errors import BadData, BadParameter
from assay.learners import files
from assay.learners.registry import learner_names, make_learner
from assay.record.digest import digest_bytes

GOLDEN = Path(__file__).parent / "golden"
RNG = np.random.default_rng(5)
X = RNG.integers(0, 2, (240, 6)).astype(float)
Y = np.where((X[:, 1] + X[:, 3] > 0) ^ (RNG.random(240) < 0.05), "yes", "no")
CLASSES = ["no", "yes"]
THREE = np.array(["a", "b", "c"])[(X[:, 0] + X[:, 1]).astype(int)]


def targets(name):
    return X @ np.arange(6.0) if name.endswith("regressor") else Y


def begin(model, y, X=X):
    classes = {} if y.dtype.kind == "f" else {"classes": np.unique(y)}
    return model.partial_fit(X[:100], y[:100], **classes)


def same_state(one, other):
    """Everything there is to see of two learners is the same, to the bit."""
    for a, b in zip(np.atleast_1d(one.coef_), np.atleast_1d(other.coef_), strict=True):
        assert a.tobytes() == b.tobytes()
    assert np.asarray(one.intercept_).tobytes() == np.asarray(other.intercept_).tobytes()
    assert repr(one.record_) == repr(other.record_)
    assert one.guarantees() == other.guarantees()
    assert one.get_params() == other.get_params()
    assert one.predict(X).tolist() == other.predict(X).tolist()


@pytest.fixture
def again(tmp_path):
    def save_and_load(model):
        save(model, tmp_path / "a.assay")
        loaded = load(tmp_path / "a.assay")
        save(loaded, tmp_path / "b.assay")
        assert (tmp_path / "a.assay").read_bytes() == (tmp_path / "b.assay").read_bytes()
        return loaded

    return save_and_load


@pytest.mark.parametrize("name", learner_names())
def test_learning_goes_on_as_if_there_had_been_no_break(name, again):
    y = targets(name)
    whole, broken = begin(make_learner(name, {}), y), begin(make_learner(name, {}), y)
    for start in (100, 101, 150, 200):
        broken = again(broken)
        same_state(whole, broken)
        stop = start + 1 if start == 100 else start + 50
        whole.partial_fit(X[start:stop], y[start:stop])
        broken.partial_fit(X[start:stop], y[start:stop])
    same_state(whole, again(broken))


@pytest.mark.parametrize("name", learner_names())
def test_unfitted_and_fitted_learners(name, again):
    model = make_learner(name, {})
    assert vars(again(model)) == vars(model)
    model.fit(X, targets(name))
    same_state(model, again(model))


@pytest.mark.parametrize("name", learner_names())
def test_sparse_rows_and_single_precision(name, again):
    y = targets(name)
    for matrix in (sparse.csr_matrix(X), X.astype(np.float32)):
        whole, broken = (
            begin(make_learner(name, {}), y, matrix),
            begin(make_learner(name, {}), y, matrix),
        )
        broken = again(broken)
        for model in (whole, broken):
            model.partial_fit(matrix[100:], y[100:])
        same_state(whole, broken)


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


# Golden files.


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


# Bad files. Each is refused with one sentence that names the file.


def saved(tmp_path, model=None):
    path = tmp_path / "model.assay"
    save(model or Perceptron().fit(X, Y), path)
    return path


def refuses(path, reason):
    return pytest.raises(BadData, match=f"^{re.escape(str(path))} {reason}$")


DAMAGED = "is not a model file, or it is cut short or damaged\\."


def rewritten(path, change=lambda manifest: None, entries=None, seal=True, **how):
    """The archive with a changed manifest (sealed again) or changed entries."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(parts["manifest.json"])
    change(manifest)
    sealed = files._sealed(manifest) if seal else manifest
    parts["manifest.json"] = json.dumps(sealed).encode()
    for name, raw in (entries or {}).items():
        if raw is None:
            del parts[name]
        else:
            parts[name] = raw
    with zipfile.ZipFile(path, "w", **how) as archive:
        for name, raw in parts.items():
            archive.writestr(name, raw)
    return path


def test_every_truncation_is_refused(tmp_path):
    path = saved(tmp_path)
    whole = path.read_bytes()
    for end in range(0, len(whole), 37):
        path.write_bytes(whole[:end])
        with refuses(path, DAMAGED):
            load(path)


def test_any_changed_byte_of_an_entry_is_refused(tmp_path):
    path = saved(tmp_path)
    whole = path.read_bytes()
    end = whole.index(b"PK\x01\x02")  # what follows is the zip's own directory
    for place in range(0, end, 11):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            model = load(path)
        except BadData:
            continue
        # Fields that nobody reads, such as the time of an entry.
        assert model.coef_.tolist() == Perceptron().fit(X, Y).coef_.tolist()


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_damage_leads_to_anything_but_a_refusal(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("damage")
    path = saved(folder)
    raw = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(raw))
    with contextlib.suppress(BadData):
        load(path)


def test_what_is_not_a_model_file(tmp_path):
    path = tmp_path / "odd.assay"
    with refuses(path, "cannot be read: No such file or directory\\."):
        load(path)
    with refuses(tmp_path, "cannot be read: Is a directory\\."):
        load(tmp_path)
    for raw in (b"", b"PK", b"\x80\x04pickled", b"{}" * 1000):
        path.write_bytes(raw)
        with refuses(path, DAMAGED):
            load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    with refuses(path, "is a zip archive, but not a model file: it has no manifest\\."):
        load(path)


def test_future_formats_and_unknown_learners(tmp_path):
    path = rewritten(saved(tmp_path), lambda m: m.update(format=2))
    with refuses(
        path,
        "is a model file of format 2, but this version of assay reads up to format 1\\. "
        "Upgrade assay to load it\\.",
    ):
        load(path)
    for odd in (0, "1", True, None, 1.0):
        path = rewritten(saved(tmp_path), lambda m, odd=odd: m.update(format=odd))
        with refuses(path, "is a zip archive, but not a model file: it has no format number\\."):
            load(path)
    path = rewritten(saved(tmp_path), lambda m: m.update(learner="oracle"))
    with refuses(
        path,
        "is a model file that this version of assay does not know: No learner is called 'oracle'\\..*",
    ):
        load(path)
    path = rewritten(saved(tmp_path), lambda m: m["parameters"].update(luck=7))
    with refuses(path, "is a model file that this version .* no parameter 'luck'\\..*"):
        load(path)
    # A path to code is a name like any other, and unknown.
    path = rewritten(saved(tmp_path), lambda m: m.update(learner="os:system"))
    with refuses(path, "is a model file that .* No learner is called 'os:system'\\..*"):
        load(path)


def test_a_changed_manifest_does_not_match_its_digest(tmp_path):
    path = rewritten(saved(tmp_path), lambda m: m["parameters"].update(max_iter=3), seal=False)
    with refuses(path, "is damaged or was changed: the digest of its manifest does not match\\."):
        load(path)


def array_of(path, place=0):
    with zipfile.ZipFile(path) as archive:
        return np.load(io.BytesIO(archive.read(f"arrays/{place}.npy")))


def npy(array, **how):
    file = io.BytesIO()
    np.save(file, array, **how)
    return file.getvalue()


def listed(manifest, place, raw, **fields):
    manifest["arrays"][place].update(sha256=digest_bytes(raw), **fields)


@pytest.mark.parametrize(
    ("raw", "fields", "reason"),
    [
        (npy(np.zeros(6)), None, "the digest of array 0 does not match"),
        (b"not numpy", {}, "array 0 has no readable header"),
        (npy(np.zeros(7)), {}, "array 0 is not what the manifest says"),
        (npy(np.zeros(6, dtype="f4")), {}, "array 0 is not what the manifest says"),
        (npy(np.zeros(6))[:-8], {}, "array 0 is not what its header says"),
        (npy(np.zeros(6)) + b"more", {}, "array 0 is not what its header says"),
        (
            npy(np.array([print], dtype=object), allow_pickle=True),
            {"dtype": "|O", "shape": [1]},
            "array 0 is not what its header says",
        ),
        (
            npy(np.zeros(6)).replace(b"(6,)", b"(9,)").replace(b"'<f8'", b"'<f8'"),
            {"shape": [9]},
            "array 0 is not what its header says",
        ),
    ],
)
def test_arrays_that_are_not_what_they_should_be(tmp_path, raw, fields, reason):
    change = (lambda m: None) if fields is None else (lambda m: listed(m, 0, raw, **fields))
    path = rewritten(saved(tmp_path), change, {"arrays/0.npy": raw})
    with refuses(path, f"is damaged or was changed: {reason}\\."):
        load(path)


def test_a_shape_that_asks_for_all_memory_is_refused_before_any_is_taken(tmp_path):
    header = npy(np.zeros(6)).replace(b"(6,), }        ", b"(10**9, 9999,)}")
    huge = npy(np.zeros(6)).replace(b"(6,), }             ", b"(9999999999999999,)}")
    for raw in (header, huge):
        path = rewritten(
            saved(tmp_path),
            lambda m, raw=raw: listed(m, 0, raw, shape=[9999999999999999]),
            {"arrays/0.npy": raw},
        )
        with refuses(path, "is damaged or was changed: array 0 .*\\."):
            load(path)


def test_archives_built_to_do_harm(tmp_path):
    path = rewritten(saved(tmp_path), compression=zipfile.ZIP_DEFLATED)
    with refuses(
        path,
        "is damaged or was changed: an entry is compressed, which model files never are\\.",
    ):
        load(path)
    for name in ("../../etc/passwd", "arrays/00.npy", "arrays/x.npy", "/arrays/0.npy", "run.py"):
        path = rewritten(saved(tmp_path), entries={name: b"0"})
        with refuses(path, f"is damaged or was changed: it holds an entry '{re.escape(name)}'\\."):
            load(path)
    path = rewritten(saved(tmp_path), entries={"arrays/77.npy": b"0"})
    with refuses(path, "is damaged or was changed: its arrays are not those that it lists\\."):
        load(path)
    path = rewritten(saved(tmp_path), entries={"arrays/0.npy": None})
    with refuses(path, "is damaged or was changed: its arrays are not those that it lists\\."):
        load(path)
    path = saved(tmp_path)
    with warnings.catch_warnings(), zipfile.ZipFile(path, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("manifest.json", "{}")
    with refuses(path, "is damaged or was changed: it holds an entry twice\\."):
        load(path)


def test_entries_that_share_their_bytes_are_refused(tmp_path):
    path = saved(tmp_path)
    raw = bytearray(path.read_bytes())
    # Every entry of the directory, but for the manifest's, claims half of the file for itself.
    for entry in list(re.finditer(rb"PK\x01\x02", raw))[1:]:
        struct.pack_into("<II", raw, entry.start() + 20, len(raw) // 2, len(raw) // 2)
    path.write_bytes(raw)
    with refuses(
        path, "is damaged or was changed: its entries claim more bytes than the file has\\."
    ):
        load(path)


def test_limits(tmp_path, monkeypatch):
    path = saved(tmp_path)
    monkeypatch.setattr(files, "MOST_MANIFEST", 100)
    with refuses(path, "is not a model file: its manifest has more than 100 bytes\\."):
        load(path)
    with pytest.raises(BadParameter, match=r"^This perceptron is too large for a model file\.$"):
        save(Perceptron(), tmp_path / "other.assay")
    assert not (tmp_path / "other.assay").exists()
    monkeypatch.setattr(files, "MOST_BYTES", 1000)
    with refuses(path, "is too large for a model file: [0-9,]+ bytes\\."):
        load(path)


def learned(change):
    return lambda manifest: change(manifest["learned"])


def hindsight(player):
    return player[3]["hindsight"]["part"][1]


def player(change):
    return learned(lambda entries: change(entries["players_"]["list"][0]["player"]))


@pytest.mark.parametrize(
    "change",
    [
        learned(lambda e: e.update(predict="me")),
        learned(lambda e: e.update(predict_={"part": ["Perceptron", {}]})),
        learned(lambda e: e.update(_private_=1)),
        learned(lambda e: e.update(coef_=1)),
        learned(lambda e: e.update(n_features_in_=5)),
        learned(lambda e: e.update(classes_={"objects": ["a", "b", "c"]})),
        learned(lambda e: e.update(classes_={"array": 99})),
        learned(lambda e: e.update(classes_={"array": -1})),
        learned(lambda e: e.update(classes_={"code": "print()"})),
        learned(lambda e: e.update(classes_=[1, 2])),
        learned(lambda e: e.update(players_=3)),
        learned(lambda e: e["players_"].update(list=[])),
        player(lambda p: p.__setitem__(0, 10**15)),
        player(lambda p: p.__setitem__(0, -1)),
        player(lambda p: p.__setitem__(1, "|O")),
        player(lambda p: p.__setitem__(1, "<i8")),
        player(lambda p: p.__setitem__(2, "Player")),
        player(lambda p: p[3].update(play=1)),
        player(lambda p: p[3].update(rounds="many")),
        player(lambda p: p[3].update(hindsight=None)),
        player(lambda p: p[3].update(weights={"list": []})),
        player(lambda p: p[3].pop("weights")),
        player(lambda p: p[3].update(clean={"csr": [0, 0, 0, 1, 1]})),
        player(lambda p: p[3]["hindsight"]["part"][1].update(count="x")),
        player(lambda p: p[3]["hindsight"]["part"].__setitem__(0, "Perceptron")),
        player(lambda p: p[3].update(weights=p[3]["bias"])),
        player(lambda p: hindsight(p).update(_signs={"list": []})),
        player(lambda p: hindsight(p).update(_signs=hindsight(p)["_blocks"])),
        player(lambda p: hindsight(p).update(_ones={"list": [p[3]["weights"]]})),
        player(lambda p: hindsight(p).update(kept=10**9)),
        player(lambda p: hindsight(p).update(_blocks={"list": [p[3]["weights"]]})),
    ],
)
def test_a_forged_state_is_refused_even_if_it_is_sealed(tmp_path, change):
    path = rewritten(saved(tmp_path), change)
    with refuses(path, "is damaged or was changed: it does not fit a perceptron \\(.*\\)\\."):
        load(path)


def test_sparse_rows_with_indices_out_of_range_are_refused(tmp_path):
    path = saved(tmp_path, begin(Perceptron(), Y, sparse.csr_matrix(X)))
    with zipfile.ZipFile(path) as archive:
        manifest = json.loads(archive.read("manifest.json"))
    blocks = manifest["learned"]["players_"]["list"][0]["player"][3]["hindsight"]["part"][1]
    indices = blocks["_blocks"]["list"][0]["rows"]["csr"][1]
    array = array_of(path, indices)
    array[0] = 10**6
    raw = npy(array)
    path = rewritten(path, lambda m: listed(m, indices, raw), {f"arrays/{indices}.npy": raw})
    with refuses(path, "is damaged or was changed: it does not fit a perceptron .*"):
        load(path)


# Saving.


def test_what_cannot_be_saved(tmp_path):
    path = tmp_path / "a.assay"
    with pytest.raises(BadParameter, match="is none of assay's learners"):
        save(object(), path)
    model = Perceptron().fit(X, Y)
    model.helper_ = print
    sentence = "This perceptron cannot be saved: it holds a builtin_function_or_method, which a model file cannot."
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
