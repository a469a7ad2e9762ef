"""The opponents of experts reach the numbers that are known for them."""

from __future__ import annotations

import math
import re
from functools import lru_cache
from itertools import product

import numpy as np
import pytest

from assay import EXP3, AdaHedge, Hedge, WeightedAverage, WeightedMajority, theorem
from assay.errors import BadParameter
from assay.play.expert_adversaries import (
    Contrary,
    Skilled,
    WeightSplitting,
    against_the_favourite,
    alternating_losses,
    one_who_knows,
)
from assay.play.expert_game import Past, play_allocation, play_experts


def forced(experts, beta=None):
    return play_experts(WeightedMajority(beta=beta), WeightSplitting(experts, beta), rounds=10_000)


def most_that_can_be_forced(experts):
    """By trying every set of wrong experts: beta 1/2, expert 0 perfect, ties lost."""

    @lru_cache(None)
    def rest(state):
        unit = 2 ** len(state)
        total = unit + sum(many * (unit >> k) for k, many in enumerate(state))
        best = 0
        for wrong in product(*(range(many + 1) for many in state)):
            if 2 * sum(w * (unit >> k) for k, w in enumerate(wrong)) < total:
                continue
            after = [0] * (len(state) + 1)
            for k, (many, w) in enumerate(zip(state, wrong, strict=True)):
                after[k] += many - w
                after[k + 1] += w
            while after and not after[-1]:
                after.pop()
            best = max(best, 1 + rest(tuple(after)))
        return best

    return rest((experts - 1,))


@pytest.mark.parametrize(("experts", "mistakes"), [(12, 7), (16, 8)])
def test_half_of_the_weight_costs_what_is_known(experts, mistakes):
    record = forced(experts, 0.5)
    assert record.mistakes == record.rounds == mistakes
    assert record.expert_losses[0] == 0
    # The bound that was printed for this beta belongs to another one, and is broken.
    assert mistakes > 2.632372 * math.log(experts)
    assert mistakes <= theorem("weighted-majority-mistakes")(
        best_mistakes=0, experts=experts, beta=0.5
    )


@pytest.mark.parametrize("experts", [2, 3, 4, 6, 8, 10])
def test_no_other_sets_force_more(experts):
    assert forced(experts, 0.5).mistakes == most_that_can_be_forced(experts)


@pytest.mark.parametrize(("experts", "beta"), [(64, None), (2, None), (8, 0.01), (64, 0.01)])
def test_the_bound_on_mistakes_is_met_with_equality(experts, beta):
    given = {} if beta is None else {"beta": beta}
    bound = theorem("weighted-majority-mistakes")(best_mistakes=0, experts=experts, **given)
    assert forced(experts, beta).mistakes == bound


