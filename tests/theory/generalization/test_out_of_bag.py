"""Rows left out by bags: golden numbers, monotonicity, the sums behind the bound, soundness and its broken twins."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.generalization.out_of_bag import (
    out_of_bag_member,
    out_of_bag_square,
    out_of_bag_unbiased,
    out_of_bag_vote,
)
from assay.theory.tail.binomial import holdout_exact
from tests.refusals import (
    COUNT,
    COUNT_FROM_ONE,
    INSIDE_UNIT,
    NOT_COUNTS,
    NOT_COUNTS_FROM_ONE,
    NOT_INSIDE_UNIT,
    NOT_NUMBERS,
    assert_refuses_all,
    refuses,
)
from tests.soundness import assert_sound, assert_unsound

UNIT = "a number between 0 and 1"
NOT_UNIT = [*NOT_NUMBERS, -0.1, 1.5]
TOLD = {"loss": 0.2, "left_out": 7200, "rows": 20_000, "delta": 0.05}
PAIRS = {"tandem": 0.06, "left_out_by_both": 2600}

rates = st.floats(0, 1)
deltas = st.floats(1e-9, 0.5)
sizes = st.integers(1, 10**6)


def inverted(q, m, delta):
    """The largest p with kl(q || p) at most ln(2 sqrt(m) / delta) / m, in fifty digits."""
    with mpmath.workdps(50):
        q, need = mpmath.mpf(q), mpmath.log(2 * mpmath.sqrt(m) / mpmath.mpf(delta)) / m

        def kl(p):
            first = q * mpmath.log(q / p) if q else mpmath.mpf(0)
            return first + ((1 - q) * mpmath.log((1 - q) / (1 - p)) if q < 1 else 0)

        low, high = q, mpmath.mpf(1)
        for _ in range(120):
            middle = (low + high) / 2
            low, high = (middle, high) if kl(middle) <= need else (low, middle)
        return high


def test_golden_numbers():
    assert out_of_bag_member(0.1, 3600, 10_000, 0.05) == pytest.approx(0.120873888, abs=1e-8)
    assert out_of_bag_vote(**TOLD) == pytest.approx(2 * float(inverted(0.2, 7200, 0.05)), rel=1e-9)
    high = inverted(0.2, 7200, 0.025)
    low = 1 - inverted(0.8, 7200, 0.025)
    square = inverted(0.06, 2600, 0.025)
    third = (square - low**2) / (square - low + mpmath.mpf(1) / 4)
    assert low > 2 * square  # so that the lower end is the worst mean
    wanted = float(min(2 * high, 4 * square, third))
    assert out_of_bag_vote(**TOLD, **PAIRS) == pytest.approx(wanted, rel=1e-7)
    assert out_of_bag_square(0.1, 3600, 10_000, 0.05) == out_of_bag_member(0.1, 3600, 10_000, 0.05)
    assert out_of_bag_unbiased(3, 7) == pytest.approx(3 / 7)


@given(rates, sizes, deltas)
@settings(max_examples=25)
def test_never_below_the_exact_value(loss, m, delta):
    bound = out_of_bag_member(loss, m, 2 * m, delta)
    exact = inverted(loss, m, delta)
    assert bound >= exact - mpmath.mpf(10) ** -30
    assert bound <= float(exact) * (1 + 1e-9) + 1e-12


@given(rates, rates, sizes, sizes, deltas, deltas)
@settings(max_examples=25)
def test_monotone(loss, other, m, more, delta, larger):
    low, high = sorted((loss, other))
    few, many = sorted((m, m + more))
    small, large = sorted((delta, larger))
    rows = many
    told = out_of_bag_member(low, many, rows, large)
    assert told <= out_of_bag_member(high, many, rows, large)
    assert told <= out_of_bag_member(low, many, rows, small)
    assert told <= out_of_bag_member(low, few, rows, large) * (1 + 1e-12)


@given(rates, rates, st.integers(10, 10**5), deltas)
@settings(max_examples=25)
def test_the_vote_is_at_most_every_simple_form(loss, tandem, m, delta):
    pairs = max(1, m // 3)
    bound = out_of_bag_vote(loss, m, m, delta, tandem, pairs)
    half = Fraction(delta) / 2
    assert bound <= 2 * out_of_bag_member(loss, m, m, half) * (1 + 1e-12)
    assert bound <= 4 * out_of_bag_member(tandem, pairs, m, half) * (1 + 1e-12)
    assert bound >= 0


def largest(low, high, square, steps=400):
    """The largest chance of W >= 1/2 that Cantelli's inequality leaves, over all means in an interval."""
    best = 0.0
    for p in np.linspace(low, high, steps):
        if p >= 0.5:
            return 1.0
        spread = square - p * p
        if spread >= 0:
            best = max(best, spread / (spread + (0.5 - p) ** 2))
    return best


