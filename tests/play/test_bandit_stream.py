"""A log replayed in chunks is the log replayed at once, and its interval holds."""

from __future__ import annotations

import re

import numpy as np
import pytest

from assay import UCB1, replay
from assay.data.examples import Examples
from assay.errors import BadData, BadParameter, UnknownName
from assay.play.bandit_stream import POLICIES, BanditStream, Log, read_log
from tests.soundness import assert_sound, assert_unsound

PROPENSITY = np.array([0.5, 0.3, 0.2])
MEANS = np.array([0.6, 0.2, 0.4])


def logged(rows, seed):
    rng = np.random.default_rng(seed)
    arms = rng.choice(3, rows, p=PROPENSITY)
    losses = (rng.random(rows) < MEANS[arms]).astype(float)
    return arms, losses, PROPENSITY[arms]


def chunks(arms, losses, propensities, size, target="arm"):
    X = np.column_stack([losses, propensities])
    for start in range(0, len(arms), size):
        part = slice(start, start + size)
        yield Examples(X[part], arms[part], ["cost", "p"], target, None, start + 1)


def learn_all(stream, parts):
    for part in parts:
        stream.learn(part)


LOG = Log(np.arange(3), 0.2, declared=True)


@pytest.mark.parametrize("size", [1, 100, 10_000])
def test_chunks_of_any_size_replay_as_one(size):
    columns = logged(3000, 0)
    stream = BanditStream("ucb1", LOG)
    for part in chunks(*columns, size):
        stream.learn(part)
    policy = UCB1(arms=3, random_state=0)
    run = replay(policy, *columns, least_propensity=0.2, random_state=0)
    assert (stream.rows, stream.kept) == (3000, run.kept)
    assert stream.mean_loss == pytest.approx(run.mean_loss)
    assert stream.policy.record_.plays.tolist() == policy.record_.plays.tolist()


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_learns_the_best_arm(name):
    stream = BanditStream(name, LOG)
    for part in chunks(*logged(20_000, 1), 5000):
        stream.learn(part)
    best, *others = stream.arms()
    assert best.name == "1"
    assert best.replayed > max(arm.replayed for arm in others)
    assert abs(best.loss - 0.2) < 5 * best.standard_error
    lower, upper = stream.interval()
    assert 0 <= lower < stream.mean_loss < upper < 0.4
    assert stream.logged_loss == pytest.approx(0.44, abs=0.02)


def covered(stream):
    """Whether the interval holds the mean of the expected losses of what was played."""
    plays = stream.policy.record_.plays
    lower, upper = stream.interval()
    return lower <= float(plays @ MEANS) / plays.sum() <= upper


def test_the_interval_holds_as_often_as_it_says():
    misses = 0
    for seed in range(80):
        stream = BanditStream("exp3", LOG, delta=0.2, parameters={"random_state": seed})
        for part in chunks(*logged(400, seed), 400):
            stream.learn(part)
        misses += not covered(stream)
    assert_sound(misses, 80, 0.2)


def test_an_interval_of_the_whole_log_is_rejected_by_the_same_check():
    def broken(seed):
        arms, losses, _ = logged(3000, seed)
        # Losses of the log as it is, without regard to what the policy chose.
        stream = BanditStream("exp3", LOG, delta=0.2, parameters={"random_state": seed})
        for part in chunks(arms, losses, PROPENSITY[arms], 3000):
            stream.learn(part)
        stream._loss, stream.kept = float(losses.sum()), len(losses)
        return not covered(stream)

    misses = sum(broken(seed) for seed in range(30))
    assert_unsound(misses, 30, 0.2)


def test_losses_may_have_another_range():
    arms, losses, propensities = logged(3000, 2)
    plain, wide = BanditStream("ucb1", LOG), BanditStream("ucb1", LOG, bounds=(-10, 10))
    for part in chunks(arms, losses, propensities, 1000):
        plain.learn(part)
    for part in chunks(arms, 20 * losses - 10, propensities, 1000):
        wide.learn(part)
    assert wide.mean_loss == pytest.approx(20 * plain.mean_loss - 10)
    assert wide.interval() == pytest.approx([20 * end - 10 for end in plain.interval()])
    assert [a.loss for a in wide.arms()] == pytest.approx([20 * a.loss - 10 for a in plain.arms()])


