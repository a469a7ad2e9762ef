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


def test_declared_arms_of_a_log_that_holds_truths():
    arms, losses, propensities = logged(100, 0)
    truths = arms > 0
    log = read_log(chunks(truths, losses, propensities, 50), arms=["true", "False"])
    assert log.arms.dtype == bool
    assert log.arms.tolist() == [False, True]


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
        (0, 2.0, "l.csv holds 2 in column 'cost', row 71, outside the range 0 to 1. Declare the "
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


# What an arm is worth


def one_arm_never_clicked():
    """Two arms: 96 rows of the first, drawn with probability 1/8, all of them lost."""
    rng = np.random.default_rng(3)
    arms = np.array([0] * 96 + [1] * 904)
    losses = np.where(arms == 0, 1.0, rng.random(1000) < 0.3).astype(float)
    order = rng.permutation(1000)
    return arms[order], losses[order], np.where(arms == 0, 0.125, 0.875)[order]


TWO = Log(np.arange(2), 0.125, declared=True)


def test_an_arm_is_worth_the_mean_of_its_own_rows():
    arms, losses, propensities = one_arm_never_clicked()
    stream = BanditStream("ucb1", TWO)
    learn_all(stream, chunks(arms, losses, propensities, 300))
    best, never = stream.arms()
    assert (never.name, never.logged) == ("0", 96)
    assert never.loss == 1.0  # by propensities over all rows it was 0.768
    assert best.loss == pytest.approx(losses[arms == 1].mean())
    assert 0.005 < never.standard_error < 0.02  # alike so far is not certain
    plain = losses[arms == 1].std() / np.sqrt(904)
    assert best.standard_error == pytest.approx(plain, rel=0.01)


def test_propensities_that_change_weigh_the_rows():
    """Rows that were drawn less often stand for more: the naive sum, one by one."""
    rng = np.random.default_rng(4)
    propensities = rng.choice([0.2, 0.8], 500)
    losses = (rng.random(500) < propensities).astype(float)
    stream = BanditStream("ucb1", Log(np.arange(2), 0.2, declared=True))
    learn_all(stream, chunks(np.zeros(500, dtype=int), losses, propensities, 100))
    own, other = stream.arms()
    weights = [1 / p for p in propensities]
    mean = sum(w * x for w, x in zip(weights, losses, strict=True)) / sum(weights)
    spread = sum((w * (x - mean)) ** 2 for w, x in zip(weights, losses, strict=True))
    assert own.loss == pytest.approx(mean)
    assert own.standard_error == pytest.approx(spread**0.5 / sum(weights), rel=0.02)
    assert (other.logged, other.loss, other.standard_error) == (0, None, None)


def test_the_standard_error_is_what_the_mean_varies_by():
    found = []
    for seed in range(200):
        stream = BanditStream("ucb1", LOG)
        learn_all(stream, chunks(*logged(400, seed), 400))
        arm = next(arm for arm in stream.arms() if arm.name == "2")
        found.append((arm.loss, arm.standard_error))
    means, errors = np.array(found).T
    assert means.mean() == pytest.approx(MEANS[2], abs=0.02)
    assert errors.mean() == pytest.approx(means.std(), rel=0.15)


def test_rewards_are_losses_the_other_way_round():
    arms, losses, propensities = logged(3000, 2)
    plain, turned = BanditStream("ucb1", LOG), BanditStream("ucb1", LOG, rewards=True)
    learn_all(plain, chunks(arms, losses, propensities, 500))
    learn_all(turned, chunks(arms, 1 - losses, propensities, 500))
    assert turned.kept == plain.kept
    assert turned.mean_loss == pytest.approx(1 - plain.mean_loss)
    assert turned.logged_loss == pytest.approx(1 - plain.logged_loss)
    assert turned.interval() == pytest.approx([1 - end for end in plain.interval()][::-1])
    assert [a.name for a in turned.arms()] == [a.name for a in plain.arms()]
    assert [a.loss for a in turned.arms()] == pytest.approx([1 - a.loss for a in plain.arms()])


def test_a_regret_bound_above_all_there_is_to_lose_is_vacuous():
    short, long = BanditStream("ucb1", LOG), BanditStream("ucb1", LOG)
    learn_all(short, chunks(*logged(60, 0), 60))
    learn_all(long, chunks(*logged(20_000, 0), 5000))
    [bound] = short.regret_bounds()
    assert bound.vacuous
    assert float(bound.promised) > short.kept
    assert "(vacuous)" in str(short.guarantees()[0])
    assert short.guarantees()[0].to_json()["vacuous"]
    assert not any(bound.vacuous for bound in long.regret_bounds())