@given(st.floats(0.001, 0.45), st.floats(0, 1), st.integers(500, 10**5))
@settings(max_examples=25)
def test_the_worst_mean_is_taken(loss, share, m):
    tandem = loss**2 + share * (loss - loss**2)
    bound = out_of_bag_vote(loss, m, m, 0.05, tandem, m)
    high = out_of_bag_member(loss, m, m, 0.025)
    low = 1 - out_of_bag_member(min(1 - loss + 1e-9, 1.0), m, m, 0.025)
    square = out_of_bag_member(tandem, m, m, 0.025)
    assert bound >= min(2 * high, largest(low, high, square)) * (1 - 1e-6)


def test_the_mean_of_the_exponential_is_bounded_for_rows_of_any_number():
    """E exp(m kl) for more rows than m is at most 2 sqrt(m): exactly, for coins of many biases."""
    for m in (1, 2, 5, 9):
        for more in (m, m + 1, 3 * m, 40):
            for p in (0.01, 0.3, 0.5, 0.9):
                total = 0.0
                for k in range(more + 1):
                    q = k / more
                    kl = (q * math.log(q / p) if q else 0) + (
                        (1 - q) * math.log((1 - q) / (1 - p)) if q < 1 else 0
                    )
                    total += math.comb(more, k) * p**k * (1 - p) ** (more - k) * math.exp(m * kl)
                assert total <= 2 * math.sqrt(m) * (1 + 1e-12)


