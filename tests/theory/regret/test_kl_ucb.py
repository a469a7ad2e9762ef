import math
from collections import defaultdict

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.errors import NoNumber
from assay.theory.regret import kl_ucb
from assay.theory.regret.kl_ucb import kl_ucb_regret
from tests.naive.bandits import kl_index
from tests.refusals import COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE, assert_refuses_all, refuses

LEVELS = {"plain": math.log, "optimal": lambda t: math.log(1 + t * math.log(t) ** 2)}


def expected_regret(means, rounds, form):
    """Exact for losses of 0 and 1: follow the probability of every (plays, losses) through the rounds."""
    k, best, index = len(means), min(means), kl_index(LEVELS[form])
    states, regret = {((0,) * k, (0,) * k): 1.0}, 0.0
    for t in range(1, rounds + 1):
        after = defaultdict(float)
        for (plays, lost), p in states.items():
            if 0 in plays:
                arm = plays.index(0)
            else:
                values = [index(w / n, n, t) for w, n in zip(lost, plays, strict=True)]
                arm = values.index(min(values))
            regret += p * (means[arm] - best)
            more = tuple(n + (i == arm) for i, n in enumerate(plays))
            hurt = tuple(w + (i == arm) for i, w in enumerate(lost))
            for outcome, chance in ((hurt, means[arm]), (lost, 1 - means[arm])):
                if chance > 0:
                    after[more, outcome] += p * chance
        states = after
    return regret


@pytest.mark.parametrize("form", LEVELS)
@pytest.mark.parametrize("means", [(0.9, 0.1), (0.5, 0.4), (0.2, 0.7), (0.3, 0.3), (0.0, 1.0)])
def test_exact_expected_regret_stays_below(means, form):
    for rounds in (1, 2, 5, 14):
        assert expected_regret(means, rounds, form) <= kl_ucb_regret(rounds, means, form) + 1e-12


def test_a_dropped_first_play_is_caught():
    """Two rounds play both arms: a bound that forgets the first play of the worse one is below that."""
    assert kl_ucb_regret(2, (0, 1)) >= 1
    assert expected_regret((0.0, 1.0), 2, "plain") == 1


def test_the_sum_over_all_rounds():
    terms = [1 / (1 + t * math.log(t) ** 2) for t in range(1, 20_001)]
    assert math.fsum(terms) + 1 / math.log(20_000) <= float(kl_ucb._ALL_ROUNDS)


@settings(max_examples=15)
@given(st.integers(1, 10**9), st.floats(0.001, 0.999), st.floats(0.001, 0.999), st.booleans())
def test_not_below_the_exact_value_at_any_choice_of_the_two_slacks(t, one, other, plain):
    """The promise is the bound at some e, e'; so it is not below the infimum over a fine grid by more than the grid."""
    means, form = [one, other], "plain" if plain else "optimal"
    value, gap = kl_ucb_regret(t, means, form), abs(one - other)
    if gap < 1e-3:
        assert value <= t * gap * (1 + 1e-9)
        return
    with mpmath.workdps(30):
        level = mpmath.log(t) if plain else mpmath.log(1 + t * mpmath.log(t) ** 2)
        at_risk = 1 + mpmath.log(t) if plain else mpmath.mpf("2.492")
        best, worse = sorted(map(mpmath.mpf, means))
        found = mpmath.inf
        for a in range(1, 40):
            for b in range(1, 40 - a):
                e, f = a * gap / 40, b * gap / 40
                q, p = worse - e, best + f
                apart = q * mpmath.log(q / p) + (1 - q) * mpmath.log((1 - q) / (1 - p))
                plays = level / apart + 1 + 1 / mpmath.expm1(2 * e * e)
                found = min(found, plays + at_risk / mpmath.expm1(2 * f * f))
        least = min(found * gap, t * gap)
    assert float(least) * 0.85 <= value <= float(least) * 1.001 + 1e-9


def test_nearly_equal_arms_cost_at_most_their_gap_in_every_round():
    for gap in (1e-3, 1e-6, 1e-9, 1e-12, 1e-15):
        for form in LEVELS:
            assert 0 < kl_ucb_regret(1000, [0.3, 0.3 + gap], form) <= 1000 * gap * (1 + 0.2)
            assert 0 < kl_ucb_regret(1000, [0, gap**14], form) <= 1000 * gap**14 * (1 + 1e-9)


def test_monotone_in_rounds_and_capped():
    for form in LEVELS:
        values = [kl_ucb_regret(t, [0.1, 0.6], form) for t in (1, 10, 100, 10**4, 10**8)]
        assert values == sorted(values)
        assert values[0] == 0.5
    assert kl_ucb_regret(100, [0.5, 0.5001]) <= 0.01 + 1e-12
    assert kl_ucb_regret(100, [0.3, 0.3, 0.3]) == 0.0


def test_far_less_than_ucb1_for_rare_losses():
    from assay.theory.regret.ucb import ucb1_regret

    assert kl_ucb_regret(10**6, [0.01, 0.4], "optimal") < 0.6 * ucb1_regret(10**6, [0, 0.39])


def test_refusals():
    good = {"rounds": 10, "means": [0.1, 0.5]}
    assert_refuses_all(kl_ucb_regret, good, "rounds", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    with refuses("form must be 'plain' or 'optimal', but is 'best'."):
        kl_ucb_regret(10, [0.1], form="best")
    with refuses("means must be a sequence of at least one number, but is []."):
        kl_ucb_regret(10, [])
    with refuses("means must be a sequence of numbers, but is 0.5."):
        kl_ucb_regret(10, 0.5)
    for bad in (1.5, -0.1, math.nan, True):
        with refuses(f"means[1] must be a number between 0 and 1, but is {bad!r}."):
            kl_ucb_regret(10, [0.5, bad])


def test_the_limit_has_no_number():
    with pytest.raises(NoNumber, match="kl-ucb-regret-limit is a statement about the limit"):
        assay.theorem("kl-ucb-regret-limit")()
