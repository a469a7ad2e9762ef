from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import NoNumber
from assay.theory.mistake.perceptron import (
    perceptron_disjunction_mistakes,
    perceptron_distance_mistakes,
    perceptron_hinge_mistakes,
    perceptron_margin_mistakes,
    perceptron_norm_potential,
    perceptron_passes,
    perceptron_progress_potential,
)
from assay.theory.registry import find_theorem
from assay.theory.rounding import exact, sqrt
from tests.naive.perceptron import dot, perceptron, perceptron_until_clean
from tests.refusals import (
    COUNT,
    COUNT_FROM_ONE,
    FORM,
    NONNEGATIVE,
    NOT_COUNTS,
    NOT_COUNTS_FROM_ONE,
    NOT_NONNEGATIVE,
    NOT_POSITIVE,
    POSITIVE,
    assert_refuses_all,
    refuses,
)

ZEROS = (1, -1, "mistake")
OR = ([(0, 0, 1), (0, 1, 1), (1, 0, 1), (1, 1, 1)], [-1, 1, 1, 1])

small = st.fractions(min_value=Fraction(1, 50), max_value=20, max_denominator=50)


# Golden numbers


def test_margin_bound_of_the_textbook_examples():
    assert perceptron_margin_mistakes(radius=1, margin=0.1) == 100
    assert perceptron_margin_mistakes(radius=2, margin=0.5) == 16
    assert perceptron_passes(radius=1, margin=0.1) == 101


def test_hinge_bound_of_a_comparator_of_norm_two_and_loss_three():
    assert perceptron_hinge_mistakes(radius=1, norm=2, hinge_loss=3) == 9
    assert perceptron_hinge_mistakes(radius=1, norm=2, hinge_loss=3, form="textbook") == 10
    assert perceptron_distance_mistakes(1, margin=0.5, distance=1.5, form="textbook") == 10
    assert perceptron_distance_mistakes(1, margin=0.5, distance=1.5) == 9


def test_disjunction_bound():
    assert perceptron_disjunction_mistakes(literals=2, features=2) == 27
    assert perceptron_disjunction_mistakes(literals=3, features=1000) == 13013
    assert perceptron_disjunction_mistakes(literals=3, features=1000, most_ones=4) == 65


@pytest.mark.parametrize(
    ("zero", "updates", "w", "passes"),
    [(1, 5, [1, 1, -1], 4), (-1, 4, [1, 1, 0], 4), ("mistake", 9, [2, 2, -1], 6)],
)
def test_trace_on_or_with_a_constant_feature(zero, updates, w, passes):
    assert perceptron_until_clean(*OR, zero) == (updates, w, passes)


# The formulas


@given(small, small)
def test_margin_bound_is_the_exact_floor(a, b):
    radius, margin = max(a, b), min(a, b)
    assert perceptron_margin_mistakes(radius, margin) == math.floor((radius / margin) ** 2)
    assert perceptron_passes(radius, margin) == perceptron_margin_mistakes(radius, margin) + 1


@given(small, small, st.fractions(0, 50, max_denominator=20))
def test_sharp_hinge_bound_is_the_largest_count_the_inequality_allows(radius, norm, loss):
    reach = (radius * norm) ** 2

    def allowed(m):
        return m <= loss or (m - loss) ** 2 <= reach * m

    sharp = perceptron_hinge_mistakes(radius, norm, loss)
    assert allowed(sharp)
    assert not allowed(sharp + 1)
    assert sharp <= perceptron_hinge_mistakes(radius, norm, loss, form="textbook")


@given(small, small, st.fractions(0, 20, max_denominator=20))
def test_distance_bound_is_the_hinge_bound_of_the_stretched_vector(radius, margin, distance):
    for form in ("sharp", "textbook"):
        hinge = perceptron_hinge_mistakes(radius, 1 / margin, distance / margin, form)
        assert perceptron_distance_mistakes(radius, margin, distance, form) == hinge


@given(small, small, small, st.fractions(1, 3, max_denominator=20))
def test_bounds_are_monotone(a, b, loss, more):
    radius, margin = max(a, b), min(a, b)
    mistakes = perceptron_margin_mistakes(radius, margin)
    assert mistakes <= perceptron_margin_mistakes(radius * more, margin)
    assert mistakes <= perceptron_margin_mistakes(radius, margin / more)
    for form in ("sharp", "textbook"):
        hinge = perceptron_hinge_mistakes(a, b, loss, form)
        assert hinge <= perceptron_hinge_mistakes(a * more, b, loss, form)
        assert hinge <= perceptron_hinge_mistakes(a, b * more, loss, form)
        assert hinge <= perceptron_hinge_mistakes(a, b, loss * more, form)


def test_comparator_without_loss_gives_the_margin_bound_exactly():
    for squared in (2, 3, 5, 7, 11):
        root = sqrt(squared)
        assert perceptron_margin_mistakes(1, (1 / root).down()) == squared
        assert perceptron_hinge_mistakes(1, root.up(), 0) == squared


