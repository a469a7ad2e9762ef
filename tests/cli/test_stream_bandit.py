"""`assay stream --bandit` as a user runs it: a log with propensities in, an interval for a policy out."""

import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from assay import load
from tests.cli.runner import run

RNG = np.random.default_rng(8)
P = np.array([0.5, 0.3, 0.2])
PLACES = RNG.choice(3, 4000, p=P)
ARMS = np.array(["left", "mid", "right"])[PLACES]
COST = (RNG.random(4000) < np.array([0.6, 0.2, 0.4])[PLACES]).astype(float)
TABLE = pa.table({"who": np.arange(4000), "side": ARMS, "cost": COST, "prob": P[PLACES]})
ASKED = ("--bandit", "--arm", "side", "--loss-column", "cost", "--propensity", "prob")


@pytest.fixture(params=["csv", "parquet"])
def table(request, tmp_path):
    path = tmp_path / f"log.{request.param}"
    (pyarrow.csv.write_csv if request.param == "csv" else pq.write_table)(TABLE, path)
    return path


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "log.csv"
    pyarrow.csv.write_csv(TABLE, path)
    return path


def last(found):
    return json.loads(found.out.splitlines()[-1])


def test_the_report(table):
    found = run("stream", table, *ASKED, "--least-propensity", "0.2")
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith(f"Log of {table}, replayed by ucb1\n")
    assert "Policy    ucb1, because the rows are taken to be independent draws." in found.out
    assert "4,000 rows, 3 arms" in found.out
    assert re.search(r"The least\s+propensity is 0\.2, declared\.", found.out)
    assert re.findall(r"^ {10}(left|mid|right) ", found.out, re.MULTILINE) == [
        "mid",
        "right",
        "left",
    ]
    assert "Expected regret: at most" in found.out


def test_the_json(table):
    answer = last(run("stream", table, *ASKED, "--json"))
    assert (answer["ok"], answer["rows"], answer["theorem"]) == (True, 4000, "progressive-anytime")
    assert 0 <= answer["lower"] < answer["loss"] < answer["upper"] <= 1
    assert answer["logged_loss"] == pytest.approx(COST.mean())
    assert not answer["least_propensity_declared"]
    assert sum(arm["replayed"] for arm in answer["arms"]) == answer["kept"]
    assert answer == last(run("stream", table, *ASKED, "--json"))


def test_a_smaller_delta_is_a_wider_interval(csv):
    wide, narrow = (
        last(run("stream", csv, *ASKED, "--json", "--delta", delta)) for delta in ("0.001", "0.2")
    )
    assert wide["lower"] < narrow["lower"]
    assert narrow["upper"] < wide["upper"]


def test_a_range_scales_every_number(csv):
    lines = csv.read_text().splitlines()
    wide = [lines[0]] + [
        ",".join([*(cells := line.split(","))[:2], str(40 * float(cells[2]) - 10), cells[3]])
        for line in lines[1:]
    ]
    plain = last(run("stream", csv, *ASKED, "--json"))
    csv.write_text("\n".join(wide) + "\n")
    scaled = last(run("stream", csv, *ASKED, "--range", -10, 30, "--json"))
    for name in ("loss", "lower", "upper", "logged_loss"):
        assert scaled[name] == pytest.approx(40 * plain[name] - 10)
    [one], [other] = plain["regret_bounds"], scaled["regret_bounds"]
    assert float(other["promised"]) == pytest.approx(40 * float(one["promised"]))
    assert plain["guarantees"][0]["of"] == "expected regret"
    assert scaled["guarantees"][0]["of"] == "expected regret, of losses scaled into [0, 1]"
    assert scaled["guarantees"][0]["promised"] == one["promised"]


def test_an_arm_that_was_never_logged(csv):
    arms = [part for name in ("left", "mid", "right", "pink") for part in ("--label", name)]
    answer = last(run("stream", csv, *ASKED, *arms, "--json"))
    assert (answer["never_logged"], answer["waits_for"]) == (["pink"], "pink")
    assert answer["kept"] < 4
    fine = last(run("stream", csv, *ASKED, "--json"))
    assert (fine["never_logged"], fine["waits_for"]) == ([], None)


