"""From a log to evidence: what is asked for, which units there are, and what becomes of scores."""

import json
from fractions import Fraction

import numpy as np
import pytest

from assay import EvalLog, Ledger, certify, read_eval, verify
from assay.errors import BadParameter, UnknownName
from assay.evidence.units import unit_counts
from tests.refusals import refuses


def written(tmp_path, rows, name="run.jsonl"):
    path = tmp_path / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def lm_eval(tmp_path, rows, metric="acc"):
    """A log of a tool, in which an id is an id: (doc_id, score, what was asked)."""
    entries = [
        {"doc_id": id, "resps": [], "arguments": asked, "metrics": [metric], metric: score}
        for id, score, asked in rows
    ]
    return written(tmp_path, entries, "samples_sums_2026-01-01T00-00-00.jsonl")


def test_columns(tmp_path):
    rows = [
        {"id": "a", "task": "t", "model": "m", "correct": True, "answer": "x", "guess": "x"},
        {"id": "b", "task": "t", "model": "m", "correct": False, "answer": "y", "guess": None},
    ]
    log = read_eval(written(tmp_path, rows))
    assert isinstance(log, EvalLog)
    assert (len(log), log.format, log.metrics) == (2, "plain", ("correct",))
    assert (log.ids.tolist(), log.truth.tolist()) == (["a", "b"], ["x", "y"])
    assert log.prediction.tolist() == ["x", None]
    np.testing.assert_array_equal(log.scores["correct"], [1.0, 0.0])


def test_pass_or_fail_is_the_exact_bound_and_graded_is_betting(tmp_path):
    right = [i % 7 != 0 for i in range(90)]
    log = read_eval(lm_eval(tmp_path, [(i, float(r), f"q{i}") for i, r in enumerate(right)]))
    alone = certify(errors=right.count(False), rows=90)
    assert log.certificate().claims[0].promised_text == alone.claims[0].promised_text
    scores = [0.9 if r else 0.25 for r in right]
    rows = [(i, s, f"q{i}") for i, s in enumerate(scores)]
    graded = read_eval(lm_eval(tmp_path, rows, "f1")).certificate()
    losses = certify(loss=1.0 - np.array(scores))
    assert graded.claims[0].promised_text == losses.claims[0].promised_text
    assert graded.claims[0].theorem == "bounded-betting"
    assert verify(graded).ok


def test_what_a_score_is_by_its_type_decides_and_not_its_values(tmp_path):
    rows = [(i, float(i % 5 != 0), f"q{i}") for i in range(50)]
    assert read_eval(lm_eval(tmp_path, rows, "f1")).evidence().errors is None
    assert read_eval(lm_eval(tmp_path, rows, "f1")).evidence(exact=True).errors == 10
    assert read_eval(lm_eval(tmp_path, rows, "acc")).evidence().errors == 10
    with refuses("method must not be 'exact' for losses that are neither 0 nor 1."):
        read_eval(lm_eval(tmp_path, [(0, 0.5, "a"), (1, 1.0, "b")], "f1")).evidence(exact=True)


def test_attempts_are_units(tmp_path):
    right = [(i, float((i + e) % 4 != 0), f"q{i}") for e in range(3) for i in range(30)]
    evidence = read_eval(lm_eval(tmp_path, right)).evidence()
    wrong = [score == 0.0 for _, score, _ in right]
    assert evidence.units == unit_counts(wrong, [id for id, *_ in right])
    again = certify(
        y_true=[1] * 90,
        y_pred=[int(not w) for w in wrong],
        labels=[0, 1],
        unit=[i for i, *_ in right],
    )
    certificate = read_eval(lm_eval(tmp_path, right)).certificate()
    assert certificate.claims[0].promised_text == again.claims[0].promised_text
    assert verify(certificate).ok


def test_graded_attempts_are_means_rounded_up(tmp_path):
    rows = [(i, s, f"q{i}") for i in range(8) for s in (0.1 * i, 1.0, 0.7)]
    evidence = read_eval(lm_eval(tmp_path, rows, "f1")).evidence()
    assert evidence.rows == 8
    for i, mean in enumerate(evidence.losses.values):
        exact = sum(Fraction(1.0 - s) for s in (0.1 * i, 1.0, 0.7)) / 3
        assert exact <= Fraction(float(mean)) <= exact + Fraction(1, 10**15)
    assert (
        "A row of the certificate is one unit, with the mean loss of its samples." in evidence.notes
    )


def test_less_is_better_where_the_name_says_so(tmp_path):
    rows = [(i, 0.2, f"q{i}") for i in range(5)]
    lower = read_eval(lm_eval(tmp_path, rows, "brier_score")).evidence()
    assert lower.losses.total == pytest.approx(1.0)
    assert "The loss of a sample is the score by 'brier_score'." in lower.notes
    higher = read_eval(lm_eval(tmp_path, rows, "f1")).evidence()
    assert higher.losses.total == pytest.approx(4.0)
    assert "The loss of a sample is 1 minus the score by 'f1'." in higher.notes


