"""`assay compare OLD NEW` and `assay verify --baseline` as a user runs them."""

import csv
import json

import numpy as np
import pytest

from assay import Ledger, certify_difference, read_eval
from assay.errors import CertificateRefused
from tests.cli.runner import run

ROWS = 600
RNG = np.random.default_rng(1)
TRUTH = RNG.integers(0, 3, ROWS)


def guessed(error):
    return np.where(RNG.random(ROWS) < error, (TRUTH + 1) % 3, TRUTH)


MODELS = {"old": guessed(0.25), "new": guessed(0.1), "other": guessed(0.24), "twin": guessed(0.1)}


def table(path, columns, order=None):
    """A CSV file of these columns."""
    rows = list(zip(*columns.values(), strict=True))
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([list(columns), *(rows[i] for i in (order or range(len(rows))))])
    return path


def labels(values):
    return [f"c{value}" for value in values]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ids = [f"q{i}" for i in range(ROWS)]
    for place, (name, guess) in enumerate(MODELS.items()):
        columns = {"id": ids, "guess": labels(guess)}
        if name == "twin":
            columns["talk_id"] = [f"t{i // 3}" for i in range(ROWS)]
        if name == "old":
            columns["label"] = labels(TRUTH)
        order = list(range(ROWS))
        np.random.default_rng(place).shuffle(order)
        table(tmp_path / f"{name}.csv", columns, order)
    return tmp_path


NAMED = ("--on", "id", "--truth", "label")


def test_two_files_are_joined_and_certified_as_their_columns_are(folder):
    found = run("compare", "old.csv", "new.csv", *NAMED, "--out", "c.json", "--json")
    answer = json.loads(found.out)
    claim = certify_difference(y_true=TRUTH, y_pred=MODELS["new"], baseline=MODELS["old"]).claims[0]
    assert (found.code, answer["ok"], answer["passed"]) == (0, True, None)
    assert answer["models"] == [
        {
            "name": "",
            "promised": claim.promised_text,
            "observed": claim.observed_text,
            "passed": None,
        }
    ]
    assert json.loads((folder / "c.json").read_text()) == answer["certificate"]


@pytest.mark.parametrize(
    ("new", "gate", "code", "told"),
    [
        ("new", ("--max-regression", "0.01"), 0, "PASS: a difference of at least -0.01 can be"),
        ("new", ("--max-regression", "0"), 0, "PASS: a difference of at least 0 can be promised."),
        ("other", ("--max-regression", "0.01"), 1, "FAIL: a difference of at least -0.01 cannot"),
        ("new", ("--better",), 0, "PASS: that the new model is better can be promised."),
        ("other", ("--better",), 1, "FAIL: that the new model is better cannot be promised."),
    ],
)
def test_gates(folder, new, gate, code, told):
    found = run("compare", "old.csv", f"{new}.csv", *NAMED, *gate)
    assert (found.code, found.err) == (code, "")
    assert f"Gate      {told}" in found.out


def test_several_new_models_pass_by_steps_and_all_must(folder):
    gate = (*NAMED, "--max-regression", "0.02")
    both = run("compare", "old.csv", "new.csv", "other.csv", *gate, "--json")
    answer = json.loads(both.out)
    assert both.code == 1
    assert {one["name"]: one["passed"] for one in answer["models"]} == {"new": True, "other": False}
    assert answer["certificate"]["delta"]["rule"] == "holm"
    shown = run("compare", "old.csv", "new.csv", "other.csv", *gate).out
    assert "PASS: new: a difference of at least -0.02 can be promised." in shown
    assert "          FAIL: other: a difference of at least -0.02 cannot be promised." in shown
    assert run("compare", "old.csv", "new.csv", "twin.csv", *gate, "--unit", "none").code == 0


