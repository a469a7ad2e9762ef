import math
import re
from fractions import Fraction

import numpy as np
import pytest

from assay import WeightedMajority
from assay.errors import BadData, BadParameter
from assay.theory.mistake.weighted_majority import (
    weighted_majority_expert_potential,
    weighted_majority_mistakes,
    weighted_majority_weight_potential,
)
from tests.expert_games import BLOCKS, against_majority, labels
from tests.naive.weighted_majority import weighted_majority


def played(said, told, **parameters):
    policy = WeightedMajority(**parameters)
    policy.play(said, told)
    return policy


# Golden traces

# With beta 1/2 and 16 experts, expert 0 being perfect: who errs, round by round.
WRONG = [
    range(1, 9),
    range(9, 15),
    [*range(1, 8), 15],
    range(8, 15),
    [*range(1, 9), 15],
    [1, *range(9, 16)],
    range(2, 14),
    range(1, 16),
]
TOTALS = [16, 12, 9, 6.75, 5, 3.75, 2.8125, 2.0625]


def test_sixteen_experts_force_eight_mistakes():
    said = np.zeros((8, 16), dtype=int)
    for row, wrong in zip(said, WRONG, strict=True):
        row[list(wrong)] = 1  # a tie goes to 1, and so against the learner
    policy = played(said, np.zeros(8, dtype=int), beta=0.5, trace=True)
    assert policy.record_.mistakes == 8
    assert policy.record_.best == 0
    after = np.exp(policy.record_.trace["log_weight"])
    assert after[:-1] == pytest.approx(TOTALS[1:], rel=1e-12)
    # The constant 2.63 that is sometimes printed for beta = 1/2 would promise 7.
    assert 8 <= weighted_majority_mistakes(0, 16, 0.5) == 9
    assert 2.63 * math.log(16) < 8


# The same for 12 experts, found by searching all games.
TWELVE = [
    [1, 2, 3, 4, 5, 6],
    [1, 2, 3, 4, 5, 7, 8],
    [1, 2, 3, 4, 6, 7, 8, 9],
    [1, 2, 3, 4, 5, 6, 7, 8, 10],
    [1, 2, 3, 4, 5, 9, 11],
    [1, 2, 3, 5, 6, 7, 10, 11],
    [1, 2, 4, 6, 7, 8, 9, 10, 11],
]


def test_twelve_experts_force_seven_mistakes():
    """They are the fewest with whom the constant that is sometimes printed is refuted."""
    said = np.zeros((7, 12), dtype=int)
    for row, wrong in zip(said, TWELVE, strict=True):
        row[wrong] = 1
    policy = played(said, np.zeros(7, dtype=int), beta=0.5)
    assert policy.record_.expert_losses[0] == 0
    assert policy.record_.mistakes == 7 > 2.63 * math.log(12)
    assert policy.guarantees()[0].holds


def test_constants():
    half, natural = (weighted_majority_mistakes(10**9, 1, beta) / 10**9 for beta in (0.5, None))
    assert half == pytest.approx(2.409421, abs=1e-6)
    assert natural == pytest.approx(2.632372, abs=1e-6)


# The twin


@pytest.mark.parametrize("beta", [0.5, 0.3, 0.9])
@pytest.mark.parametrize("seed", range(12))
def test_like_the_exact_naive_twin(seed, beta):
    said, told = labels(seed)
    policy = played(said, told, beta=beta)
    twin = weighted_majority((2 * said - 1).tolist(), (2 * told - 1).tolist(), Fraction(repr(beta)))
    assert policy.record_.mistakes == twin.mistakes
    assert policy.record_.expert_losses.tolist() == twin.expert_mistakes


def test_receipts_of_the_weight():
    said, told = labels(11)
    policy = played(said, told, trace=True)
    trace, k = policy.record_.trace, said.shape[1]
    for t in range(len(told)):
        weight = math.exp(trace["log_weight"][t])
        upper = weighted_majority_weight_potential(int(trace["loss"][t]), k)
        lower = weighted_majority_expert_potential(int(trace["best"][t]))
        assert lower * (1 - 1e-12) <= weight <= upper * (1 + 1e-12)


