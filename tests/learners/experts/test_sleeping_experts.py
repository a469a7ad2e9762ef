import math
import re

import numpy as np
import pytest

from assay import SleepingExperts, load, save
from assay.errors import BadData, BadParameter
from assay.theory.mistake.sleeping_experts import sleeping_experts_mistakes
from tests.expert_games import BLOCKS, asleep
from tests.naive.sleeping_experts import sleeping_experts


def played(losses, **parameters):
    """Losses in [0, 1] as advice under the absolute loss, the outcome being 0."""
    given = {"loss": "absolute", "random_state": 0} | parameters
    policy = SleepingExperts(**given)
    policy.play(losses, np.zeros(len(losses)))
    return policy


# Golden trace


def test_one_step_of_three_experts():
    policy = SleepingExperts(epsilon=0.5)
    policy.update([1, 0, 0], 0)
    weights = np.exp(policy.log_weights_)
    assert weights == pytest.approx([0.729525, 1.094287, 1.094287], abs=1e-6)
    assert weights.sum() == pytest.approx(2.918100, abs=1e-6)


def test_bounds_of_the_formula():
    assert sleeping_experts_mistakes(20, 10, 0.1) == pytest.approx(48.574744, abs=1e-6)
    assert sleeping_experts_mistakes(20, 10, 0.5) == pytest.approx(38.518310, abs=1e-6)


# The twin


@pytest.mark.parametrize("epsilon", [0.1, 0.9, 3.0])
@pytest.mark.parametrize("seed", range(8))
def test_like_the_naive_twin(seed, epsilon):
    losses = asleep(seed)
    policy = played(losses, epsilon=epsilon, trace=True)
    twin = sleeping_experts((~np.isnan(losses)).tolist(), losses.tolist(), epsilon)
    record = policy.record_
    assert np.exp(policy.log_weights_) == pytest.approx(twin.w, rel=1e-10)
    assert record.paid == pytest.approx(twin.paid, rel=1e-10)
    assert record.expert_losses == pytest.approx(twin.expert_loss)
    # The receipt: the total weight never rises above K.
    totals = np.exp(record.trace["log_weight"])
    assert totals == pytest.approx(twin.totals[1:], rel=1e-10)
    assert (np.diff([losses.shape[1], *totals]) <= 1e-9).all()


# Promises


@pytest.mark.parametrize("block", BLOCKS)
def test_no_promise_breaks(block):
    """Four games with sleepers for each of five hundred seeds."""
    for seed in range(25 * block, 25 * block + 25):
        losses = asleep(seed)
        epsilon = float(np.random.default_rng(seed).uniform(0.02, 2))
        labels = np.where(np.isnan(losses), np.nan, losses.round())
        for policy in (
            played(losses),
            played(losses, epsilon=epsilon),
            played(losses, epsilon=epsilon, loss="square"),
            played(labels, epsilon=epsilon, loss="zero-one"),
        ):
            for made in policy.guarantees(against="each" if seed % 10 == 0 else "best"):
                assert made.holds, str(made)
            record = policy.record_
            # The average of the advice loses no more than the mean of those awake.
            assert record.loss <= policy._sum(0) + 1e-9


def test_broken_bounds_are_caught():
    def breaks(promised):
        for seed in range(120):
            losses = asleep(seed)
            for epsilon in (0.1, 2.0):
                record = played(losses, epsilon=epsilon).record_
                for paid, own in zip(record.paid, record.expert_losses, strict=True):
                    if paid > promised(own, losses.shape[1], epsilon) + 1e-9:
                        return True
        return False

    assert not breaks(sleeping_experts_mistakes)
    assert breaks(lambda own, k, e: (1 + e) * own)  # without ln K
    assert breaks(lambda own, k, e: own + math.log(k) / math.log(1 + e))  # without the factor
    assert breaks(lambda own, k, e: sleeping_experts_mistakes(own, k, e) / 2)


@pytest.mark.guarantees
def test_the_draws_over_many_seeds():
    rng = np.random.default_rng(0)
    said = np.where(rng.random((60, 5)) < 0.3, np.nan, rng.integers(0, 2, (60, 5)))
    said[:, 0] = rng.integers(0, 2, 60)
    told = rng.integers(0, 2, 60)
    made = []
    for seed in range(3000):
        policy = SleepingExperts(random_state=seed)
        policy.play(said, told)
        made.append(policy.record_.mistakes)
    error = 5 * np.std(made) / math.sqrt(len(made))
    assert np.mean(made) == pytest.approx(policy.record_.loss, abs=error)


# How it is used


def test_rules_about_news():
    """A rule says something only where it applies."""
    policy = SleepingExperts(epsilon=0.3, random_state=0)
    news = [
        ({"football": "sports", "dollar": None, "always": "sports"}, "sports"),
        ({"football": None, "dollar": "business", "always": "sports"}, "business"),
        ({"football": "sports", "dollar": "business", "always": "sports"}, "business"),
        ({"football": None, "dollar": "business", "always": "sports"}, "business"),
    ] * 20
    for said, told in news:
        assert policy.predict(said) in ("sports", "business")
        policy.update(said, told)
    record = policy.record_
    assert record.names == ("football", "dollar", "always")
    assert record.awake.tolist() == [40, 60, 80]
    assert record.expert_losses.tolist() == [20, 0, 60]
    assert policy.predict({"dollar": "business", "always": "sports"}) == "business"
    assert policy.guarantees(against="dollar")[0].of == "loss while expert 'dollar' was awake"