def test_verified_against_the_files(folder):
    assert run("compare", "old.csv", "new.csv", *NAMED, "--out", "c.json").code == 0
    right = run("verify", "c.json", "--data", "new.csv", "--baseline", "old.csv", *NAMED)
    assert right.code == 0
    assert "data: digests and counts agree" in right.out
    wrong = run("verify", "c.json", "--data", "other.csv", "--baseline", "old.csv", *NAMED)
    assert wrong.code == 1
    assert "data: the predictions are not what was certified" in wrong.out
    swapped = run("verify", "c.json", "--data", "old.csv", "--baseline", "new.csv", *NAMED)
    assert swapped.code == 1


def test_models_with_names_are_verified_by_them(folder):
    made = run("compare", "old.csv", "new.csv", "other.csv", *NAMED, "--out", "c.json")
    assert made.code == 0
    rivals = ("--rival", "new=new.csv", "--rival", "other=other.csv")
    assert run("verify", "c.json", "--baseline", "old.csv", *rivals, *NAMED).code == 0
    mixed = ("--rival", "new=other.csv", "--rival", "other=new.csv")
    assert run("verify", "c.json", "--baseline", "old.csv", *mixed, *NAMED).code == 1
    fewer = run("verify", "c.json", "--baseline", "old.csv", *rivals[:2], *NAMED)
    assert (fewer.code, fewer.err) == (
        2,
        "assay: The certificate compares models of which no file is given: --rival other=FILE.\n",
    )


def test_old_models_with_names_are_verified_as_well(folder):
    rivals = {"a": MODELS["old"], "b": MODELS["other"]}
    in_order = table(
        folder / "mine.csv",
        {"id": range(ROWS), "guess": labels(MODELS["new"]), "label": labels(TRUTH)},
    )
    for name, guess in rivals.items():
        table(folder / f"{name}.csv", {"id": range(ROWS), "guess": labels(guess)})
    made = certify_difference(
        y_true=labels(TRUTH),
        y_pred=labels(MODELS["new"]),
        baseline={name: labels(guess) for name, guess in rivals.items()},
    )
    made.save(folder / "c.json")
    given = ("--data", in_order, "--rival", "a=a.csv", "--rival", "b=b.csv", *NAMED)
    assert run("verify", "c.json", *given).code == 0


def test_one_bit_of_a_ledger(folder):
    gate = (*NAMED, "--better", "--answer", "pass-fail", "--ledger", "looks.ledger")
    first = run("compare", "old.csv", "new.csv", *gate, "--out", "c.json")
    assert first.code == 0
    assert "On how many rows only one of the two models is wrong is not told." in first.out
    second = run("compare", "old.csv", "other.csv", *gate)
    assert (second.code, second.out) == (1, "")
    assert "0.00417" in second.err
    given = ("--data", "new.csv", "--baseline", "old.csv", *NAMED, "--ledger", "looks.ledger")
    assert run("verify", "c.json", *given).code == 0


def test_a_refused_gate_stands_in_the_summary(folder):
    gate = (*NAMED, "--better", "--answer", "pass-fail", "--summary", "job.md")
    assert run("compare", "old.csv", "other.csv", *gate).code == 1
    assert "❌ **FAIL**" in (folder / "job.md").read_text()
    run("compare", "old.csv", "new.csv", *NAMED, "--max-regression", "0.01", "--summary", "job.md")
    assert (
        "✅ **PASS**: a difference of at least -0.01 can be promised."
        in (folder / "job.md").read_text()
    )


# Rows that do not match, and rows that are no draws of their own.


def test_rows_that_one_file_lacks(folder):
    rows = (folder / "new.csv").read_text().splitlines()
    (folder / "fewer.csv").write_text("\n".join(rows[:-30]) + "\n")
    refused = run("compare", "old.csv", "fewer.csv", *NAMED)
    assert refused.code == 2
    assert "fewer.csv lacks 30 rows of the 600 of old.csv, such as 'id' 'q" in refused.err
    assert "say --unmatched drop." in refused.err
    told = run("compare", "old.csv", "fewer.csv", *NAMED, "--unmatched", "drop")
    assert told.code == 0
    assert "30 of 600 rows of old.csv are left out, and 570 rows are compared." in told.out
    assert "why some files lack rows has nothing to do with what the models do on them" in told.out


