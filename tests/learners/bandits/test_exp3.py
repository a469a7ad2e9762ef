import math

import numpy as np
import pytest

from assay import EXP3
from assay.theory import tuning
from assay.theory.regret.exp3 import exp3_regret
from tests.learners.bandits.tables import table
from tests.naive import exp3 as exact
from tests.naive.bandits import exp3
from tests.naive.generator import Generator


def seed_of(random_state):
    return int(np.random.RandomState(random_state).randint(2**63 - 1, dtype=np.int64))


def rates(rounds, arms, anytime):
    """The rate of round 1, 2, ..."""
    fixed = tuning.exp3_rate(rounds, arms)
    return lambda t: tuning.exp3_anytime_rate(t, arms) if anytime else fixed


def test_the_rate_of_a_thousand_rounds_and_ten_arms():
    assert EXP3(arms=10, rounds=1000).learning_rate_ == pytest.approx(0.0214597, rel=1e-5)
    policy = EXP3(arms=10, random_state=0)
    assert policy.learning_rate_ == tuning.exp3_anytime_rate(1, 10)
    policy.play(np.zeros((99, 10)))
    assert policy.learning_rate_ == pytest.approx(tuning.exp3_anytime_rate(100, 10), rel=1e-15)


def test_one_step():
    for seed in range(20):
        policy = EXP3(arms=2, learning_rate=0.1, random_state=seed)
        arm, probability = policy.choose()
        policy.update(arm, 1.0)
        assert probability == 0.5
        assert policy.record_.estimates[arm] == 2.0
        assert policy.probabilities_[arm] == pytest.approx(0.450166, rel=1e-6)
        assert policy.probabilities_[1 - arm] == pytest.approx(0.549834, rel=1e-6)


def test_the_exact_expectation_of_two_rounds():
    losses = [[1.0, 0.0], [1.0, 0.0]]
    rate = tuning.exp3_rate(2, 2)
    assert exact.expected_loss(losses, rate) == pytest.approx(0.867759, rel=1e-6)
    runs = EXP3(arms=2, rounds=2, random_state=0).simulate(losses, runs=200_000)
    low, high = runs.interval(5.0)
    assert low <= 0.867759 <= high
    assert abs(runs.loss.mean() - 0.867759) < 5 * runs.loss.std() / math.sqrt(200_000)


@pytest.mark.parametrize("anytime", [False, True])
def test_naive_twin(anytime):
    rng = np.random.default_rng(int(anytime))
    for seed in range(40):
        arms, rounds = int(rng.integers(1, 9)), int(rng.integers(1, 60))
        losses = table(rng, rounds, arms)
        policy = EXP3(
            arms=arms, rounds=None if anytime else rounds, random_state=seed, trace=True
        ).play(losses)
        generator = Generator(seed_of(seed))
        played, chances, estimates = exp3(
            losses.tolist(),
            [generator.uniform() for _ in range(rounds)],
            rates(rounds, arms, anytime),
        )
        assert policy.record_.trace["arm"].tolist() == played
        assert policy.record_.trace["probability"] == pytest.approx(chances, rel=1e-11)
        assert policy.record_.estimates == pytest.approx(estimates, rel=1e-10)


def regret_stays_below(make, bound, seed, instances=2000, runs=24):
    """How many instances have a mean regret that is above the bound beyond doubt."""
    rng = np.random.default_rng(seed)
    broken = 0
    for i in range(instances):
        arms, rounds = int(rng.integers(1, 8)), int(rng.integers(1, 80))
        losses = table(rng, rounds, arms)
        found = make(arms, rounds).set_params(random_state=i).simulate(losses, runs=runs, threads=1)
        low = found.interval(6.0)[0]
        broken += low > bound(rounds, arms) + 1e-9
    return broken


def test_expected_regret_stays_below_on_2000_instances():
    make = lambda arms, rounds: EXP3(arms=arms, rounds=rounds)  # noqa: E731
    assert regret_stays_below(make, exp3_regret, 1) == 0


def test_expected_regret_stays_below_on_2000_instances_when_nobody_knows_the_horizon():
    bound = lambda t, k: exp3_regret(t, k, form="anytime")  # noqa: E731
    assert regret_stays_below(lambda arms, rounds: EXP3(arms=arms), bound, 2) == 0


