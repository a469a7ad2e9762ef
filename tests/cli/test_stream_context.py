"""`assay stream --bandit` with a context: tables that say the right action, and logs."""

import json

import numpy as np
import pytest

from assay import load
from assay.play.context_stream import ContextTable, arms_of
from tests.cli.runner import run

RNG = np.random.default_rng(0)


def last(found):
    return json.loads(found.out.splitlines()[-1])


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "rounds.csv"
    X = RNG.random((3000, 2)).round(3)
    kind = np.where(X[:, 0] > X[:, 1], "left", "right")
    town = np.array(["Bonn", "Ulm"])[RNG.integers(2, size=3000)]
    rows = [f"{u},{v},{t},{k}" for (u, v), t, k in zip(X, town, kind, strict=True)]
    path.write_text("u,v,town,kind\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.csv"
    rng = np.random.default_rng(1)
    user, arm = rng.integers(2, size=(2, 4000))
    cost = (rng.random(4000) < np.where(arm == user, 0.2, 0.7)).astype(int)
    rows = [f"{['a', 'b'][a]},{c},0.5,{u}" for a, c, u in zip(arm, cost, user, strict=True)]
    path.write_text("arm,cost,p,user\n" + "\n".join(rows) + "\n")
    return path


LOG = (
    "--bandit",
    "--arm",
    "arm",
    "--loss-column",
    "cost",
    "--propensity",
    "p",
    "--context",
    "user",
)


@pytest.mark.parametrize("policy", ["linucb", "linear-thompson", "epsilon-greedy", "square-cb"])
def test_rows_that_say_the_right_action(table, policy, tmp_path):
    out, page = tmp_path / "p.assay", tmp_path / "p.html"
    found = run(
        "stream",
        table,
        "--bandit",
        "--policy",
        policy,
        "--target",
        "kind",
        "--out",
        out,
        "--report",
        page,
    )
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith(f"Rows of {table}, each a round of {policy}\n")
    assert "of each row the policy was told whether its action was that of 'kind'." in found.out
    assert "Promised  " in found.out
    assert f"Saved     {page}; open it in a browser" in found.out
    html = page.read_text()
    for title in ("Loss beyond that of the best single action", "Actions chosen", "Exploration"):
        assert title in html
    answer = last(
        run("stream", table, "--bandit", "--policy", policy, "--target", "kind", "--json")
    )
    assert (answer["rows"], answer["ok"]) == (3000, True)
    assert answer["loss"] < 0.25 < answer["best_action_loss"]
    assert sum(a["chosen"] for a in answer["actions"]) == 3000
    assert sum(a["right"] for a in answer["actions"]) == 3000
    theorems = {g["theorem"] for g in answer["guarantees"]}
    assert theorems & {
        "linucb-regret",
        "interval-regret",
        "epsilon-greedy-regret",
        "squarecb-regret",
    }
    policy = load(out)
    assert policy.log_columns_["arms"] == ["left", "right"]
    assert "trace_" not in vars(policy)


def test_only_columns_that_were_named(table):
    asked = ("stream", table, "--bandit", "--target", "kind", "--json")
    both = last(run(*asked, "--context", "u", "--context", "v"))
    town = last(run(*asked, "--context", "town"))
    assert both["loss"] < 0.2 < 0.4 < town["loss"]
    assert both["policy"] == "square-cb"


def test_going_on_is_as_if_it_had_never_ended(table, tmp_path):
    lines = table.read_text().splitlines(keepends=True)
    first, second = tmp_path / "1.csv", tmp_path / "2.csv"
    first.write_text("".join(lines[:1001]))
    second.write_text("".join(lines[:1] + lines[1001:]))
    out, end = tmp_path / "half.assay", tmp_path / "end.assay"
    asked = ("--bandit", "--policy", "square-cb", "--target", "kind")
    whole = tmp_path / "whole.assay"
    assert run("stream", table, *asked, "--out", whole).code == 0
    assert run("stream", first, *asked, "--out", out).code == 0
    found = run("stream", second, *asked, "--warm-start", out, "--out", end)
    assert (found.code, found.err) == (0, "")
    one, other = load(whole), load(end)
    assert one.models_.tobytes() == other.models_.tobytes()
    assert one.generator_.tobytes() == other.generator_.tobytes()
    refused = run("stream", second, *asked, "--warm-start", out, "--param", "gamma=3")
    assert refused.err == (
        "assay: --param, --label, --context and --column are for a new policy; the one in the model file has its own.\n"
    )


def test_advice(tmp_path):
    path = tmp_path / "advice.csv"
    rng = np.random.default_rng(0)
    truth = rng.choice(["rain", "sun", "snow"], 2000)
    noise = rng.choice(["rain", "sun", "snow"], (2, 2000))
    good = np.where(rng.random(2000) < 0.8, truth, noise[0])
    rows = [",".join(row) for row in zip(good, noise[1], truth, strict=True)]
    path.write_text("frog,dice,weather\n" + "\n".join(rows) + "\n")
    asked = ("stream", path, "--bandit", "--policy", "exp4", "--target", "weather")
    answer = last(run(*asked, "--param", "rounds=2000", "--json"))
    [promise] = answer["guarantees"]
    assert promise["theorem"] == "exp4-regret"
    assert 0 < float(promise["observed"]) < float(promise["promised"]) < 2000
    assert answer["loss"] < 0.4
    out = tmp_path / "p.assay"
    found = run(*asked, "--out", out, "--report", tmp_path / "p.html")
    assert found.code == 0
    assert run("stream", path, *asked[2:], "--warm-start", out).code == 0
    path.write_text(path.read_text() + "frog,dice,sun\n")
    found = run(*asked)
    assert found.code == 2
    assert "holds 'frog' in column 'frog', row 2001, which is none of the actions." in found.err


def test_a_log_is_replayed(log, tmp_path):
    out, page = tmp_path / "p.assay", tmp_path / "p.html"
    found = run("stream", log, *LOG, "--least-propensity", "0.5", "--out", out, "--report", page)
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith(f"Log of {log}, replayed by square-cb\n")
    assert "Explored  " in found.out
    assert "Loss so far" in page.read_text()
    answer = last(run("stream", log, *LOG, "--policy", "linucb", "--json"))
    assert answer["lower"] < answer["loss"] < 0.3 < 0.4 < answer["logged_loss"]
    assert sum(arm["replayed"] for arm in answer["arms"]) == answer["kept"]
    again = run("stream", log, *LOG[:-2], "--policy", "square-cb", "--warm-start", out, "--json")
    assert again.code == 0
    assert last(again)["rows"] == 4000
    plain = last(run("stream", log, *LOG[:-2], "--json"))
    assert answer["loss"] < plain["loss"] - 0.1


def test_standard_input(table, log):
    text = table.read_text()
    labels = ("--label", "left", "--label", "right")
    asked = ("stream", "-", "--bandit", "--target", "kind", "--json")
    assert last(run(*asked, *labels, stdin=text))["rows"] == 3000
    assert last(run(*asked, stdin=text))["rows"] == 3000
    few = run(*asked, "--label", "left", "--label", "up", stdin=text)
    assert few.code == 2
    assert "which is none of the labels 'left', 'up'." in few.err
    arms = ("--label", "a", "--label", "b", "--least-propensity", "0.5")
    assert last(run("stream", "-", *LOG, *arms, "--json", stdin=log.read_text()))["rows"] == 4000


def test_a_bad_cell_keeps_everything_before_it(table):
    lines = table.read_text().splitlines(keepends=True)
    lines[1000] = "much,0.5,Bonn,left\n"
    table.write_text("".join(lines))
    found = run("stream", table, "--bandit", "--target", "kind", "--json")
    assert found.code == 2
    assert last(found)["rows"] == 999
    lines[1000] = "1e300,0.5,Bonn,left\n"
    table.write_text("".join(lines))
    found = run("stream", table, "--bandit", "--target", "kind")
    assert found.code == 2
    assert (
        "in column 'u', row 1000, where a number between -1e+15 and 1e+15 is needed." in found.err
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("--policy", "linucb"),
            "Name the column of the right action with --target; or, of a log, the columns of the action, its loss and "
            "its probability with --arm, --loss-column and --propensity.",
        ),
        (
            ("--target", "kind", "--range", 0, 1),
            "--range goes with a log; name its actions with --arm.",
        ),
        (("--target", "kind", "--policy", "hedge"), "--target does not go with --bandit."),
        (
            ("--target", "kind", "--param", "arms=3"),
            "'arms' is no parameter to give here: the arms are those of the rows.",
        ),
        (
            ("--target", "kind", "--label", "left"),
            "{} holds only one label, and so nothing to choose from.",
        ),
    ],
)
def test_refusals(table, arguments, sentence):
    found = run("stream", table, "--bandit", *arguments)
    assert (found.code, found.err) == (2, f"assay: {sentence.format(table)}\n")


