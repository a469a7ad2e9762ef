import math
import pickle
import re

import numpy as np
import pytest

from assay import DecisionLog, SquareCB, logged_value, theorem
from assay.errors import BadData, BadParameter
from assay.theory.regret.importance_weighting import importance_weighting_unbiased
from assay.theory.tail.betting import bounded_betting
from tests.soundness import assert_sound, assert_unsound

MEANS = np.array([0.6, 0.2, 0.4])
LOGGING = np.array([0.5, 0.3, 0.2])
TARGET = np.array([0.1, 0.8, 0.1])
TRUTH = float(TARGET @ MEANS)


def log(rng, rounds):
    arms = rng.choice(3, rounds, p=LOGGING)
    losses = (rng.random(rounds) < MEANS[arms]).astype(float)
    return losses, LOGGING[arms], TARGET[arms]


def test_by_hand():
    value = logged_value([1, 0.5, 0], [0.5, 0.25, 0.5], [1, 0.5, 0])
    assert value.inverse_propensity == (2 * 1 + 2 * 0.5) / 3
    assert value.self_normalised == 3 / 4
    assert value.effective_rounds == 16 / 8
    assert value.largest_weight == 2
    assert 0 < value.lower < 0.1
    assert 0.99 < value.upper < 1
    nothing = logged_value([1.0], [0.5], [0.0])
    assert nothing.inverse_propensity == 0
    assert math.isnan(nothing.self_normalised)
    assert nothing.effective_rounds == 0


def test_unbiased_with_the_variance_of_the_theorem():
    rng = np.random.default_rng(0)
    found = [logged_value(*log(rng, 50)) for _ in range(1500)]
    means = np.array([value.inverse_propensity for value in found])
    assert abs(means.mean() - TRUTH) < 5 * means.std() / math.sqrt(len(means))
    # The second moment of one round, arm by arm: P[arm] E[loss^2] (target / logging)^2.
    weighed = importance_weighting_unbiased(TARGET.tolist(), LOGGING.tolist())
    second = sum(float(s) * m for s, m in zip(weighed.square, MEANS, strict=True))
    assert means.var() == pytest.approx((second - TRUTH**2) / 50, rel=0.1)
    errors = [value.standard_error**2 for value in found]
    assert np.mean(errors) == pytest.approx(means.var(), rel=0.1)


def test_the_interval_holds_and_a_naive_one_does_not():
    rng, delta, trials = np.random.default_rng(1), 0.2, 600
    missed = naive = 0
    for _ in range(trials):
        losses, propensities, chances = log(rng, 40)
        value = logged_value(losses, propensities, chances, least_propensity=0.2, delta=delta)
        missed += not value.lower <= TRUTH <= value.upper
        naive += abs(value.inverse_propensity - TRUTH) > 0.3 * value.standard_error
    assert_sound(missed, trials, delta)
    assert_unsound(naive, trials, delta)


def test_each_end_of_the_interval_spends_half_of_delta():
    losses, propensities, chances = log(np.random.default_rng(5), 200)
    value = logged_value(losses, propensities, chances, least_propensity=0.2, delta=0.1)
    shares = losses * chances / propensities * 0.2

    def ends(half):
        upper = bounded_betting(shares, half) / 0.2
        return (1 - bounded_betting(1 - shares, half)) / 0.2, upper

    assert (value.lower, value.upper) == pytest.approx(ends(0.05), rel=1e-9)
    # Spending all of it at either end fails twice as often, and is narrower.
    assert value.lower < ends(0.1)[0] < ends(0.1)[1] < value.upper


def test_the_interval_shrinks():
    rng = np.random.default_rng(2)
    widths = []
    for rounds in (100, 1000, 10_000):
        value = logged_value(*log(rng, rounds), least_propensity=0.2)
        assert value.lower <= value.inverse_propensity <= value.upper
        widths.append(value.upper - value.lower)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.06


def test_without_a_bound_on_weights_the_ends_are_the_theorems():
    losses, propensities, chances = log(np.random.default_rng(5), 500)
    value = logged_value(losses, propensities, chances, delta=0.1)
    weights = chances / propensities
    for got, name, returns in (
        (value.lower, "logged-loss-at-least", weights * losses),
        (value.upper, "logged-loss-at-most", weights * (1 - losses)),
    ):
        kinds = [
            (float(y), int(n)) for y, n in zip(*np.unique(returns, return_counts=True), strict=True)
        ]
        assert got == pytest.approx(theorem(name)(returns=kinds, delta=0.05), rel=1e-12)
    backwards = logged_value(losses[::-1], propensities[::-1], chances[::-1], delta=0.1)
    assert (backwards.lower, backwards.upper) == (value.lower, value.upper)


