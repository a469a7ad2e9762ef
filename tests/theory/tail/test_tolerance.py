"""Tolerance limits: golden ranks, the definition in whole numbers, the promise simulated where it is tight."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from assay.errors import AssayError
from assay.theory.registry import find_theorem
from assay.theory.tail.tolerance import tolerance_limit, tolerance_rank, tolerance_rows
from tests.soundness import assert_sound, assert_unsound


@pytest.mark.parametrize(
    ("alpha", "delta", "rows"),
    [(0.1, 0.05, 29), (0.05, 0.05, 59), (0.01, 0.05, 299), (0.05, 0.01, 90)],
)
def test_the_fewest_rows_are_those_of_wilks(alpha, delta, rows):
    assert tolerance_rows(alpha, delta) == rows == math.ceil(math.log(delta) / math.log(1 - alpha))
    assert tolerance_rank(rows, alpha, delta) == rows
    assert tolerance_rank(rows - 1, alpha, delta) is None


@settings(max_examples=60)
@given(st.integers(1, 3000), st.floats(0.001, 0.9), st.floats(0.001, 0.5))
def test_the_rank_is_the_smallest_that_will_do(rows, alpha, delta):
    rank = tolerance_rank(rows, alpha, delta)
    if rank is None:
        assert (1 - alpha) ** rows > delta * (1 - 1e-9)
        return
    assert binom.cdf(rows - rank, rows, alpha) <= delta * (1 + 1e-9)
    if rank > 1:
        assert binom.cdf(rows - rank + 1, rows, alpha) > delta * (1 - 1e-9)


def test_what_does_not_follow_is_refused():
    assert tolerance_limit(1000, 916, 0.1, 5.2, 0.05) == 5.2
    for rank, rows in ((915, 1000), (1001, 1000), (0, 1000), (28, 28)):
        with pytest.raises(AssayError, match="rank must be"):
            tolerance_limit(rows, rank, 0.1, 5.2, 0.05)
    with pytest.raises(AssayError, match="threshold"):
        tolerance_limit(1000, 916, 0.1, -1, 0.05)


def test_the_checker_decides_in_whole_numbers():
    check = find_theorem("tolerance-limit").checker
    inputs = {"rows": 1000, "rank": 916, "alpha": "0.1", "threshold": "5.2", "delta": "0.05"}
    assert check(inputs, Fraction("5.2"), True) == (True, True)
    assert not check(inputs, Fraction("5.1999"), True)[0]
    assert not check(inputs | {"rank": 915}, Fraction("5.2"), True)[0]
    assert check(inputs | {"rank": 917}, Fraction("5.2"), True) == (True, False)


def failures(rows, alpha, delta, trials, rank, *, ties=False):
    """How often a new score is above the one of a rank with probability more than alpha."""
    rng = np.random.default_rng(7)
    scores = rng.random((trials, rows))
    # The share beyond a score u is 1 - u; tied to a grid it is what lies beyond the end of its cell.
    scores = np.ceil(20 * scores) / 20 if ties else scores
    limit = np.partition(scores, rank - 1, axis=1)[:, rank - 1]
    return int(np.count_nonzero(1 - limit > alpha + 1e-12))


@pytest.mark.guarantees
@pytest.mark.parametrize(
    ("rows", "alpha", "delta"), [(100, 0.1, 0.05), (400, 0.1, 0.1), (60, 0.5, 0.05)]
)
def test_the_promise_holds_and_a_rank_too_low_breaks_it(rows, alpha, delta):
    trials, rank = 40_000, tolerance_rank(rows, alpha, delta)
    assert_sound(failures(rows, alpha, delta, trials, rank), trials, delta)
    assert_sound(failures(rows, alpha, delta, trials, rank, ties=True), trials, delta)
    # The quantile of the sample itself, which many take for that of the distribution.
    usual = math.ceil((1 - alpha) * rows)
    assert_unsound(failures(rows, alpha, delta, trials, usual), trials, delta)
    assert_unsound(failures(rows, alpha, delta, trials, rank - 2), trials, delta)


def test_a_small_simulation_with_its_twin():
    rank = tolerance_rank(100, 0.1, 0.05)
    assert_sound(failures(100, 0.1, 0.05, 2000, rank), 2000, 0.05)
    assert_unsound(failures(100, 0.1, 0.05, 2000, 90), 2000, 0.05)
