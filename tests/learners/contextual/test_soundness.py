"""The promises, against worlds whose truth is planted."""

import math

import numpy as np
import pytest

from assay import EXP4, EpsilonGreedy, LinearThompson, LinUCB, SquareCB
from tests.learners.contextual.worlds import linear_world
from tests.soundness import assert_sound, assert_unsound

RUNS = [200, pytest.param(2000, marks=pytest.mark.guarantees)]


def broken_intervals(policy, runs, shrink=1.0, delta=0.2):
    """In how many runs the sum of the gaps, with the radius shrunk, is less than the regret; and optimism's theorem."""
    broken, beyond = 0, 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        given, means, losses, theta = linear_world(rng, 120, 3, 2, apart=bool(seed % 2))
        norm = float(np.linalg.norm(theta))
        model = policy(arms=3, delta=delta, parameter_norm=norm, penalty=0.5, random_state=seed)
        model.play(losses, **given, means=means)
        record = model.record_
        broken += record.regret > shrink * record.gaps
        beyond += not model.guarantees()[-1].holds
    return broken, beyond


def hardly_optimistic(**terms):
    return LinUCB(optimism=0.1, **terms)


@pytest.mark.parametrize("runs", RUNS)
@pytest.mark.parametrize("policy", [LinUCB, LinearThompson, hardly_optimistic])
def test_the_regret_stays_below_what_the_intervals_say(policy, runs):
    broken, beyond = broken_intervals(policy, runs)
    assert_sound(broken, runs, 0.2)
    assert_sound(beyond, runs, 0.2)


def test_a_fiftieth_of_the_gaps_is_caught():
    assert_unsound(broken_intervals(LinUCB, 200, shrink=0.02)[0], 200, 0.2)


def farthest(runs, rounds=150, penalty=0.05, delta=0.2):
    """For each run, how far the planted vector ever was from the least squares, as a share of the radius."""
    rng, theta = np.random.default_rng(0), np.array([0.3, 0.3])
    V, b = np.tile(penalty * np.eye(2), (runs, 1, 1)), np.zeros((runs, 2))
    most, norm = np.zeros(runs), math.sqrt(penalty) * float(np.linalg.norm(theta))
    for _ in range(rounds):
        x = np.array([[1.0, 0.0], [0.0, 1.0], [0.7, 0.7]])[rng.integers(0, 3, runs)]
        losses = rng.random(runs) < 0.5 + x @ theta
        V += x[:, :, None] * x[:, None, :]
        b += x * (losses - 0.5)[:, None]
        off = np.linalg.solve(V, b[:, :, None])[:, :, 0] - theta
        grown = np.linalg.slogdet(V)[1] - 2 * math.log(penalty)
        radius = norm + np.sqrt(2 * math.log(1 / delta) + grown) / 2
        most = np.maximum(most, np.sqrt(np.einsum("ri,rij,rj->r", off, V, off)) / radius)
    return most


def test_the_ellipsoid_and_one_without_the_growth():
    shares = farthest(2000)
    assert_sound(int((shares > 1.0).sum()), 2000, 0.2)
    assert_unsound(int((shares > 0.45).sum()), 2000, 0.2)


def mean_regret(policy, runs, rounds, **parameters):
    """The mean regret with six of its errors taken off, and the mean of the promises."""
    regrets, promises = [], []
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        given, means, losses, theta = linear_world(rng, rounds, 2, 2, apart=False)
        norm = float(np.linalg.norm(theta))
        model = policy(random_state=seed, parameter_norm=norm, **parameters)
        model.play(losses, **given, means=means)
        regrets.append(model.record_.regret)
        promises.append(model.guarantees()[-1].value)
        assert model.guarantees()[0].holds
    error = 6 * np.std(regrets) / math.sqrt(runs)
    return np.mean(regrets) - error, np.mean(promises), rounds


@pytest.mark.parametrize("runs", [30, pytest.param(300, marks=pytest.mark.guarantees)])
@pytest.mark.parametrize(
    ("policy", "parameters"), [(SquareCB, {"gamma": 2.0}), (EpsilonGreedy, {"exploration": 0.2})]
)
def test_mean_regret_stays_below_the_oracles(policy, parameters, runs):
    regret, promise, rounds = mean_regret(policy, runs, 400, **parameters)
    assert regret < promise < rounds
    assert regret > promise / 200  # a bound that forgot a power of the rounds would be caught


def exp4_regrets(runs, rounds, bound):
    """Over runs against losses that were fixed beforehand: the mean regret less six errors, and the bound."""
    losses = (np.random.default_rng(0).random((rounds, 2)) < [0.3, 0.5]).astype(float)
    advice = np.tile([[0, 1]], (rounds, 1))
    regrets = []
    for seed in range(runs):
        model = EXP4(arms=2, rounds=rounds, random_state=seed).play(losses, advice)
        regrets.append(model.guarantees()[0].observed)
    return np.mean(regrets) - 6 * np.std(regrets) / math.sqrt(runs), bound(rounds)


@pytest.mark.parametrize("runs", [40, pytest.param(2000, marks=pytest.mark.guarantees)])
def test_exp4_stays_below_its_bound(runs):
    regret, bound = exp4_regrets(runs, 200, lambda t: math.sqrt(2 * t * 2 * math.log(2)))
    assert regret < bound
    regret, broken = exp4_regrets(40, 200, lambda t: math.log(2))
    assert regret > broken
