"""`assay certify --judge` and `assay verify --judge` on a table with a label for a few rows."""

import json

import numpy as np
import pytest

from tests.cli.runner import run

NAMES = "Give a table, and name its columns: --judge with --truth, or --judge-score with --truth or --loss."


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """5,000 answers: a judge's verdict on each, a person's label for some."""
    rng = np.random.default_rng(3)
    wrong = rng.random(5000) < 0.1
    verdict = np.where(rng.random(5000) < np.where(wrong, 0.8, 0.05), "flagged", "passed")
    chosen = np.concatenate(
        [
            rng.choice(np.flatnonzero(verdict == name), many, replace=False)
            for name, many in (("flagged", 120), ("passed", 280))
        ]
    )
    human = np.full(5000, "", dtype=object)
    human[chosen] = np.where(wrong[chosen], "bad", "good")
    truth = np.where(human == "", "", "spam")
    guess = np.where(wrong, "ham", "spam")
    path = tmp_path_factory.mktemp("judged") / "answers.csv"
    score = np.where(verdict == "flagged", "0.6", "0.03")
    loss = np.where(human == "", "", np.where(wrong, "0.75", "0"))
    columns = (verdict, human, truth, guess, score, loss)
    lines = [",".join(row) for row in zip(*columns, strict=True)]
    path.write_text("\n".join(["verdict,human,truth,guess,score,lost", *lines]) + "\n")
    return path


def test_a_table_becomes_a_certificate_that_verifies(table, tmp_path):
    out = tmp_path / "judged.json"
    named = ("--judge", "verdict", "--truth", "human")
    found = run("certify", table, *named, "--wrong", "bad", "--out", out)
    assert found.code == 0
    assert "of the 5,000 items of the batch are wrong" in found.out
    assert run("verify", out).code == 0
    beside = run("verify", out, "--data", table, *named)
    assert (beside.code, "digests and counts agree" in beside.out) == (0, True)
    other = run("verify", out, "--data", table, "--judge", "verdict", "--truth", "truth")
    assert other.code == 1


def test_labels_that_are_the_truth(table, tmp_path):
    out = tmp_path / "judged.json"
    named = ("--judge", "verdict", "--truth", "truth", "--prediction", "guess")
    by_truth = json.loads(run("certify", table, *named, "--json", "--out", out).out)
    by_label = ("--judge", "verdict", "--truth", "human", "--wrong", "bad", "--json")
    assert by_truth["promised"] == json.loads(run("certify", table, *by_label).out)["promised"]
    assert run("verify", out, "--data", table, *named).code == 0
    assert run("verify", out, "--data", table, *named[:4]).code == 1


def test_a_gate(table):
    named = ("certify", table, "--judge", "verdict", "--truth", "human", "--wrong", "bad")
    passed = run(*named, "--max-error", "0.2")
    assert (passed.code, "PASS: an error of at most 0.2 can be promised." in passed.out) == (
        0,
        True,
    )
    failed = json.loads(run(*named, "--max-error", "0.1", "--json").out)
    assert (failed["ok"], failed["passed"]) == (False, False)
    assert run(*named, "--max-error", "0.1").code == 1


def test_declared(table):
    named = ("certify", table, "--judge", "verdict", "--truth", "human", "--wrong", "bad")
    found = run(*named, "--at-random", "--judged-first")
    assert found.out.count("(declared)") == 2


def test_labels_at_the_top_promise_nothing(tmp_path):
    path = tmp_path / "top.csv"
    rows = [f"{'ab'[i % 2]},{int(i % 9 == 0) if i < 100 else ''}" for i in range(1000)]
    path.write_text("\n".join(["verdict,wrong", *rows]))
    named = ("certify", path, "--judge", "verdict", "--truth", "wrong", "--wrong", "1")
    found = run(*named)
    assert found.code == 1
    assert "Note      Nothing is promised, since the labelled items stand too close" in found.out
    assert run(*named, "--at-random").code == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--judge", "verdict"), NAMES),
        (("--wrong", "bad"), NAMES),
        (
            ("--judge", "verdict", "--truth", "human", "--unit", "guess"),
            "--unit must be left out with a judge, but is 'guess'.",
        ),
        (
            ("--judge", "verdict", "--truth", "verdict", "--wrong", "x"),
            "--truth must be a column of its own, but is 'verdict'.",
        ),
        (
            ("--judge", "verdict", "--truth", "human"),
            "Say what counts as wrong: with --wrong bad or another of 'bad', 'good' where human holds what people say "
            "of an item; or with --prediction COLUMN where human holds the truth.",
        ),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(table, options, sentence):
    found = run("certify", table, *options)
    assert (found.code, found.out, found.err) == (2, "", f"assay: {sentence}\n")


def test_verify_needs_the_columns(table, tmp_path):
    out = tmp_path / "judged.json"
    run("certify", table, "--judge", "verdict", "--truth", "human", "--wrong", "bad", "--out", out)
    found = run("verify", out, "--judge", "verdict", "--truth", "human")
    assert (found.code, found.err) == (2, f"assay: {NAMES}\n")


def test_scores_and_losses(table, tmp_path):
    out = tmp_path / "scored.json"
    named = ("--judge-score", "score", "--truth", "human")
    found = run("certify", table, *named, "--wrong", "bad", "--at-random", "--out", out)
    assert found.code == 0
    assert "The judge finds 0." in found.out
    assert "of the 5,000 items of the batch are wrong" in found.out
    assert run("verify", out, "--data", table, *named).code == 0
    lost = ("--judge-score", "score", "--loss", "lost")
    graded = run("certify", table, *lost, "--at-random", "--judged-first", "--out", out)
    assert "The mean loss over the 5,000 items of the batch is at most 0." in graded.out
    assert run("verify", out, "--data", table, *lost).code == 0
    assert run("verify", out, "--data", table, *named).code == 1


def test_new_rows(table):
    named = ("certify", table, "--judge", "verdict", "--truth", "human", "--wrong", "bad")
    found = run(*named, "--about", "new-rows", "--fixed-before")
    assert "The chance that a new row is wrong is at most" in found.out
    batch = json.loads(run(*named, "--json").out)
    new = json.loads(run(*named, "--about", "new-rows", "--json").out)
    assert (
        int(batch["promised"]) / 5000 < float(new["promised"]) < 1.2 * int(batch["promised"]) / 5000
    )
    odd = run(*named, "--about", "everything")
    assert (odd.code, odd.err) == (
        2,
        "assay: --about must be 'batch' or 'new-rows', but is 'everything'.\n",
    )
    refused = run(*named, "--fixed-before")
    assert refused.code == 2