# The promise


def largest_margin_bound(X, y, v, bound=perceptron_margin_mistakes):
    """The bound on integer data; radius and margin are measured, and rounded outward."""
    radius = sqrt(max(dot(x, x) for x in X)).up()
    margin = exact(min(label * dot(v, x) for x, label in zip(X, y, strict=True))) / sqrt(dot(v, v))
    return bound(radius, margin.down())


@st.composite
def separable(draw):
    d = draw(st.integers(1, 4))
    point = st.lists(st.integers(-6, 6), min_size=d, max_size=d)
    v = draw(point.filter(any))
    X = draw(st.lists(point.filter(lambda x: dot(v, x) != 0), min_size=1, max_size=15))
    return X, [1 if dot(v, x) > 0 else -1 for x in X], v


def orthonormal(d):
    """Labels opposite to the sign of zero: the perceptron errs every time."""
    X = [[int(i == j) for j in range(d)] for i in range(d)]
    return X, [-1] * d, [-1] * d


@given(separable(), st.sampled_from(ZEROS))
def test_separable_data_never_break_the_margin_bound(data, zero):
    X, y, v = data
    run = perceptron(X * 3, y * 3, zero)
    assert run.mistakes <= run.updates <= largest_margin_bound(X, y, v)


@given(separable(), st.sampled_from(ZEROS))
def test_passes_until_clean_never_break_their_bound(data, zero):
    X, y, v = data
    updates, w, passes = perceptron_until_clean(X, y, zero)
    assert updates <= largest_margin_bound(X, y, v)
    assert passes <= largest_margin_bound(X, y, v, perceptron_passes)
    assert all(label * dot(w, x) >= 0 for x, label in zip(X, y, strict=True))


@pytest.mark.parametrize("d", [1, 2, 3, 5, 8, 13])
def test_orthonormal_examples_meet_the_margin_bound(d):
    X, y, v = orthonormal(d)
    assert perceptron(X, y).mistakes == d == largest_margin_bound(X, y, v)


def test_half_the_radius_is_rejected():
    X, y, v = orthonormal(4)

    def broken(radius, margin):
        return perceptron_margin_mistakes(Fraction(radius) / 2, margin)

    assert perceptron(X, y).updates > largest_margin_bound(X, y, v, broken)


def test_passes_without_the_clean_one_are_rejected():
    X, y, v = orthonormal(1)
    _, _, passes = perceptron_until_clean(X, y)
    assert passes > largest_margin_bound(X, y, v, perceptron_margin_mistakes)


@st.composite
def any_data(draw):
    d = draw(st.integers(1, 3))
    point = st.lists(st.integers(-4, 4), min_size=d, max_size=d)
    X = draw(st.lists(point.filter(any), min_size=1, max_size=15))
    y = [draw(st.sampled_from((-1, 1))) for _ in X]
    u = [Fraction(c, 8) for c in draw(point)]
    return X, y, u


def hinge_loss(X, y, u):
    return sum(max(0, 1 - label * dot(u, x)) for x, label in zip(X, y, strict=True))


@given(any_data(), st.sampled_from(ZEROS), st.sampled_from(("sharp", "textbook")))
def test_no_comparator_breaks_the_hinge_bound(data, zero, form):
    X, y, u = data
    run = perceptron(X, y, zero)
    radius = sqrt(max(dot(x, x) for x in X)).up()
    norm = sqrt(dot(u, u)).up()
    assert run.updates <= perceptron_hinge_mistakes(radius, norm, hinge_loss(X, y, u), form)


def test_hinge_bound_without_the_loss_or_with_half_of_it_is_rejected():
    # The same point with alternating labels: every round is a mistake, and L = T for u = 0.
    X, y = [[1]] * 10, [-1, 1] * 5
    updates = perceptron(X, y).updates
    assert updates == 10 == perceptron_hinge_mistakes(1, 0, hinge_loss(X, y, [0]))
    assert updates > perceptron_hinge_mistakes(1, 0, 0)
    assert updates > perceptron_hinge_mistakes(1, 0, Fraction(hinge_loss(X, y, [0]), 2))


@st.composite
def disjunctions(draw):
    d = draw(st.integers(1, 5))
    relevant = draw(st.sets(st.integers(0, d - 1)))
    X = draw(st.lists(st.lists(st.integers(0, 1), min_size=d, max_size=d), min_size=1, max_size=40))
    return X, [1 if any(x[i] for i in relevant) else -1 for x in X], len(relevant)


@given(disjunctions(), st.sampled_from(ZEROS))
def test_disjunctions_never_break_their_bound(data, zero):
    X, y, k = data
    run = perceptron([[*x, 1] for x in X] * 3, y * 3, zero)
    assert run.updates <= perceptron_disjunction_mistakes(k, len(X[0]), max(map(sum, X)))
    assert run.updates <= perceptron_disjunction_mistakes(k, len(X[0]))


