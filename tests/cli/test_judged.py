"""`assay certify --judge` and `assay verify --judge` on a table with a label for a few rows."""

import json

import numpy as np
import pytest

from tests.cli.runner import run

NAMES = (
    "Name the columns of a table: --judge with --truth, or --judge-score with --truth or --loss; or the metrics of a "
    "log: --judge with --metric."
)


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
            "--unit must be 'none', or left out with a judge, but is 'guess'.",
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


def test_counts():
    strata = ("--stratum", "flagged=1000:100:80", "--stratum", "passed=9000:300:3")
    found = run("certify", *strata, "--max-error", "0.11")
    assert (found.code, "At most 1,077 of the 10,000 items" in found.out) == (0, True)
    for bad in ("flagged=1000:100", "1000:100:80", "=1:1:1", "flagged=a:1:1"):
        refused = run("certify", "--stratum", bad)
        sentence = f"assay: --stratum must be NAME=ITEMS:LABELLED:WRONG, but is {bad!r}.\n"
        assert (refused.code, refused.err) == (2, sentence)
    assert run("certify", *strata, "--rate", "class").code == 2


def test_a_second_opinion(tmp_path):
    path = tmp_path / "mails.csv"
    rng = np.random.default_rng(5)
    truth = rng.choice(["ham", "spam"], 2000)
    other = np.where(truth == "ham", "spam", "ham")
    guess, opinion = (np.where(rng.random(2000) < p, other, truth) for p in (0.2, 0.05))
    human = np.where(np.isin(np.arange(2000), rng.choice(2000, 300, replace=False)), truth, "")
    rows = [",".join(row) for row in zip(opinion, guess, human, strict=True)]
    path.write_text("\n".join(["opinion,guess,human", *rows]))
    named = ("--judge", "opinion", "--truth", "human", "--prediction", "guess", "--second-opinion")
    out = tmp_path / "mails.json"
    found = run("certify", path, *named, "--out", out)
    assert "judged 'agrees'" in found.out
    assert run("verify", out, "--data", path, *named).code == 0
    assert run("verify", out, "--data", path, *named[:-1]).code == 1
    alone = json.loads(run("certify", path, *named[:-1], "--json").out)
    assert int(json.loads(out.read_text())["claims"][0]["promised"]) < int(alone["promised"])
    assert run("certify", path, *named[:4], "--second-opinion", "--wrong", "spam").code == 2


@pytest.fixture
def log(tmp_path):
    """Two thousand samples that a judge has scored, and people a few."""
    rng = np.random.default_rng(6)
    wrong = rng.random(2000) < 0.1
    judged = np.where(rng.random(2000) < 0.9, wrong, ~wrong)
    asked = rng.random(2000) < 0.2
    rows = [
        {
            "id": f"q{i}",
            "question": f"What is {i}?",
            "judge_correct": bool(not judged[i]),
            "judge_score": 0.9 - 0.7 * bool(judged[i]),
            "human_correct": bool(not wrong[i]) if asked[i] else None,
            "human_score": (0.25 if wrong[i] else 1.0) if asked[i] else None,
        }
        for i in range(2000)
    ]
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.mark.parametrize(
    ("judge", "people", "theorem"),
    [
        ("judge_correct", "human_correct", "judged-strata"),
        ("judge_score", "human_correct", "judged-mean"),
        ("judge_score", "human_score", "judged-mean"),
        ("judge_correct", "human_score", "judged-mean"),
    ],
)
def test_a_log_in_which_a_judge_scored_all_and_people_some(log, tmp_path, judge, people, theorem):
    out = tmp_path / "log.json"
    named = ("--judge", judge, "--metric", people)
    found = run("certify", log, *named, "--at-random", "--out", out)
    assert found.code == 0, found.err
    document = json.loads(out.read_text())
    assert document["claims"][0]["theorem"] == theorem
    assert document["data"]["drawn"].startswith("samples of a table: metric")
    assert run("verify", out, "--data", log, *named).code == 0
    new = json.loads(run("certify", log, *named, "--about", "new-rows", "--json").out)
    assert new["certificate"]["claims"][0]["theorem"] == f"{theorem}-draws"


def test_a_log_refuses_what_it_cannot_read(log):
    odd = run("certify", log, "--judge", "judge_correct", "--metric", "nobody")
    assert (odd.code, "has no metric 'nobody'" in odd.err) == (2, True)
    same = run("certify", log, "--judge", "judge_correct", "--metric", "judge_correct")
    assert (
        same.err
        == "assay: --metric must be another than that of the judge, but is 'judge_correct'.\n"
    )
    gaps = run("certify", log, "--judge", "human_correct", "--metric", "judge_correct")
    assert (gaps.code, "has no score by 'human_correct'" in gaps.err) == (2, True)


def test_ids_that_come_again_are_no_draws(log, tmp_path):
    twice = tmp_path / "twice.jsonl"
    twice.write_text(log.read_text() + "\n" + log.read_text())
    named = (
        "certify",
        twice,
        "--judge",
        "judge_correct",
        "--metric",
        "human_correct",
        "--at-random",
    )
    # Of this batch the promise holds: what its items are to each other does not matter.
    assert run(*named).code == 0
    found = run(*named, "--about", "new-rows")
    assert (found.code, "Nothing is promised" in found.out) == (1, True)
    assert run(*named, "--about", "new-rows", "--unit", "none").code == 0


def test_ids_of_tables_too(table, tmp_path):
    twice = tmp_path / "twice.csv"
    head, *rows = table.read_text().splitlines()
    numbered = [f"{row},q{i % 4000}" for i, row in enumerate(rows)]
    twice.write_text("\n".join([f"{head},id", *numbered]))
    named = ("certify", twice, "--judge", "verdict", "--truth", "human", "--wrong", "bad")
    assert run(*named).code == 0
    found = run(*named, "--about", "new-rows")
    assert (found.code, "say --unit none if every row is a draw" in found.out) == (1, True)
    assert run(*named, "--about", "new-rows", "--unit", "none").code == 0
