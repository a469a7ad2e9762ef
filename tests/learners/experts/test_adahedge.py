import math
import re

import numpy as np
import pytest

from assay import AdaHedge, Hedge
from assay.errors import BadData, BadParameter
from assay.theory.regret.adahedge import adahedge_second_order
from tests.expert_games import BLOCKS, advice, leader_loses, losses
from tests.naive.adahedge import adahedge


def played(table, **parameters):
    policy = AdaHedge(**parameters)
    policy.play(table)
    return policy


@pytest.mark.parametrize("seed", range(15))
def test_like_the_naive_twin(seed):
    table = losses(seed)
    policy, twin = played(table), adahedge(table.tolist())
    record = policy.record_
    assert record.loss == pytest.approx(twin.loss, rel=1e-9, abs=1e-12)
    assert record.gap == pytest.approx(twin.gap, rel=1e-9, abs=1e-12)
    assert record.variance == pytest.approx(twin.variance, rel=1e-8, abs=1e-12)
    assert record.spread == twin.spread
    assert policy.predict() == pytest.approx(twin.weights[-1], rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("block", BLOCKS)
def test_no_promise_breaks(block):
    """Losses of three scales, one of them below zero, and advice, for each of five hundred seeds."""
    for seed in range(25 * block, 25 * block + 25):
        table, (said, told) = losses(seed), advice(seed)
        by_advice = AdaHedge(loss=("square", "absolute")[seed % 2])
        by_advice.play(said, told)
        for policy in (played(table), played(1e-4 * table), played(50 - 99 * table), by_advice):
            for made in policy.guarantees(against="each" if seed % 10 == 0 else "best"):
                assert made.holds, str(made)


def test_broken_bounds_are_caught():
    table = np.concatenate([leader_loses(200, 4), np.tile([0.0, 1, 1, 1], (300, 1))])
    record = played(table).record_
    assert record.gap < record.regret / 1.9
    assert record.regret <= 2 * record.gap
    one = played([[1.0, 0.0]]).record_
    assert 2 * one.gap > adahedge_second_order(2, one.variance, 0)  # without its last term
    assert 2 * one.gap <= adahedge_second_order(2, one.variance, 1)


def test_a_clear_leader_costs_next_to_nothing_however_long_the_game():
    rng = np.random.default_rng(0)
    table = (rng.random((20_000, 10)) < np.r_[0.3, np.full(9, 0.5)]).astype(float)
    short, long = played(table[:2000]).record_, played(table).record_
    plain = Hedge(rounds=20_000)
    plain.play(table)
    assert long.regret < 15 < plain.record_.regret
    assert long.gap < 1.5 * short.gap


def test_the_trace_is_the_receipt():
    table = losses(2)
    trace = played(table, trace=True).record_.trace
    assert (trace["loss"] - trace["best"] <= 2 * trace["gap"] + 1e-9).all()
    assert trace["best"].tolist() == pytest.approx(np.cumsum(table, axis=0).min(axis=1).tolist())
    assert (np.diff(trace["gap"]) >= 0).all()


def test_one_by_one_is_the_same_to_the_bit():
    table = losses(8)
    whole, single = (
        played(table, sample=True, random_state=0),
        AdaHedge(sample=True, random_state=0),
    )
    for row in table:
        single.update(row)
    for name in ("totals_", "carries_", "weights_", "gap_", "spread_", "size_", "sums_"):
        assert getattr(single, name).tobytes() == getattr(whole, name).tobytes()


def test_losses_further_apart_than_numbers_go():
    sentence = "The losses in round 1 lie further apart than numbers go, from -1e+308 to 1e+308. Scale them down."
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        AdaHedge().play([[1e308, -1e308]])


def test_refusals():
    policy = played([[0.5, -3.0]])
    for bad in (math.nan, math.inf):
        sentence = f"The loss of expert 1 in round 2 must be a finite number, but is {bad:g}."
        with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
            policy.update([0.0, bad])
    assert policy.rounds_ == 1
    with pytest.raises(BadData, match=r"^The advice of expert 0 in round 1 is missing\. Sleeping"):
        AdaHedge(loss="square").update([math.nan, 1.0], 1.0)
    with pytest.raises(
        BadData, match=r"^The advice of expert 0 in round 1 must lie between 0 and 1"
    ):
        AdaHedge(loss="entropic").update([7.0, 1.0], 1.0)
    with pytest.raises(BadData, match=r"^The loss of expert 0 in round 1 must be a finite number"):
        AdaHedge(loss="entropic").update([0.0, 1.0], 1.0)


# Mixtures


def naive_mixtures(said, told, slope):
    """The twin: AdaHedge on slopes times advice, which are made as it goes along."""
    rows, guesses = [], []
    for x, y in zip(said.tolist(), told.tolist(), strict=True):
        v = adahedge(rows).weights[-1] if rows else [1 / len(x)] * len(x)
        guess = math.fsum(vi * xi for vi, xi in zip(v, x, strict=True))
        guesses.append(guess)
        rows.append([slope(guess, y) * (xi - guess) for xi in x])
    return guesses, adahedge(rows).gap


@pytest.mark.parametrize("loss", ["square", "absolute"])
@pytest.mark.parametrize("seed", [1, 2, 4, 5, 7, 8])
def test_mixtures_like_the_naive_twin(seed, loss):
    said, told = advice(seed)
    policy = AdaHedge(loss=loss, mixtures=True)
    guesses = policy.play(said, told)
    slope = (lambda p, y: 2 * (p - y)) if loss == "square" else (lambda p, y: np.sign(p - y))
    expected, gap = naive_mixtures(said, told, slope)
    assert guesses == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert policy.record_.gap == pytest.approx(gap, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("block", BLOCKS)
def test_no_mixture_breaks_the_promise(block):
    """Mixtures drawn at random, even ones, and single experts."""
    for seed in range(20 * block, 20 * block + 20):
        said, told = advice(seed)
        k = said.shape[1]
        rng = np.random.default_rng(seed)
        mixtures = [np.full(k, 1 / k), *np.eye(k), *rng.dirichlet(np.full(k, 0.5), 20)]
        for loss, function in (("square", np.square), ("absolute", np.abs)):
            policy = AdaHedge(loss=loss, mixtures=True)
            policy.play(said, told)
            made = policy.guarantees()[0]
            assert made.holds
            assert made.theorem == "adahedge-mixture-regret"
            for u in mixtures:
                lost = float(function(said @ u - told).sum())
                assert policy.record_.loss - lost <= made.value + 1e-9


def test_without_mixtures_the_best_one_is_out_of_reach():
    """Two experts, one always too high and one too low: a mean of them is right, and neither is."""
    told = np.random.default_rng(0).normal(size=400)
    said = np.column_stack([told + 3, told - 1])
    policies = {mixtures: AdaHedge(loss="square", mixtures=mixtures) for mixtures in (False, True)}
    lost = {m: float(np.sum((p.play(said, told) - told) ** 2)) for m, p in policies.items()}
    assert lost[True] < lost[False] / 5
    # The promise for experts would be broken for mixtures, the best of which loses nothing here.
    assert lost[False] > 2 * policies[False].record_.gap
    assert lost[True] <= 2 * policies[True].record_.gap


def test_mixtures_one_by_one_are_the_same_to_the_bit():
    said, told = advice(5)
    whole, single = (AdaHedge(loss="square", mixtures=True) for _ in range(2))
    whole.play(said, told)
    for row, y in zip(said, told, strict=True):
        single.update(row, y)
    for name in ("totals_", "carries_", "weights_", "gap_", "spread_", "size_", "sums_"):
        assert getattr(single, name).tobytes() == getattr(whole, name).tobytes()
    assert whole.totals_ == pytest.approx(((said - told[:, None]) ** 2).sum(axis=0))


def test_mixtures_need_a_loss_with_slopes():
    sentence = "loss must be 'square' or 'absolute' where mixtures count, but is 'entropic'."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        AdaHedge(loss="entropic", mixtures=True).update([0.5], 1)
