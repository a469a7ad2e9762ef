"""Every format of logs, as the tools write it: what is read, and which promise it makes."""

import gzip
import json
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest

from assay import certify, read_eval, verify
from assay.data.logs.archive import Archive
from assay.data.logs.registry import log_formats
from assay.errors import BadData
from tests.refusals import refuses

FIXTURES = Path(__file__).parent / "fixtures"
LM_EVAL = FIXTURES / "lm_eval"
SUMS = LM_EVAL / "samples_sums_2026-11-18T15-55-59.352847.jsonl"
TEXT = LM_EVAL / "samples_sums_text_2026-11-18T15-55-59.352847.jsonl"
SUMMARY = LM_EVAL / "results_2026-11-18T15-55-59.352847.json"

#: File, tool, task, model, metric: eight samples of which one is wrong.
ONE_OF_EIGHT = [
    ("inspect.eval", "Inspect AI", "sums", "adder/plain", "match"),
    ("inspect.json", "Inspect AI", "sums", "adder/plain", "match"),
    ("deepeval_run.json", "DeepEval", "", "", "success"),
    ("deepeval_result.json", "DeepEval", "", "", "success"),
    ("openai_evals.jsonl", "OpenAI evals", "sums.dev.v0", "adder", "correct"),
    ("junit.xml", "pytest", "pytest", "", "passed"),
]


@pytest.mark.parametrize(("name", "tool", "task", "model", "metric"), ONE_OF_EIGHT)
def test_one_of_eight_is_wrong(name, tool, task, model, metric):
    log = read_eval(FIXTURES / name)
    assert (log.format, len(log)) == (tool, 8)
    assert (set(log.task), set(log.model)) == ({task}, {model})
    assert metric in log.metrics
    evidence = log.evidence()
    assert (evidence.rows, evidence.errors, evidence.units) == (8, 1, None)
    certificate = log.certificate()
    plain = certify(errors=1, rows=8)
    assert certificate.claims[0].promised_text == plain.claims[0].promised_text
    assert f"metric {metric!r}" in certificate.document["data"]["drawn"]
    assert verify(certificate).ok


def test_every_format_has_a_fixture():
    tested = {tool for _, tool, *_ in ONE_OF_EIGHT}
    elsewhere = {"lm-evaluation-harness", "lm-evaluation-harness (summary)", "promptfoo", "HELM"}
    elsewhere |= {"MLflow", "MLflow (genai)", "plain"}
    assert {known.name for known in log_formats()} == tested | elsewhere


def test_an_archive_reads_the_same_deflated_and_without_summaries(tmp_path):
    archive = Archive(FIXTURES / "inspect.eval")
    for name, left_out in ("all.eval", ()), ("samples.eval", ("summaries.json",)):
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as made:
            for member in set(archive.names) - set(left_out):
                made.writestr(member, archive.read(member))
        log = read_eval(tmp_path / name)
        assert sorted(log.ids) == [f"q{i}" for i in range(1, 9)]
        assert log.evidence().errors == 1


def test_epochs_are_attempts_at_one_sample():
    log = read_eval(FIXTURES / "inspect_epochs.eval")
    assert log.metrics == ("match", "includes")
    assert sorted(set(log.attempts.tolist())) == [1, 2, 3]
    evidence = log.evidence("match")
    assert evidence.units == ((0, 3, 2), (3, 3, 2))
    [known] = evidence.checked
    assert (known.id, known.status) == ("independent-units", "assumed")
    assert known.evidence == "each of 4 ids is one unit, with 3 samples"
    assert log.certificate("match").claims[0].theorem == "unit-mean-betting"


def test_filters_are_metrics_of_the_same_documents():
    log = read_eval(TEXT)
    assert len(log) == 6
    assert log.metrics == ("exact_match,strict", "exact_match,number")
    assert log.evidence("exact_match,number").errors == 6


