"""`weights_` says how the experts are weighed in the round to come, whichever way the policy plays."""

import numpy as np
import pytest

from assay import AdaHedge, FixedShare, Hedge, WeightedAverage, WeightedMajority, load, save

POLICIES = {
    "Hedge in small steps": lambda: Hedge(learning_rate=0.05),
    "Hedge in large steps": lambda: Hedge(learning_rate=0.5),
    "Hedge anytime": Hedge,
    "AdaHedge": AdaHedge,
    "FixedShare": lambda: FixedShare(rounds=40),
}
LOSSES = np.random.default_rng(0).random((40, 5))


def shares(policy):
    return policy.weights_ / policy.weights_.sum()


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("size", [1, 7, 40])
def test_they_are_what_the_policy_plays_next(name, size):
    policy = POLICIES[name]()
    for start in range(0, 40, size):
        policy.play(LOSSES[start : start + size])
        assert shares(policy).tolist() == pytest.approx(policy.predict().tolist(), rel=1e-14)


@pytest.mark.parametrize("loss", ["square", "absolute", "entropic"])
def test_of_averages(loss):
    policy = WeightedAverage(loss=loss)
    for row in LOSSES:
        policy.update(row, float(row[0] > 0.5))
        assert float(shares(policy) @ row) == pytest.approx(policy.predict(row), rel=1e-12)


def test_of_mixtures():
    policy = AdaHedge(loss="square", mixtures=True)
    policy.play(LOSSES, LOSSES[:, 1])
    assert float(shares(policy) @ LOSSES[0]) == pytest.approx(policy.predict(LOSSES[0]), rel=1e-12)


def test_after_a_round_that_was_refused():
    policy = Hedge()
    with pytest.raises(ValueError, match=r"Everything before it was learned\.$"):
        policy.play(np.vstack([LOSSES[:10], np.full(5, 2.0)]))
    assert shares(policy).tolist() == pytest.approx(policy.predict().tolist(), rel=1e-14)


def test_of_the_majority():
    policy = WeightedMajority(beta=0.5)
    policy.play((LOSSES > 0.5).astype(int), (LOSSES[:, 0] > 0.4).astype(int))
    behind = policy.totals_ - policy.totals_.min()
    assert (policy.weights_ / policy.weights_.max()).tolist() == (0.5**behind).tolist()


def test_a_file_with_the_weights_of_the_round_before_is_set_right(tmp_path):
    """As 0.1 wrote them."""
    policy = Hedge()
    policy.play(LOSSES)
    now = policy.weights_.copy()
    policy.weights_[:] = 1.0
    save(policy, tmp_path / "hedge.assay")
    assert load(tmp_path / "hedge.assay").weights_.tolist() == now.tolist()