def test_refusals():
    for function in (out_of_bag_member, out_of_bag_square, out_of_bag_vote):
        assert_refuses_all(function, TOLD, "loss", UNIT, NOT_UNIT)
        assert_refuses_all(function, TOLD, "left_out", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
        assert_refuses_all(function, TOLD, "rows", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
        assert_refuses_all(function, TOLD, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
        with refuses("left_out must be at most the number of rows 20000, but is 20001."):
            function(**TOLD | {"left_out": 20_001})
    both = TOLD | PAIRS
    bad = [value for value in NOT_UNIT if value is not None]
    assert_refuses_all(out_of_bag_vote, both, "tandem", UNIT, bad)
    with refuses("left_out_by_both must be at most left_out, 7200, but is 7201."):
        out_of_bag_vote(**both | {"left_out_by_both": 7201})
    with refuses("tandem must be given together with left_out_by_both, but is 0.1."):
        out_of_bag_vote(**TOLD, tandem=0.1)
    with refuses("tandem must be given together with left_out_by_both, but is None."):
        out_of_bag_vote(**TOLD, left_out_by_both=5)
    told = {"errors": 3, "rows": 10}
    assert_refuses_all(out_of_bag_unbiased, told, "errors", COUNT, NOT_COUNTS)
    assert_refuses_all(out_of_bag_unbiased, told, "rows", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    with refuses("errors must be at most the number of rows 10, but is 11."):
        out_of_bag_unbiased(11, 10)


# Promises against learners whose errors are known exactly.


def minority(ones, rows):
    """A learner that predicts the rarer label of its bag, whatever the row: perverse, and allowed."""
    return 2 * ones < rows


def majority(ones, rows):
    return 2 * ones > rows


def nothing(ones, rows):
    return 0 * ones


def play(learner, n, members, truth, rng):
    """One sample of coins, its bags and its members: errors out of bag, record, and the true error of the vote."""
    labels = (rng.random(n) < truth).astype(int)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=members)
    left = counts == 0
    said = learner(counts @ labels, n).astype(int)
    loss = (said[:, None] != labels[None, :]) & left
    votes = (said[:, None] * left).sum(axis=0) * 2 - left.sum(axis=0)
    voted = left.any(axis=0)
    errors = int(((votes[voted] > 0) != labels[voted]).sum())
    shared = left.astype(float) @ left.T
    products = loss.astype(float) @ loss.T
    vote = int(said.sum() * 2 > members)
    single = np.abs(said - truth).mean()
    return {
        "errors": errors,
        "voted": int(voted.sum()),
        "loss": float((loss.sum(axis=1) / np.maximum(left.sum(axis=1), 1)).mean()),
        "left_out": int(left.sum(axis=1).min()),
        "tandem": float((products / np.maximum(shared, 1)).mean()) if shared.min() > 0 else None,
        "both": int(shared.min()),
        "true": abs(vote - truth),
        "member": single,
    }


def test_the_rate_out_of_bag_is_no_holdout():
    """Read as a holdout of that many rows, the out-of-bag rate promises too much far more often than delta."""
    rng = np.random.default_rng(0)
    trials, delta, broken, sound = 200, 0.05, 0, 0
    for _ in range(trials):
        seen = play(minority, 10, 301, 0.5, rng)
        assert seen["true"] == 0.5
        broken += holdout_exact(seen["errors"], seen["voted"], delta) < seen["true"]
        if seen["left_out"]:
            sound += out_of_bag_vote(seen["loss"], seen["left_out"], 10, delta) < seen["true"]
    assert_sound(sound, trials, delta)
    assert_unsound(broken, trials, delta)


def test_on_average_it_is_right_about_the_smaller_votes():
    """The mean rate out of bag is that of votes which never saw the row: one half, for fair coins."""
    rng = np.random.default_rng(1)
    rates = []
    for _ in range(600):
        seen = play(minority, 9, 51, 0.5, rng)
        rates.append(seen["errors"] / seen["voted"])
    assert abs(np.mean(rates) - 0.5) < 5 * np.std(rates) / math.sqrt(600)
    assert np.std(rates) > 1.3 * math.sqrt(0.25 / 9)  # and more spread than that of a holdout


@pytest.mark.parametrize("learner", [nothing, majority])
def test_promises_are_kept_and_broken_twins_are_caught(learner):
    """Constants err with the rate of the other label: bounds hold, and those without their logarithm do not."""
    rng = np.random.default_rng(2)
    trials, delta, truth = 150, 0.2, 0.3
    kept, vote, twin = 0, 0, 0
    for _ in range(trials):
        seen = play(learner, 60, 7, truth, rng)
        told = {"loss": seen["loss"], "left_out": seen["left_out"], "rows": 60, "delta": delta}
        kept += out_of_bag_member(**told) < seen["member"]
        pairs = {"tandem": seen["tandem"], "left_out_by_both": seen["both"]}
        vote += out_of_bag_vote(**told, **(pairs if seen["both"] else {})) < seen["true"]
        # The mean itself, without what it may be off by.
        twin += seen["loss"] < seen["member"]
    assert_sound(kept, trials, delta)
    assert_sound(vote, trials, delta)
    assert_unsound(twin, trials, delta)


def test_half_the_factor_of_the_vote_would_be_broken():
    """Three members, each wrong on its own third of half the rows: the vote errs wherever two of them do."""
    # At each row two of three are wrong with probability 0.3, else none: members err with 0.2 each.
    rng = np.random.default_rng(3)
    n = 20_000
    hard = rng.random(n) < 0.3
    right = rng.integers(0, 3, n)
    wrong = (np.arange(3)[:, None] != right) & hard
    loss, error = wrong.mean(), 0.3
    tandem = float(np.mean([(wrong[t] & wrong[s]).mean() for t in range(3) for s in range(3)]))
    assert (wrong.sum(axis=0) >= 2).mean() == pytest.approx(error, abs=0.02)
    bound = out_of_bag_vote(loss, n, n, 0.05, tandem, n)
    assert bound >= error
    assert out_of_bag_member(loss, n, n, 0.05) < error  # the members' error is not the vote's
    assert out_of_bag_vote(loss, n, n, 0.05) >= error


def test_pairs_tell_more_than_members_where_members_err_apart():
    rng = np.random.default_rng(4)
    wrong = rng.random((25, 20_000)) < 0.2
    loss, tandem = float(wrong.mean()), float((wrong.mean(axis=0) ** 2).mean())
    bound = out_of_bag_vote(loss, 20_000, 20_000, 0.05, tandem, 20_000)
    error = (wrong.mean(axis=0) >= 0.5).mean()
    assert error < bound < 0.16 < 2 * loss