def test_nothing_replayed_is_no_knowledge():
    stream = BanditStream("ucb1", Log(np.arange(3), 0.01, declared=True))
    stream.learn(Examples(np.array([[1.0, 0.9]]), np.array([2]), ["cost", "p"], "arm"))
    assert (stream.rows, stream.kept) == (1, 0)
    assert np.isnan(stream.mean_loss)
    assert stream.interval() == (0.0, 1.0)


def test_a_log_is_read_for_what_was_not_declared():
    columns = logged(500, 3)
    found = read_log(chunks(*columns, 100))
    assert found.arms.tolist() == [0, 1, 2]
    assert (found.least_propensity, found.declared) == (0.2, False)
    told = read_log(chunks(*columns, 100), arms=["0", "1", "2", "7"], least_propensity=0.1)
    assert told.arms.tolist() == [0, 1, 2, 7]
    assert (told.least_propensity, told.declared) == (0.1, True)


def test_how_the_least_propensity_is_known_is_said():
    known = {a.name: str(a) for a in BanditStream("ucb1", LOG).assumptions()}
    assert "declared: no row of the log could have had a smaller propensity (0.2)" in known.values()
    read = BanditStream("ucb1", Log(np.arange(3), 0.2, declared=False)).assumptions()
    assert (
        "assumed: no row of the log could have had a smaller propensity (0.2, read off the log)"
        in [str(a) for a in read]
    )


@pytest.mark.parametrize(
    ("column", "value", "sentence"),
    [
        (0, 2.0, "l.csv holds 2 in column 'cost', row 71, outside the range 0 to 1 of losses. Declare the "
        "range in which all lie."),
        (0, np.nan, "l.csv holds no value in column 'cost', row 71."),
        (1, 0.0, "l.csv holds 0 in column 'p', row 71, where a probability above 0 and at most 1 is needed."),
        (1, 1.5, "l.csv holds 1.5 in column 'p', row 71, where a probability above 0 and at most 1 is needed."),
        (1, 0.1, "l.csv holds 0.1 in column 'p', row 71, below the least propensity 0.2, as declared."),
        (2, 9, "l.csv holds 9 in column 'arm', row 71, which is none of the arms 0, 1, 2. Declare all arms."),
    ],
)  # fmt: skip
def test_everything_before_a_bad_cell_is_kept(column, value, sentence):
    columns = [c.copy() for c in logged(100, 4)]
    arms, losses, propensities = columns
    (losses, propensities, arms)[column][70] = value
    stream = BanditStream("ucb1", LOG, names=("cost", "p"), source="l.csv")
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        learn_all(stream, chunks(*columns, 60))
    assert stream.rows == 70


def test_a_log_is_read_up_to_its_bad_row():
    arms, losses, propensities = logged(100, 5)
    losses[50] = 5.0
    propensities[60] = 0.001
    assert read_log(chunks(arms, losses, propensities, 30)).least_propensity == 0.2
    losses[0] = 5.0
    with pytest.raises(BadData, match="row 1, outside the range"):
        read_log(chunks(arms, losses, propensities, 30))


def test_refusals():
    def refused(kind, sentence, call):
        with pytest.raises(kind, match=f"^{re.escape(sentence)}$"):
            call()

    refused(
        BadParameter,
        "policy must be one of ucb1, kl-ucb, thompson-sampling, exp3, exp3-ix, but is 'hedge'.",
        lambda: BanditStream("hedge", LOG),
    )
    refused(
        BadParameter,
        "'arms' is no parameter to give here: the arms are those of the log.",
        lambda: BanditStream("ucb1", LOG, parameters={"arms": 2}),
    )
    refused(
        BadParameter,
        "range must be two numbers, the smaller first, but is (1, 0).",
        lambda: BanditStream("ucb1", LOG, bounds=(1, 0)),
    )
    refused(BadData, "the log holds no rows.", lambda: read_log([]))
    refused(
        BadParameter,
        "The arms must be numbers as in the log, but are 'x'.",
        lambda: read_log(chunks(*logged(10, 0), 5), arms=["x"]),
    )
    many = np.arange(10_001)
    refused(
        UnknownName,
        "the log holds more than 10,000 different arms in column 'arm'.",
        lambda: read_log(chunks(many, many * 0.0, many * 0.0 + 1, 20_000)),
    )
