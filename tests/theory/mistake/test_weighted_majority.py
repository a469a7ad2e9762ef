from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import combinations

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.mistake.weighted_majority import (
    weighted_majority_expert_potential,
    weighted_majority_mistakes,
    weighted_majority_weight_potential,
    wm_k_disjunction_mistakes,
)
from tests.naive.weighted_majority import weighted_majority
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

HALF = Fraction(1, 2)
NOT_BETA = [v for v in NOT_INSIDE_UNIT if v is not None]  # None stands for 1/e
betas = st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100)


def real_bound(best, log_experts, beta):
    """The bound before rounding, at the working precision of mpmath."""
    b = mpmath.exp(-1) if beta is None else mpmath.mpf(beta.numerator) / beta.denominator
    return (best * mpmath.log(1 / b) + log_experts) / mpmath.log(2 / (1 + b))


# Golden numbers


def test_sixteen_experts_the_best_with_five_mistakes():
    # 20.460346 and 21.684788 before rounding down.
    assert weighted_majority_mistakes(best_mistakes=5, experts=16) == 20
    assert weighted_majority_mistakes(best_mistakes=5, experts=16, beta=0.5) == 21


@pytest.mark.parametrize(("beta", "slope"), [(None, 2.632372), (0.5, 2.409421)])
def test_coefficient_of_the_best_experts_mistakes(beta, slope):
    many = 10**9
    bound = weighted_majority_mistakes(best_mistakes=many, experts=1, beta=beta)
    assert bound / many == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize(("beta", "slope"), [(None, 2.632372), (0.5, 3.476059)])
def test_coefficient_of_the_logarithm_of_the_experts(beta, slope):
    bits = 10**6
    bound = weighted_majority_mistakes(best_mistakes=0, experts=2**bits, beta=beta)
    assert bound / (bits * math.log(2)) == pytest.approx(slope, rel=2e-6)


def test_three_literals_among_ten():
    # 12.602460 with the binomial coefficient, 17.405030 with (e d / k)^k.
    assert wm_k_disjunction_mistakes(best_mistakes=0, literals=3, features=10) == 12
    inputs = {"best_mistakes": 0, "literals": 3, "features": 10}
    assert wm_k_disjunction_mistakes(**inputs, form="textbook") == 17


# The formulas


@given(st.integers(0, 10**6), st.integers(1, 10**9), st.none() | betas)
def test_bound_is_the_exact_floor(best, experts, beta):
    with mpmath.workdps(50):
        real = real_bound(best, mpmath.log(experts), beta)
        bound = weighted_majority_mistakes(best, experts, beta)
        assert mpmath.floor(real) <= bound <= real + mpmath.mpf("1e-9")


@given(st.integers(0, 1000), st.integers(0, 30), st.integers(1, 1000), st.none() | betas)
def test_disjunction_bound_is_the_exact_floor(best, k, d, beta):
    k = min(k, d)
    with mpmath.workdps(50):
        sharp = real_bound(best, mpmath.log(math.comb(d, k)), beta)
        loose = k * (1 + mpmath.log(mpmath.mpf(d) / k)) if k else 0
        textbook = real_bound(best, loose, beta)
        for form, real in (("sharp", sharp), ("textbook", textbook)):
            bound = wm_k_disjunction_mistakes(best, k, d, beta, form)
            assert mpmath.floor(real) <= bound <= real + mpmath.mpf("1e-9")
    assert weighted_majority_mistakes(best, math.comb(d, k), beta) == wm_k_disjunction_mistakes(
        best, k, d, beta
    )


@given(st.integers(0, 1000), st.integers(1, 1000), st.none() | betas, st.integers(0, 100))
def test_bounds_grow_with_mistakes_experts_and_features(best, n, beta, more):
    bound = weighted_majority_mistakes(best, n, beta)
    assert bound <= weighted_majority_mistakes(best + more, n, beta)
    assert bound <= weighted_majority_mistakes(best, n + more, beta)
    k = min(2, n)
    for form in ("sharp", "textbook"):
        bound = wm_k_disjunction_mistakes(best, k, n, beta, form)
        assert bound <= wm_k_disjunction_mistakes(best + more, k, n, beta, form)
        assert bound <= wm_k_disjunction_mistakes(best, k, n + more, beta, form)


