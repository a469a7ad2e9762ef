"""`assay compare` as a user runs it."""

import json
import os

import pytest

from tests.cli.runner import run
from tests.tables.tables import small, written

TWO = ("--learners", "gaussian-nb, decision-tree-classifier")


@pytest.fixture
def table(tmp_path):
    return written(small(), tmp_path / "t.csv")


def test_words_json_and_report(table, tmp_path):
    found = run("compare", table, "--target", "kind", *TWO, "--report", tmp_path / "r.html")
    assert (found.code, found.err) == (0, "")
    assert "2 learners compared on t.csv" in found.out
    assert (tmp_path / "r.html").exists()
    answer = json.loads(run("compare", table, "--target", "kind", *TWO, "--json").out)
    assert {one["learner"] for one in answer["learners"]} == {
        "gaussian-nb",
        "decision-tree-classifier",
    }
    assert all(one["certificate"]["claims"][0]["promised"] for one in answer["learners"])


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--learners", "svc,svc"), "svc is named twice"),
        (("--learners", " ,"), "--learners must name at least one learner."),
        (("--learners", "svcc"), "Did you mean 'svc'?"),
        (("--learners", "winnow"), "No learner could learn"),
        ((*TWO, "--delta", "2"), "delta must be"),
        ((*TWO, "--holdout", "0"), "holdout must be from 1"),
        ((*TWO, "--column", "size", "--report", "t.csv/r.html"), "cannot be written"),
    ],
)
def test_refusals(table, tmp_path, options, why):
    found = run("compare", table, "--target", "kind", *options)
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)
    assert why in found.err
    assert os.listdir(tmp_path) == ["t.csv"]
