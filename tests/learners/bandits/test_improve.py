"""Whether a new policy is better, by a log: the truth is known, and the bound keeps its promise."""

import numpy as np
import pytest

from assay import DecisionLog, LinUCB, improve, logged_value
from assay.errors import BadParameter
from tests.soundness import assert_sound


def made(rng, rounds, good=0.3, bad=0.7):
    contexts = rng.integers(2, size=(rounds, 1)).astype(float)
    probabilities = np.where(np.arange(2) == contexts, 0.7, 0.3)
    arms = (rng.random(rounds) < probabilities[:, 1]).astype(int)
    losses = (rng.random(rounds) < np.where(arms == contexts[:, 0], good, bad)).astype(float)
    drawn = probabilities[np.arange(rounds), arms]
    return DecisionLog(losses, drawn, arms, contexts, probabilities=list(probabilities), arms=2)


def follow(context, features):
    return int(context[0])


def against(context, features):
    return 1 - int(context[0])


def test_paired_and_apart_hold_and_pairing_is_better():
    rng, broken, tighter = np.random.default_rng(0), [0, 0], 0
    truth = 0.42 - 0.3  # the log loses 0.7 * 0.3 + 0.3 * 0.7
    for _ in range(60):
        log = made(rng, 400)
        paired = improve(follow, None, log)
        apart = improve(follow, list(log.probabilities), log)
        assert paired.paired
        assert not apart.paired
        assert paired.estimate == pytest.approx(apart.estimate, abs=0.2)
        broken[0] += paired.at_least > truth
        broken[1] += apart.at_least > truth
        tighter += paired.at_least > apart.at_least
    assert_sound(broken[0], 60, 0.05)
    assert_sound(broken[1], 60, 0.05)
    assert tighter > 55


def test_a_worse_policy_is_not_called_better():
    log = made(np.random.default_rng(1), 2000)
    assert improve(follow, None, log).better
    assert not improve(against, None, log).better
    assert improve(follow, against, log).better
    assert not improve(against, follow, log).better
    assert improve(follow, follow, log).estimate == 0


def test_the_two_of_them_are_what_logged_value_says():
    log = made(np.random.default_rng(2), 300)
    found = improve(follow, against, log, delta=0.1)
    assert found.old == logged_value(log, policy=against, delta=0.1)
    assert found.at_least == pytest.approx(found.old.lower - found.new.upper, abs=1e-9)


def test_a_policy_that_learns_elsewhere_stays_as_it_is():
    log = made(np.random.default_rng(3), 300)
    policy = LinUCB(arms=2)
    policy.learn(log.contexts[0], 0, 1.0)
    told = policy.record_.rounds, policy.record_.asked
    improve(policy, None, log)
    assert (policy.record_.rounds, policy.record_.asked) == told


def test_refusals():
    log = made(np.random.default_rng(4), 5)
    with pytest.raises(BadParameter, match=r"^log must be a DecisionLog, but is list\.$"):
        improve(follow, None, [1])
    with pytest.raises(BadParameter, match=r"^policy must be a policy, a function"):
        improve([[1, 0]], None, log)
    with pytest.raises(BadParameter, match=r"^delta must be a number strictly between 0 and 1"):
        improve(follow, None, log, delta=0)
