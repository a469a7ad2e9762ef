"""Leaving out one row at a time: every sample of small worlds, many samples of larger ones, and broken constants."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.generalization.left_out_neighbors import decisive_vote, neighbors_leave_one_out
from tests.refusals import (
    COUNT,
    COUNT_FROM_ONE,
    FORM,
    INSIDE_UNIT,
    NOT_COUNTS,
    NOT_COUNTS_FROM_ONE,
    NOT_INSIDE_UNIT,
    assert_refuses_all,
    refuses,
)
from tests.soundness import assert_sound, assert_unsound

GOOD = {"errors": 30, "rows": 100, "neighbors": 3, "delta": 0.1}


def mean_square(m, k, vote="any", form="sharp"):
    """The bound on the mean square, out of the bound on the error: at delta = 1/4 it is half the root."""
    bound = neighbors_leave_one_out(0, m, k, 0.25, vote, form)
    return (bound / 2) ** 2


# Worlds: places on a line, each with its probability and that of a label of 1. Rows at the same place are at the same
# distance from everywhere, so the order of the rows decides, as in the learner.


def said(place, sample, k):
    """The majority of the k nearest, ties of distance by row, of votes to 0."""
    near = sorted((abs(x - place), i) for i, (x, _) in enumerate(sample))[:k]
    return int(2 * sum(sample[i][1] for _, i in near) > k)


def difference(world, sample, k):
    """The error of the rule less the share of rows it gets wrong when they are left out."""
    error = sum(p * (1 - eta if said(x, sample, k) else eta) for x, (p, eta) in world.items())
    wrong = sum(said(x, sample[:i] + sample[i + 1 :], k) != y for i, (x, y) in enumerate(sample))
    return error - Fraction(wrong, len(sample))


def exact_mean_square(world, m, k):
    """Over all samples of m rows, each with its probability."""
    total = Fraction(0)
    rows = [((x, y), p * (eta if y else 1 - eta)) for x, (p, eta) in world.items() for y in (0, 1)]
    rows = [(row, chance) for row, chance in rows if chance]
    for draw in itertools.product(rows, repeat=m):
        chance = math.prod((c for _, c in draw), start=Fraction(1))
        total += chance * difference(world, [row for row, _ in draw], k) ** 2
    return total


TENTHS = [Fraction(i, 10) for i in range(11)]


@pytest.mark.parametrize(("m", "k"), [(3, 1), (4, 1), (5, 1), (4, 2), (5, 3)])
def test_every_sample_of_two_places(m, k):
    for p, a, b in itertools.product((1, 3, 5), (0, 2, 5), (5, 10)):
        world = {0: (TENTHS[p], TENTHS[a]), 1: (1 - TENTHS[p], TENTHS[b])}
        found = exact_mean_square(world, m, k)
        assert found <= mean_square(m, k)
        assert found <= mean_square(m, k, "majority")


def test_without_the_rows_that_come_and_go_it_would_be_false():
    world = {0: (Fraction(1), Fraction(1, 2))}
    for m, k in ((3, 1), (5, 1), (5, 3)):
        assert exact_mean_square(world, m, k) > Fraction(1, 4 * (m - 1))


def drawn(rng, places, etas, m):
    x = rng.integers(0, len(places), m)
    y = (rng.random(m) < etas[x]).astype(int)
    return x, y


def differences(seed, k, m, trials, many, etas):
    """The same for larger samples of equally likely places, through matrices."""
    rng = np.random.default_rng(seed)
    places = np.sort(rng.random(many))
    away = np.abs(places[:, None] - places)
    found = np.empty(trials)
    for t in range(trials):
        x, y = drawn(rng, places, etas, m)
        near = np.argsort(away[:, x], axis=1, kind="stable")[:, :k]
        guess = 2 * y[near].sum(axis=1) > k
        error = np.where(guess, 1 - etas, etas).mean()
        between = away[np.ix_(x, x)].copy()
        np.fill_diagonal(between, np.inf)
        near = np.argsort(between, axis=1, kind="stable")[:, :k]
        left = 2 * y[near].sum(axis=1) > k
        found[t] = error - (left != y).mean()
    return found


WORLDS = {
    "coins": lambda many: np.full(many, 0.5),
    "halves": lambda many: (np.arange(many) >= many // 2).astype(float),
    "slope": lambda many: np.linspace(0, 1, many),
    "stripes": lambda many: (np.arange(many) % 2).astype(float),
}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("k", "many"), [(1, 4), (1, 200), (2, 40), (5, 200), (9, 7)])
def test_the_mean_square_of_many_samples(world, k, many):
    found = differences(7, k, 40, 300, many, WORLDS[world](many))
    assert np.square(found).mean() <= mean_square(40, k)
    assert np.square(found).mean() <= mean_square(40, k, "majority")


def test_the_promise_is_broken_rarely_and_a_share_alone_often():
    found = differences(3, 3, 60, 400, 100, WORLDS["slope"](100))
    for vote in ("any", "majority"):
        off = neighbors_leave_one_out(0, 60, 3, 0.2, vote)
        assert_sound(int((found > off).sum()), 400, 0.2)
    assert_unsound(int((found > 0).sum()), 400, 0.2)


@pytest.mark.guarantees
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize(("k", "m"), [(1, 100), (3, 200), (15, 200), (99, 250)])
def test_the_mean_square_of_larger_samples(world, k, m):
    found = differences(11, k, m, 300, 150, WORLDS[world](150))
    assert np.square(found).mean() <= mean_square(m, k, "majority")


def test_a_rule_that_is_no_majority_breaks_what_is_promised_of_majorities():
    """Whether an odd number of neighbours are 1, which every vote decides: only the bound for any rule holds."""
    rng, k, m = np.random.default_rng(5), 99, 102
    found = []
    for _ in range(60):
        y = rng.integers(0, 2, m)  # at one place, so that the first rows are the neighbours
        first = np.array([np.delete(y, i)[:k].sum() % 2 for i in range(m)])
        found.append(0.5 - (first != y).mean())
    assert np.square(found).mean() <= mean_square(m, k)
    assert np.square(found).mean() > 1.5 * mean_square(m, k, "majority")


# Numbers.


def test_numbers_by_hand():
    # 1/4 over 3 rows less one, and three times one in four.
    assert neighbors_leave_one_out(1, 4, 1, 0.25) == pytest.approx(
        0.25 + math.sqrt(4 * (1 / 12 + 3 / 4))
    )
    assert neighbors_leave_one_out(0, 100, 2, 0.5, form="textbook") == pytest.approx(
        math.sqrt(0.26)
    )
    decided = 3 * Fraction(8, 27) * (Fraction(2, 50) + Fraction(1, 49))
    assert neighbors_leave_one_out(5, 50, 3, 0.1, "majority") == pytest.approx(
        0.1 + math.sqrt(10 * (1 / 196 + float(decided)))
    )


@settings(max_examples=50)
@given(st.integers(1, 60), st.integers(1, 500), st.integers(1, 99), st.integers(0, 500))
def test_never_below_the_exact_value_and_monotone(k, more, percent, wrong):
    m, delta = k + 1 + more, Fraction(percent, 100)
    wrong = min(wrong, m)
    found = neighbors_leave_one_out(wrong, m, k, delta)
    with mpmath.workdps(50):
        square = mpmath.mpf(1) / (4 * (m - 1)) + mpmath.mpf(3 * k) / m
        true = mpmath.mpf(wrong) / m + mpmath.sqrt(square * 100 / percent)
        assert mpmath.mpf(found) >= true
        assert mpmath.almosteq(mpmath.mpf(found), true, rel_eps=mpmath.mpf("1e-14"))
    majority = neighbors_leave_one_out(wrong, m, k, delta, "majority")
    textbook = neighbors_leave_one_out(wrong, m, k, delta, form="textbook")
    assert majority <= found <= textbook
    assert neighbors_leave_one_out(wrong, m, k, delta / 2) > found
    assert neighbors_leave_one_out(0, m + 1, k, delta) < neighbors_leave_one_out(0, m, k, delta)
    assert neighbors_leave_one_out(0, m + 1, k + 1, delta) > neighbors_leave_one_out(
        0, m + 1, k, delta
    )


@pytest.mark.parametrize("k", range(1, 12))
def test_the_chance_to_decide_by_counting(k):
    """Of k - 1 votes with chance p, the row's own and another's: the largest chance that the winner differs."""
    best = 0.0
    for p in np.linspace(0, 1, 2001):
        for other in (0, 1):
            chance = 0.0
            for ones in range(k):
                others = math.comb(k - 1, ones) * p**ones * (1 - p) ** (k - 1 - ones)
                mine = 1 - other
                if (2 * (ones + mine) > k) != (2 * (ones + other) > k):
                    chance += others * (p if mine else 1 - p)
            best = max(best, chance)
    assert float(decisive_vote(k)) == pytest.approx(best, abs=1e-6)
    assert float(decisive_vote(k)) >= best - 1e-12


def test_beyond_exact_powers_every_vote_may_decide():
    assert decisive_vote(4001) == 1
    assert neighbors_leave_one_out(0, 10**6, 4001, 0.1, "majority") == neighbors_leave_one_out(
        0, 10**6, 4001, 0.1
    )


def test_refusals():
    assert_refuses_all(neighbors_leave_one_out, GOOD, "errors", COUNT, NOT_COUNTS)
    assert_refuses_all(
        neighbors_leave_one_out, GOOD, "neighbors", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE
    )
    at_least = "a whole number of at least 4"
    assert_refuses_all(neighbors_leave_one_out, GOOD, "rows", at_least, [*NOT_COUNTS, 3])
    assert_refuses_all(neighbors_leave_one_out, GOOD, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    with refuses("errors must be at most the number of rows 100, but is 101."):
        neighbors_leave_one_out(101, 100, 3, 0.1)
    with refuses("rows must be a whole number of at least 5, but is 4."):
        neighbors_leave_one_out(1, 4, 3, 0.1, "majority")
    with refuses("vote must be 'any' or 'majority', but is 'most'."):
        neighbors_leave_one_out(1, 40, 3, 0.1, "most")
    with refuses(f"form must be {FORM}, but is 'rough'."):
        neighbors_leave_one_out(1, 40, 3, 0.1, form="rough")
    with refuses("neighbors must be a whole number of at least 1, but is 0."):
        decisive_vote(0)