def test_samples_of_lm_eval():
    log = read_eval(SUMS)
    assert (set(log.task), set(log.model)) == ({"sums"}, {"dummy"})
    assert (log.evidence().errors, log.evidence().rows) == (3, 6)
    assert log.truth[0] is not None


def test_a_summary_reads_the_samples_beside_it_and_else_the_counts(tmp_path):
    assert len(read_eval(SUMMARY)) == 12
    shutil.copy(SUMMARY, tmp_path)
    log = read_eval(tmp_path / SUMMARY.name)
    evidence = log.evidence(task="sums")
    assert (evidence.rows, evidence.errors) == (6, 3)
    assert "whether a sample came twice cannot be seen there" in evidence.notes[0]


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (
            lambda log: log["results"]["sums"].update({"acc,none": 0.52}),
            "says 0.52 of 'acc', which is no share of 6 samples. Give the samples file.",
        ),
        (
            lambda log: log["configs"]["sums"].update({"repeats": 3}),
            "tells rates of repeated samples. Give the samples file.",
        ),
    ],
)
def test_a_summary_that_does_not_tell_counts(tmp_path, change, refusal):
    log = json.loads(SUMMARY.read_text())
    change(log)
    path = tmp_path / "results_x.json"
    path.write_text(json.dumps(log))
    with refuses(f"{path} {refusal}", BadData):
        read_eval(path)


def test_a_folder_of_lm_eval_asks_for_the_task():
    with refuses(
        f"{LM_EVAL} holds several tasks ('sums', 'sums_text'): name one, as with task='sums'."
    ):
        read_eval(LM_EVAL).evidence()
    assert read_eval(LM_EVAL).evidence(task="sums").rows == 6


def test_repetitions_of_promptfoo_are_found_though_they_have_numbers_of_their_own():
    log = read_eval(FIXTURES / "promptfoo.json")
    assert log.metrics == ("success", "score")
    assert log.evidence().units == ((0, 2, 2), (2, 2, 1))
    graded = log.evidence("score")
    assert (graded.rows, graded.errors) == (3, None)
    np.testing.assert_array_equal(graded.losses.values, [0.0, 0.0, 1.0])


def test_helm_asks_for_the_metric_and_leaves_out_what_is_no_score():
    path = FIXTURES / "helm" / "per_instance_stats.json"
    log = read_eval(path)
    assert set(log.model) == {"adder/plain"}
    with refuses(
        f"{path} holds several metrics ('exact_match', 'f1_score'): name one, as with metric='exact_match'."
    ):
        log.evidence()
    assert log.evidence("exact_match").errors == 1
    assert log.evidence("f1_score").losses.total == pytest.approx(0.6)
    with refuses(
        f"{path} gives sample 'id1' a score of 4.0 by 'num_output_tokens'; scores must lie between 0 and 1. "
        "Scale them.",
        BadData,
    ):
        log.evidence("num_output_tokens")


def test_a_table_of_mlflow_is_graded():
    log = read_eval(FIXTURES / "eval_results_table.json")
    evidence = log.evidence()
    assert (evidence.errors, evidence.losses.total) == (None, 1.0)
    assert log.evidence(exact=True).errors == 1


@pytest.mark.parametrize(
    ("name", "why", "samples"),
    [
        ("inspect_errored.eval", "1 errored", (1, 6)),
        ("junit_unscored.xml", "1 errored, 1 skipped", (2, 10)),
    ],
)
def test_samples_without_a_score_do_not_vanish(name, why, samples):
    path = FIXTURES / name
    log = read_eval(path)
    metric = log.metrics[0]
    with refuses(
        f"{path} has no score by {metric!r} for {samples[0]} of {samples[1]} samples ({why}); to count them as "
        "wrong, say unscored='wrong'.",
        BadData,
    ):
        log.evidence()
    evidence = log.evidence(unscored="wrong")
    assert evidence.rows == samples[1]
    assert evidence.errors == samples[0] + 1
    counted = (
        "1 sample without a score counts"
        if samples[0] == 1
        else f"{samples[0]} samples without a score count"
    )
    assert f"{counted} as wrong ({why})." in evidence.notes