@pytest.mark.parametrize("beta", [0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
@pytest.mark.parametrize("experts", [1, 2, 5, 20, 100])
def test_every_round_is_a_mistake_and_no_bound_breaks(experts, beta):
    opponent = WeightSplitting(experts, beta)
    policy = WeightedMajority(beta=beta)
    if experts == 1:
        assert opponent.advise() is None
        return
    record = play_experts(policy, opponent, rounds=10_000)
    assert record.mistakes == record.rounds > 0
    assert all(g.holds for g in policy.guarantees())
    assert record.expert_losses.tolist() == opponent.mistakes.tolist()


def test_labels_may_be_words():
    opponent = WeightSplitting(12, 0.5, classes=("ham", "spam"))
    policy = WeightedMajority(beta=0.5, classes=("ham", "spam"))
    assert play_experts(policy, opponent, rounds=100).mistakes == 7


def test_alternating_losses_ruin_a_large_rate_only():
    right, printed = math.sqrt(2 * math.log(2) / 100), math.sqrt(200 * math.log(2))
    losses = alternating_losses(100)
    assert losses[:4].tolist() == [[0.5, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    regrets = [
        play_allocation(Hedge(learning_rate=rate), losses).regret for rate in (right, printed)
    ]
    np.testing.assert_allclose(regrets, [1.706624, 49.476020], atol=1e-6)
    bound = float(theorem("hedge-regret")(rounds=100, experts=2, learning_rate=right))
    assert regrets[0] <= bound < 11.7742 < regrets[1]


def test_alternating_losses_ruin_the_follower_of_the_leader():
    losses = alternating_losses(1000)
    totals = np.vstack([np.zeros(2), losses.cumsum(axis=0)[:-1]])
    leader = totals.argmin(axis=1)
    follower = losses[np.arange(1000), leader].sum()
    assert follower - losses.sum(axis=0).min() > 498
    # At a huge rate Hedge follows the leader; one that finds its own rate does not.
    huge = play_allocation(Hedge(learning_rate=1e6), losses)
    assert huge.regret == pytest.approx(follower - losses.sum(axis=0).min(), abs=1)
    assert play_allocation(AdaHedge(), losses).regret < 20


@pytest.mark.parametrize("experts", [2, 10, 1000])
def test_the_entropic_bound_is_met_with_equality(experts):
    policy = WeightedAverage(loss="entropic")
    policy.play(*one_who_knows(experts))
    first = policy.guarantees()[0]
    assert policy.record_.regret == pytest.approx(math.log(experts), abs=1e-12)
    assert float(first.promised) == pytest.approx(math.log(experts), abs=1e-9)
    assert first.holds


@pytest.mark.parametrize("loss", ["square", "absolute"])
def test_a_contrary_outcome_breaks_no_bound(loss):
    rng = np.random.default_rng(0)
    policy = WeightedAverage(loss=loss)
    record = play_experts(policy, Contrary(rng.random((300, 7))), rounds=1000)
    assert record.rounds == 300
    assert all(g.holds for g in policy.guarantees(against="each"))
    # Whatever it predicted, it was half of the range off at least.
    assert record.loss >= 300 * (0.25 if loss == "square" else 0.5)


def test_a_contrary_outcome_makes_every_label_wrong():
    policy = WeightedMajority(classes=("no", "yes"))
    advice = [["no", "yes", "no"]] * 20
    record = play_experts(policy, Contrary(advice, outcomes=("no", "yes")), rounds=50)
    assert record.mistakes == record.rounds == 20
    assert all(g.holds for g in policy.guarantees())


def test_skill_is_found():
    opponent = Skilled([0.6, 0.95, 0.6], classes=("a", "b"), random_state=3)
    policy = WeightedMajority(classes=("a", "b"))
    record = play_experts(policy, opponent, rounds=400)
    assert record.rounds == 400
    assert record.best == 1
    assert abs(record.expert_losses[1] / 400 - 0.05) < 0.05
    assert all(g.holds for g in policy.guarantees())


@pytest.mark.parametrize("experts", [2, 5])
def test_the_favourite_is_punished_within_the_bounds(experts):
    policies = [Hedge(rounds=500), Hedge(), AdaHedge()]
    for policy in policies:
        record = play_allocation(policy, against_the_favourite, rounds=500, experts=experts)
        assert record.expert_losses.sum() == 500
        assert all(g.holds for g in policy.guarantees())


def test_the_favourite_is_the_heaviest():
    past = Past(0, np.zeros(3), lambda: EXP3(arms=3, random_state=0).probabilities_)
    assert against_the_favourite(past).tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: WeightSplitting(0), "experts must be a whole number of at least 1, but is 0."),
        (lambda: WeightSplitting(3, classes=(1,)), "classes must be two labels, but is (1,)."),
        (
            lambda: Contrary([[0]], outcomes=(1, 2, 3)),
            "outcomes must be two labels or numbers, but is (1, 2, 3).",
        ),
        (lambda: Skilled([2.0]), "skills must be numbers between 0 and 1, but are [2.0]."),
        (lambda: Skilled([0.5], classes=("a",)), "classes must be two labels, but is ('a',)."),
        (lambda: alternating_losses(0), "rounds must be a whole number of at least 1, but is 0."),
        (lambda: one_who_knows(0), "experts must be a whole number of at least 1, but is 0."),
    ],
)
def test_refusals(make, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        make()