def test_a_perfect_expert_and_small_beta_approach_halving():
    assert weighted_majority_mistakes(0, 1024, beta=1e-6) == 10


# The promise


@st.composite
def advice(draw):
    k = draw(st.integers(1, 6))
    row = st.tuples(*[st.sampled_from((-1, 1))] * k)
    rows = draw(st.lists(row, min_size=1, max_size=25))
    return rows, [draw(st.sampled_from((-1, 1))) for _ in rows]


@given(advice(), betas, st.sampled_from((-1, 1)))
def test_random_advice_never_breaks_bound_or_potentials(data, beta, tie):
    rows, outcomes = data
    k = len(rows[0])
    run = weighted_majority(rows, outcomes, beta, tie)
    best = min(run.expert_mistakes)
    assert run.mistakes <= weighted_majority_mistakes(best, k, beta)
    assert run.totals[-1] <= weighted_majority_weight_potential(run.mistakes, k, beta)
    assert run.totals[-1] >= weighted_majority_expert_potential(best, beta)


def forced(wrong_sets, experts):
    """Experts in the set say +1, the others -1, and the outcome is -1; ties go to +1."""
    rows = [[1 if i in wrong else -1 for i in range(experts)] for wrong in wrong_sets]
    return weighted_majority(rows, [-1] * len(rows), HALF, tie=1)


def between(first, last):
    return set(range(first, last + 1))


SIXTEEN = [
    between(1, 8),
    between(9, 14),
    between(1, 7) | {15},
    between(8, 14),
    between(1, 8) | {15},
    {1} | between(9, 15),
    between(2, 13),
    between(1, 15),
]


def misprinted(best, experts):
    """The bound as sometimes printed for beta = 1/2, with the coefficients of beta = 1/e."""
    return 2.63 * best + 2.63 * math.log(experts)


def test_sixteen_experts_can_be_forced_to_eight_mistakes():
    run = forced(SIXTEEN, 16)
    assert [float(total) for total in run.totals[:-1]] == [16, 12, 9, 6.75, 5, 3.75, 2.8125, 2.0625]
    assert run.expert_mistakes[0] == 0
    assert run.mistakes == 8 <= weighted_majority_mistakes(0, 16, beta=0.5) == 9
    assert run.mistakes > misprinted(0, 16)


@cache
def most_forced(counts):
    """Mistakes forced at beta = 1/2 beside one perfect expert of weight 1.

    counts[j] of the other experts weigh 2^-j. On each round a set of them that holds half of all
    the weight errs; larger sets than needed never help, so sets stop growing once they do.
    """
    unit = 2 ** len(counts)
    total = unit + sum(c * unit >> j for j, c in enumerate(counts))

    def sets(j, taken, weight):
        if 2 * weight >= total:
            yield taken
        elif j < len(counts):
            for t in range(counts[j] + 1):
                yield from sets(j + 1, (*taken, t), weight + (t * unit >> j))

    best = 0
    for taken in sets(0, (), 0):
        moved = [*taken, *[0] * (len(counts) + 1 - len(taken))]
        after = [c - t for c, t in zip((*counts, 0), moved, strict=True)]
        after = [a + t for a, t in zip(after, (0, *moved[:-1]), strict=True)]
        while after[-1:] == [0]:
            after.pop()
        best = max(best, 1 + most_forced(tuple(after)))
    return best


def test_worst_cases_keep_the_bound_and_twelve_experts_refute_the_misprint():
    worst = {k: most_forced((k - 1,)) for k in range(2, 13)}
    for k, mistakes in worst.items():
        assert mistakes <= weighted_majority_mistakes(0, k, beta=0.5)
    assert [k for k, mistakes in worst.items() if mistakes > misprinted(0, k)] == [12]
    assert worst[12] == 7


def test_bound_without_the_experts_term_is_rejected():
    def broken(best, experts, beta):
        return weighted_majority_mistakes(best, 1, beta)

    assert forced(SIXTEEN, 16).mistakes > broken(0, 16, 0.5)