def test_rows_that_come_twice(folder):
    with open(folder / "new.csv", "a") as file:
        file.write("q7,c1\n")
    found = run("compare", "old.csv", "new.csv", *NAMED)
    assert found.code == 2
    assert "new.csv has 'id' 'q7' in row" in found.err
    assert found.err.endswith("Name columns that tell rows apart, as with --on id,epoch.\n")


def epochs(folder):
    ids = [f"q{i // 3}" for i in range(ROWS)]
    attempts = [i % 3 for i in range(ROWS)]
    for name in ("old", "new"):
        columns = {"q": ids, "epoch": attempts, "guess": labels(MODELS[name])}
        table(folder / f"{name}.csv", columns | {"label": labels(TRUTH)})
    return ("--on", "q,epoch", "--truth", "label")


def test_ids_that_come_again_promise_nothing_without_a_unit(folder):
    named = epochs(folder)
    void = run("compare", "old.csv", "new.csv", *named)
    assert void.code == 1
    assert "No promise: it is not true that the rows are independent draws" in void.out
    assert "name what rows belong to, as with --unit q, or say --unit none" in void.out
    declared = run("compare", "old.csv", "new.csv", *named, "--unit", "none")
    assert declared.code == 0
    assert "declared: every row is declared a draw of its own, though the column 'q' repeats" in (
        declared.out
    )
    units = run("compare", "old.csv", "new.csv", *named, "--unit", "q", "--out", "u.json")
    assert "by unit-difference" in units.out
    given = ("--data", "new.csv", "--baseline", "old.csv", *named)
    assert run("verify", "u.json", *given, "--unit", "q").code == 0
    assert run("verify", "u.json", *given, "--unit", "none").code == 1


def test_an_id_in_another_letter_case_is_a_copy(folder):
    for name in ("old", "new"):
        ids = [f"{'Q' if i >= 300 else 'q'}{i % 300}" for i in range(ROWS)]
        columns = {"id": ids, "guess": labels(MODELS[name]), "label": labels(TRUTH)}
        table(folder / f"{name}.csv", columns)
    found = run("compare", "old.csv", "new.csv", *NAMED)
    assert found.code == 1
    assert "the column 'id' repeats itself in 300 of 600 rows" in found.out


def test_another_id_of_one_file_that_repeats_itself(folder):
    found = run("compare", "old.csv", "twin.csv", *NAMED)
    assert found.code in (0, 1)
    with open(folder / "twin.csv") as file:
        rows = list(csv.DictReader(file))
    columns = {"id": [r["id"] for r in rows], "guess": [r["guess"] for r in rows]}
    table(folder / "twin.csv", columns | {"session_id": [r["talk_id"] for r in rows]})
    void = run("compare", "old.csv", "twin.csv", *NAMED)
    assert void.code == 1
    assert "as with --unit session_id" in void.out


def test_files_that_disagree_about_the_truth(folder):
    columns = {"id": [f"q{i}" for i in range(ROWS)], "guess": labels(MODELS["new"])}
    table(folder / "new.csv", columns | {"label": labels(np.roll(TRUTH, 1))})
    found = run("compare", "old.csv", "new.csv", *NAMED)
    assert found.code == 2
    assert "old.csv and new.csv disagree about 'label' in" in found.err


# Losses, and logs.


def test_columns_of_losses(folder):
    for name, scale in {"old": 0.9, "new": 0.4}.items():
        losses = np.random.default_rng(4).random(ROWS) * scale
        table(folder / f"{name}.csv", {"id": range(ROWS), "loss": np.round(losses, 6)})
    named = ("--on", "id", "--loss", "loss")
    found = run("compare", "old.csv", "new.csv", *named, "--out", "c.json", "--max-regression", "0")
    assert found.code == 0
    assert "by paired-loss-difference" in found.out
    assert run("verify", "c.json", "--data", "new.csv", "--baseline", "old.csv", *named).code == 0


