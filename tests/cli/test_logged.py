"""`assay logged` as a user runs it: a log in; out comes what a policy loses, and whether that is less."""

import json
from pathlib import Path

import numpy as np
import pytest

from assay import load
from tests.cli.runner import run

FIXTURES = Path(__file__).parents[1] / "data" / "decisions" / "fixtures"


def written(path, rounds, seed=0, reward=False):
    """A log of Vowpal Wabbit: the right action is that whose number the context tells."""
    rng = np.random.default_rng(seed)
    user = rng.integers(2, size=rounds)
    action = rng.integers(2, size=rounds)
    cost = (rng.random(rounds) < np.where(action == user, 0.2, 0.7)).astype(int)
    lines = [
        f"{a + 1}:{-(1 - c) if reward else c}:0.5 |user kind{u}"
        for a, c, u in zip(action, cost, user, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def log(tmp_path):
    return written(tmp_path / "clicks.txt", 4000)


def test_a_policy_is_learned_and_judged_by_other_rounds(log, tmp_path):
    out = tmp_path / "policy.assay"
    found = run("logged", log, "--better", "--out", out)
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith(
        f"Decisions of {log}\n\nLog       4,000 rounds, 2 actions; whoever made it lost 0.4"
    )
    assert (
        "learned from the first 2,000 rounds by doubly-robust losses, judged by the other 2,000."
        in found.out.replace("\n          ", " ")
    )
    assert "less than whoever made the log, with 95 % confidence (logged-improvement)." in found.out
    assert f"Saved     {out}; judge it by another log with: --policy {out}" in found.out
    assert load(out).log_columns_["arms"] == ["1", "2"]
    # Another log, whose columns come in another order.
    other = written(tmp_path / "later.txt", 3000, seed=1)
    other.write_text("1:1:0.5 |user kind1 unknown\n" + other.read_text())
    answer = json.loads(run("logged", other, "--policy", out, "--json").out)
    assert (answer["learned_rounds"], answer["judged_rounds"], answer["better"]) == (0, 3001, True)
    assert answer["lower"] < 0.21 < answer["upper"] < 0.4
    assert answer["notes"] == ["1 features were not in the other log and were left out."]


def test_costs_are_told_in_their_own_numbers(tmp_path):
    path = written(tmp_path / "rewards.txt", 4000, reward=True)
    answer = json.loads(run("logged", path, "--range", -1, 0, "--policy", "uniform", "--json").out)
    assert answer["range"] == [-1, 0]
    assert answer["lower"] < answer["inverse_propensity"] < answer["upper"] < -0.4
    assert answer["logged_loss"] == pytest.approx(answer["inverse_propensity"], abs=1e-12)
    assert answer["better"] is False
    assert abs(answer["better_by"]) < 1e-9 or answer["better_by"] < 0


def test_rewards_of_open_bandit():
    answer = json.loads(
        run("logged", FIXTURES / "open_bandit.csv", "--policy", "arm=0", "--json").out
    )
    assert answer["format"] == "Open Bandit (CSV)"
    assert answer["logged_reward"] == pytest.approx(1 / 3)
    # One round of three, of reward 1, weighs 2; the others are of other items.
    assert answer["inverse_propensity"] == pytest.approx(1 / 3 * (2 * 1) + (1 - 2 / 3) * 1)
    assert 0 <= answer["lower"] <= answer["upper"] <= 1


def test_the_first_action_of_each_round():
    answer = json.loads(
        run("logged", FIXTURES / "personalizer.dsjson", "--policy", "first", "--json").out
    )
    assert (answer["rounds"], answer["actions"], answer["policy"]) == (2, 3, "first")
    assert answer["largest_weight"] == pytest.approx(10)


def test_a_gate(log):
    found = run("logged", log, "--policy", "arm=1", "--better")
    assert found.code == 1
    assert "That it is better than whoever made the log is not known" in found.out


def test_a_table(tmp_path):
    path = tmp_path / "t.csv"
    rng = np.random.default_rng(0)
    rows = [f"{['red', 'blue'][a]},{a ^ u},0.5,{u}" for a, u in rng.integers(2, size=(600, 2))]
    path.write_text("page,left,chance,user\n" + "\n".join(rows) + "\n")
    named = (
        "--arm",
        "page",
        "--loss-column",
        "left",
        "--propensity",
        "chance",
        "--context",
        "user",
    )
    answer = json.loads(
        run("logged", path, *named, "--learner", "square-cb", "--param", "gamma=100", "--json").out
    )
    assert answer["better"] is True
    assert answer["policy"].startswith("square-cb, learned from the first 300 rounds")
    more = run(
        "logged", path, *named, "--method", "inverse-propensity", "--holdout", "0.25", "--json"
    )
    assert json.loads(more.out)["judged_rounds"] == 150


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("--policy", "best"),
            "--policy must be uniform, first, arm=NAME or the file of a policy, but is 'best'.",
        ),
        (("--policy", "arm=9"), "policy names the arm '9', which is none of '1', '2'."),
        (
            ("--policy", "uniform", "--learner", "linucb"),
            "--learner is for a policy that is learned, not with --policy.",
        ),
        (
            ("--learner", "perceptron"),
            "--learner must be one of epsilon-greedy, square-cb, linear-thompson, linucb, but is 'perceptron'.",
        ),
        (
            ("--method", "x"),
            "--method must be one of doubly-robust, inverse-propensity, but is 'x'.",
        ),
        (("--holdout", "1"), "--holdout must be a share between 0 and 1, but is 1.0."),
        (
            ("--param", "arms=3"),
            "'arms' is no parameter to give here: the arms are those of the log.",
        ),
        (("--format", "x"), "--format must be one of dsjson, open-bandit, vw, vw-adf, but is 'x'."),
        (
            ("--arm", "x"),
            "Name three columns of a table: arm, loss (or reward) and propensity; of a log of a tool name none.",
        ),
        (("--delta", "2"), "--delta must be a number strictly between 0 and 1, but is '2'."),
    ],
)
def test_refusals(log, arguments, sentence):
    found = run("logged", log, *arguments)
    assert (found.code, found.err) == (2, f"assay: {sentence}\n")


def test_refusals_of_files(tmp_path):
    missing = tmp_path / "no.txt"
    found = run("logged", missing)
    assert (found.code, found.err) == (
        2,
        f"assay: {missing} cannot be read: No such file or directory.\n",
    )
    path = tmp_path / "a.txt"
    path.write_text("1:7:0.5 | x\n")
    found = run("logged", path)
    assert found.err == (
        f"assay: {path}, line 1, holds the cost 7, outside the range 0 to 1. Declare between which two numbers all lie "
        "with --range LO HI.\n"
    )
    path.write_text("1:1:0.5 | x\n")
    found = run("logged", path)
    assert found.err == (
        f"assay: {path} holds 1 rounds, too few to learn from some and be judged by others.\n"
    )
