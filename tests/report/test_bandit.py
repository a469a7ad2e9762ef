import numpy as np

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


def test_nothing_was_replayed():
    log = Log(np.arange(3), 0.001, declared=True)
    found = BanditStream("ucb1", log, source="log.csv")
    found.learn(Examples(np.array([[1.0, 1.0]]), np.array([2]), ["cost", "p"], "arm"))
    text = bandit_text(found)
    assert "No row: the policy chose none of the logged arms. More rows are needed." in text
    assert "Promised" not in text
    assert replay_line({"kept": 0}) == "no row yet"