def log(path, model, scores, epochs=1, task="sums", truth=None):
    """A table of scores as `read_eval` takes it."""
    lines = [
        {"id": f"q{i // epochs}", "epoch": i % epochs, "task": task, "model": model, "score": score}
        | ({} if truth is None else {"target": truth[i]})
        for i, score in enumerate(scores)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines[::-1]))
    return path


def lm_eval(path, scores, truth=None, metric="acc"):
    path.mkdir()
    lines = [
        {
            "doc_id": i,
            "doc": {},
            "target": truth[i] if truth else "x",
            "arguments": [[f"What is {i}?"]],
        }
        | {"resps": [], "filtered_resps": [], "metrics": [metric], metric: score}
        for i, score in enumerate(scores)
    ]
    name = path / "samples_sums_2026-01-01T00-00-00.jsonl"
    name.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_two_logs_are_matched_by_sample(tmp_path):
    rng = np.random.default_rng(5)
    old = lm_eval(tmp_path / "old", (rng.random(300) < 0.7).astype(float).tolist())
    new = lm_eval(tmp_path / "new", (rng.random(300) < 0.9).astype(float).tolist())
    found = run("compare", old, new, "--better", "--out", tmp_path / "c.json")
    assert (found.code, found.err) == (0, "")
    assert "The loss of a sample is 1 minus the score by 'acc'." in found.out
    assert run("verify", tmp_path / "c.json", "--data", new, "--baseline", old).code == 0
    assert run("verify", tmp_path / "c.json", "--data", old, "--baseline", new).code == 1


def test_a_ledger_knows_the_samples_of_logs(tmp_path):
    rng = np.random.default_rng(8)
    scores = [(rng.random(300) < rate).astype(float).tolist() for rate in (0.7, 0.9)]
    old, new = (lm_eval(tmp_path / n, s) for n, s in zip(("old", "new"), scores, strict=True))
    book = ("--ledger", tmp_path / "looks.ledger")
    assert run("certify", new, *book).code == 0
    found = run("compare", old, new, "--better", "--answer", "pass-fail", *book)
    assert found.code == 0
    assert "Look 2 at this holdout" in found.out
    with pytest.raises(CertificateRefused, match="Fail: from these rows"):
        read_eval(old).difference(
            read_eval(new), promise="better", answer="pass-fail", ledger=book[1]
        )
    assert len(Ledger(book[1]).entries()) == 3


def test_attempts_of_a_log_are_one_unit_and_a_table_must_say_so(tmp_path):
    rng = np.random.default_rng(6)
    old = log(tmp_path / "old.jsonl", "a", (rng.random(400) < 0.6).tolist(), epochs=4)
    new = log(tmp_path / "new.jsonl", "b", (rng.random(400) < 0.9).tolist(), epochs=4)
    void = run("compare", old, new)
    assert void.code == 1
    assert "--unit id makes one unit of what has one id" in void.out
    units = run("compare", old, new, "--unit", "id", "--max-regression", "0")
    assert units.code == 0
    assert "by unit-difference" in units.out


def test_graded_scores_of_logs(tmp_path):
    rng = np.random.default_rng(7)
    old, new = rng.beta(2, 2, 200), rng.beta(5, 2, 200)
    paths = [
        lm_eval(tmp_path / n, list(map(float, s)), metric="f1") for n, s in (("o", old), ("n", new))
    ]
    found = run("compare", *paths, "--metric", "f1", "--max-regression", "0", "--json")
    assert found.code == 0
    answer = json.loads(found.out)
    assert answer["certificate"]["claims"][0]["theorem"] == "paired-loss-difference"


