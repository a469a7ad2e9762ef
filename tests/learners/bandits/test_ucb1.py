import numpy as np
import pytest

from assay import UCB1
from assay.theory.regret.ucb import ucb1_gap_free_regret, ucb1_regret
from tests.learners.bandits.tables import table
from tests.naive.bandits import index_policy, ucb1_index


def test_naive_twin():
    rng = np.random.default_rng(0)
    for _ in range(100):
        arms, rounds = int(rng.integers(1, 9)), int(rng.integers(1, 80))
        losses = table(rng, rounds, arms)
        policy = UCB1(arms=arms, trace=True).play(losses)
        assert policy.record_.trace["arm"].tolist() == index_policy(losses.tolist(), ucb1_index)
        assert policy.choose()[1] == 1.0


def broken_instances(bound, instances):
    rng, broken = np.random.default_rng(1), 0
    for i in range(instances):
        arms, rounds = int(rng.integers(1, 6)), int(rng.integers(1, 200))
        means = rng.random(arms).round(2) if i % 2 else rng.choice([0.0, 0.5, 1.0], arms)
        runs = UCB1(arms=arms, random_state=i).simulate(
            means=means, rounds=rounds, runs=24, threads=1
        )
        gaps = [round(mean - means.min(), 10) for mean in means.tolist()]
        broken += runs.interval(6.0)[0] > bound(rounds, gaps) + 1e-9
    return broken


@pytest.mark.parametrize("instances", [300, pytest.param(2000, marks=pytest.mark.guarantees)])
def test_expected_regret_stays_below(instances):
    def both(t, gaps):
        return min(ucb1_regret(t, gaps), ucb1_gap_free_regret(t, len(gaps)))

    assert broken_instances(both, instances) == 0


def test_a_bound_without_its_logarithm_is_caught():
    assert broken_instances(lambda t, gaps: sum(gaps), instances=300) > 0


def test_guarantees():
    rng = np.random.default_rng(0)
    means = [0.5, 0.4, 0.45]
    policy = UCB1(arms=3).play((rng.random((500, 3)) < means).astype(float))
    [anyhow] = policy.guarantees()
    assert anyhow.theorem == "ucb1-gap-free-regret"
    assert anyhow.observed is None
    by_gaps, anyhow = policy.guarantees(means=means)
    assert by_gaps.value == ucb1_regret(500, ["0.1", "0", "0.05"])
    assert list(by_gaps.inputs["gaps"]) == ["0.1", "0", "0.05"]
    plays = policy.record_.plays
    assert float(by_gaps.observed) == pytest.approx(0.1 * plays[0] + 0.05 * plays[2])
    assert by_gaps.holds is None
    assert [a.status for a in by_gaps.assumptions] == ["assumed", "declared", "by construction"]