def test_the_interval_holds_whatever_the_weights_and_whenever_one_looks():
    # A propensity of 1/200 that the policy would choose nearly always: weights up to 180.
    rng, delta, trials = np.random.default_rng(3), 0.2, 120
    missed = normal = 0
    for _ in range(trials):
        rare = rng.random(600) < 1 / 200
        losses = (rng.random(600) < np.where(rare, 0.5, 0.1)).astype(float)
        propensities, chances = np.where(rare, 1 / 200, 199 / 200), np.where(rare, 0.9, 0.1)
        broken = broken_normal = False
        for rounds in (60, 200, 600):
            part = (losses[:rounds], propensities[:rounds], chances[:rounds])
            value = logged_value(*part, delta=delta)
            broken |= not value.lower <= 0.46 <= value.upper
            broken_normal |= not abs(value.inverse_propensity - 0.46) <= 1.28 * value.standard_error
        missed += broken
        normal += broken_normal
    assert_sound(missed, trials, delta)
    assert_unsound(normal, trials, delta)


def full_log(rng, rounds):
    """A log that holds every propensity; the context shifts all losses."""
    hard = rng.integers(2, size=rounds)
    means = np.clip(MEANS + 0.3 * hard[:, None], 0, 1)
    arms = rng.choice(3, rounds, p=LOGGING)
    losses = (rng.random(rounds) < means[np.arange(rounds), arms]).astype(float)
    table = np.ones((rounds, 1))
    return losses, table * LOGGING, table * TARGET, arms, means


def test_doubly_robust_is_unbiased_whatever_is_forecast_and_narrower_if_it_is_good():
    rng = np.random.default_rng(4)
    truth = TRUTH + 0.15
    good, bad = [], []
    for _ in range(150):
        losses, drawn, policy, arms, means = full_log(rng, 60)
        good.append(logged_value(losses, drawn, policy, actions=arms, forecasts=means))
        bad.append(logged_value(losses, drawn, policy, actions=arms, forecasts=1 - means))
    for values in (good, bad):
        estimates = np.array([value.doubly_robust for value in values])
        assert abs(estimates.mean() - truth) < 5 * estimates.std() / math.sqrt(150)
        assert_sound(sum(not v.lower <= truth <= v.upper for v in values), 150, 0.05)
    assert np.std([v.doubly_robust for v in good]) < np.std([v.inverse_propensity for v in good])
    losses, drawn, policy, arms, means = full_log(rng, 4000)
    plain = logged_value(losses, drawn, policy, actions=arms)
    helped = logged_value(losses, drawn, policy, actions=arms, forecasts=means, clip=4)
    assert helped.upper - helped.lower < plain.upper - plain.lower


def test_forecasts_that_looked_at_the_losses_break_it():
    rng, missed = np.random.default_rng(6), 0
    for _ in range(20):
        losses, drawn, policy, arms, means = full_log(rng, 400)
        looked = np.zeros_like(means)
        looked[np.arange(400), arms] = losses
        value = logged_value(losses, drawn, policy, actions=arms, forecasts=looked, clip=3)
        missed += not value.lower <= TRUTH + 0.15 <= value.upper
    assert_unsound(missed, 20, 0.05)


def test_returns_that_are_never_below_minus_the_clip():
    losses, drawn, policy, arms, means = full_log(np.random.default_rng(7), 300)
    for clip in (0.01, 1.0, 50.0):
        value = logged_value(losses, drawn, policy, actions=arms, forecasts=means, clip=clip)
        assert value.shift == clip
        assert min(y for y, _ in (*value.losses, *value.gains)) >= 0
        assert sum(n for _, n in value.losses) == sum(n for _, n in value.gains) == 300


