"""Bad model files: each is refused with one sentence that names the file."""

from __future__ import annotations

import contextlib
import json
import re
import struct
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from assay import Perceptron, Winnow, load, save
from assay.errors import BadData, BadParameter
from assay.learners.model_file import files
from tests.learners.model_files import (
    DAMAGED,
    X,
    Y,
    array_of,
    begin,
    listed,
    npy,
    refuses,
    rewritten,
    saved,
)


def test_every_truncation_is_refused(tmp_path):
    path = saved(tmp_path)
    whole = path.read_bytes()
    for end in range(0, len(whole), 97):
        path.write_bytes(whole[:end])
        with refuses(path, DAMAGED):
            load(path)


def test_any_changed_byte_of_an_entry_is_refused(tmp_path):
    path = saved(tmp_path)
    whole = path.read_bytes()
    expected = load(path).coef_.tolist()
    end = whole.index(b"PK\x01\x02")  # what follows is the zip's own directory
    for place in range(0, end, 31):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            model = load(path)
        except BadData:
            continue
        # Fields that nobody reads, such as the time of an entry.
        assert model.coef_.tolist() == expected


@pytest.fixture(scope="module")
def damaged(tmp_path_factory):
    """A path to write to, and the bytes of a whole file."""
    path = saved(tmp_path_factory.mktemp("damage"))
    return path, path.read_bytes()


@settings(max_examples=75)
@given(st.data())
def test_no_damage_leads_to_anything_but_a_refusal(damaged, data):
    path, whole = damaged
    raw = bytearray(whole)
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
        path, "is damaged or was changed: an entry is compressed, which model files never are\\."
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


def with_array(path, place, array):
    """The file with another array in one place, listed as it is."""
    raw, fields = npy(array), {"dtype": array.dtype.str, "shape": list(array.shape)}
    return rewritten(path, lambda m: listed(m, place, raw, **fields), {f"arrays/{place}.npy": raw})


def sparse_places(path):
    """Which arrays are the data, indices and pointers of the kept examples."""
    with zipfile.ZipFile(path) as archive:
        entries = json.loads(archive.read("manifest.json"))["learned"]
    kept = hindsight(entries["players_"]["list"][0]["player"])
    return kept["_blocks"]["list"][0]["rows"]["csr"][:3]


def test_pointers_that_wrap_around_are_refused(tmp_path):
    # Of eight bits, pointers to more than 32 rows of four cells each come back below zero: loops would run wild.
    rows = sparse.csr_matrix(np.random.default_rng(0).normal(size=(97, 4)))
    model = Perceptron().partial_fit(rows, np.arange(97) % 2, classes=[0, 1])
    path = saved(tmp_path, model)
    assert len(load(path).players_[0].hindsight.examples()[2]) > 32
    _, _, pointers = sparse_places(path)
    narrow = array_of(path, pointers).astype(np.int8)
    assert (narrow < 0).any()
    with refuses(
        with_array(path, pointers, narrow), ".*sparse rows with indices of another type.*"
    ):
        load(path)


@pytest.mark.parametrize(
    ("part", "change", "reason"),
    [
        (0, lambda a: a * np.nan, "no finite numbers"),
        (0, lambda a: a.astype(np.int64), "no finite numbers"),
        (0, lambda a: a[:-1], "other sizes"),
        (1, lambda a: a.astype(np.uint32), "indices of another type"),
        (1, lambda a: a + 1, "indices out of range"),
        (1, lambda a: a - 1, "indices out of range"),
        (1, lambda a: a[:-1], "other sizes"),
        (2, lambda a: a.astype(np.int16), "indices of another type"),
        (2, lambda a: a[1:], "other sizes"),
        (2, lambda a: a + 1, "indices out of range"),
        (2, lambda a: a[::-1].copy(), "indices out of range"),
        (2, lambda a: np.where(np.arange(len(a)) == 1, 2**30, a).astype(a.dtype), "out of range"),
    ],
)
def test_sparse_rows_that_are_not_in_order_are_refused(tmp_path, part, change, reason):
    path = saved(tmp_path, begin(Perceptron(), Y, sparse.csr_matrix(X)))
    place = sparse_places(path)[part]
    with refuses(with_array(path, place, change(array_of(path, place))), f".*{reason}.*"):
        load(path)


def test_examples_of_winnow_that_are_not_boolean_are_refused(tmp_path):
    path = saved(tmp_path, Winnow().fit(X, Y))
    with zipfile.ZipFile(path) as archive:
        entries = json.loads(archive.read("manifest.json"))["learned"]
    kept = hindsight(entries["players_"]["list"][0]["player"])
    place = kept["_blocks"]["list"][0]["rows"]["array"]
    for odd in (0.5, -1.0, 2.0):
        cells = array_of(path, place)
        cells[0, 0] = odd
        with refuses(with_array(path, place, cells), ".*has a feature that is not 0 or 1.*"):
            load(path)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (player(lambda p: p.__setitem__(1, ",")), "weights of no known type"),
        (player(lambda p: p[3].update(zero=10**400)), "zero is of another kind"),
        (player(lambda p: p[3].update(rounds=10**400)), "rounds is of another kind"),
        (player(lambda p: hindsight(p).update(_best=None)), "_best is of another kind"),
        (
            player(lambda p: hindsight(p).update(_blocks={"list": [None]})),
            "_blocks is of another kind",
        ),
        (player(lambda p: p[3].update(passes="x")), "passes is of another kind"),
        (learned(lambda e: e.update(n_iter_="x")), "n_iter_ is of another kind or size"),
        (
            learned(lambda e: e.update(classes_={"objects": ["b", "a"]})),
            "classes_ is of another kind or size",
        ),
        (learned(lambda e: e.update(note_=1)), "note_ is none of its attributes"),
        (learned(lambda e: e.pop("classes_")), ".*"),
        (learned(lambda e: e.pop("n_features_in_")), "it has no n_features_in_"),
        (lambda m: m["parameters"].update(trace={"list": []}), "the parameter trace .*"),
        (lambda m: m["parameters"].update(max_iter=10**400), "the parameter max_iter .*"),
    ],
)
def test_a_refusal_says_what_is_wrong(tmp_path, change, reason):
    path = rewritten(saved(tmp_path), change)
    why = f"is damaged or was changed: it does not fit a perceptron \\({reason}\\)\\."
    with refuses(path, why):
        load(path)


def test_lack_of_memory_is_not_the_fault_of_a_file(tmp_path, monkeypatch):
    path = saved(tmp_path)

    def none_left(*_):
        raise MemoryError

    monkeypatch.setattr(files.Decoder, "fill", none_left)
    with pytest.raises(MemoryError):
        load(path)
