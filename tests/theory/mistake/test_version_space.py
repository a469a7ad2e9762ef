from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.mistake.version_space import (
    con_mistakes,
    generalized_halving_mistakes,
    halving_cover_mistakes,
    halving_mistakes,
    version_space_potential,
    version_space_weight_potential,
)
from tests.naive.halving import consistent, halving
from tests.refusals import (
    COUNT,
    COUNT_FROM_ONE,
    FORM,
    NOT_COUNTS,
    NOT_COUNTS_FROM_ONE,
    NOT_POSITIVE,
    POSITIVE,
    assert_refuses_all,
    refuses,
)

small = st.fractions(min_value=Fraction(1, 50), max_value=20, max_denominator=50)

# Classes as truth tables: one row per hypothesis, one column per point, labels -1 and +1.
CUBE = list(product((0, 1), repeat=3))
DISJUNCTIONS = tuple(
    tuple(1 if any(x[i] for i in range(3) if mask >> i & 1) else -1 for x in CUBE)
    for mask in range(8)
)
SINGLETONS = tuple(tuple(1 if i == j else -1 for j in range(5)) for i in range(5))


def functions(table):
    return [row.__getitem__ for row in table]


# Golden numbers


def test_bounds_of_small_classes():
    assert con_mistakes(class_size=5) == 4
    assert [halving_mistakes(n) for n in (1, 2, 3, 5, 8, 1000)] == [0, 1, 1, 2, 3, 9]
    assert generalized_halving_mistakes(bits=12) == 12
    assert generalized_halving_mistakes(weight=0.01) == 6


@pytest.mark.parametrize(("d", "exact"), [(2, 12.679700), (10, 63.398500), (100, 633.985000)])
def test_cover_of_margin_one_tenth(d, exact):
    assert halving_cover_mistakes(1, 0.1, features=d, form="textbook") == math.floor(exact)


# The formulas


@given(st.integers(1, 10**30))
def test_halving_bound_is_the_exact_floor(n):
    assert 2 ** halving_mistakes(n) <= n < 2 ** (halving_mistakes(n) + 1)
    assert halving_mistakes(n) <= con_mistakes(n) <= con_mistakes(n + 1)
    assert halving_mistakes(n) <= halving_mistakes(n + 1)


@given(st.fractions(min_value=Fraction(1, 10**12), max_value=1))
def test_generalized_bound_is_the_exact_floor(w):
    bound = generalized_halving_mistakes(weight=w)
    assert 2**bound <= 1 / w < 2 ** (bound + 1)


@given(st.integers(0, 300))
def test_a_target_of_s_bits_has_weight_two_to_minus_s(s):
    weight = Fraction(1, 2**s)
    assert generalized_halving_mistakes(bits=s) == generalized_halving_mistakes(weight=weight) == s


@given(small, small, st.integers(1, 300))
def test_cover_bound_is_never_below_the_exact_value(a, b, d):
    radius, margin = max(a, b), min(a, b)
    with mpmath.workdps(50):
        ratio = mpmath.mpf(radius.numerator * margin.denominator)
        ratio /= radius.denominator * margin.numerator
        sharp = d * mpmath.log(1 + 4 * ratio, 2)
        textbook = d * mpmath.log(math.ceil(8 * radius / margin) + 1, 2)
        for form, value in (("sharp", sharp), ("textbook", textbook)):
            bound = halving_cover_mistakes(radius, margin, d, form)
            assert mpmath.floor(value) <= bound <= value * (1 + mpmath.mpf("1e-12"))
    assert halving_cover_mistakes(radius, margin, d) <= halving_cover_mistakes(
        radius, margin, d, "textbook"
    )


@given(small, small, st.integers(1, 300), st.fractions(1, 3, max_denominator=20))
def test_cover_bound_is_monotone(a, b, d, more):
    radius, margin = max(a, b), min(a, b)
    for form in ("sharp", "textbook"):
        bound = halving_cover_mistakes(radius, margin, d, form)
        assert bound <= halving_cover_mistakes(radius * more, margin, d, form)
        assert bound <= halving_cover_mistakes(radius, margin / more, d, form)
        assert bound <= halving_cover_mistakes(radius, margin, d + 1, form)


# The promise


def worst_case(table, guesses):
    """The most mistakes a sequence can force on a learner that keeps the consistent rows."""

    @cache
    def most(left):
        best = 0
        for x in range(len(table[0])):
            for label in (-1, 1):
                agree = tuple(h for h in left if table[h][x] == label)
                # With nothing refuted and no mistake the game is where it was.
                if agree and len(agree) < len(left):
                    wrong = any(guess != label for guess in guesses(left, x))
                    best = max(best, wrong + most(agree))
        return best

    return most(tuple(range(len(table))))


