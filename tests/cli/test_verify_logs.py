"""A certificate beside the evaluation log that it was issued for, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay import certify, read_eval
from assay.certificates.verify.verify import verify_evidence
from tests.cli.runner import run

LOGS = Path(__file__).parents[1] / "data" / "logs" / "fixtures"


def written(path, *, wrong=(3,), swapped=(), questions=40, attempts=1):
    """A log as JSON lines; `swapped` are two samples that change places in what they scored."""
    right = [i not in wrong for i in range(questions)]
    for one, other in [swapped] if swapped else []:
        right[one], right[other] = right[other], right[one]
    rows = [
        {
            **{"question_id": f"q{i}", "correct": right[i], "f1": 0.25 if right[i] else 1.0},
            **{"judged": float(right[i]), "topic": "xy"[i % 2]},
        }
        for i in range(questions)
        for _ in range(attempts)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def told(found):
    """What is said of the data, without the name of the check."""
    [line] = [line for line in found.out.splitlines() if " data: " in line]
    return line.split(" data: ")[1]


@pytest.mark.parametrize(
    ("log", "options"),
    [
        ("inspect.eval", ()),
        ("inspect_epochs.eval", ("--metric", "match")),
        ("inspect_epochs.eval", ("--metric", "match", "--unit", "none")),
        ("inspect_errored.eval", ("--unscored", "wrong")),
        ("inspect_values.json", ("--metric", "several/right")),
        ("lm_eval", ("--task", "sums")),
        ("promptfoo.json", ()),
        ("promptfoo.jsonl", ("--task", "Say {{q}}", "--model", "echo", "--unscored", "wrong")),
        ("deepeval_run.json", ()),
        ("openai_evals.jsonl", ()),
        ("helm", ("--metric", "f1_score")),
        ("junit_unscored.xml", ("--unscored", "wrong")),
        ("eval_results_table.json", ()),
        ("mlflow_genai.json", ("--metric", "judged")),
    ],
)
def test_a_log_is_read_again_as_it_was_certified(log, options, tmp_path):
    out = tmp_path / "a.cert.json"
    run("certify", LOGS / log, *options, "--out", out)
    alone, beside = run("verify", out), run("verify", out, "--data", LOGS / log, *options)
    assert told(beside) == "digests and counts agree"
    assert beside.code == alone.code


@pytest.mark.parametrize("options", [("--metric", "correct"), ("--metric", "f1")])
def test_another_log_is_refused(options, tmp_path):
    log, out = written(tmp_path / "run.jsonl"), tmp_path / "a.cert.json"
    assert run("certify", log, *options, "--out", out).code == 0
    assert run("verify", out, "--data", log, *options).code == 0
    # As many are wrong, but others; one fewer is; there is one sample more.
    for change in ({"swapped": (3, 5)}, {"wrong": ()}, {"questions": 41}):
        other = run("verify", out, "--data", written(tmp_path / "b.jsonl", **change), *options)
        assert other.code == 1
        assert "REFUSED  data: " in other.out


def test_another_metric_is_refused(tmp_path):
    log, out = written(tmp_path / "run.jsonl"), tmp_path / "a.cert.json"
    assert run("certify", log, "--metric", "correct", "--out", out).code == 0
    assert run("verify", out, "--data", log, "--metric", "f1").code == 1
    assert run("certify", log, "--metric", "f1", "--out", out).code == 0
    assert run("verify", out, "--data", log, "--metric", "correct").code == 1


def test_a_graded_metric_that_was_declared_to_give_0_and_1(tmp_path):
    log, out = written(tmp_path / "run.jsonl"), tmp_path / "a.cert.json"
    assert run("certify", log, "--metric", "judged", "--method", "exact", "--out", out).code == 0
    assert json.loads(out.read_text())["claims"][0]["theorem"] == "holdout-exact"
    assert run("verify", out, "--data", log, "--metric", "judged").code == 0


def test_units_and_groups_are_counted_again(tmp_path):
    log, out = written(tmp_path / "run.jsonl", attempts=3), tmp_path / "a.cert.json"
    options = ("--metric", "correct", "--unit", "id")
    assert run("certify", log, *options, "--by", "topic", "--out", out).code == 0
    # The certificate names what divides the samples.
    assert run("verify", out, "--data", log, *options).code == 0
    assert run("verify", out, "--data", log, *options, "--by", "topic").code == 0
    moved = log.read_text().replace('"topic": "x"', '"topic": "z"', 3)
    log.write_text(moved)
    assert run("verify", out, "--data", log, *options).code == 1


def test_a_log_that_was_charged_to_a_ledger(tmp_path):
    log, out, book = written(tmp_path / "run.jsonl"), tmp_path / "a.cert.json", tmp_path / "book.db"
    options = ("--metric", "correct")
    assert run("certify", log, *options, "--ledger", book, "--out", out).code == 0
    found = run("verify", out, "--data", log, *options, "--ledger", book)
    assert (found.code, told(found)) == (0, "counts agree; it holds no digests")
    other = written(tmp_path / "b.jsonl", wrong=())
    assert run("verify", out, "--data", other, *options, "--ledger", book).code == 1


def test_in_python(tmp_path):
    log, out = read_eval(written(tmp_path / "run.jsonl")), tmp_path / "a.cert.json"
    log.certificate("correct").save(out)
    assert verify_evidence(out, evidence=log.evidence("correct")).ok
    other = read_eval(written(tmp_path / "b.jsonl", swapped=(3, 5)))
    assert not verify_evidence(out, evidence=other.evidence("correct")).ok


def test_options_of_logs_are_refused_where_no_log_is_given(tmp_path):
    out = tmp_path / "a.cert.json"
    certify(errors=1, rows=50).save(out)
    for data in ((), ("--data", "t.csv", "--truth", "y", "--prediction", "p")):
        found = run("verify", out, *data, "--metric", "match")
        assert (found.code, found.err) == (
            2,
            "assay: --metric must be left out unless --data is an evaluation log, but is 'match'.\n",
        )


def test_a_certificate_of_two_models_or_a_judge_needs_more_than_one_log(tmp_path):
    from assay import certify_difference, certify_judged

    out, log = tmp_path / "a.cert.json", LOGS / "inspect.eval"
    certify_difference(only_old=9, only_new=1, rows=50).save(out)
    assert told(run("verify", out, "--data", log)) == (
        "two models are compared: give the predictions of both"
    )
    certify_judged(population={"a": 20}, labels={"a": (10, 1)}).save(out)
    assert told(run("verify", out, "--data", log)) == (
        "a judge has gone through these: give its verdicts and the labels"
    )


def test_what_is_no_certificate_is_told_without_the_log(tmp_path):
    out = tmp_path / "a.cert.json"
    out.write_text("{}")
    found = run("verify", out, "--data", LOGS / "inspect.eval")
    assert (found.code, found.err) == (1, "")
