"""What the theorem and the learner of CONTRIBUTING.md go through; `test_contributing.py` runs it where they are."""

from __future__ import annotations

import json

import assay
from assay.learners.registry import find_learner, learner_names
from tests.cli.runner import run


def succeeds(*arguments):
    done = run(*arguments)
    assert done.code == 0, done
    return done.out


def test_last_label_theorem_is_listed_and_gives_its_number():
    listed = {entry["id"] for entry in json.loads(succeeds("theorems", "--json"))["theorems"]}
    assert "last-label-mistakes" in listed
    assert assay.theorem("last-label-mistakes")(changes=7, patience=2) == 14


def test_last_label_learner_is_found_saved_and_loaded(tmp_path):
    assert "last-label" in learner_names("neighbors")
    assert find_learner("last-label") is assay.LastLabel
    model = assay.LastLabel(patience=2).fit([[0.0]] * 4, ["b", "b", "a", "b"])
    assay.save(model, tmp_path / "m.assay")
    again = assay.load(tmp_path / "m.assay")
    assert type(again) is assay.LastLabel
    assert again.record_ == model.record_
    assert again.guarantees() == model.guarantees()
    assert again.fitted_rows_.rows == 4


def test_last_label_learner_works_by_command(tmp_path):
    table, certificate = tmp_path / "t.csv", tmp_path / "c.json"
    labels = "ab" * 5 + "a" * 50 + "b" * 50
    rows = [f"{number},{label}" for number, label in enumerate(labels)]
    table.write_text("\n".join(["x,label", *rows]) + "\n")
    learn = (table, "--target", "label", "--learner", "last-label")
    succeeds("fit", *learn, "--order", "none", "--certificate", certificate)
    assert assay.verify(certificate)
    *_, last = succeeds("stream", *learn, "--json").splitlines()
    assert json.loads(last)["errors"] == 11
