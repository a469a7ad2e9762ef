from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.theory.mistake.sleeping_experts import (
    sleeping_experts_expert_potential,
    sleeping_experts_mistakes,
    sleeping_experts_weight_potential,
)
from tests.naive.sleeping_experts import sleeping_experts
from tests.refusals import (
    COUNT_FROM_ONE,
    NONNEGATIVE,
    NOT_COUNTS_FROM_ONE,
    NOT_NONNEGATIVE,
    NOT_POSITIVE,
    POSITIVE,
    assert_refuses_all,
)

FLOAT_ERROR = 1 + 1e-9  # the run is in floats, the bound is not

rates = st.fractions(Fraction(1, 100), 5, max_denominator=100)


# Golden numbers


@pytest.mark.parametrize(("epsilon", "bound"), [(0.1, 48.574744), (0.5, 38.518310)])
def test_ten_experts_of_which_one_erred_twenty_times(epsilon, bound):
    value = sleeping_experts_mistakes(expert_loss=20, experts=10, epsilon=epsilon)
    assert value == pytest.approx(bound, rel=1e-6)


def test_one_step_of_three_experts():
    run = sleeping_experts([[1, 1, 1]], [[1, 0, 0]], 0.5)
    assert run.w == pytest.approx([0.729525, 1.094287, 1.094287], rel=1e-6)
    assert sum(run.w) == pytest.approx(2.918100, rel=1e-6)
    assert sum(run.w) <= sleeping_experts_weight_potential(experts=3) == 3.0


# The formulas


def real_bound(loss, experts, epsilon):
    growth = 1 + mpmath.mpf(epsilon.numerator) / epsilon.denominator
    loss = mpmath.mpf(loss.numerator) / loss.denominator
    return growth * (loss + mpmath.log(experts) / mpmath.log(growth))


@given(st.fractions(0, 1000, max_denominator=100), st.integers(1, 10**9), rates)
def test_bound_is_never_below_the_exact_value(loss, experts, epsilon):
    with mpmath.workdps(50):
        real = real_bound(loss, experts, epsilon)
        value = mpmath.mpf(sleeping_experts_mistakes(loss, experts, epsilon))
        assert real <= value <= real * (1 + mpmath.mpf("1e-12"))


@given(st.fractions(0, 100, max_denominator=100), st.integers(1, 1000), rates, st.integers(0, 50))
def test_bound_grows_with_loss_and_experts(loss, experts, epsilon, more):
    bound = sleeping_experts_mistakes(loss, experts, epsilon)
    assert bound <= sleeping_experts_mistakes(loss + more, experts, epsilon)
    assert bound <= sleeping_experts_mistakes(loss, experts + more, epsilon)


def test_tiny_and_huge_epsilon_stay_finite_and_above():
    assert sleeping_experts_mistakes(1, 10, 1e-9) > 2.3e9
    assert sleeping_experts_mistakes(1, 1, 1e9) >= 1e9 + 1


# The promise


@st.composite
def nights(draw):
    k = draw(st.integers(1, 6))
    rounds = draw(st.integers(1, 25))
    awake = [draw(st.tuples(*[st.booleans()] * k)) for _ in range(rounds)]
    loss = draw(st.sampled_from((st.sampled_from((0.0, 1.0)), st.floats(0, 1))))
    return awake, [draw(st.tuples(*[loss] * k)) for _ in range(rounds)]


@given(nights(), st.sampled_from((0.01, 0.1, 0.5, 1.0, 3.0)))
def test_random_nights_never_break_bound_or_potentials(data, epsilon):
    awake, losses = data
    k = len(awake[0])
    run = sleeping_experts(awake, losses, epsilon)
    for paid, own in zip(run.paid, run.expert_loss, strict=True):
        assert paid <= sleeping_experts_mistakes(own, k, epsilon) * FLOAT_ERROR
        holds = sleeping_experts_expert_potential(paid, own, epsilon)
        assert holds <= run.totals[-1] * FLOAT_ERROR
    assert max(run.totals) <= sleeping_experts_weight_potential(k) * FLOAT_ERROR
    pairs = zip(run.totals, run.totals[1:], strict=False)
    assert all(after <= before * FLOAT_ERROR for before, after in pairs)


def one_perfect(k, rounds):
    """Expert 0 never errs, all the others always do, and all are awake."""
    return [[1] * k] * rounds, [[0] + [1] * (k - 1)] * rounds


def test_bound_without_the_experts_term_is_rejected():
    run = sleeping_experts(*one_perfect(10, 30), 0.5)
    assert run.expert_loss[0] == 0
    assert run.paid[0] <= sleeping_experts_mistakes(0, 10, 0.5)
    assert run.paid[0] > sleeping_experts_mistakes(0, 1, 0.5)


def test_a_third_of_the_bound_is_rejected():
    run = sleeping_experts(*one_perfect(200, 100), 0.5)
    bound = sleeping_experts_mistakes(0, 200, 0.5)
    assert bound / 3 < run.paid[0] <= bound


def test_an_update_with_a_misplaced_factor_breaks_the_potential():
    # The exponent P (1 + eps) - loss instead of P / (1 + eps) - loss lets the weight grow.
    epsilon, losses = 0.5, [0, 1]
    mean = sum(losses) / 2
    broken = [(1 + epsilon) ** (mean * (1 + epsilon) - loss) for loss in losses]
    assert sum(broken) > sleeping_experts_weight_potential(2)
    right = sleeping_experts([[1, 1]], [losses], epsilon)
    assert right.totals[-1] <= sleeping_experts_weight_potential(2)


@given(st.fractions(0, 50, max_denominator=20), st.fractions(0, 50, max_denominator=20), rates)
def test_expert_potential_is_never_above_the_exact_value(paid, own, epsilon):
    with mpmath.workdps(50):
        growth = 1 + mpmath.mpf(epsilon.numerator) / epsilon.denominator
        exponent = mpmath.mpf(paid.numerator) / paid.denominator / growth
        exponent -= mpmath.mpf(own.numerator) / own.denominator
        real = growth**exponent
        value = mpmath.mpf(sleeping_experts_expert_potential(paid, own, epsilon))
        assert real * (1 - mpmath.mpf("1e-10")) <= value <= real


# Refusals


def test_bad_inputs_are_refused():
    inputs = {"expert_loss": 1, "experts": 3, "epsilon": 0.1}
    function = sleeping_experts_mistakes
    assert_refuses_all(function, inputs, "expert_loss", NONNEGATIVE, NOT_NONNEGATIVE)
    assert_refuses_all(function, inputs, "experts", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(function, inputs, "epsilon", POSITIVE, NOT_POSITIVE)
    function, inputs = sleeping_experts_weight_potential, {"experts": 3}
    assert_refuses_all(function, inputs, "experts", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    inputs = {"learner_loss": 1, "expert_loss": 1, "epsilon": 0.1}
    function = sleeping_experts_expert_potential
    for name in ("learner_loss", "expert_loss"):
        assert_refuses_all(function, inputs, name, NONNEGATIVE, NOT_NONNEGATIVE)
    assert_refuses_all(function, inputs, "epsilon", POSITIVE, NOT_POSITIVE)