def test_refusals_of_logs(log):
    found = run("stream", log, *LOG[:-2], "--policy", "linucb")
    assert found.err == (
        "assay: Name the columns that tell of the round with --context, once for each.\n"
    )
    found = run("stream", log, *LOG, "--target", "cost")
    assert (
        found.err == "assay: --target goes with rows that say the right action, not with --arm.\n"
    )
    found = run("stream", log, *LOG, "--policy", "exp4")
    assert found.err == (
        "assay: exp4 is played on rows that say the right action: name their column with --target.\n"
    )


def test_the_history_of_a_long_run_is_short():
    arms = np.array([0, 1])
    stream = ContextTable("epsilon-greedy", arms)
    X = np.random.default_rng(0).random((30_000, 1))
    from assay.data.examples import Examples

    for begin in range(0, 30_000, 7000):
        part = X[begin : begin + 7000]
        stream.learn(Examples(part, (part[:, 0] > 0.5).astype(int), ["x"], "y"))
    history = stream.history
    assert 1000 <= len(history.rounds) <= 2000
    assert (np.diff(history.rounds) == history.rounds[0]).all()
    assert (history.plays.sum(axis=1) == history.rounds).all()
    assert (np.diff(history.losses) >= 0).all()
    assert history.counts.sum() == history.truths.sum() == stream.rows == 30_000


def test_arms_in_the_type_of_the_column():
    assert arms_of(np.array([2, 1, 2]), ["1", "2", "3"]).tolist() == [1, 2, 3]
