import numpy as np
import pytest

from assay import EXP3, EXP3IX
from assay.theory.regret.exp3_ix import exp3_ix_regret
from tests.learners.bandits.tables import table
from tests.learners.bandits.test_exp3 import rates, seed_of
from tests.naive.bandits import exp3
from tests.naive.generator import Generator
from tests.soundness import assert_sound, assert_unsound


@pytest.mark.parametrize("anytime", [False, True])
def test_naive_twin(anytime):
    rng = np.random.default_rng(int(anytime))
    for seed in range(40):
        arms, rounds = int(rng.integers(1, 9)), int(rng.integers(1, 60))
        losses = table(rng, rounds, arms)
        policy = EXP3IX(
            arms=arms, rounds=None if anytime else rounds, random_state=seed, trace=True
        ).play(losses)
        generator = Generator(seed_of(seed))
        played, chances, estimates = exp3(
            losses.tolist(),
            [generator.uniform() for _ in range(rounds)],
            rates(rounds, arms, anytime),
            share=0.5,
        )
        assert policy.record_.trace["arm"].tolist() == played
        assert policy.record_.trace["probability"] == pytest.approx(chances, rel=1e-11)
        assert policy.record_.estimates == pytest.approx(estimates, rel=1e-10)


def violations(bound, anytime, instances, delta=0.3):
    """Single runs whose regret exceeds the bound."""
    rng, broken = np.random.default_rng(5), 0
    for i in range(instances):
        arms, rounds = int(rng.integers(2, 6)), int(rng.integers(1, 300))
        losses = table(rng, rounds, arms)
        policy = EXP3IX(arms=arms, rounds=None if anytime else rounds, random_state=i)
        broken += policy.play(losses).record_.regret > bound(rounds, arms, delta)
    return broken


@pytest.mark.parametrize("anytime", [False, True])
@pytest.mark.parametrize("instances", [400, pytest.param(2000, marks=pytest.mark.guarantees)])
def test_single_runs_stay_below(anytime, instances):
    form = "anytime" if anytime else "sharp"
    broken = violations(lambda t, k, d: exp3_ix_regret(t, k, d, form=form), anytime, instances)
    assert_sound(broken, instances, 0.3)
    assert broken == 0


def test_a_tenth_of_the_bound_is_caught():
    broken = violations(lambda t, k, d: exp3_ix_regret(t, k, d) / 12, False, 800)
    assert_unsound(broken, 800, 0.3)


def test_guarantee():
    losses = np.tile([1.0, 0.0, 1.0], (2000, 1))
    policy = EXP3IX(arms=3, rounds=2000, random_state=0).play(losses)
    [promise] = policy.guarantees(delta=0.01)
    assert promise.delta == "0.01"
    assert promise.value == pytest.approx(exp3_ix_regret(2000, 3, 0.01), rel=1e-9)
    assert promise.holds
    assert float(promise.observed) == policy.record_.regret
    [anytime] = EXP3IX(arms=3, random_state=0).play(losses).guarantees()
    assert anytime.value == exp3_ix_regret(2000, 3, 0.05, form="anytime")


def test_its_estimates_are_lower_than_those_of_exp3():
    losses = np.ones((500, 3))
    low = [EXP3IX(arms=3, rounds=500, random_state=i).play(losses) for i in range(50)]
    plain = [EXP3(arms=3, rounds=500, random_state=i).play(losses) for i in range(50)]
    means = [np.mean([p.record_.estimates for p in ps]) for ps in (low, plain)]
    assert means[0] < means[1]
    assert means[1] == pytest.approx(500, rel=0.03)
