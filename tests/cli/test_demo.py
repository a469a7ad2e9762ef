"""`assay demo`: the story is told to its end, and what it leaves can be checked. Small tables stand for large ones."""

import errno
import os

import numpy as np
import pyarrow as pa
import pytest

from assay import verify
from assay.cli import demo
from assay.tables import choice
from assay.tables.candidates import Candidate
from tests.cli.runner import run
from tests.tables.tables import small, written


@pytest.fixture(autouse=True)
def little(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    spam = small(300).rename_columns(["size", "rain", "windy", "colour", "target"])
    written(spam, tmp_path / "data" / "spambase.parquet")
    rng = np.random.default_rng(0)
    prices = pa.table(
        {"a": rng.random(200), "b": rng.random(200), "target": rng.integers(0, 2, 200)}
    )
    written(prices, tmp_path / "data" / "elec2.parquet")
    monkeypatch.setattr(demo, "_PLACES", (tmp_path / "data",))
    few = (Candidate("decision-tree-classifier", 1), Candidate("gaussian-nb", 1))
    known = choice.choose.__kwdefaults__
    monkeypatch.setattr(choice.choose, "__kwdefaults__", known | {"candidates": few})


def test_the_whole_story(tmp_path):
    found = run("demo", "--out", tmp_path / "story")
    assert (found.code, found.err) == (0, "")
    assert sorted(os.listdir(tmp_path / "story")) == ["report.html", "spam.assay", "spam.cert.json"]
    assert verify(tmp_path / "story" / "spam.cert.json").ok
    for part in range(1, 7):
        assert f"\n{part}. " in found.out


def test_what_is_shipped_is_found():
    for place in demo.__dict__["_PLACES"]:
        assert (place / "spambase.parquet").is_file()


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    found = run("demo", "--out", tmp_path / "file" / "story")
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert "cannot be made" in found.err


def test_a_disk_that_is_full(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    found = run("demo", "--out", tmp_path / "story")
    assert (found.code, found.err.count("\n")) == (2, 1)
    assert os.listdir(tmp_path / "story") == []


def test_data_that_did_not_come(tmp_path, monkeypatch):
    monkeypatch.setattr(demo, "_PLACES", (tmp_path,))
    found = run("demo", "--out", tmp_path / "story")
    assert (found.code, "did not come with this installation" in found.err) == (2, True)
    assert not (tmp_path / "story").exists()
