import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.theory.margin.kernels import kernel_psd
from assay.theory.margin.losses import convexity_rules, perceptron_as_sgd
from tests.naive.perceptron import perceptron
from tests.refusals import INSIDE_UNIT, NOT_INSIDE_UNIT, assert_refuses_all, refuses

margin = st.floats(-30, 30)
share = st.floats(0.001, 0.999)


@pytest.mark.parametrize("loss", ["hinge", "square", "exponential", "logistic"])
@given(first=margin, second=margin, share=share)
def test_no_chord_passes_below_a_convex_loss(loss, first, second, share):
    # Exponentials are enclosed to a few parts in 10^15 of themselves, which is all a gap may miss by.
    largest = np.exp(max(-first, -second, 0)) if loss == "exponential" else 100
    assert convexity_rules(loss, first, second, share) >= -1e-14 * largest


def test_some_chord_passes_below_the_count_of_errors():
    assert convexity_rules("zero-one", -1, 0.5) == -0.5


def test_a_quadratic_form_is_convex_exactly_if_it_is_semidefinite():
    rng = np.random.default_rng(0)
    for _ in range(200):
        M = rng.integers(-3, 4, (2, 2))
        M = M + M.T
        ends = rng.integers(-5, 6, (60, 2, 2))
        middle = ends.sum(axis=1) / 2
        form = np.einsum("...i,ij,...j", ends, M, ends).mean(axis=1)
        gaps = form - np.einsum("...i,ij,...j", middle, M, middle)
        if kernel_psd(M.tolist()).semidefinite:
            assert (gaps >= 0).all()
        else:
            c = np.array([float(v) for v in kernel_psd(M.tolist()).witness])
            assert c @ M @ c < 0


def test_a_level_set_need_not_be_convex_where_a_sublevel_set_is():
    f = np.square
    assert f(-1) == f(1) == 1  # both in {f = 1} ...
    assert f(0) != 1  # ... and their middle is not,
    assert f(0) <= 1  # though it is in {f <= 1}


numbers = st.integers(-5, 5)
tables = st.integers(1, 4).flatmap(
    lambda d: st.lists(
        st.tuples(st.lists(numbers, min_size=d, max_size=d), st.sampled_from([-1, 1])), min_size=1
    )
)


@given(tables)
def test_gradient_steps_are_the_perceptron(table):
    X, y = zip(*table, strict=True)
    rules = perceptron_as_sgd(X, y)
    assert rules.gradient == rules.perceptron
    assert list(rules.perceptron) == perceptron(X, y, zero="mistake").w


def test_with_zero_taken_for_positive_the_two_differ():
    X, y = [[1, 0], [0, 1]], [1, 1]
    assert list(perceptron_as_sgd(X, y).gradient) != perceptron(X, y, zero=1).w


def test_refusals():
    good = {"loss": "hinge", "first": 0, "second": 1, "share": 0.5}
    assert_refuses_all(convexity_rules, good, "share", INSIDE_UNIT, NOT_INSIDE_UNIT)
    with refuses(
        "loss must be one of 'hinge', 'square', 'exponential', 'logistic', 'zero-one', but is 'ramp'."
    ):
        convexity_rules("ramp", 0, 1)
    with refuses("first must be a finite number, but is inf."):
        convexity_rules("hinge", float("inf"), 1)
    with refuses("y[1] must be -1 or +1, but is 0."):
        perceptron_as_sgd([[1], [2]], [1, 0])
    with refuses("the length of y must be 2, but is 1."):
        perceptron_as_sgd([[1], [2]], [1])
