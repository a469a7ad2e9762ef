import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.theory.mistake.randomized_majority import randomized_majority_mistakes
from assay.theory.mistake.weighted_majority import weighted_majority_mistakes
from tests.expert_games import labels
from tests.naive.weighted_majority import weighted_majority
from tests.refusals import (
    COUNT,
    COUNT_FROM_ONE,
    INSIDE_UNIT,
    NOT_COUNTS,
    NOT_COUNTS_FROM_ONE,
    NOT_INSIDE_UNIT,
    assert_refuses_all,
)


def expected_mistakes(said, told, beta):
    """The chances of a mistake, round by round, from the exact weights."""
    run = weighted_majority((2 * said - 1).tolist(), (2 * told - 1).tolist(), Fraction(repr(beta)))
    falls = zip(run.totals, run.totals[1:], strict=False)
    shares = [(1 - Fraction(b) / a) / (1 - Fraction(repr(beta))) for a, b in falls]
    return float(sum(shares)), min(run.expert_mistakes)


def test_number_of_the_formula():
    assert randomized_majority_mistakes(5, 16) == pytest.approx(
        (5 + math.log(16)) / (1 - math.exp(-1))
    )
    assert randomized_majority_mistakes(0, 2, 0.5) == pytest.approx(2 * math.log(2))


@pytest.mark.parametrize("beta", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("seed", range(40))
def test_promise_holds_for_the_exact_expectation(seed, beta):
    said, told = labels(seed)
    expected, best = expected_mistakes(said, told, beta)
    assert expected <= randomized_majority_mistakes(best, said.shape[1], beta)


def test_a_dropped_logarithm_and_half_the_bound_are_rejected():
    said = np.eye(8, dtype=int)  # each round one expert errs; the last one is perfect for long
    said = np.concatenate([1 - np.triu(np.ones((7, 8), dtype=int), 1)])
    told = np.zeros(7, dtype=int)
    expected, best = expected_mistakes(said, told, 0.01)
    assert best == 0
    assert expected <= randomized_majority_mistakes(best, 8, 0.01)
    assert expected > randomized_majority_mistakes(best, 1, 0.01)
    assert expected > randomized_majority_mistakes(best, 8, 0.01) / 2


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.floats(0.001, 0.999))
def test_never_below_the_exact_value(best, k, beta):
    with mpmath.workdps(50):
        b = mpmath.mpf(repr(beta))
        exact = (best * mpmath.log(1 / b) + mpmath.log(k)) / (1 - b)
    found = randomized_majority_mistakes(best, k, beta)
    assert exact <= found <= exact * (1 + 1e-12)
    assert found <= randomized_majority_mistakes(best + 1, k, beta)
    assert found <= randomized_majority_mistakes(best, k + 1, beta)


@given(st.integers(0, 1000), st.integers(1, 1000), st.floats(0.01, 0.99))
def test_a_coin_is_never_worse_than_the_vote(best, k, beta):
    voted = weighted_majority_mistakes(best, k, beta)
    assert randomized_majority_mistakes(best, k, beta) <= voted + 1


def test_refusals():
    good = {"best_mistakes": 1, "experts": 2, "beta": 0.5}
    f = randomized_majority_mistakes
    assert_refuses_all(f, good, "best_mistakes", COUNT, NOT_COUNTS)
    assert_refuses_all(f, good, "experts", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    # None stands for the default.
    bad = [value for value in NOT_INSIDE_UNIT if value is not None]
    assert_refuses_all(f, good, "beta", INSIDE_UNIT, bad)