def test_a_log_with_contexts_and_a_policy_as_it_stands():
    rng = np.random.default_rng(8)
    contexts = rng.integers(2, size=(400, 1)).astype(float)
    arms = rng.integers(2, size=400)
    losses = (rng.random(400) < np.where(arms == contexts[:, 0], 0.2, 0.8)).astype(float)
    log = DecisionLog(losses, np.full(400, 0.5), arms, contexts=contexts, arms=2)
    policy = SquareCB(arms=2, gamma=100.0, random_state=0)
    for context, arm, loss in zip(contexts, arms.tolist(), losses.tolist(), strict=True):
        policy.learn(context, arm, loss)
    before = pickle.dumps(policy.__dict__)
    value = logged_value(log, policy=policy)
    assert pickle.dumps(policy.__dict__) == before
    assert value.inverse_propensity < 0.35
    rule = logged_value(log, policy=lambda context, features: int(context[0]))
    table = np.eye(2)[contexts[:, 0].astype(int)]
    assert rule == logged_value(log, policy=table)
    by_hand = logged_value(losses, np.full(400, 0.5), arms == contexts[:, 0])
    assert (rule.lower, rule.upper) == (by_hand.lower, by_hand.upper)


@pytest.mark.parametrize(
    ("inputs", "named", "sentence"),
    [
        (([1],), {}, "propensities and probabilities must be given beside losses."),
        (
            ([1], [[0.5, 0.5]], [[1, 0]]),
            {},
            "propensities and probabilities of every arm, one row for each round, and actions must be given together.",
        ),
        (
            ([1], [[0.5, 0.4]], [[1, 0]]),
            {"actions": [0]},
            "propensities must be probabilities that add up to 1, but those of round 0 do not.",
        ),
        (
            ([1], [[0.5, 0.5]], [[1, 0]]),
            {"actions": [2]},
            "actions must be among the arms 0 to 1, but round 0 holds 2.",
        ),
        (
            ([1], [[0.5, 0.5]], [[1, 0]]),
            {"actions": [0], "forecasts": [[0.5, 2]]},
            "forecasts must be one number between 0 and 1 for each arm of each round, of the shape (1, 2).",
        ),
        (
            ([1], [[0, 1.0]], [[1, 0]]),
            {"actions": [0], "forecasts": [[0.5, 0.5]]},
            "propensities must lie above 0 and at most 1, but round 0 holds 0.0.",
        ),
        (
            (DecisionLog(np.ones(1), np.ones(1), np.zeros(1, dtype=int), arms=2),),
            {"policy": lambda context, features: 2},
            "The policy must name one of the actions 0 to 1 of round 0, but gives 2.",
        ),
        (
            (DecisionLog(np.ones(1), np.ones(1), np.zeros(1, dtype=int), arms=2),),
            {"policy": lambda context, features: [0.5, 0.6]},
            "The policy must give an action, or probabilities of all 2 that add up to 1, in round 0.",
        ),
    ],
)
def test_refusals_of_tables(inputs, named, sentence):
    with pytest.raises((BadData, BadParameter), match=f"^{re.escape(sentence)}$"):
        logged_value(*inputs, **named)


@pytest.mark.parametrize(
    ("inputs", "sentence"),
    [
        (([1.5], [0.5], [1]), "losses must lie between 0 and 1, but round 0 holds 1.5."),
        (
            ([0, math.nan], [0.5, 1], [1, 1]),
            "losses must lie between 0 and 1, but round 1 holds nan.",
        ),
        (([1], [0.0], [1]), "propensities must lie above 0 and at most 1, but round 0 holds 0.0."),
        (([1], [0.5], [2]), "probabilities must lie between 0 and 1, but round 0 holds 2.0."),
        (
            ([1, 0], [0.5], [1]),
            "losses, propensities and probabilities must be of one length, but have 2, 1 and 1 rounds.",
        ),
        (
            ([], [], []),
            "losses must hold one number for each of at least one round, but have the shape (0,).",
        ),
        (("many", [1], [1]), "losses must be numbers, but are str."),
    ],
)
def test_refusals(inputs, sentence):
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        logged_value(*inputs)


def test_refusals_of_what_is_declared():
    sentence = "propensities must be at least 0.6, as declared, but round 1 holds 0.5."
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        logged_value([1, 1], [0.7, 0.5], [1, 1], least_propensity=0.6)
    for bad in (0.0, -1.0, 1.5, math.nan, "a", [0.5, 0.5], True):
        sentence = f"least_propensity must be a number above 0 and at most 1, but is {bad!r}."
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            logged_value([1, 1], [0.7, 0.5], [1, 1], least_propensity=bad)
    with pytest.raises(BadParameter, match=r"^delta must be a number strictly between 0 and 1"):
        logged_value([1], [0.7], [1], delta=2)