def test_what_is_ambiguous_is_asked_for_in_one_sentence(tmp_path):
    rows = [
        {"id": i, "task": task, "model": model, "correct": True, "score": 0.5}
        for i, (task, model) in enumerate([("t", "a"), ("t", "b"), ("u", "a"), ("u", "b")])
    ]
    path = written(tmp_path, rows)
    log = read_eval(path)
    with refuses(f"{path} holds several tasks ('t', 'u'): name one, as with task='t'."):
        log.evidence()
    with refuses(f"{path} holds several models ('a', 'b'): name one, as with model='a'."):
        log.evidence(task="t")
    with refuses(
        f"{path} holds several metrics ('correct', 'score'): name one, as with metric='correct'."
    ):
        log.evidence(task="t", model="b")
    assert log.evidence("correct", task="u", model="b").rows == 1
    for given, sentence in {
        "task": f"{path} has no task 'x'. Its tasks are 't', 'u'.",
        "model": f"{path} has no model 'x'. Its models are 'a', 'b'.",
    }.items():
        with refuses(sentence, UnknownName):
            log.evidence(**{"task": "t", given: "x"})
    with refuses(f"{path} has no metric 'x'. Its metrics are 'correct', 'score'.", UnknownName):
        log.evidence("x", task="u", model="b")


def test_terms_are_read(tmp_path):
    log = read_eval(lm_eval(tmp_path, [(0, 1.0, "a"), (1, 0.0, "b")]))
    with refuses("unit must be 'id', 'input' or 'none', but is 'row'."):
        log.evidence(unit="row")
    with refuses("unscored must be 'refuse' or 'wrong', but is 'drop'."):
        log.evidence(unscored="drop")
    bare = read_eval(lm_eval(tmp_path, [(0, 1.0, None), (1, 0.0, None)]))
    with refuses(
        "unit must be 'id' or 'none' where a log does not hold all inputs, but is 'input'."
    ):
        bare.evidence(unit="input")


def test_a_certificate_says_where_it_comes_from(tmp_path):
    log = read_eval(lm_eval(tmp_path, [(0, 1.0, "a"), (1, 0.0, "b")]))
    drawn = "samples of a log of lm-evaluation-harness: task 'sums', metric 'acc'"
    assert log.certificate().document["data"]["drawn"] == drawn
    assert log.certificate(drawn="by lot").document["data"]["drawn"] == "by lot"


def test_a_look_is_charged_to_a_ledger(tmp_path):
    log = read_eval(lm_eval(tmp_path, [(i, 1.0, f"q{i}") for i in range(200)]))
    with Ledger(tmp_path / "looks.db") as ledger:
        first = log.certificate(ledger=ledger, holdout="sums")
        second = log.certificate(ledger=ledger, holdout="sums")
    assert first.claims[0].promised < second.claims[0].promised


def looks(tmp_path, *logs):
    """Which look at its holdout each log is."""
    with Ledger(tmp_path / "looks.db") as ledger:
        for log in logs:
            log.certificate(ledger=ledger)
        return [entry.number for entry in ledger.entries()]


def test_a_ledger_knows_the_samples_again(tmp_path):
    """By what they ask or by their ids: another model, another order, a part of them, another prompt around them."""
    folders = [tmp_path / name for name in "abcdef"]
    for folder in folders:
        folder.mkdir()
    first, again, part, worded, renamed, other = folders
    rows = [(f"q{i}", float(i % 7 != 0), f"What is {i}?") for i in range(80)]
    assert looks(
        tmp_path,
        read_eval(lm_eval(first, rows)),
        read_eval(lm_eval(again, [(id, 1.0, asked) for id, _, asked in rows[::-1]])),
        read_eval(lm_eval(part, rows[20:60])),
        read_eval(lm_eval(worded, [(id, s, f"Please. {asked}") for id, s, asked in rows])),
        read_eval(lm_eval(renamed, [(f"x{id}", s, asked) for id, s, asked in rows])),
        read_eval(lm_eval(other, [(f"y{i}", 1.0, f"Why {i}?") for i in range(80)])),
    ) == [1, 2, 3, 4, 5, 1]


def test_attempts_are_one_sample_to_a_ledger(tmp_path):
    rows = [(f"q{i}", 1.0, f"What is {i}?") for i in range(40)]
    (tmp_path / "b").mkdir()
    logs = [read_eval(lm_eval(tmp_path, rows)), read_eval(lm_eval(tmp_path / "b", rows * 3))]
    assert looks(tmp_path, *logs) == [1, 2]


def test_a_table_without_ids_and_questions_must_be_named(tmp_path):
    path = written(tmp_path, [{"correct": True}] * 50)
    with (
        Ledger(tmp_path / "looks.db") as ledger,
        refuses(
            "holdout must be named, because neither counts nor losses tell which holdout it is."
        ),
    ):
        read_eval(path).certificate(ledger=ledger)


def test_columns_that_are_called_like_nothing_known(tmp_path):
    path = written(tmp_path, [{"id": 1, "nice": 0.5}, {"id": 2, "nice": 0.75}])
    with refuses(
        f"{path} has no column that is called like a score: name one with metric=....", BadParameter
    ):
        read_eval(path).evidence()
    assert read_eval(path).evidence("nice").losses.total == 0.75
