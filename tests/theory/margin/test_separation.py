"""Distances by brute force, and margins against a machine's."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import max_margin
from assay.theory.margin.separation import point_plane_distance, svm_margin
from tests.naive.widest_margin import widest_margin
from tests.refusals import NOT_POSITIVE, POSITIVE, assert_refuses_all, refuses

whole = st.integers(-20, 20)


@settings(max_examples=50)
@given(st.lists(st.tuples(whole, whole), min_size=1, max_size=4), whole)
def test_the_foot_lies_on_the_plane_and_nothing_on_it_is_nearer(pairs, bias):
    w, x = zip(*pairs, strict=True)
    if not any(w):
        return
    found = point_plane_distance(w, x, bias)
    assert sum(a * p for a, p in zip(w, found.foot, strict=True)) + bias == 0
    square = sum((a - p) ** 2 for a, p in zip(x, found.foot, strict=True))
    assert found.distance**2 >= square * (1 - 1e-15)
    assert found.distance == pytest.approx(math.sqrt(square), rel=1e-14)
    # A move within the plane leads away from the point.
    rng = np.random.default_rng(len(w))
    for _ in range(5):
        step = rng.integers(-3, 4, len(w))
        along = step - np.array(w) * (step @ np.array(w)) / sum(a * a for a in w)
        moved = np.array([float(p) for p in found.foot]) + along
        assert np.linalg.norm(np.array(x) - moved) >= math.sqrt(square) - 1e-9


def test_a_distance_without_the_length_of_the_weights_is_caught():
    printed = abs(3 * 3 + 4 * 4 - 5)  # |w . x + b|, not divided
    assert point_plane_distance([3, 4], [3, 4], -5).distance == 4.0 != printed


def test_two_points_have_their_golden_margin():
    # (0, 0) and (2, 0): w = (1, 0), b = -1, margin 1.
    assert svm_margin(norm=1) == 1.0


@pytest.mark.parametrize("seed", range(5))
def test_the_canonical_margin_is_the_widest(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 3))
    signed = X * np.where(X @ [1.0, -1.0, 0.5] > 0, 1, -1)[:, None]
    widest = widest_margin(signed)
    found = max_margin(signed, np.ones(30))
    norm = float(np.linalg.norm(found.vector))
    assert svm_margin(norm) == pytest.approx(widest, rel=1e-9)
    # Dividing by the squared norm instead is caught by the same comparison.
    assert svm_margin(norm**2) != pytest.approx(widest, rel=1e-3)


@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6))
def test_rounded_down_and_monotone(norm, smallest):
    margin = svm_margin(norm, smallest)
    assert Fraction(margin) <= Fraction(repr(smallest)) / Fraction(repr(norm))
    assert svm_margin(norm * 2, smallest) <= margin <= svm_margin(norm, smallest * 2)


def test_refusals():
    assert_refuses_all(svm_margin, {"norm": 1, "smallest": 1}, "norm", POSITIVE, NOT_POSITIVE)
    assert_refuses_all(svm_margin, {"norm": 1, "smallest": 1}, "smallest", POSITIVE, NOT_POSITIVE)
    with refuses("weights must be not all zero, but is [0, 0]."):
        point_plane_distance([0, 0], [1, 1])
    with refuses("the length of point must be 2, but is 1."):
        point_plane_distance([1, 0], [1])
    with refuses("bias must be a finite number, but is nan."):
        point_plane_distance([1], [1], math.nan)