def halving_worst_case(table):
    def guess(left, x):
        lean = sum(table[h][x] for h in left)
        return (-1, 1) if lean == 0 else (1 if lean > 0 else -1,)

    return worst_case(table, guess)


def con_worst_case(table):
    return worst_case(table, lambda left, x: {table[h][x] for h in left})


def test_worst_cases_over_all_sequences():
    assert halving_worst_case(DISJUNCTIONS) == 3 == halving_mistakes(8)
    assert con_worst_case(SINGLETONS) == 4 == con_mistakes(5)
    assert halving_worst_case(SINGLETONS) == 1 <= halving_mistakes(5)


def test_bounds_less_one_are_rejected():
    assert halving_worst_case(DISJUNCTIONS) > halving_mistakes(8) - 1
    assert halving_worst_case(DISJUNCTIONS) > halving_mistakes(8 // 2)
    assert con_worst_case(SINGLETONS) > con_mistakes(5) - 1
    assert con_worst_case(SINGLETONS) > halving_mistakes(5)


@st.composite
def finite_classes(draw):
    points = draw(st.integers(1, 6))
    row = st.tuples(*[st.sampled_from((-1, 1))] * points)
    table = draw(st.lists(row, min_size=1, max_size=20, unique=True))
    target = draw(st.sampled_from(table))
    X = draw(st.lists(st.integers(0, points - 1), max_size=12))
    return table, X, [target[x] for x in X]


@given(finite_classes(), st.sampled_from((-1, 1)))
def test_random_classes_never_break_the_halving_bound(data, tie):
    table, X, y = data
    run = halving(functions(table), X, y, tie=tie)
    assert run.mistakes <= halving_mistakes(len(table))
    assert all(left <= version_space_potential(len(table), m) for m, left in enumerate(run.weights))


@given(finite_classes(), st.integers(0, 5))
def test_random_classes_never_break_the_bound_of_consistency(data, pick):
    table, X, y = data
    assert consistent(functions(table), X, y, pick).mistakes <= con_mistakes(len(table))


@given(finite_classes(), st.data())
def test_random_priors_never_break_the_generalized_bound(data, more):
    table, X, y = data
    sizes = [more.draw(st.integers(1, 6)) for _ in table]
    total = sum(Fraction(1, 2**s) for s in sizes)
    scale = max(1, math.ceil(total))
    prior = [Fraction(1, 2**s * scale) for s in sizes]
    run = halving(functions(table), X, y, prior=prior)
    for row, weight in zip(table, prior, strict=True):
        if all(row[x] == label for x, label in zip(X, y, strict=True)):
            assert run.mistakes <= generalized_halving_mistakes(weight=weight)
    whole = sum(prior)
    for m, left in enumerate(run.weights):
        assert left <= version_space_weight_potential(m, whole)


def test_generalized_bound_less_one_bit_is_rejected():
    # Lengths 1, 2, ..., n, n form a prefix-free code; each mistake refutes exactly half.
    n = 6
    table = [tuple(1 if i == j else -1 for j in range(n)) for i in range(n)]
    table.append((-1,) * n)
    prior = [Fraction(1, 2 ** (i + 1)) for i in range(n)] + [Fraction(1, 2**n)]
    run = halving(functions(table), range(n), [-1] * n, prior=prior, tie=1)
    assert run.mistakes == n == generalized_halving_mistakes(weight=prior[-1])
    assert run.mistakes > generalized_halving_mistakes(bits=n - 1)
    assert run.weights[1] > version_space_weight_potential(2)


def circle_net(radius):
    """Points of the unit circle within a chord of `radius` of every point of it."""
    n = math.ceil(math.pi / (2 * math.asin(radius / 2)))
    return [(math.cos(2 * math.pi * i / n), math.sin(2 * math.pi * i / n)) for i in range(n)]


def test_cover_of_the_circle_needs_32_points_at_radius_one_tenth():
    assert len(circle_net(0.1)) == 32


@pytest.mark.parametrize("margin", [0.5, 0.1, 0.02])
def test_halving_on_a_net_of_the_circle_keeps_its_bound(margin):
    rng = np.random.default_rng(7)
    net = circle_net(margin / 2)
    assert len(net) <= (1 + 4 / margin) ** 2
    vectors = [lambda x, w=w: 1 if w[0] * x[0] + w[1] * x[1] >= 0 else -1 for w in net]
    for _ in range(5):
        angle = rng.uniform(0, 2 * math.pi)
        v = np.array([math.cos(angle), math.sin(angle)])
        X = rng.normal(size=(60, 2))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        X = X[np.abs(X @ v) >= margin]
        y = np.where(X @ v > 0, 1, -1)
        mistakes = halving(vectors, X.tolist(), y.tolist()).mistakes
        assert mistakes <= halving_cover_mistakes(1, margin, features=2)


def test_cover_bound_without_its_constants_is_rejected():
    # Margin equal to the radius leaves log2(R / gamma) = 0, yet a first guess can be wrong.
    vectors = [lambda x, w=w: 1 if w[0] * x[0] + w[1] * x[1] >= 0 else -1 for w in circle_net(0.5)]
    for label in (-1, 1):
        run = halving(vectors, [(1.0, 0.0)], [label])
        if run.mistakes:
            assert run.mistakes <= halving_cover_mistakes(1, 1, features=2)
            assert run.mistakes > 2 * math.log2(1 / 1)
            break
    else:
        pytest.fail("one of the two labels must be a mistake")


# Potentials


@given(st.integers(1, 10**30), st.integers(0, 200))
def test_version_space_potential_is_the_exact_floor(n, m):
    assert version_space_potential(n, m) == n // 2**m >= version_space_potential(n, m + 1)


def test_version_space_potential_of_one_more_mistake_is_rejected():
    run = halving(functions(DISJUNCTIONS), [1, 2, 4], [-1, -1, -1], tie=1)
    assert run.weights == [8, 4, 2, 1]
    assert run.weights[1] > version_space_potential(8, 2)


@given(st.integers(0, 1500), st.fractions(Fraction(1, 10**6), 1))
@settings(max_examples=50)
def test_weight_potential_is_rounded_up(m, w):
    value = Fraction(version_space_weight_potential(m, w))
    assert value >= w / 2**m
    assert value <= w / 2**m * (1 + Fraction(1, 2**52)) + Fraction(1, 2**1074)


def test_weight_potential_of_a_billion_mistakes_is_the_least_double():
    assert version_space_weight_potential(10**9) == 5e-324
    assert version_space_potential(10**6, 10**9) == 0


# Refusals


def test_bad_inputs_are_refused():
    for function in (con_mistakes, halving_mistakes):
        inputs = {"class_size": 5}
        assert_refuses_all(function, inputs, "class_size", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    given_bits = [v for v in NOT_COUNTS if v is not None]
    assert_refuses_all(generalized_halving_mistakes, {"bits": 3}, "bits", COUNT, given_bits)
    given_weight = [v for v in NOT_POSITIVE if v is not None]
    inputs = {"weight": 0.5}
    assert_refuses_all(generalized_halving_mistakes, inputs, "weight", POSITIVE, given_weight)
    inputs = {"radius": 10**9, "margin": 0.1, "features": 2}
    for name in ("radius", "margin"):
        assert_refuses_all(halving_cover_mistakes, inputs, name, POSITIVE, NOT_POSITIVE)
    bad = NOT_COUNTS_FROM_ONE
    assert_refuses_all(halving_cover_mistakes, inputs, "features", COUNT_FROM_ONE, bad)
    assert_refuses_all(halving_cover_mistakes, inputs, "form", FORM, ["blunt", None])
    inputs = {"class_size": 5, "mistakes": 1}
    assert_refuses_all(version_space_potential, inputs, "class_size", COUNT_FROM_ONE, bad)
    assert_refuses_all(version_space_potential, inputs, "mistakes", COUNT, NOT_COUNTS)
    inputs = {"mistakes": 1, "weight": 0.5}
    assert_refuses_all(version_space_weight_potential, inputs, "mistakes", COUNT, NOT_COUNTS)
    assert_refuses_all(version_space_weight_potential, inputs, "weight", POSITIVE, NOT_POSITIVE)


def test_conditions_between_inputs_are_refused():
    with refuses("the target must be given by bits or by weight, not both, but is (3, 0.5)."):
        generalized_halving_mistakes(bits=3, weight=0.5)
    with refuses("the target must be given by bits or by weight, not both, but is (None, None)."):
        generalized_halving_mistakes()
    with refuses("weight must be at most 1, but is 1.5."):
        generalized_halving_mistakes(weight=1.5)
    with refuses("weight must be at most 1, but is 2."):
        version_space_weight_potential(mistakes=0, weight=2)
    with refuses("margin must be at most the radius 1, but is 1.5."):
        halving_cover_mistakes(radius=1, margin=1.5, features=2)
