"""`assay stream --experts` as a user runs it: forecasts in, regret to every expert and its bound out."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from assay import WeightedAverage, load
from assay.cli.interrupt import Interrupt
from assay.cli.stream_experts import _Gathered
from assay.data.examples import Chunks, Examples
from assay.errors import BadData
from tests.cli.runner import run

RNG = np.random.default_rng(4)
Y = RNG.random(500).round(4)
X = np.clip(Y[:, None] + RNG.normal(size=(500, 3)) * [0.05, 0.1, 0.3], 0, 1).round(4)
DAYS = [f"day {i}" for i in range(500)]
TABLE = pa.table({"day": DAYS, "ann": X[:, 0], "bob": X[:, 1], "truth": Y, "cy": X[:, 2]})
ASKED = ("--experts", "--target", "truth")


@pytest.fixture(params=["csv", "parquet"])
def table(request, tmp_path):
    path = tmp_path / f"load.{request.param}"
    (pyarrow.csv.write_csv if request.param == "csv" else pq.write_table)(TABLE, path)
    return path


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "load.csv"
    pyarrow.csv.write_csv(TABLE, path)
    return path


def last(found):
    return json.loads(found.out.splitlines()[-1])


def played(low=0.0, high=1.0):
    policy = WeightedAverage(low=low, high=high)
    policy.play(X, Y)
    return policy


def test_the_table_of_experts(table):
    found = run("stream", table, *ASKED)
    assert found.code == 0
    assert found.err == ""
    text = found.out
    assert text.startswith(f"Forecasts in {table}, combined by weighted-average\n")
    assert "no forecast is missing in the first 500 rows" in text
    assert "Range     0 to 1, because none was declared; every number was compared with it." in text
    assert "Left out  day: no numbers in it." in text
    names = re.findall(r"^ {10}(ann|bob|cy) ", text, re.MULTILINE)
    assert names == ["ann", "bob", "cy"]
    assert "The last column holds by wa-square-regret, whatever the rows." in text


def test_numbers_of_the_json_are_those_of_the_policy(table):
    found = run("stream", table, *ASKED, "--json")
    lines = [json.loads(line) for line in found.out.splitlines()]
    assert lines[0]["rows"] == 500
    answer, policy = lines[-1], played()
    record = policy.record_
    assert (answer["ok"], answer["done"], answer["interrupted"]) == (True, True, False)
    assert answer["total_loss"] == record.loss
    assert answer["error"] == pytest.approx(np.sqrt(record.loss / 500))
    assert [e["name"] for e in answer["experts"]] == ["ann", "bob", "cy"]
    regrets = [float(e["bound"]["observed"]) for e in answer["experts"]]
    np.testing.assert_allclose(regrets, record.regrets, rtol=1e-9)
    assert all(
        float(e["bound"]["promised"]) == pytest.approx(2 * np.log(3)) for e in answer["experts"]
    )
    assert answer["columns_left_out"] == ["day"]
    assert answer["guarantees"][0]["theorem"] == "wa-square-regret"


def test_a_range_and_a_policy_with_parameters(csv):
    found = last(
        run("stream", csv, *ASKED, "--range", "-1", "2", "--policy", "weighted-average",
            "--param", "learning_rate=0.25", "--json")
    )  # fmt: skip
    policy = WeightedAverage(low=-1, high=2, learning_rate=0.25)
    policy.play(X, Y)
    assert found["total_loss"] == policy.record_.loss
    assert (found["range"], found["range_known"], found["why"]) == ([-1.0, 2.0], "declared", "")


@pytest.mark.parametrize("loss", ["absolute", "entropic"])
def test_other_losses(csv, loss):
    found = last(run("stream", csv, *ASKED, "--loss", loss, "--column", "bob", "--json"))
    assert found["loss"] == loss
    assert [e["name"] for e in found["experts"]] == ["bob"]


def test_missing_forecasts_are_experts_asleep(tmp_path):
    path = tmp_path / "gaps.csv"
    rows = ["ann,bob,truth", *(f"{a if i % 3 else ''},{b if i % 7 else ''},{y}"
            for i, (a, b, y) in enumerate(zip(X[:, 0], X[:, 1], Y, strict=True)))]  # fmt: skip
    path.write_text("\n".join(rows) + "\n")
    found = run("stream", path, *ASKED)
    assert found.code == 0
    assert (
        "Policy    sleeping-experts, because forecasts are missing in the first 500 rows."
        in found.out
    )
    silent = len(range(0, 500, 21))
    assert f"{silent} rows without any forecast left out." in found.out
    answer = last(run("stream", path, *ASKED, "--json"))
    assert (answer["rows"], answer["skipped"]) == (500 - silent, silent)
    ann = next(e for e in answer["experts"] if e["name"] == "ann")
    awake = np.arange(500) % 3 != 0
    assert ann["rows"] == awake.sum()
    assert ann["loss"] == pytest.approx(np.sum((X[awake, 0] - Y[awake]) ** 2))
    assert ann["loss"] + ann["regret"] == pytest.approx(float(ann["bound"]["observed"]))


def test_a_late_gap_ends_the_stream_and_says_what_to_do(csv):
    lines = csv.read_text().splitlines(keepends=True)
    # The policy is chosen from the first chunk, so it has to be asked for here.
    csv.write_text("".join(lines[:300]) + "later,,0.5,0.5,0.5\n" + "".join(lines[300:]))
    found = run("stream", csv, *ASKED, "--policy", "weighted-average")
    assert found.code == 2
    assert "Ended     after 299 rows, by a row that cannot be learned" in found.out
    assert found.err == (
        f"assay: {csv} holds no value in column 'ann', row 300. --policy sleeping-experts takes "
        "forecasts that may be missing.\n"
    )


def test_a_bad_cell_keeps_everything_before_it(csv, tmp_path):
    lines = csv.read_text().splitlines(keepends=True)
    csv.write_text("".join(lines[:201]) + "later,0.5,oops,0.5,0.5\n" + "".join(lines[201:]))
    out = tmp_path / "p.assay"
    found = run("stream", csv, *ASKED, "--out", out, "--json")
    assert found.code == 2
    answer = last(found)
    assert (answer["ok"], answer["rows"]) == (False, 200)
    assert "'oops' in column 'bob', row 201" in answer["refusal"]
    good = WeightedAverage()
    good.play(X[:200], Y[:200])
    assert load(out).record_.loss == good.record_.loss


def test_a_number_out_of_range_says_what_to_do(csv):
    found = run("stream", csv, *ASKED, "--range", "0", "0.5")
    assert found.code == 2
    assert re.search(
        r"outside the range 0 to 0\.5\. Declare the range in which all lie with --range LO HI, or take "
        r"--policy adahedge, which needs none\.$",
        found.err.strip(),
    )


def test_a_policy_is_saved_and_goes_on(csv, tmp_path):
    out, again = tmp_path / "p.assay", tmp_path / "q.assay"
    first = run("stream", csv, *ASKED, "--range", "-1", "2", "--out", out)
    assert f"Saved     {out}; go on with: --warm-start {out}" in first.out
    second = run("stream", csv, *ASKED, "--warm-start", out, "--out", again)
    assert "500 rows learned earlier; all numbers include them." in second.out
    twice = played(-1.0, 2.0)
    twice.play(X, Y)
    assert load(again).record_.loss == twice.record_.loss


def test_long_lists_are_cut_with_a_note(tmp_path):
    path = tmp_path / "many.parquet"
    said = np.clip(Y[:, None] + RNG.normal(size=(500, 40)) * 0.1, 0, 1)
    pq.write_table(pa.table({f"e{i}": said[:, i] for i in range(40)} | {"truth": Y}), path)
    assert "and 30 more; --json lists them." in run("stream", path, *ASKED).out
    assert len(last(run("stream", path, *ASKED, "--json"))["experts"]) == 40


def test_a_file_whose_name_says_nothing(csv, tmp_path):
    odd = tmp_path / "load.txt"
    odd.write_bytes(csv.read_bytes())
    assert last(run("stream", odd, *ASKED, "--format", "csv", "--json"))["rows"] == 500


def test_several_files_are_one_stream(csv, tmp_path):
    other = tmp_path / "more.csv"
    other.write_bytes(csv.read_bytes())
    answer = last(run("stream", csv, other, *ASKED, "--json"))
    assert answer["rows"] == 1000


def test_standard_input(csv):
    text = csv.read_text()
    done = run("stream", "-", *ASKED, "--column", "ann", "--json", stdin=text)
    assert done.code == 0
    assert last(done)["rows"] == 500
    refused = run("stream", "-", *ASKED, stdin=text)
    assert refused.code == 2
    assert "Name the columns of forecasts with --column." in refused.err


def _command(arguments):
    code = "from assay.cli.app import main; main()"
    return [sys.executable, "-c", code, "stream", *map(str, arguments)]


def test_how_a_pipe_is_cut_up_decides_nothing(tmp_path):
    path = tmp_path / "late.csv"
    rows = [
        f"{a if i < 300 else ''},{b},{y}"
        for i, (a, b, y) in enumerate(zip(*X.T[:2], Y, strict=True))
    ]
    path.write_text("\n".join(["ann,bob,truth", *rows]) + "\n")
    wanted = last(run("stream", path, *ASKED, "--json"))
    assert wanted["policy"] == "sleeping-experts"
    process = _piped(["-", *ASKED, "--json"])
    lines = path.read_text().splitlines(keepends=True)
    for part in ("".join(lines[:150]), "".join(lines[150:])):
        process.stdin.write(part)
        process.stdin.flush()
        time.sleep(0.5)
    out, _ = process.communicate(timeout=60)
    assert json.loads(out.splitlines()[-1]) == wanted


def test_chunks_of_a_pipe_are_gathered_up_to_what_a_file_has(monkeypatch):
    monkeypatch.setattr("assay.cli.stream_experts.CHUNK_ROWS", 100)

    def pieces(bad=False):
        for start in range(0, 500, 70):
            part = slice(start, start + 70)
            yield Examples(X[part], Y[part], ["a", "b", "c"], "truth", None, start + 1)
        if bad:
            raise BadData("No.")

    def gathered(pieces):
        chunks = Chunks(lambda: ((piece.X, piece.y) for piece in pieces), "abc", target="truth")
        with Interrupt() as interrupt:
            yield from _Gathered(chunks, interrupt)

    found = list(gathered(pieces()))
    first = [(len(part), part.first_row) for part in found[:4]]
    assert first == [(100, 1), (40, 101), (70, 141), (70, 211)]
    np.testing.assert_array_equal(np.concatenate([part.X for part in found]), X)
    np.testing.assert_array_equal(np.concatenate([part.y for part in found]), Y)
    monkeypatch.setattr("assay.cli.stream_experts.CHUNK_ROWS", 1000)
    coming = gathered(pieces(bad=True))
    assert len(next(coming)) == 500
    with pytest.raises(BadData, match=r"^No\.$"):
        next(coming)
    assert list(gathered([])) == []


def test_ctrl_c_learns_what_was_waiting_to_be_looked_at():
    def read():
        yield X[:200], Y[:200]
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)

    with Interrupt() as interrupt:
        chunks = _Gathered(Chunks(read, "abc", target="truth"), interrupt)
        [held] = interrupt.until(chunks)
    assert interrupt.signal == signal.SIGINT
    np.testing.assert_array_equal(held.X, X[:200])


def _piped(arguments):
    return subprocess.Popen(
        _command(arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_ctrl_c_finishes_in_order(csv, tmp_path):
    out = tmp_path / "p.assay"
    # A policy that is named need not be chosen, so rows are played as they come.
    named = ("--policy", "weighted-average", "--column", "ann", "--column", "bob")
    process = _piped(["-", *ASKED, *named, "--json", "--out", out])
    process.stdin.write(csv.read_text())
    process.stdin.flush()
    first = json.loads(process.stdout.readline())
    assert first["rows"] > 0
    time.sleep(0.2)
    os.kill(process.pid, signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    answer = json.loads(rest.splitlines()[-1])
    assert process.returncode == 130
    assert answer["interrupted"]
    assert load(out).record_.rounds == answer["rows"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--experts",), "Name the column that the forecasts are about with --target."),
        ((*ASKED, "--bandit"), "--experts and --bandit cannot be played at once."),
        ((*ASKED, "--learner", "perceptron"), "--learner does not go with --experts."),
        ((*ASKED, "--delta", "0.1"), "--delta does not go with --experts."),
        ((*ASKED, "--least-propensity", "0.1"), "--least-propensity does not go with --experts."),
        ((*ASKED, "--standardize"), "--standardize does not go with --experts."),
        ((*ASKED, "--encoder", "booleans"), "--encoder does not go with --experts."),
        ((*ASKED, "--certificate", "c.json"), "--certificate does not go with --experts."),
        (("--target", "truth", "--policy", "hedge"), "--policy goes with --experts or --bandit."),
        (("--target", "truth", "--range", 0, 1), "--range goes with --experts or --bandit."),
        ((*ASKED, "--range", 1, 0), "--range must be two numbers, the smaller first, but is 1 0."),
        (
            (*ASKED, "--policy", "fixed-share"),
            "fixed-share must be told the rounds there will be, or else a share: give --param rounds=... "
            "or --param share=...",
        ),
        ((*ASKED, "--loss", "hinge"), "--loss must be one of square, absolute, entropic, but is 'hinge'."),
        (
            (*ASKED, "--policy", "hedge"),
            "--policy must be one of weighted-average, adahedge, fixed-share, sleeping-experts, which "
            "combine forecasts, but is 'hedge'.",
        ),
    ],
)  # fmt: skip
def test_refusals(csv, arguments, sentence):
    found = run("stream", csv, *arguments)
    assert (found.code, found.err) == (2, f"assay: {sentence}\n")


def test_an_unknown_parameter_is_refused(csv):
    found = run("stream", csv, *ASKED, "--policy", "adahedge", "--param", "rate=1")
    assert found.code == 2
    assert found.err.startswith("assay: adahedge has no parameter 'rate'. It has loss, ")


def test_refusals_about_a_model_file(csv, tmp_path):
    out = tmp_path / "p.assay"
    run("stream", csv, *ASKED, "--out", out)
    found = run("stream", csv, *ASKED, "--warm-start", out, "--loss", "square")
    assert found.err == (
        "assay: --loss, --range and --param are for a new policy; the one in the model file has its own.\n"
    )
    found = run("stream", csv, *ASKED, "--warm-start", out, "--policy", "adahedge")
    assert found.err == f"assay: --policy is 'adahedge', but {out} holds a weighted-average.\n"
    found = run("stream", csv, *ASKED, "--warm-start", out, "--column", "ann")
    assert found.code == 2
    assert "There must be 3 experts as before" in found.err
    found = run("stream", csv, *ASKED, "--out", tmp_path / "no" / "p.assay")
    assert found.code == 2
    assert "cannot be written" in found.err
