import numpy as np
import pytest

from assay import theorem
from assay.data.examples import Examples
from assay.play.bandit_stream import BanditStream, Log
from assay.report.bandit import bandit_text, replay_line


def stream(arms=3, rows=600, declared=True, **given):
    rng = np.random.default_rng(0)
    played = rng.integers(arms, size=rows)
    losses = (rng.random(rows) < np.linspace(0.2, 0.8, arms)[played]).astype(float)
    found = BanditStream(
        "exp3", Log(np.arange(arms), 1 / arms, declared), source="log.csv", **given
    )
    X = np.column_stack([losses, np.full(rows, 1 / arms)])
    found.learn(Examples(X, played, ["cost", "p"], "arm"))
    return found


def test_what_the_log_and_the_replay_say():
    found = stream()
    text = bandit_text(found, "because I said so")
    assert text.startswith("Log of log.csv, replayed by exp3\n")
    assert "Policy    exp3, because I said so." in text
    assert "600 rows, 3 arms" in text
    assert f"Replayed  {found.kept:,} rows" in text
    assert "Expected regret: at most" in text
    assert "declared: 0.333333" in text


def test_the_interval_reads_no_narrower_than_it_is():
    found = stream()
    lower, upper = found.interval()
    words = bandit_text(found).split("lies between ")[1].split(", with")[0].split(" and ")
    assert float(words[0]) <= lower < upper <= float(words[1])


def test_what_was_read_off_the_log_is_said():
    assert "read off the log" in bandit_text(stream(declared=False))


def test_many_arms_are_cut():
    assert "and 5 more; --json lists them." in bandit_text(stream(arms=15, rows=2000))


def test_a_range_is_that_of_the_regret_too():
    def bound(text):
        return float(text.split("Expected regret: at most ")[1].split(",")[0])

    rng = np.random.default_rng(1)
    losses, propensity = rng.random(600), np.full(600, 0.5)
    arms = rng.integers(2, size=600)

    def text(bounds, cost):
        found = BanditStream("ucb1", Log(np.arange(2), 0.5, declared=True), bounds=bounds)
        found.learn(Examples(np.column_stack([cost, propensity]), arms, ["cost", "p"], "arm"))
        return bandit_text(found)

    plain, wide = text((0.0, 1.0), losses), text((-50.0, 150.0), 200 * losses - 50)
    assert bound(wide) == pytest.approx(200 * bound(plain), rel=1e-5)
    assert bound(wide) >= 200 * theorem("ucb1-gap-free-regret")(
        rounds=int(plain.split("Replayed  ")[1].split(" rows")[0]), arms=2
    )


def test_an_arm_that_was_never_logged_is_waited_for():
    log = Log(np.array(["a", "b", "pink"], dtype=object), 0.5, declared=True)
    found = BanditStream("ucb1", log, source="log.csv")
    arms = np.array(["a", "b"] * 300, dtype=object)
    X = np.column_stack([np.zeros(600), np.full(600, 0.5)])
    found.learn(Examples(X, arms, ["cost", "p"], "arm"))
    assert (found.kept, found.never_logged, found.waits_for) == (2, ["pink"], "pink")
    text = " ".join(bandit_text(found).split())
    assert "Declared and never logged: pink." in text
    assert (
        "The policy waits for pink to be logged, and learns nothing from other rows. If it cannot have been "
        "drawn, do not declare it." in text
    )
    assert "never logged" not in bandit_text(stream())


def test_one_row_is_a_row():
    found = BanditStream("ucb1", Log(np.array([0]), 1.0, declared=True), source="log.csv")
    found.learn(Examples(np.array([[1.0, 1.0]]), np.array([0]), ["cost", "p"], "arm"))
    text = bandit_text(found)
    assert "Log       1 row, 1 arm;" in text
    assert "Replayed  1 row, those whose arm the policy chose" in text


def test_nothing_was_replayed():
    log = Log(np.arange(3), 0.001, declared=True)
    found = BanditStream("ucb1", log, source="log.csv")
    found.learn(Examples(np.array([[1.0, 1.0]]), np.array([2]), ["cost", "p"], "arm"))
    text = bandit_text(found)
    assert "No row: the policy chose none of the logged arms. More rows are needed." in text
    assert "Promised" not in text
    assert replay_line({"kept": 0}) == "no row yet"