# Promises


@pytest.mark.parametrize("block", BLOCKS)
def test_no_promise_breaks(block):
    """Two votes and two coins on each of five hundred games, in twenty blocks."""
    for seed in range(25 * block, 25 * block + 25):
        said, told = labels(seed)
        beta = float(np.random.default_rng(seed).uniform(0.05, 0.95))
        if seed % 2:
            said, told = against_majority(len(told), said.shape[1], beta, perfect=seed % 4 == 1)
        for parameters in (
            {},
            {"beta": beta},
            {"randomized": True, "random_state": 0},
            {"randomized": True, "random_state": 0, "beta": beta},
        ):
            policy = played(said, told, **parameters)
            for made in policy.guarantees(against="each" if seed % 10 == 0 else "best"):
                assert made.holds or made.quantifier == "expectation", str(made)


def test_broken_bounds_are_caught():
    def breaks(promised):
        for k in range(2, 40):
            said, told = against_majority(60, k, 0.5)
            record = played(said, told, beta=0.5).record_
            if record.mistakes > promised(int(record.best_loss), k):
                return True
        return False

    assert not breaks(lambda m, k: weighted_majority_mistakes(m, k, 0.5))
    assert breaks(lambda m, k: math.floor(2.63 * (m + math.log(k))))  # the printed constant
    assert breaks(lambda m, k: weighted_majority_mistakes(m, 1, 0.5))  # without ln K
    assert breaks(lambda m, k: weighted_majority_mistakes(m, k, 0.5) // 2)


@pytest.mark.guarantees
def test_the_coin_over_many_seeds():
    said, told = against_majority(60, 9, 0.5, perfect=False)
    runs = [played(said, told, beta=0.5, randomized=True, random_state=s) for s in range(3000)]
    made = np.array([run.record_.mistakes for run in runs])
    error = 5 * made.std() / math.sqrt(len(made))
    assert made.mean() == pytest.approx(runs[0].record_.loss, abs=error)
    assert made.mean() + error <= runs[0].guarantees()[0].value


# How it is used


def test_one_by_one_is_the_same():
    said, told = labels(5)
    for randomized in (False, True):
        given = {"randomized": randomized, "random_state": 0}
        whole = WeightedMajority(**given)
        guesses = whole.play(said, told)
        single, found = WeightedMajority(**given), []
        for row, y in zip(said, told, strict=True):
            found.append(single.predict(row))
            assert single.predict(row) == found[-1]
            single.update(row, y)
        assert found == guesses.tolist()
        assert single.weights_.tobytes() == whole.weights_.tobytes()
        assert single.record_.mistakes == whole.record_.mistakes


def test_labels_of_any_kind():
    policy = WeightedMajority(classes=("ham", "spam"))
    advice = [["ham", "spam", "spam"], ["ham", "ham", "spam"]]
    assert policy.play(advice, ["ham", "ham"]).tolist() == ["spam", "ham"]
    assert policy.predict({"0": "ham", "1": "spam", "2": "spam"}) == "ham"
    truths = WeightedMajority(classes=(False, True))
    assert truths.play([[True, False], [True, False]], [True, True]).tolist() == [True, True]


def test_ties_go_to_the_second_label():
    policy = WeightedMajority(beta=0.3)
    # Three mistakes each, in different rounds: equal weights, whatever the rounding.
    policy.play([[0, 1], [1, 0]] * 3, [1] * 6)
    assert policy.predict([0, 1]) == policy.predict([1, 0]) == 1


# At beta = 0 it is halving


@pytest.mark.parametrize("seed", range(20))
def test_halving(seed):
    said, told = labels(seed)
    said[:, seed % said.shape[1]] = told
    policy = played(said, told, beta=0, trace=True)
    assert set(policy.weights_) <= {0.0, 1.0}
    assert policy.weights_.tolist() == (policy.totals_ == 0).tolist()
    made = policy.guarantees()[0]
    assert (made.theorem, made.holds) == ("halving-mistakes", True)
    assert made.value == int(math.log2(said.shape[1]))
    left = np.exp(policy.record_.trace["log_weight"])
    assert left[-1] == pytest.approx(policy.weights_.sum())
    for expert in np.flatnonzero(policy.totals_):
        assert policy.guarantees(against=int(expert)) == []


def test_halving_meets_its_bound():
    """Half of those left err in every round, and a tie goes to them: with one mistake less it would break."""
    experts = np.arange(8)
    said = np.array([(experts >> bit) & 1 for bit in range(3)])
    policy = played(said, [0, 0, 0], beta=0.0)
    made = policy.guarantees()[0]
    assert (policy.record_.mistakes, made.value) == (3, 3)
    assert not policy.record_.mistakes <= made.value - 1


def test_halving_ends_when_nobody_is_left():
    policy = played([[0, 1], [1, 1]], [0, 1], beta=0)
    state = vars(policy).copy(), policy.weights_.tobytes()
    sentence = (
        "In round 3 the last expert errs who never erred before, so nobody is left: beta=0 needs one who "
        "is always right."
    )
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        policy.update([0, 1], 1)
    assert (vars(policy), policy.weights_.tobytes()) == state
    assert policy.predict([0, 1]) == 0
    more = re.escape(sentence.replace("round 3", "round 4") + " Everything before it was learned.")
    with pytest.raises(BadData, match=f"^{more}$"):
        policy.play([[0, 1], [0, 1], [0, 0]], [0, 1, 0])
    assert policy.rounds_ == 3
    fresh = WeightedMajority(beta=0)
    with pytest.raises(BadData, match=r"^In round 1 the last expert errs"):
        fresh.update([0], 1)
    assert not hasattr(fresh, "rounds_")
    coin = played([[0, 1]], [0], beta=0, randomized=True)
    assert coin.guarantees() == []


@pytest.mark.parametrize(
    ("advice", "outcome", "sentence"),
    [
        (
            [0, 2],
            1,
            "The advice of expert 1 in round 1 must be 0 or 1, but is 2. Name the two labels "
            "as classes.",
        ),
        (
            [0, math.nan],
            1,
            "The advice of expert 1 in round 1 is missing. SleepingExperts takes advice "
            "that may be missing.",
        ),
        (
            [0, None],
            1,
            "The advice of expert 1 in round 1 is missing. SleepingExperts takes advice "
            "that may be missing.",
        ),
        (
            [0, 1],
            -1,
            "The outcome in round 1 must be 0 or 1, but is -1. Name the two labels as classes.",
        ),
        ([0, 1], math.nan, "The outcome in round 1 is missing."),
    ],
)
def test_refusals(advice, outcome, sentence):
    policy = WeightedMajority()
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        policy.update(advice, outcome)
    assert not hasattr(policy, "rounds_")
    with pytest.raises(BadData, match=re.escape(sentence.replace("round 1", "round 3"))):
        played([[0, 1]] * 2, [0, 1]).update(advice, outcome)


def test_parameters_out_of_range():
    for parameters, sentence in (
        ({"beta": 1.0}, "beta must be at least 0 and below 1, but is 1.0."),
        ({"beta": -0.1}, "beta must be a number between 0 and 1, but is -0.1."),
        ({"classes": (1, 2, 3)}, "classes must be two labels, but is (1, 2, 3)."),
        ({"classes": ("a", "a")}, "classes must be two different labels, but is ('a', 'a')."),
    ):
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            played([[0, 1]], [1], **parameters)
    with pytest.raises(
        BadData, match=r"^outcomes must hold one for each of the 1 rounds, but has sh"
    ):
        played([[0, 1]], [1, 1])