def test_one_by_one_is_the_same_to_the_bit():
    losses = asleep(4)
    for loss in ("absolute", "square", "zero-one"):
        said = losses if loss != "zero-one" else np.where(np.isnan(losses), np.nan, losses.round())
        whole = SleepingExperts(loss=loss, random_state=1)
        guesses = whole.play(said, np.zeros(len(said)))
        single, found = SleepingExperts(loss=loss, random_state=1), []
        for row in said:
            found.append(single.predict(row))
            single.update(row, 0.0)
        assert np.array(found).tobytes() == guesses.tobytes()
        for name in ("log_weights_", "totals_", "awake_losses_", "carries_", "awake_", "sums_"):
            assert getattr(single, name).tobytes() == getattr(whole, name).tobytes()


def test_missing_values_of_pandas():
    pd = pytest.importorskip("pandas")
    numbers = pd.DataFrame({"a": [1, None, 0], "b": [1, 0, None]}).astype("Int64")
    for loss in ("zero-one", "square"):
        policy = SleepingExperts(loss=loss, random_state=0)
        assert policy.play(numbers, pd.Series([1, 0, 1], dtype="Int64")).tolist() == [1, 0, 0]
        assert policy.record_.awake.tolist() == [2, 2]
        policy.update(numbers.iloc[1], 0)
        assert policy.predict({"a": pd.NA, "b": 1}) == 1
    words = pd.DataFrame({"a": ["x", None, "y"], "b": ["x", "y", None]}).astype("string")
    policy = SleepingExperts()
    policy.play(words, pd.Series(["x", "y", "x"], dtype="string"))
    assert policy.record_.expert_losses.tolist() == [1, 0]
    with pytest.raises(BadData, match=r"^The outcome in round 4 is missing\.$"):
        policy.update(words.iloc[0], pd.NA)


def test_missing_values_in_lists_of_text():
    policy = SleepingExperts()
    assert policy.play([["x", math.nan], [None, "y"]], ["x", "y"]).tolist() == ["x", "y"]
    assert policy.record_.awake.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("said", "told", "odd"),
    [
        ([[1.0, 0.0]], ["1"], "1.0"),
        ([["1", "0"]], [1.0], "'1'"),
        ([["a", 1]], ["a"], "1"),
        (np.array([[1, 0]]), np.array(["1"]), "1"),
    ],
)
def test_text_and_numbers_are_never_the_same(said, told, odd):
    policy = SleepingExperts()
    sentence = (
        f"Labels must be all text or all numbers, but in round 1 there is {odd} and the outcome of round 1 "
        f"is {np.asarray(told)[0].item()!r}."
    )
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        policy.play(said, told)
    assert not hasattr(policy, "rounds_")


def test_refusals():
    policy = played(np.array([[0.5, math.nan]]))
    state = policy.log_weights_.tobytes()
    for row, y, sentence in (
        (
            [math.nan, 2.0],
            0.0,
            "The advice of expert 1 in round 2 must lie between 0 and 1, but is 2. "
            "Declare the range as low and high.",
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
        assert (policy.rounds_, policy.log_weights_.tobytes()) == (1, state)
    with pytest.raises(BadData, match=r"^The outcome in round 1 is missing\.$"):
        SleepingExperts().update(["a", "b"], None)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"epsilon": 0}, "epsilon must be a finite number above zero, but is 0."),
        ({"loss": "log"}, "loss must be 'zero-one', 'square' or 'absolute', but is 'log'."),
        ({"high": -1}, "high must be above low, which is 0.0, but is -1."),
    ],
)
def test_parameters_out_of_range(parameters, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        SleepingExperts(**parameters).update([0, 1], 0)


@pytest.mark.parametrize("trace", [False, True])
@pytest.mark.parametrize("loss", ["zero-one", "square"])
def test_where_nobody_is_awake_the_policy_abstains(loss, trace, tmp_path):
    """Rounds without anybody change no bit of all the others, wherever they stand."""
    rng = np.random.default_rng(5)
    advice = rng.integers(0, 2, (30, 3)).astype(float)
    advice[rng.random((30, 3)) < 0.4] = math.nan
    advice[[0, 7, 8, 29]] = math.nan
    truth = rng.integers(0, 2, 30).astype(float)
    silent = np.isnan(advice).all(axis=1)
    policies = [SleepingExperts(loss=loss, random_state=0, trace=trace) for _ in range(3)]
    answers = policies[0].play(advice, truth)
    for row, outcome, answer in zip(advice, truth, answers, strict=True):
        said = policies[1].predict(row)
        assert said is None if np.isnan(answer) else said == answer
        policies[1].update(row, outcome)
    rest = policies[2].play(advice[~silent], truth[~silent])
    assert np.isnan(answers[silent]).all()
    assert answers[~silent].tolist() == rest.tolist()
    save(policies[0], tmp_path / "p.assay")
    for policy in (policies[0], policies[1], load(tmp_path / "p.assay")):
        assert policy.record_.abstained == silent.sum() >= 4
        assert policy.record_.rounds == 30 - silent.sum() == policies[2].record_.rounds
        assert policy.log_weights_.tobytes() == policies[2].log_weights_.tobytes()
        assert policy.guarantees(against="each") == policies[2].guarantees(against="each")


def test_a_silent_round_may_come_first_and_among_texts():
    policy = SleepingExperts(random_state=0)
    assert policy.predict([None, None]) is None
    policy.update([None, None], "a")
    assert (policy.record_.rounds, policy.record_.abstained) == (0, 1)
    assert policy.guarantees() == []
    said = policy.play([["a", None], [None, None]], ["a", "b"])
    assert said.tolist() == ["a", None]
    assert (policy.record_.rounds, policy.record_.abstained, policy.record_.mistakes) == (1, 2, 0)
    with pytest.raises(BadData, match=r"^The outcome in round 2 is missing\.$"):
        policy.update([None, None], None)