@given(
    st.integers(1, 5).flatmap(
        lambda d: st.tuples(
            st.integers(0, d),
            st.lists(st.tuples(*[st.integers(0, 1)] * d), min_size=1, max_size=20),
        )
    ),
    st.data(),
)
@settings(max_examples=50)
def test_majority_over_disjunctions_never_breaks_its_bound(instance, data):
    k, X = instance
    d = len(X[0])
    experts = list(combinations(range(d), k))
    rows = [[1 if any(x[i] for i in e) else -1 for e in experts] for x in X]
    outcomes = [data.draw(st.sampled_from((-1, 1))) for _ in X]
    run = weighted_majority(rows, outcomes, HALF)
    best = min(run.expert_mistakes)
    for form in ("sharp", "textbook"):
        assert run.mistakes <= wm_k_disjunction_mistakes(best, k, d, HALF, form)


def test_disjunction_bound_without_eulers_number_is_rejected():
    # With one literal among twelve each expert is a feature, so any set of them can be wrong.
    def broken(k, d):
        return 2.63 * k * math.log(d / k)

    assert most_forced((11,)) > broken(1, 12)
    assert most_forced((11,)) <= wm_k_disjunction_mistakes(0, 1, 12, beta=0.5)


def test_potentials_of_another_beta_are_rejected():
    run = forced(SIXTEEN, 16)
    assert run.totals[-1] > weighted_majority_weight_potential(run.mistakes, 16, beta=0.1)
    solo = weighted_majority([[1]] * 3, [-1] * 3, HALF)
    assert solo.totals[-1] < weighted_majority_expert_potential(3, beta=0.9)


@given(st.integers(0, 300), st.integers(1, 10**6), betas)
def test_potentials_round_outward(m, k, beta):
    above = Fraction(weighted_majority_weight_potential(m, k, beta))
    below = Fraction(weighted_majority_expert_potential(m, beta))
    slack = 1 + Fraction(1, 10**9)
    assert k * ((1 + beta) / 2) ** m <= above <= k * ((1 + beta) / 2) ** m * slack
    assert below <= beta**m <= below * slack + Fraction(1, 2**1000)


def test_potentials_of_a_billion_mistakes_are_the_ends_of_the_doubles():
    assert weighted_majority_weight_potential(10**9, 16) == 5e-324
    assert weighted_majority_expert_potential(10**9) == 0.0


# Refusals


def test_bad_inputs_are_refused():
    inputs = {"best_mistakes": 1, "experts": 5, "beta": 0.5}
    function = weighted_majority_mistakes
    assert_refuses_all(function, inputs, "best_mistakes", COUNT, NOT_COUNTS)
    assert_refuses_all(function, inputs, "experts", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(function, inputs, "beta", INSIDE_UNIT, NOT_BETA)
    inputs = {"best_mistakes": 1, "literals": 1, "features": 5, "beta": 0.5}
    function = wm_k_disjunction_mistakes
    for name in ("best_mistakes", "literals"):
        assert_refuses_all(function, inputs, name, COUNT, NOT_COUNTS)
    assert_refuses_all(function, inputs, "features", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(function, inputs, "beta", INSIDE_UNIT, NOT_BETA)
    assert_refuses_all(function, inputs, "form", FORM, ["blunt", None])
    inputs = {"mistakes": 1, "experts": 5, "beta": 0.5}
    function = weighted_majority_weight_potential
    assert_refuses_all(function, inputs, "mistakes", COUNT, NOT_COUNTS)
    assert_refuses_all(function, inputs, "experts", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(function, inputs, "beta", INSIDE_UNIT, NOT_BETA)
    inputs = {"best_mistakes": 1, "beta": 0.5}
    function = weighted_majority_expert_potential
    assert_refuses_all(function, inputs, "best_mistakes", COUNT, NOT_COUNTS)
    assert_refuses_all(function, inputs, "beta", INSIDE_UNIT, NOT_BETA)


def test_conditions_between_inputs_are_refused():
    with refuses("literals must be at most the number of features 2, but is 3."):
        wm_k_disjunction_mistakes(best_mistakes=0, literals=3, features=2)
    with refuses(
        "literals must be such that k or d - k is at most 10000, but is 20000. Use form='textbook'."
    ):
        wm_k_disjunction_mistakes(best_mistakes=0, literals=20_000, features=10**6)
    assert wm_k_disjunction_mistakes(0, 20_000, 10**6, form="textbook") > 0
