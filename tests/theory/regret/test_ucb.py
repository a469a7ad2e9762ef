import math
import re
from collections import defaultdict

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.theory.regret.ucb import ucb1_gap_free_regret, ucb1_regret


def choose(plays, wins, t):
    """UCB1's arm in round t (1-based): each once, then the best upper confidence index."""
    for arm, n in enumerate(plays):
        if n == 0:
            return arm
    index = [w / n + math.sqrt(2 * math.log(t) / n) for n, w in zip(plays, wins, strict=True)]
    return max(range(len(plays)), key=index.__getitem__)


def expected_regret(means, rounds):
    """Exact for 0/1 rewards: follow the probability of every (plays, wins) through the rounds."""
    k, best = len(means), max(means)
    states = {((0,) * k, (0,) * k): 1.0}
    regret = 0.0
    for t in range(1, rounds + 1):
        after = defaultdict(float)
        for (plays, wins), p in states.items():
            arm = choose(plays, wins, t)
            regret += p * (best - means[arm])
            more = tuple(n + (i == arm) for i, n in enumerate(plays))
            won = tuple(w + (i == arm) for i, w in enumerate(wins))
            for outcome, chance in ((won, means[arm]), (wins, 1 - means[arm])):
                if chance > 0:
                    after[more, outcome] += p * chance
        states = after
    return regret


@pytest.mark.parametrize("means", [(0.9, 0.1), (0.5, 0.4), (0.2, 0.7), (0.3, 0.3)])
@pytest.mark.parametrize("rounds", [1, 2, 7, 25])
def test_expected_regret_of_two_random_arms_stays_below(means, rounds):
    gaps = [round(max(means) - m, 10) for m in means]
    assert expected_regret(means, rounds) <= ucb1_regret(rounds, gaps)


@pytest.mark.parametrize("means", [(0.0, 1.0), (0.0, 1.0, 1.0), (0.0, 0.0, 0.0, 1.0)])
@pytest.mark.parametrize("rounds", [1, 10, 1000])
def test_sure_arms_stay_below(means, rounds):
    gaps = [1 - m for m in means]
    assert expected_regret(means, rounds) <= ucb1_regret(rounds, gaps)


def test_dropping_a_term_is_rejected():
    without_constant = ucb1_regret(1, [0, 1]) - (1 + math.pi**2 / 3)
    assert expected_regret((0.0, 1.0), 1) > without_constant + 1e-9
    without_logarithm = 1 + math.pi**2 / 3
    assert expected_regret((0.0, 1.0), 1000) > without_logarithm


@given(
    st.integers(1, 10**9),
    st.lists(st.floats(0, 1).filter(lambda x: x == 0 or x > 1e-6), min_size=1, max_size=6),
)
def test_never_below_the_exact_value(t, gaps):
    with mpmath.workdps(50):
        exact = [mpmath.mpf(repr(gap)) for gap in gaps]
        logs = sum((8 * mpmath.log(t) / gap for gap in exact if gap > 0), mpmath.mpf(0))
        value = logs + (1 + mpmath.pi**2 / 3) * sum(exact)
    assert value <= ucb1_regret(t, gaps) <= value * (1 + 1e-13)
    assert ucb1_regret(t, gaps) <= ucb1_regret(t + 1, gaps)
    assert ucb1_regret(t, gaps) <= ucb1_regret(t, [*gaps, 0.25])


def test_equal_arms_cost_nothing():
    assert ucb1_regret(10, [0, 0, 0]) == 0.0


@pytest.mark.parametrize(
    ("rounds", "gaps", "sentence"),
    [
        (0, [0.5], "rounds must be a whole number of at least 1, but is 0."),
        (-3, [0.5], "rounds must be a whole number of at least 1, but is -3."),
        (True, [0.5], "rounds must be a whole number of at least 1, but is True."),
        (math.inf, [0.5], "rounds must be a whole number of at least 1, but is inf."),
        (5, [], "gaps must be a sequence of at least one number, but is []."),
        (5, 0.5, "gaps must be a sequence of numbers, but is 0.5."),
        (5, [0, 1.5], "gaps[1] must be a number between 0 and 1, but is 1.5."),
        (5, [-0.1], "gaps[0] must be a number between 0 and 1, but is -0.1."),
        (5, [math.nan], "gaps[0] must be a number between 0 and 1, but is nan."),
        (5, [True], "gaps[0] must be a number between 0 and 1, but is True."),
    ],
)
def test_refusals(rounds, gaps, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        ucb1_regret(rounds, gaps)


@pytest.mark.parametrize("means", [(0.9, 0.1), (0.5, 0.4), (0.2, 0.7), (0.3, 0.3), (0.0, 1.0)])
@pytest.mark.parametrize("rounds", [1, 2, 7, 25])
def test_without_gaps_expected_regret_stays_below(means, rounds):
    assert expected_regret(means, rounds) <= ucb1_gap_free_regret(rounds, 2)


def test_without_gaps_a_dropped_term_is_rejected():
    without_constant = ucb1_gap_free_regret(1, 2) - (1 + math.pi**2 / 3)
    assert expected_regret((0.0, 1.0), 1) > without_constant + 1e-9


@given(st.integers(1, 10**9), st.integers(1, 10**6))
def test_without_gaps_never_below_the_exact_value(t, k):
    with mpmath.workdps(50):
        value = 2 * mpmath.sqrt(8 * (k - 1) * t * mpmath.log(t))
        value += (1 + mpmath.pi**2 / 3) * (k - 1)
    assert value <= ucb1_gap_free_regret(t, k) <= value * (1 + 1e-13)


@given(st.integers(1, 10**6), st.lists(st.integers(1, 1000), min_size=1, max_size=5))
def test_without_gaps_it_is_never_below_the_cheaper_of_both_ways(t, thousandths):
    """Arms nearer than the splitting gap cost at most T times it; the others are bounded by their gaps."""
    gaps = [0.0, *(g / 1000 for g in thousandths)]
    split = math.sqrt(8 * (len(gaps) - 1) * math.log(t) / t)
    near = max([g for g in gaps if g <= split], default=0.0) * t
    far = [g for g in gaps if g > split]
    assert near + (ucb1_regret(t, far) if far else 0.0) <= ucb1_gap_free_regret(t, len(gaps)) * (
        1 + 1e-9
    )


@pytest.mark.parametrize(("rounds", "arms"), [(0, 2), (2, 0), (-1, 2), (2, 1.5), (True, 2)])
def test_without_gaps_refusals(rounds, arms):
    with pytest.raises(BadParameter, match="must be a whole number of at least 1"):
        ucb1_gap_free_regret(rounds, arms)
