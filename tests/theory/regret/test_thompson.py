import itertools
import math

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

import assay
from assay.errors import NoNumber
from assay.theory.regret.thompson import thompson_bayesian_regret
from tests.refusals import COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE, assert_refuses_all


def first_is_lower(a, b, c, d):
    """P[Beta(a, b) < Beta(c, d)] for whole parameters."""
    return sum(
        math.exp(_log_beta(a + i, b + d) - math.log(d + i) - _log_beta(1 + i, d) - _log_beta(a, b))
        for i in range(c)
    )


def two_arms_exactly(rounds):
    """The Bayesian regret of two arms: the states of knowledge are counts of losses and of their absence.

    An arm is best with a probability that is a sum of Beta functions, so everything is summed, not drawn.
    """

    states, expected = {(0, 0, 0, 0): 1.0}, 0.0
    for _ in range(rounds):
        after = {}
        for (l1, w1, l2, w2), p in states.items():
            first = first_is_lower(1 + l1, 1 + w1, 1 + l2, 1 + w2)
            for arm, chance in ((0, first), (1, 1 - first)):
                lost, won = ((l1, w1), (l2, w2))[arm]
                mean = (1 + lost) / (2 + lost + won)
                expected += p * chance * mean
                for hurt, share in ((1, mean), (0, 1 - mean)):
                    step = [0, 0, 0, 0]
                    step[2 * arm + 1 - hurt] = 1
                    key = (l1 + step[0], w1 + step[1], l2 + step[2], w2 + step[3])
                    after[key] = after.get(key, 0.0) + p * chance * share
        states = after
    # The least of two uniform means is 1/3 on average.
    return expected - rounds / 3


def _log_beta(a, b):
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def test_the_exact_regret_of_two_arms_stays_below():
    regrets = [two_arms_exactly(t) for t in range(1, 13)]
    assert regrets[0] == pytest.approx(1 / 6)  # one blind play: 1/2 - 1/3
    for t, regret in enumerate(regrets, start=1):
        assert regret <= thompson_bayesian_regret(t, 2)
    assert all(later > earlier for earlier, later in itertools.pairwise(regrets))
    # A fifth of the bound is caught.
    assert any(r > thompson_bayesian_regret(t, 2) / 5 for t, r in enumerate(regrets, start=1))


@pytest.mark.parametrize("counts", [(1, 1, 1, 1), (2, 3, 3, 2), (1, 4, 2, 2), (5, 1, 1, 3)])
def test_the_probability_of_being_lower_is_right(counts):
    a, b, c, d = counts
    grid = [(x + 0.5) / 20_000 for x in range(20_000)]
    direct = sum(beta.pdf(grid, a, b) * beta.sf(grid, c, d)) / 20_000
    assert first_is_lower(a, b, c, d) == pytest.approx(direct, rel=1e-5)


@given(st.integers(1, 10**9), st.integers(1, 10**6))
def test_never_below_the_exact_value(t, k):
    with mpmath.workdps(50):
        value = mpmath.sqrt(mpmath.mpf(t) * k * mpmath.log(k) / 2)
    assert value <= thompson_bayesian_regret(t, k) <= value * (1 + 1e-13)
    assert thompson_bayesian_regret(t, k) <= thompson_bayesian_regret(t + 1, k + 1)


def test_refusals():
    good = {"rounds": 10, "arms": 2}
    for name in good:
        assert_refuses_all(
            thompson_bayesian_regret, good, name, COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE
        )


def test_the_limit_has_no_number():
    with pytest.raises(NoNumber, match="thompson-regret-limit is a statement about the limit"):
        assay.theorem("thompson-regret-limit")()
