"""Machines near the one of least loss: where the intercept may lie, and which rows are counted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.optimize import minimize_scalar

from assay.learners.search import NearMachine, intercepts, kept_rows, reach_of
from assay.theory.generalization.compression import LEAST_HINGE


def loss(b, scores, signs, caps):
    return float(caps @ np.maximum(0.0, 1 - signs * (scores + b)))


@st.composite
def samples(draw):
    n = draw(st.integers(2, 9))
    signs = np.array(
        [-1.0, 1.0, *draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=n - 2, max_size=n - 2))]
    )
    scores = draw(hnp.arrays(np.float64, n, elements=st.integers(-12, 12).map(lambda k: k / 4)))
    caps = np.where(signs > 0, draw(st.sampled_from([1.0, 3.0])), 1.0)
    return scores, signs, caps


@settings(max_examples=40)
@given(samples())
def test_the_interval_is_that_of_the_least_loss(sample):
    scores, signs, caps = sample
    low, high = intercepts(scores, np.zeros(len(signs)), signs, caps)
    least = min(loss(b, scores, signs, caps) for b in signs - scores)  # it bends only there
    for b in np.linspace(low, high, 5):
        assert loss(b, scores, signs, caps) == pytest.approx(least, abs=1e-9)
    assert loss(low - 0.01, scores, signs, caps) > least + 1e-6
    assert loss(high + 0.01, scores, signs, caps) > least + 1e-6


@settings(max_examples=30)
@given(samples(), st.integers(0, 2**31), st.sampled_from([0.1, 0.5]))
def test_no_minimiser_of_scores_within_the_spread_is_outside(sample, seed, size):
    scores, signs, caps = sample
    spread = np.full(len(signs), size)
    low, high = intercepts(scores, spread, signs, caps)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        moved = scores + spread * rng.uniform(-1, 1, len(signs))
        first, last = intercepts(moved, np.zeros(len(signs)), signs, caps)
        assert low - 1e-12 <= first <= last <= high + 1e-12
    # A narrower interval, as if only half of the spread were allowed for, would not do.
    first, last = intercepts(scores + size, np.zeros(len(signs)), signs, caps)
    half = intercepts(scores, spread / 2, signs, caps)
    assert first < half[0] - 1e-9


def test_a_hard_margin_lies_between_the_classes():
    signs, hard = np.array([-1.0, -1.0, 1.0]), np.full(3, math.inf)
    assert intercepts(np.array([0.0, -3.0, 2.0]), np.zeros(3), signs, hard) == (-1.0, -1.0)
    assert intercepts(np.array([0.0, -3.0, 2.0]), np.full(3, 0.5), signs, hard) == (-1.5, -0.5)


def test_how_far_weights_can_be():
    """Half the squared distance is at most the gap: here with equality, for the objective w^2 / 2."""
    found = minimize_scalar(lambda w: w * w / 2).x
    assert abs(1.0 - found) <= reach_of(0.5)
    assert abs(1.0 - found) > 0.9 * reach_of(0.5)


def machine(scores, *, below=0.0, weights=0.0, intercept=0.0):
    n = len(scores)
    return NearMachine(
        np.arange(n), np.ones(n), np.array(scores), np.full(n, below), weights, intercept, 1e-6
    )


def test_rows_on_the_margin_and_the_longest_are_counted():
    lengths = np.array([1.0, 1.0, 3.0, 2.0])
    scores = [0.2, 1.0, 1.6, 1.7]
    assert kept_rows([machine(scores)], lengths, one_length=True)[0] == 2
    assert kept_rows([machine(scores)], lengths)[0] == 3  # the third is the longest
    assert kept_rows([machine(scores, below=0.65)], lengths)[0] == 3
    assert kept_rows([machine(scores), machine([2.0, 2.0, 2.0, 0.0])], lengths)[0] == 4


def test_a_classifier_too_far_from_the_minimiser_is_promised_nothing():
    near = kept_rows([machine([2.0, 2.0], weights=0.2, intercept=0.3)], np.array([1.0, 3.0]))[1]
    assert (near.name, near.status) == (LEAST_HINGE, "checked")
    assert near.evidence == (
        "known to within 1e-06 of the least objective: the classifier's scores are within 0.9 of the "
        "minimiser's, and less than 1 is needed"
    )
    far = kept_rows([machine([2.0, 2.0], weights=0.25, intercept=0.3)], np.array([1.0, 3.0]))[1]
    assert far.status == "violated"
    assert far.evidence.startswith("the classifier's scores may be 1.1 from the minimiser's")
    unknown = kept_rows([machine([2.0, 2.0], weights=math.inf)], np.array([1.0, 3.0]))[1]
    assert unknown.status == "violated"