def test_ctrl_c_during_the_first_look_is_no_fault_of_the_log(csv, monkeypatch):
    def interrupted(self, pieces):
        self.signal = 2
        return iter(())

    monkeypatch.setattr("assay.cli.interrupt.Interrupt.until", interrupted)
    found = run("stream", csv, *ASKED)
    assert (found.code, found.out) == (130, "")
    assert found.err == "assay: the stream was ended before anything was learned.\n"


@pytest.mark.parametrize("policy", ["exp3", "exp3-ix", "kl-ucb", "thompson-sampling"])
def test_other_policies_are_saved_too(csv, tmp_path, policy):
    out = tmp_path / "p.assay"
    found = run(
        "stream", csv, *ASKED, "--policy", policy, "--param", "random_state=3", "--out", out
    )
    assert found.code == 0
    assert f"Saved     {out}; its arms are left, mid, right" in found.out
    kept = int(re.search(r"Replayed  ([\d,]+) rows", found.out)[1].replace(",", ""))
    assert load(out).record_.rounds == kept


def test_a_bad_cell_keeps_everything_before_it(csv):
    lines = csv.read_text().splitlines(keepends=True)
    lines[1000] = '999,"left",7,0.5\n'
    csv.write_text("".join(lines))
    found = run("stream", csv, *ASKED)
    assert found.code == 2
    assert "Ended     after 999 rows, by a row that cannot be learned" in found.out
    assert found.err == (
        f"assay: {csv} holds 7 in column 'cost', row 1000, outside the range 0 to 1. Declare the "
        "range in which all lie with --range LO HI.\n"
    )
    assert last(run("stream", csv, *ASKED, "--range", 0, 10, "--json"))["rows"] == 4000


def test_a_word_among_numbers_is_refused_with_its_place(csv):
    lines = csv.read_text().splitlines(keepends=True)
    lines[2000] = '1999,"left",much,0.5\n'
    csv.write_text("".join(lines))
    found = run("stream", csv, *ASKED, "--json")
    assert found.code == 2
    assert last(found)["rows"] == 1999
    assert "'much' in column 'cost', row 2000" in last(found)["refusal"]


def test_standard_input_needs_to_be_told(csv):
    text = csv.read_text()
    refused = run("stream", "-", *ASKED)
    assert refused.code == 2
    assert "Standard input can be read only once" in refused.err
    arms = [part for name in ("left", "mid", "right") for part in ("--label", name)]
    asked = ("stream", "-", *ASKED, "--least-propensity", "0.2", "--json")
    done = run(*asked, *arms, stdin=text)
    assert last(done)["rows"] == 4000
    few = run(*asked, *arms[:4], stdin=text)
    assert few.code == 2
    assert "which is none of the arms 'left', 'mid'. Declare all arms with --label." in few.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("--bandit", "--arm", "side"),
            "A log needs three columns: name them with --arm, --loss-column (or --reward-column) and --propensity.",
        ),
        ((*ASKED, "--target", "cost"), "--target does not go with --bandit."),
        ((*ASKED, "--warm-start", "x.assay"), "--warm-start does not go with --bandit."),
        ((*ASKED, "--loss", "square"), "--loss does not go with --bandit."),
        (
            (*ASKED, "--least-propensity", "2"),
            "--least-propensity must be above 0 and at most 1, but is 2.0.",
        ),
        (
            (*ASKED, "--policy", "hedge"),
            "--policy must be one of ucb1, kl-ucb, thompson-sampling, exp3, exp3-ix, but is 'hedge'.",
        ),
        ((*ASKED, "--range", 1, 0), "--range must be two numbers, the smaller first, but is 1 0."),
        (("--target", "cost", "--arm", "side"), "--arm goes with --experts or --bandit."),
        (
            (*ASKED, "--param", "arms=3"),
            "'arms' is no parameter to give here: the arms are those of the log.",
        ),
    ],
)
def test_refusals(csv, arguments, sentence):
    found = run("stream", csv, *arguments)
    assert (found.code, found.err) == (2, f"assay: {sentence}\n")


def test_a_propensity_below_the_declared_one_is_refused(csv):
    found = run("stream", csv, *ASKED, "--least-propensity", "0.25")
    assert found.code == 2
    assert "below the least propensity 0.25, as declared." in found.err
