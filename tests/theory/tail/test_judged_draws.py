"""From a judged batch to new rows: goldens by hand, checkers, and the promise by simulation."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from assay.theory.registry import find_theorem
from assay.theory.tail.judged import judged_strata
from assay.theory.tail.judged_draws import judged_mean_draws, judged_strata_draws
from assay.theory.tail.judged_mean import judged_mean
from tests.refusals import INSIDE_UNIT, NOT_INSIDE_UNIT, assert_refuses_all, refuses
from tests.soundness import assert_sound, assert_unsound

STRATA = [(1000, 100, 80), (9000, 300, 3)]


def test_it_is_the_binomial_bound_of_the_most_that_are_wrong():
    most = judged_strata([1000, 9000], [100, 300], [80, 3], "0.045")
    by_beta = beta.isf(0.005, most + 1, 10_000 - most)
    assert judged_strata_draws(STRATA, "0.05") == pytest.approx(by_beta, rel=1e-9)
    assert judged_strata_draws(STRATA, "0.05") > most / 10_000


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(st.integers(1, 200), st.integers(0, 200), st.integers(0, 200)),
        min_size=1,
        max_size=3,
    ),
    st.sampled_from(["0.05", "0.001"]),
)
def test_strata_are_confirmed_and_less_is_not(drawn, delta):
    strata = [(size, min(n, size), min(k, n, size)) for size, n, k in drawn]
    inputs = {"strata": [list(s) for s in strata], "delta": delta}
    entry = find_theorem("judged-strata-draws")
    bound = Fraction(entry(**inputs))
    assert entry.checker(inputs, bound, True) == (True, True)
    if bound < 1:
        assert not entry.checker(inputs, bound * Fraction(999_999, 10**6), True)[0]


@settings(max_examples=8)
@given(st.lists(st.integers(0, 65_535), min_size=3, max_size=30), st.integers(10, 500))
def test_means_are_confirmed_and_less_is_not(drawn, more):
    inputs = {
        "residuals": np.array(drawn) / 65_535,
        "items": len(drawn) + more,
        "scores": 20 * (len(drawn) + more),
        "delta": "0.05",
    }
    entry = find_theorem("judged-mean-draws")
    bound = Fraction(entry(**inputs))
    assert bound >= judged_mean(**{**inputs, "delta": "0.045"})
    assert entry.checker(inputs, bound, True) == (True, True)
    assert not entry.checker(inputs, bound - Fraction(1, 10**5), True)[0]


def test_refuses_what_is_not_covered():
    assert_refuses_all(
        judged_strata_draws,
        {"strata": STRATA, "delta": 0.05},
        "delta",
        INSIDE_UNIT,
        NOT_INSIDE_UNIT,
    )
    with refuses(
        "strata must be a sequence of (rows, labelled, wrong), one for each verdict, but is [(1, 2)]."
    ):
        judged_strata_draws([(1, 2)], 0.05)
    with refuses("scores must be at most 100 for each item, but is 9001."):
        judged_mean_draws([0.5], 90, 9001, 0.05)


# New rows: the batch itself is drawn, a third of it is labelled, and the truth is that of its source.


def broken(bound, runs, seed, rows=60, labelled=0.9, rate=0.3):
    rng = np.random.default_rng(seed)
    below = 0
    for _ in range(runs):
        wrong = rng.random(rows) < rate
        flagged = rng.random(rows) < np.where(wrong, 0.8, 0.2)
        strata = []
        for one in (flagged, ~flagged):
            many = int(np.ceil(labelled * one.sum()))
            chosen = rng.choice(np.flatnonzero(one), many, replace=False)
            strata.append((int(one.sum()), many, int(wrong[chosen].sum())))
        below += bound([s for s in strata if s[0]]) < rate
    return below


def ours(strata):
    return judged_strata_draws(strata, 0.05)


def of_the_batch_alone(strata):
    """Broken: what is true of the batch is said of new rows."""
    return judged_strata(*zip(*strata, strict=True), 0.05) / sum(s[0] for s in strata)


def test_the_promise_is_kept_and_that_of_the_batch_is_none_of_new_rows():
    assert_sound(broken(ours, 150, 1), 150, 0.05)
    assert_unsound(broken(of_the_batch_alone, 150, 1), 150, 0.05)


@pytest.mark.guarantees
def test_the_promise_is_kept_at_length():
    assert_sound(broken(ours, 10_000, 2), 10_000, 0.05)
    assert_sound(broken(ours, 10_000, 3, rows=300, labelled=0.3, rate=0.1), 10_000, 0.05)
    assert_unsound(broken(of_the_batch_alone, 2000, 2), 2000, 0.05)


def mean_below(bound, runs, seed, rows=80, labels=80):
    """The judge's score is near what it judges; the mean of what is judged is 0.3."""
    rng = np.random.default_rng(seed)
    below = 0
    for _ in range(runs):
        losses = rng.beta(3, 7, rows)
        scores = np.round(np.clip(losses + rng.normal(0, 0.05, rows), 0, 1), 2)
        chosen = rng.choice(rows, labels, replace=False)
        x = (losses[chosen] - scores[chosen] + 1) / 2
        below += bound(x, rows, round(100 * scores.sum()), 0.05) < 0.3
    return below


def test_means_keep_the_promise_and_those_of_the_batch_do_not():
    assert_sound(mean_below(judged_mean_draws, 100, 1), 100, 0.05)
    assert_unsound(mean_below(judged_mean, 100, 1), 100, 0.05)