#: What scorers of Inspect's users give: the errors where each score passes or fails, else the sum of the losses.
VALUES = {"words": 1.0, "truths": 1, "short": 1.5, "several/right": 1.0, "several/polite": 3.0}


def test_values_of_inspect_in_words_and_parts():
    log = read_eval(FIXTURES / "inspect_values.json")
    assert log.metrics == (*list(VALUES)[:2], "colours", *list(VALUES)[2:], "sometimes")
    for metric, wrong in VALUES.items():
        evidence = log.evidence(metric)
        seen = evidence.losses.total if evidence.errors is None else evidence.errors
        assert (seen, type(wrong)) == (wrong, int if evidence.errors is not None else float), metric
        assert evidence.notes[0] == "The log holds 6 of the 8 samples of its data set."
    assert log.evidence("words", exact=True).errors == 1
    for metric, many in ("colours", 6), ("sometimes", 1):
        with pytest.raises(BadData, match=f"{many} of 6 samples"):
            log.evidence(metric)


def test_attempts_that_pytest_ran_again_do_not_pass_for_passes():
    """The report shows them as tests without any outcome, as those that passed."""
    log = read_eval(FIXTURES / "junit_reruns.xml")
    again = log.ids == "reruns::test_run_again"
    assert log.reasons[again].tolist() == ["run again", "run again", ""]
    assert (log.ids == "reruns::test_fails_and_breaks").sum() == 1
    with pytest.raises(BadData, match="2 run again, 1 skipped"):
        log.evidence()
    evidence = log.evidence(unscored="wrong")
    assert (evidence.rows, evidence.errors) == (11, 5)
    assert evidence.units == ((0, 1, 5), (1, 1, 3), (2, 3, 1))


def test_failed_tries_that_others_write_inside_a_test(tmp_path):
    path = tmp_path / "surefire.xml"
    path.write_text(
        '<testsuite name="s"><testcase classname="a" name="b"><flakyFailure message="x"/></testcase>'
        '<testcase classname="a" name="c"/></testsuite>'
    )
    assert read_eval(path).evidence().units == ((0, 1, 1), (1, 2, 1))


def test_columns_of_promptfoo_are_prompts_and_providers():
    path = FIXTURES / "promptfoo.jsonl"
    log = read_eval(path)
    assert (log.format, len(log)) == ("promptfoo", 24)
    assert set(log.model) == {"echo", "shouting", "shouting #2"}
    asks = {"task": "What is {{q}}?", "unscored": "wrong"}
    assert log.evidence(model="echo", **asks).errors == 2
    with pytest.raises(BadData, match="1 without an assertion"):
        log.evidence(model="echo", task=asks["task"])
    for model in ("shouting", "shouting #2"):
        evidence = log.evidence(model=model, **asks)
        assert (evidence.rows, evidence.errors, evidence.units) == (4, 4, None)
        assert "2 samples without a score count as wrong (1 errored, 1 without" in evidence.notes[1]


def test_test_cases_of_deepeval_that_fewer_metrics_judged_are_told():
    evidence = read_eval(FIXTURES / "deepeval_fewer.json").evidence()
    assert (evidence.rows, evidence.errors) == (9, 1)
    assert evidence.notes[0] == "1 of 9 test cases were judged by fewer metrics than others."


