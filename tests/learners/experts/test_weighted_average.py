import math
import re

import numpy as np
import pytest

from assay import WeightedAverage
from assay.errors import BadData, BadParameter
from assay.theory.regret.weighted_average import wa_entropic_regret, wa_square_regret
from tests.expert_games import BLOCKS, advice
from tests.naive.hedge import hedge
from tests.naive.weighted_average import divergence, entropic_loss, square_loss, weighted_average

NAIVE = {"square": (square_loss, 0.5), "entropic": (entropic_loss, 1.0)}


def huber(outcome, prediction):
    apart = np.abs(outcome - prediction)
    return np.where(apart < 0.5, apart**2, apart - 0.25)


def played(said, told, **parameters):
    policy = WeightedAverage(**parameters)
    policy.play(said, told)
    return policy


# Golden trace


def test_one_entropic_step():
    policy = WeightedAverage(loss="entropic")
    assert policy.predict([0.9, 0.5]) == pytest.approx(0.7, abs=1e-12)
    policy.update([0.9, 0.5], 1)
    assert policy.record_.loss == pytest.approx(0.356675, abs=1e-6)
    weights = policy._weights()
    assert weights / weights.sum() == pytest.approx([0.642857, 0.357143], abs=1e-6)


def test_bounds_for_ten_experts():
    said, told = np.full((1, 10), 0.5), [0.5]
    assert played(said, told).guarantees()[0].value == pytest.approx(4.605170, abs=1e-6)
    entropic = played(said, told, loss="entropic").guarantees()[0]
    assert entropic.value == pytest.approx(2.302585, abs=1e-6)


# The twin


@pytest.mark.parametrize("loss", NAIVE)
@pytest.mark.parametrize("seed", [1, 2, 4, 5, 7, 8])
def test_like_the_naive_twin(seed, loss):
    said, told = advice(seed)
    policy = WeightedAverage(loss=loss)
    guesses = policy.play(said, told)
    function, rate = NAIVE[loss]
    twin = weighted_average(said.tolist(), told.tolist(), rate, function)
    assert guesses == pytest.approx(twin.predictions, rel=1e-11)
    assert policy.record_.loss == pytest.approx(math.fsum(twin.losses), rel=1e-11)
    assert policy.record_.expert_losses == pytest.approx(twin.expert_losses, rel=1e-11)


def test_entropic_receipt_is_an_equality():
    """For outcomes 0 and 1 the fall of the divergence is exactly the excess loss."""
    said, told = advice(1)
    policy = played(said, told, loss="entropic", trace=True)
    made = policy.guarantees()[1]
    assert made.theorem == "wa-progress-potential"
    assert made.value == pytest.approx(float(made.observed), abs=1e-9)
    assert made.holds
    trace = policy.record_.trace
    twin = weighted_average(said.tolist(), told.tolist(), 1.0, entropic_loss)
    u = [float(i == policy.record_.best) for i in range(said.shape[1])]
    assert trace["divergence"][-1] == pytest.approx(divergence(u, twin.weights[-1]), abs=1e-9)


def test_entropic_bound_is_met():
    """One expert is sure and right, the others sure and wrong: the loss is ln K, to the last digit."""
    for k in range(2, 30):
        policy = played(np.eye(1, k), [1.0], loss="entropic")
        made = policy.guarantees()[0]
        assert float(made.observed) == pytest.approx(math.log(k), rel=1e-11)
        assert made.holds
        assert policy.predict([0.3] + [0.9] * (k - 1)) == pytest.approx(0.3)


def test_a_doubt_too_small_for_floats_still_counts():
    """Two are sure for long, then wrong; the third had doubts, whose weight no float can show."""
    for end in (0.0, 1.0):
        said = np.full((2000, 3), end)
        said[:, 2] = abs(end - 0.5)
        told = np.full(2000, end)
        told[-1] = 1 - end
        policy = WeightedAverage(loss="entropic")
        policy.play(said[:-1], told[:-1])
        guess = policy.predict(said[-1])
        assert 0 < guess < 1
        assert guess == policy.play(said[-1:], told[-1:])[0]
        assert policy.record_.loss < 1500
        assert all(made.holds for made in policy.guarantees())


# Promises


@pytest.mark.parametrize("block", BLOCKS)
def test_no_promise_breaks(block):
    """Four losses on each of five hundred games."""
    for seed in range(25 * block, 25 * block + 25):
        said, told = advice(seed)
        for parameters in (
            {"loss": "square"},
            {"loss": "absolute", "rounds": len(told)},
            {"loss": huber, "largest_loss": 0.75},
            {"loss": "entropic"},
        ):
            policy = WeightedAverage(**parameters)
            try:
                policy.play(said, told)
            except BadData as refusal:
                assert "nobody is left" in str(refusal)  # noqa: PT017
                if not hasattr(policy, "rounds_"):
                    continue
            for made in policy.guarantees(against="each" if seed % 10 == 0 else "best"):
                assert made.holds or made.observed is None, str(made)


