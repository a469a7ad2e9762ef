"""Groups of the samples of evaluation logs."""

import json

import pytest

from assay import read_eval, verify
from assay.errors import BadParameter, UnknownName
from tests.cli.runner import run

TOPICS = ("sums", "words", None)


def plain(tmp_path, **more):
    rows = [
        {
            "id": f"q{i}",
            "topic": TOPICS[i % 3],
            "level": i % 2,
            "correct": i % 10 > 0,
            "text": "x" * 300,
        }
        | {name: value(i) for name, value in more.items()}
        for i in range(240)
    ]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def inspect(tmp_path):
    scorers = [{"name": "match"}]
    samples = [
        {
            "id": i,
            "epoch": 1,
            "input": f"{i} + {i}",
            "target": str(2 * i),
            "metadata": {"topic": "even" if i % 2 == 0 else "odd", "notes": ["long"]},
            "scores": {"match": {"value": "C" if i % 5 else "I"}},
        }
        for i in range(100)
    ]
    log = {"status": "success", "eval": {"task": "sums", "model": "m", "scorers": scorers}}
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log | {"samples": samples}))
    return path


def test_fields_of_a_table(tmp_path):
    log = read_eval(plain(tmp_path))
    assert sorted(log.fields) == ["correct", "id", "level", "topic"]
    made = log.certificate(by=["topic", "topic*level"])
    counts = {c.of.group: c.inputs for c in made.claims if c.of.quantity == "group-error"}
    assert len(counts) == 3 + 6
    assert (counts["topic = 'sums'"]["errors"], counts["topic = 'sums'"]["rows"]) == (8, 80)
    assert "topic missing" in counts
    assert verify(made)
    assert (
        "topic has no value in 80 rows; these are a group of their own."
        in log.evidence(by=["topic"]).notes
    )


def test_metadata_of_inspect(tmp_path):
    log = read_eval(inspect(tmp_path))
    made = log.certificate(by=["topic"], every_group=True)
    [claim] = made.claims
    assert claim.inputs["rows"] == [50, 50]
    assert verify(made)


def test_samples_of_one_task_keep_their_fields(tmp_path):
    log = read_eval(plain(tmp_path, task=lambda i: "ab"[i % 2])).select(task="b")
    [division] = log.evidence(by=["level"]).groups
    assert division.levels == ((1,),)
    assert division.rows == (120,)


def test_units_of_a_log(tmp_path):
    log = read_eval(plain(tmp_path, id=lambda i: f"q{i // 4}"))
    made = log.certificate(unit="id", by=["topic"])
    assert [claim.of.quantity for claim in made.claims][1:] == [
        *["group-unit-mean-error"] * 3,
        "worst-group-unit-mean-error",
    ]
    assert verify(made)


def test_on_the_command_line(tmp_path):
    path = plain(tmp_path)
    found = run("certify", path, "--by", "topic", "--every-group", "--max-error", "0.25")
    assert found.code == 0
    assert "can be promised in every group" in found.out
    assert run("certify", path, "--by", "topic", "--every-group", "--max-error", "0.1").code == 1
    refused = run("certify", path, "--by", "subject")
    assert refused.code == 2
    assert (
        "says no 'subject' of its samples. What it says of them: 'id', 'topic', 'level'"
        in refused.err
    )


def test_refusals(tmp_path):
    log = read_eval(plain(tmp_path, score=lambda i: i / 240))
    with pytest.raises(
        UnknownName, match="holds lists, long texts or more than 500 values in 'text'"
    ):
        log.evidence("correct", by=["text"])
    with pytest.raises(BadParameter, match="by must be left out for graded scores"):
        log.evidence("score", by=["topic"])