def test_a_misprinted_rate_and_a_dropped_term_are_caught():
    # sqrt(2 T ln K / K), the T on the wrong side: two arms that cost in turns lead it round and round.
    turns = np.tile([[1.0, 0.0], [0.0, 1.0]], (500, 1))
    wrong = EXP3(arms=2, learning_rate=math.sqrt(2 * 1000 * math.log(2) / 2), random_state=0)
    assert wrong.simulate(turns, runs=30).interval(6.0)[0] > 5 * exp3_regret(1000, 2)
    right = EXP3(arms=2, rounds=1000, random_state=0).simulate(turns, runs=30)
    assert right.interval(6.0)[1] < exp3_regret(1000, 2)
    make = lambda arms, rounds: EXP3(arms=arms, rounds=rounds)  # noqa: E731
    quarter = lambda t, k: exp3_regret(t, k) / 4  # noqa: E731
    assert regret_stays_below(make, quarter, 1, instances=300) > 0
    # ln(K / n) for ln(K) / n: a slow rate on one good arm.
    losses = np.tile([1.0, 0.0], (200, 1))
    found = EXP3(arms=2, learning_rate=0.002, random_state=0).simulate(losses, runs=50)
    misprinted = math.log(2 / 0.002) + 0.002 / 2 * 200 * 2
    assert found.interval(6.0)[0] > misprinted
    assert found.mean_regret <= exp3_regret(200, 2, 0.002)


def test_the_receipt_holds_on_every_run():
    rng = np.random.default_rng(3)
    for i in range(2000):
        arms, rounds = int(rng.integers(1, 8)), int(rng.integers(1, 60))
        rate = float(rng.choice([0.01, 0.1, 1.0, 8.0]))
        policy = EXP3(arms=arms, learning_rate=rate, random_state=i).play(table(rng, rounds, arms))
        receipt = policy.guarantees()[0]
        assert receipt.theorem == "exp3-second-order"
        assert receipt.holds


def test_the_receipt_without_its_second_term_is_caught():
    policy = EXP3(arms=2, learning_rate=8.0, random_state=0)
    policy.play(np.tile([[1.0, 0.5], [0.5, 1.0]], (50, 1)))
    assert float(policy.guarantees()[0].observed) > math.log(2) / 8


def test_guarantees_say_what_is_promised_beside_what_was_seen():
    losses = np.tile([1.0, 0.0, 1.0], (1000, 1))
    receipt, regret, squares = EXP3(arms=3, rounds=1000, random_state=1).play(losses).guarantees()
    assert regret.theorem == "exp3-regret"
    assert regret.quantifier == "expectation"
    assert regret.holds is None
    assert regret.value == pytest.approx(exp3_regret(1000, 3), rel=1e-9)
    assert float(regret.observed) > 0
    assert squares.promised == 3000
    assert receipt.value >= float(receipt.observed)
    anytime = EXP3(arms=3, random_state=1).play(losses).guarantees()
    assert [g.theorem for g in anytime] == ["exp3-regret", "importance-weighting-unbiased"]
    assert anytime[0].value == exp3_regret(1000, 3, form="anytime")


def test_estimates_are_unbiased_and_so_are_their_variances():
    rng = np.random.default_rng(0)
    losses = rng.random((6, 3))
    found = [
        EXP3(arms=3, learning_rate=0.3, random_state=i).play(losses).record_ for i in range(4000)
    ]
    estimates = np.array([record.estimates for record in found])
    error = estimates.std(axis=0) / math.sqrt(len(found))
    assert (np.abs(estimates.mean(axis=0) - losses.sum(axis=0)) < 5 * error).all()
    variances = np.array([record.variances for record in found])
    assert variances.mean(axis=0) == pytest.approx(estimates.var(axis=0, ddof=1), rel=0.15)


def test_weights_do_not_underflow_in_ten_million_rounds():
    runs = EXP3(arms=3, rounds=10**7, random_state=0).simulate(
        means=[0.5, 0.4, 0.6], rounds=10**7, runs=1
    )
    assert runs.plays[0, 1] > 9.9e6
    assert 0 < runs.mean_regret < exp3_regret(10**7, 3)
    policy = EXP3(arms=2, learning_rate=2.0, random_state=0)
    policy.play(np.tile([1.0, 0.0], (1000, 1)))  # arm 0 is all but forgotten ...
    policy.play(np.tile([0.0, 1.0], (200_000, 1)))  # ... and is found again when arm 1 turns bad
    assert policy.probabilities_[0] > 0.999
    assert np.isfinite(policy.record_.estimates).all()


def test_the_trace_shows_both_sides_of_the_receipt():
    losses = np.random.default_rng(4).random((300, 3))
    policy = EXP3(arms=3, learning_rate=0.5, random_state=0, trace=True).play(losses)
    trace, receipt = policy.record_.trace, policy.guarantees()[0]
    assert (trace["estimated_regret"] <= trace["receipt"] + 1e-9).all()
    assert trace["estimated_regret"][-1] == pytest.approx(float(receipt.observed))
    assert trace["receipt"][-1] == pytest.approx(receipt.value)
    assert trace["cumulative_loss"][-1] == pytest.approx(policy.record_.loss)
    assert "receipt" not in EXP3(arms=3, random_state=0, trace=True).play(losses).record_.trace