@pytest.mark.parametrize("name", ["Toxicity", "Bias", "Hallucination"])
def test_whether_a_test_passed_is_no_score_of_which_less_is_better(tmp_path, name):
    """One of eight failed: seven of eight would be said to be wrong, and with seven failures one."""
    text = (FIXTURES / "deepeval_run.json").read_text().replace("Exact Match", name)
    path = tmp_path / "run.json"
    path.write_text(text)
    log = read_eval(path)
    assert log.evidence(name).errors == 1
    # The score beside it is one of which less is better; the file says 1.0 of seven.
    assert log.evidence(f"{name} score").losses.total == 7.0
    difference = log.difference(log, name).claims[0]
    assert (difference.inputs["only_old"], difference.inputs["only_new"]) == (0, 0)


def test_right_and_wrong_of_inspect_mean_what_they_say_whatever_the_scorer_is_called(tmp_path):
    log = json.loads((FIXTURES / "inspect.json").read_text())
    log["eval"]["scorers"] = [{"name": "bias", "options": {}}]
    for sample in log["samples"]:
        sample["scores"] = {"bias": sample["scores"]["match"]}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log))
    assert float(read_eval(path).evidence("bias").losses.total) == 1.0


def test_feedback_of_mlflow_is_a_score_and_an_expectation_is_none(tmp_path):
    path = FIXTURES / "mlflow_genai.json"
    log = read_eval(path)
    assert log.metrics == ("right", "short", "judged")
    assert [log.evidence(metric).errors for metric in log.metrics] == [1, None, 1]
    assert log.evidence("short").losses.total == 3.0
    rows = json.loads(path.read_text())
    lines = tmp_path / "a.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert read_eval(lines).evidence("right").errors == 1
    rows[5]["state"] = "ERROR"
    rows[2]["assessments"][0]["valid"] = False
    lines = tmp_path / "a.json"
    lines.write_text(json.dumps(rows))
    with pytest.raises(BadData, match=r"2 of 8 samples \(1 without a number, 1 errored\)"):
        read_eval(lines).evidence("right")
    rows[0]["assessments"] *= 2
    lines.write_text(json.dumps(rows))
    with refuses(
        f"{lines} holds two valid feedbacks called 'right' in row 1. Override one of them.", BadData
    ):
        read_eval(lines)


def test_choices_of_lm_eval():
    [path] = (FIXTURES / "lm_eval_choice").glob("samples_sums_choice_*")
    log = read_eval(path)
    # The Brier score is made of all samples at once.
    assert log.metrics == ("acc", "acc_norm")
    assert (log.evidence("acc").rows, log.evidence("acc").errors) == (6, 4)
    [text] = (FIXTURES / "lm_eval_choice").glob("samples_sums_text_only_*")
    with refuses(f"{text} holds no score of any sample. Have its samples scored first.", BadData):
        read_eval(text).evidence()


def test_a_report_that_tells_something_else_is_told(tmp_path):
    text = (FIXTURES / "openai_evals.jsonl").read_text()
    assert read_eval(FIXTURES / "openai_evals.jsonl").notes == ()
    path = tmp_path / "cut.jsonl"
    path.write_text("".join(text.splitlines(True)[:-4]))
    assert read_eval(path).notes == (
        "The final report tells an accuracy of 0.875, but the samples give 1.",
    )


def test_plain_tables_in_every_spelling(tmp_path):
    rows = [(f"q{i}", i % 4 != 0) for i in range(20)]
    texts = {
        "a.csv": "id,correct\n" + "".join(f"{i},{int(c)}\n" for i, c in rows),
        "b.csv": "id,correct\n" + "".join(f"{i},{str(c).lower()}\n" for i, c in rows),
        "c.jsonl": "".join(json.dumps({"id": i, "correct": c}) + "\n" for i, c in rows),
        "d.json": json.dumps([{"sampleId": i, "passed": "pass" if c else "fail"} for i, c in rows]),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "e.jsonl.gz").write_bytes(gzip.compress(texts["c.jsonl"].encode()))
    for name in (*texts, "e.jsonl.gz"):
        evidence = read_eval(tmp_path / name).evidence()
        assert (evidence.rows, evidence.errors, evidence.checked) == (20, 5, ()), name
