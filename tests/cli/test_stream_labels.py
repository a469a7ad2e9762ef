"""`assay stream --experts` where experts name labels: weighted majority, Hedge and sleeping experts by the command."""

from __future__ import annotations

import json
import math

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from assay import Hedge, SleepingExperts, WeightedMajority
from tests.cli.runner import run

RNG = np.random.default_rng(0)
TRUTH = RNG.choice(["rain", "sun"], 300)
SAID = {
    name: np.where(RNG.random(300) < right, TRUTH, np.where(TRUTH == "sun", "rain", "sun"))
    for name, right in (("ann", 0.9), ("bob", 0.7), ("cy", 0.5))
}
ADVICE = np.column_stack(list(SAID.values()))
ASKED = ("--experts", "--target", "sky")


def written(tmp_path, columns, form="csv"):
    path = tmp_path / f"sky.{form}"
    (pyarrow.csv.write_csv if form == "csv" else pq.write_table)(pa.table(columns), path)
    return path


@pytest.fixture(params=["csv", "parquet"])
def table(request, tmp_path):
    return written(tmp_path, SAID | {"sky": TRUTH}, request.param)


def last(found):
    return json.loads(found.out.splitlines()[-1])


def test_text_labels_are_weighed_by_majority(table):
    policy = WeightedMajority(classes=("rain", "sun"))
    policy.play(ADVICE, TRUTH)
    found = run("stream", table, *ASKED, "--json")
    assert (found.code, found.err) == (0, "")
    answer = last(found)
    assert answer["policy"] == "weighted-majority"
    assert answer["total_loss"] == policy.record_.mistakes
    assert [e["name"] for e in answer["experts"]] == ["ann", "bob", "cy"]
    assert [e["loss"] for e in answer["experts"]] == policy.record_.expert_losses.tolist()
    promised = [g.promised for g in policy.guarantees(against="each")]
    assert [float(e["bound"]["promised"]) for e in answer["experts"]] == promised
    text = run("stream", table, *ASKED).out
    assert text.startswith(f"Labels in {table}, combined by weighted-majority\n")
    assert "The last column holds by weighted-majority-mistakes, whatever the rows." in text


def test_hedge_over_labels(table):
    policy = Hedge()
    policy.play((TRUTH[:, None] != ADVICE).astype(float))
    answer = last(run("stream", table, *ASKED, "--policy", "hedge", "--json"))
    assert answer["error"] == policy.record_.loss / 300
    assert answer["error_name"] == "expected share of mistakes"
    assert float(answer["bound"]["promised"]) == pytest.approx(policy.guarantees()[0].value)
    assert "at most: of the regret" in run("stream", table, *ASKED, "--policy", "hedge").out


def test_labels_that_are_missing_or_many_are_experts_asleep(tmp_path):
    said = {name: np.where(RNG.random(300) < 0.3, None, column) for name, column in SAID.items()}
    rows = np.column_stack(list(said.values()))
    silent = int(np.equal(rows, None).all(axis=1).sum())
    assert silent
    policy = SleepingExperts(random_state=0)
    policy.play(rows, TRUTH.astype(object))
    columns = {name: pa.array(column.tolist()) for name, column in said.items()}
    path = written(tmp_path, columns | {"sky": TRUTH})
    answer = last(run("stream", path, *ASKED, "--param", "random_state=0", "--json"))
    assert (answer["policy"], answer["skipped"]) == ("sleeping-experts", silent)
    assert answer["why"] == "because labels are missing in the first 300 rows"
    assert answer["total_loss"] == policy.record_.loss
    text = run("stream", path, *ASKED).out
    assert f"In {silent} more rows nobody named a label, and neither did the policy." in text
    many = written(tmp_path, {"ann": ["a", "b", "c"], "sky": ["a", "b", "b"]})
    assert last(run("stream", many, *ASKED, "--json"))["policy"] == "sleeping-experts"


def test_numbers_are_labels_where_the_loss_says_so(tmp_path):
    ones = {"ann": [1, 0, 1, 1], "bob": [0.0, math.nan, 1.0, 1.0], "sky": [1, 0, 1, 0]}
    path = written(tmp_path, ones, "parquet")
    answer = last(run("stream", path, *ASKED, "--loss", "zero-one", "--json"))
    assert answer["policy"] == "sleeping-experts"
    assert {e["name"]: (e["rows"], e["loss"]) for e in answer["experts"]} == {
        "ann": (4, 1.0),
        "bob": (3, 2.0),
    }


def test_a_policy_goes_on_from_its_file(table, tmp_path):
    out = tmp_path / "p.assay"
    run("stream", table, *ASKED, "--out", out)
    answer = last(run("stream", table, *ASKED, "--warm-start", out, "--json"))
    twice = WeightedMajority(classes=("rain", "sun"))
    twice.play(np.vstack([ADVICE, ADVICE]), np.r_[TRUTH, TRUTH])
    assert answer["total_loss"] == twice.record_.mistakes
    assert answer["rows_before"] == 300


def test_refusals(tmp_path):
    path = written(tmp_path, {"ann": ["a", "a", "b"], "sky": ["a", "b", "c"]})
    for options, sentence in (
        (
            ("--policy", "weighted-majority"),
            "weighted-majority needs two labels, but there are 3: 'a', 'b', 'c'. --policy sleeping-experts and "
            "hedge take any.",
        ),
        (
            ("--policy", "weighted-majority", "--label", "a", "--label", "b"),
            f"{path} holds 'c' in column 'sky', row 3, which is none of the labels 'a' and 'b'. --policy "
            "sleeping-experts and hedge take any.",
        ),
        (("--range", "0", "2"), "--range goes with forecasts that are numbers, not with labels."),
        (
            ("--loss", "zero-one", "--policy", "adahedge"),
            "--policy must be one of weighted-majority, hedge, sleeping-experts, which combine labels, but is "
            "'adahedge'.",
        ),
        (
            ("--loss", "square", "--label", "a"),
            "--label goes with experts that name labels, not numbers.",
        ),
    ):
        found = run("stream", path, *ASKED, *options)
        assert found.code == 2
        assert found.err == f"assay: {sentence}\n"
    gap = written(tmp_path, {"ann": ["a", None, "b"], "sky": ["a", "b", "b"]})
    found = run("stream", gap, *ASKED, "--policy", "hedge")
    assert found.code == 2
    assert found.err == (
        f"assay: {gap} holds no label in column 'ann', row 2. --policy sleeping-experts takes labels that may be "
        "missing.\n"
    )


def test_where_nobody_ever_says_anything_there_is_nothing_to_learn(tmp_path):
    path = tmp_path / "silent.csv"
    path.write_text("sky,ann,bob\nrain,,\nsun,,\n")
    found = run("stream", path, *ASKED)
    assert (found.code, found.out) == (2, "")
    assert found.err == f"assay: {path} holds no row to learn from: all of them were skipped.\n"