def test_disjunction_bound_without_the_constant_features_share_is_rejected():
    def broken(k, d):
        return 4 * k * (d + 1)

    assert perceptron([[0, 1]], [-1]).updates > broken(k=0, d=1)


# Potentials


@given(separable(), st.sampled_from(ZEROS))
def test_potentials_hold_after_every_update(data, zero):
    X, y, v = data
    radius = sqrt(max(dot(x, x) for x in X)).up()
    for rows in range(1, len(X) + 1):
        run = perceptron(X[:rows], y[:rows], zero)
        margin = min(label * dot(v, x) for x, label in zip(X, y, strict=True))
        assert dot(run.w, run.w) <= perceptron_norm_potential(run.updates, radius)
        assert dot(run.w, v) >= perceptron_progress_potential(run.updates, margin)


def test_potentials_of_half_the_radius_or_twice_the_margin_are_rejected():
    X, y, v = orthonormal(4)
    run = perceptron(X, y)
    assert dot(run.w, run.w) > perceptron_norm_potential(run.updates, 0.5)
    assert dot(run.w, v) < perceptron_progress_potential(run.updates, 2)


def test_printed_potential_that_squares_one_side_only_is_rejected():
    # ||w||^2 >= M g is sometimes printed; a short example refutes it, ||w|| >= M g stands.
    x = Fraction(1, 10)
    run = perceptron([[x]], [1], zero=-1)
    assert run.norms == [x**2]
    assert run.norms[0] < perceptron_progress_potential(1, x)
    assert abs(run.w[0]) >= perceptron_progress_potential(1, x)


def test_potentials_round_outward():
    assert perceptron_norm_potential(3, 0.1) >= Fraction(3, 100)
    assert perceptron_progress_potential(3, 0.1) <= Fraction(3, 10)
    assert math.copysign(1, perceptron_progress_potential(0, 1)) == 1


# Refusals


def test_bad_inputs_are_refused():
    margin = {"radius": 10**9, "margin": 0.1}
    hinge = {"radius": 1, "norm": 1, "hinge_loss": 1}
    distance = {"radius": 1, "margin": 1, "distance": 1}
    for function in (perceptron_margin_mistakes, perceptron_passes):
        for name in margin:
            assert_refuses_all(function, margin, name, POSITIVE, NOT_POSITIVE)
    assert_refuses_all(perceptron_hinge_mistakes, hinge, "radius", POSITIVE, NOT_POSITIVE)
    for name in ("norm", "hinge_loss"):
        bad = NOT_NONNEGATIVE
        assert_refuses_all(perceptron_hinge_mistakes, hinge, name, NONNEGATIVE, bad)
    for name in ("radius", "margin"):
        assert_refuses_all(perceptron_distance_mistakes, distance, name, POSITIVE, NOT_POSITIVE)
    for function, inputs in (
        (perceptron_hinge_mistakes, hinge),
        (perceptron_distance_mistakes, distance),
    ):
        assert_refuses_all(function, inputs, "form", FORM, ["blunt", None, 1])


def test_counts_are_refused_unless_whole():
    inputs = {"literals": 1, "features": 5, "most_ones": 2}
    function = perceptron_disjunction_mistakes
    assert_refuses_all(function, inputs, "literals", COUNT, NOT_COUNTS)
    assert_refuses_all(function, inputs, "features", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(
        function, inputs, "most_ones", COUNT, [v for v in NOT_COUNTS if v is not None]
    )
    potential = {"updates": 1, "radius": 1}
    assert_refuses_all(perceptron_norm_potential, potential, "updates", COUNT, NOT_COUNTS)
    assert_refuses_all(perceptron_norm_potential, potential, "radius", POSITIVE, NOT_POSITIVE)
    potential = {"updates": 1, "margin": 1}
    assert_refuses_all(perceptron_progress_potential, potential, "updates", COUNT, NOT_COUNTS)
    assert_refuses_all(perceptron_progress_potential, potential, "margin", POSITIVE, NOT_POSITIVE)


def test_conditions_between_inputs_are_refused():
    with refuses("margin must be at most the radius 1, but is 1.5."):
        perceptron_margin_mistakes(radius=1, margin=1.5)
    with refuses("literals must be at most the number of features 2, but is 3."):
        perceptron_disjunction_mistakes(literals=3, features=2)
    with refuses("most_ones must be at most the number of features 2, but is 3."):
        perceptron_disjunction_mistakes(literals=1, features=2, most_ones=3)


def test_lower_bound_for_rotation_invariant_learners_has_no_number():
    entry = find_theorem("rotation-invariant-lower")
    assert (entry.number, entry.holds) == ("T22", "order")
    with pytest.raises(NoNumber):
        entry(features=10)
