from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.theory.mistake.margin_perceptron import (
    margin_perceptron_norm_potential,
    margin_perceptron_updates,
)
from tests.naive.margin_perceptron import margin_perceptron
from tests.naive.perceptron import dot
from tests.refusals import FORM, NOT_POSITIVE, POSITIVE, assert_refuses_all, refuses

margins = st.fractions(min_value=Fraction(1, 100), max_value=1, max_denominator=100)
slacks = st.fractions(min_value=Fraction(1, 20), max_value=1, max_denominator=20)


def test_golden_bounds_for_a_margin_of_one_tenth():
    assert margin_perceptron_updates(margin=0.1) == 836
    assert margin_perceptron_updates(margin=0.1, form="textbook") == 1200


@given(margins, slacks)
def test_bound_is_the_exact_floor(g, e):
    exact = 2 / (e * g) ** 2 + 2 / (e * g) - 2 / e
    assert margin_perceptron_updates(g, e) == math.floor(exact)


@given(margins)
def test_sharp_form_is_never_above_the_textbooks(g):
    assert margin_perceptron_updates(g) <= margin_perceptron_updates(g, form="textbook")


@given(margins, slacks, st.fractions(1, 3, max_denominator=20))
def test_bound_falls_with_margin_and_slack(g, e, more):
    bound = margin_perceptron_updates(g, e)
    assert bound <= margin_perceptron_updates(g / more, e)
    assert bound <= margin_perceptron_updates(g, e / more)


# The promise


def unit_data(seed, d, rows, floor):
    """Unit vectors, labels by a random unit separator, those within `floor` of it removed."""
    rng = np.random.default_rng(seed)
    v = rng.normal(size=d)
    v /= np.linalg.norm(v)
    X = rng.normal(size=(rows, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    X = X[np.abs(X @ v) > floor]
    y = np.where(X @ v > 0, 1, -1)
    # A little below the least margin, so that rounding cannot matter.
    return X.tolist(), y.tolist(), float(np.abs(X @ v).min()) * (1 - 1e-9)


def updates_until_clean(X, y, margin, slack):
    run = margin_perceptron(X, y, margin, slack)
    total, norms = run.updates, run.norms
    while run.updates:
        run = margin_perceptron(X, y, margin, slack, run.w)
        total += run.updates
        norms += run.norms[1:]
    return total, run.w, norms


@pytest.mark.parametrize("slack", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("d", [2, 3, 8])
def test_separable_data_never_break_the_bound_and_reach_the_margin(d, slack):
    for seed in range(8):
        X, y, margin = unit_data(seed, d, rows=60, floor=0.02)
        total, w, norms = updates_until_clean(X, y, margin, slack)
        assert total <= margin_perceptron_updates(margin, slack)
        reached = min(label * dot(w, x) for x, label in zip(X, y, strict=True))
        assert reached / math.sqrt(dot(w, w)) >= (1 - slack) * margin
        for before, after in pairwise(norms):
            allowed = margin_perceptron_norm_potential(before, margin, slack)
            assert after <= allowed * (1 + 1e-12)  # the run itself is in floats


def orthonormal(d):
    X = [[float(i == j) for j in range(d)] for i in range(d)]
    return X, [1] * d, 1 / math.sqrt(d) * (1 - 1e-9)


@pytest.mark.parametrize("d", [2, 9, 25])
def test_orthonormal_examples_update_every_time_and_reject_half_the_radius(d):
    X, y, margin = orthonormal(d)
    updates = margin_perceptron(X, y, margin).updates

    def broken(margin):
        return 1 / (2 * margin) ** 2  # the plain perceptron's bound, with half the radius

    assert updates == d - 1 <= margin_perceptron_updates(margin)
    assert updates > broken(margin)


def test_potential_without_the_length_of_the_example_is_rejected():
    X, y, margin = orthonormal(4)
    before, after = margin_perceptron(X, y, margin).norms[:2]
    assert after <= margin_perceptron_norm_potential(before, margin)
    assert after > before + 0.5 * margin


@given(st.fractions(Fraction(1, 10), 50, max_denominator=30), margins, slacks)
def test_potential_is_rounded_up(norm, g, e):
    exact = norm + 1 / (2 * norm) + (1 - e) * g
    value = Fraction(margin_perceptron_norm_potential(norm, g, e))
    assert exact <= value <= exact * (1 + Fraction(1, 2**52))


# Refusals


def test_bad_inputs_are_refused():
    inputs = {"margin": 0.1, "slack": 0.5}
    for name in inputs:
        assert_refuses_all(margin_perceptron_updates, inputs, name, POSITIVE, NOT_POSITIVE)
    assert_refuses_all(margin_perceptron_updates, inputs, "form", FORM, ["blunt", None])
    inputs = {"norm": 2, "margin": 0.1, "slack": 0.5}
    for name in inputs:
        assert_refuses_all(margin_perceptron_norm_potential, inputs, name, POSITIVE, NOT_POSITIVE)


def test_values_the_theorem_does_not_cover_are_refused():
    with refuses("margin must be at most 1, the length of the examples, but is 1.5."):
        margin_perceptron_updates(margin=1.5)
    with refuses("slack must be at most 1, the whole margin, but is 2."):
        margin_perceptron_updates(margin=0.5, slack=2)
    with refuses("slack must be 0.5 for the textbook's form, but is 0.4."):
        margin_perceptron_updates(margin=0.5, slack=0.4, form="textbook")