def test_broken_bounds_are_caught():
    """Half of the bound, and rates beyond those at which the loss is exp-concave."""

    def breaks(promised, loss, games, **parameters):
        return any(
            played(said, told, loss=loss, **parameters).record_.regret
            > promised(said.shape[1]) + 1e-9
            for said, told in games
        )

    sure = [(np.eye(1, k), np.array([1.0])) for k in range(2, 9)]
    assert not breaks(wa_entropic_regret, "entropic", sure)
    assert breaks(lambda k: 0.9 * wa_entropic_regret(k), "entropic", sure)
    split = [(np.tile([0.0, 1.0], (2, 1)), np.array([1.0, 0.0]))]
    assert not breaks(lambda k: wa_square_regret(k), "square", split)
    assert breaks(lambda k: math.log(k) / 20, "square", split, learning_rate=20.0)


def test_no_promise_beyond_the_largest_rate():
    said, told = advice(2)
    assert played(said, told, learning_rate=0.6).guarantees() == []
    slow = played(said, told, learning_rate=0.25).guarantees()[0]
    assert slow.value == pytest.approx(4 * math.log(said.shape[1]))


# How it is used


@pytest.mark.parametrize("loss", ["square", "absolute", "entropic", huber])
def test_one_by_one_is_the_same_to_the_bit(loss):
    said, told = advice(5)
    whole, single = WeightedAverage(loss=loss), WeightedAverage(loss=loss)
    guesses, found = whole.play(said, told), []
    for row, y in zip(said, told, strict=True):
        found.append(single.predict(row))
        single.update(row, y)
    assert np.array(found).tobytes() == guesses.tobytes()
    for name in ("totals_", "carries_", "weights_", "sums_"):
        assert getattr(single, name).tobytes() == getattr(whole, name).tobytes()


def test_a_wide_range_is_a_matter_of_units():
    said, told = advice(2)
    plain, wide = played(said, told), WeightedAverage(low=100, high=300)
    guesses = wide.play(100 + 200 * said, 100 + 200 * told)
    assert wide.record_.loss == pytest.approx(plain.record_.loss)
    assert (guesses - 100) / 200 == pytest.approx(played_guesses(said, told))


def played_guesses(said, told):
    return WeightedAverage().play(said, told)


def test_absolute_loss_is_played_at_the_rates_of_hedge():
    said, told = advice(2)
    policy = played(said, told, loss="absolute", learning_rate=0.7)
    losses = np.abs(said - told[:, None])
    twin = hedge(losses.tolist(), 0.7)
    assert policy.record_.expert_losses == pytest.approx(twin.expert_losses)
    assert policy.record_.loss <= twin.loss


def test_refusals():
    policy = played([[0.5, 0.5]], [0.5])
    state = policy.totals_.tobytes()
    for row, y, sentence in (
        (
            [0.5, 1.5],
            0.5,
            "The advice of expert 1 in round 2 must lie between 0 and 1, but is 1.5. "
            "Declare the range as low and high.",
        ),
        (
            [0.5, math.nan],
            0.5,
            "The advice of expert 1 in round 2 is missing. SleepingExperts takes "
            "advice that may be missing.",
        ),
        (
            [0.5, 0.5],
            -2,
            "The outcome in round 2 must lie between 0 and 1, but is -2. Declare the "
            "range as low and high.",
        ),
        (
            [0.5, 0.5],
            math.nan,
            "The outcome in round 2 must lie between 0 and 1, but is nan. Declare "
            "the range as low and high.",
        ),
    ):
        with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
            policy.update(row, y)
        assert (policy.rounds_, policy.totals_.tobytes()) == (1, state)
    with pytest.raises(BadData, match=r"expert 0 in round 3 is missing.* before it was learned\.$"):
        policy.play([[0.5, 0.5], [math.nan, 0.5]], [0.5, 0.5])
    assert policy.rounds_ == 2
    with pytest.raises(
        BadData, match=r"^Every expert has now been sure of something false: nobody "
    ):
        played([[0.0, 1.0]] * 2, [1.0, 0.0], loss="entropic")
    with pytest.raises(
        BadData, match=r"^The loss of expert 0 in round 1 must lie between 0 and 1, "
    ):
        played([[0.0]], [9.0], loss=lambda y, p: abs(y - p))
    with pytest.raises(
        BadData, match=r"^The advice of expert 0 in round 1 must be a finite number"
    ):
        played([[math.inf]], [9.0], loss=lambda y, p: abs(y - p))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (
            {"loss": "log"},
            "loss must be 'square', 'absolute', 'entropic' or a function of outcome and "
            "prediction, but is 'log'.",
        ),
        ({"low": 1}, "high must be above low, which is 1.0, but is 1.0."),
        (
            {"loss": "entropic", "high": 2},
            "high must be 1 and low 0 under the entropic loss, which is "
            "about probabilities, but is 2.",
        ),
        ({"learning_rate": -1}, "learning_rate must be a finite number above zero, but is -1."),
        (
            {"loss": "absolute", "rounds": 1.5},
            "rounds must be a whole number of at least 1, but is 1.5.",
        ),
    ],
)
def test_parameters_out_of_range(parameters, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        played([[0.5]], [0.5], **parameters)