@pytest.mark.parametrize(
    ("new", "told"),
    [
        ({"scores": [1.0] * 30}, "lacks 10 rows of the 40"),
        ({"scores": [1.0] * 40, "truth": ["y"] * 40}, "have another truth for 40 samples"),
        ({"scores": [1.0] * 40, "metric": "em"}, "judged by different metrics, 'acc' and 'em'"),
    ],
)
def test_logs_that_do_not_match(tmp_path, new, told):
    old = lm_eval(tmp_path / "old", [1.0] * 40)
    found = run("compare", old, lm_eval(tmp_path / "new", **new))
    assert (found.code, found.out) == (2, "")
    assert told in found.err


def test_logs_of_other_tasks(tmp_path):
    old = log(tmp_path / "old.jsonl", "a", [True] * 40)
    new = log(tmp_path / "new.jsonl", "b", [True] * 40, task="products")
    found = run("compare", old, new)
    assert found.code == 2
    assert "is of the task 'sums' and" in found.err


# Refusals.


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (
            ("old.csv", "--on", "id"),
            "--on must be left out unless two files of predictions are given",
        ),
        (("old.csv", "new.csv", *NAMED, "--target", "label"), "--target must be left out where"),
        (("old.csv", "new.csv", *NAMED, "--metric", "f1"), "--metric must be left out unless logs"),
        (("old.csv", "new.csv", "--truth", "label"), "Name the column that names a row in every"),
        (("old.csv", "new.csv", "--on", "id"), "Name the column of the truth with --truth"),
        (("old.csv", "new.csv", "--on", "id", "--truth", "lable"), "Did you mean 'label'?"),
        (("old.csv", "new.csv", "--on", "ids", "--truth", "label"), "Did you mean 'id'?"),
        (("old.csv", "none.csv", *NAMED), "none.csv does not exist"),
        (("old.csv", "new.csv"), "has no column that is called like a score"),
        (("old.csv", "new.csv", *NAMED, "--prediction", "guesses"), "Did you mean 'guess'?"),
        (("old.csv", "new.csv", *NAMED, "--loss", "guess"), "Give --loss, or --truth with"),
        (("old.csv", "new.csv", *NAMED, "--unit", "person"), "has no column 'person'"),
        (
            ("old.csv", "new.csv", *NAMED, "--max-regression", "1"),
            "must be a number of at least 0 and below 1",
        ),
        (
            ("old.csv", "new.csv", *NAMED, "--max-regression", "x"),
            "--max-regression must be a number",
        ),
        (
            ("old.csv", "new.csv", *NAMED, "--answer", "pass-fail"),
            "needs a gate: --max-regression or --better.",
        ),
        (("old.csv", "new.csv", *NAMED, "--unmatched", "keep"), "--unmatched must be 'refuse' or"),
        (("old.csv", "new.csv", *NAMED, "--out", "new.csv"), "--out names new.csv, which is"),
        (("old.csv", "new.csv", "new.csv", *NAMED), "new.csv is given twice"),
        (
            ("old.csv", "new.csv", *NAMED, "--better", "--max-regression", "0"),
            "--max-regression must be left out with --better",
        ),
    ],
)
def test_refusals(folder, arguments, why):
    found = run("compare", *arguments)
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1), found.err
    assert why in found.err


def test_verify_refusals(folder):
    assert run("compare", "old.csv", "new.csv", *NAMED, "--out", "c.json").code == 0
    found = run("verify", "c.json", "--on", "id")
    assert (found.code, "--on must be left out without --baseline" in found.err) == (2, True)
    found = run("verify", "c.json", "--baseline", "old.csv", *NAMED)
    assert "no file is given: --data." in found.err
    found = run("verify", "c.json", "--rival", "new.csv", *NAMED)
    assert "--rival must be NAME=FILE, but is 'new.csv'." in found.err
    run("certify", "old.csv", "--truth", "label", "--prediction", "guess", "--out", "one.json")
    found = run("verify", "one.json", "--data", "new.csv", "--baseline", "old.csv", *NAMED)
    assert found.code == 1
    assert "The certificate is about one model" in found.err
