"""Compression bounds: golden values, the closed form against the sum, order, and refusals."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC

from assay.theory.generalization.compression import (
    compression_classic,
    mistake_compression,
    preferent_compression,
    preferent_compression_weighted,
    shuffled_mistake_compression,
    svm_support_compression,
)
from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.kl import holdout_kl
from tests.refusals import (
    COUNT,
    COUNT_FROM_ONE,
    INSIDE_UNIT,
    NOT_COUNTS,
    NOT_COUNTS_FROM_ONE,
    NOT_INSIDE_UNIT,
    assert_refuses_all,
    refuses,
)
from tests.soundness import assert_sound, assert_unsound

GOLDEN = [
    (0, 100, 0.05, 0.04386477817352661),
    (1, 175, 0.05, 0.03840859159260381),
    (6, 280, 0.05, 0.05504786517089108),
    (16, 250, 0.05, 0.1179152945442506),
    (27, 400, 0.05, 0.1102026119749055),
    (50, 1000, 0.05, 0.07323196173978282),
    (50, 1000, 0.001, 0.08354205809231393),
    (560, 10000, 0.05, 0.06387808207989818),
]


@pytest.mark.parametrize(("size", "rows", "delta", "error"), GOLDEN)
def test_golden_values(size, rows, delta, error):
    assert preferent_compression(size, rows, delta) == pytest.approx(error, abs=1e-15)
    assert svm_support_compression(size, rows, delta) == preferent_compression(size, rows, delta)
    third = size // 3
    for of_mistakes in (mistake_compression, shuffled_mistake_compression):
        told = of_mistakes(third, rows, delta, size - third)
        assert told == preferent_compression(size, rows, delta)


@pytest.mark.parametrize(
    ("size", "rows", "guess", "error"),
    [
        (50, 1000, 30, 0.0709797759279),
        (6, 280, 8, 0.0523524405671),
        (81, 1500, 45, 0.0715722763528),
    ],
)
def test_golden_values_of_guessed_weights(size, rows, guess, error):
    found = preferent_compression_weighted(size, rows, 0.05, guess)
    assert found == pytest.approx(error, abs=1e-12)
    assert found < preferent_compression(size, rows, 0.05)


def test_golden_values_of_classic_compression():
    assert compression_classic(0, 16, 250, 0.05) == pytest.approx(0.2448053485928706, abs=1e-15)
    assert compression_classic(30, 20, 1000, 0.05) == pytest.approx(0.1772058331103864, abs=1e-15)


def e_value(size: int, rows: int, rate: float) -> mpmath.mpf:
    """The mean over M of C(M, k) / C(m, k) (1 - e)^-(m - M), as the proof has it, in 50 digits."""
    with mpmath.workdps(50):
        e = mpmath.mpf(rate)
        terms = (math.comb(M, size) / (1 - e) ** (rows - M) for M in range(size, rows))
        return mpmath.fsum(terms) / rows / math.comb(rows, size)


@settings(max_examples=60)
@given(
    st.integers(1, 60).flatmap(lambda m: st.tuples(st.integers(0, m - 1), st.just(m))),
    st.sampled_from([0.9, 0.3, 0.05, 1e-6]),
)
def test_the_closed_form_is_where_the_sum_reaches_one_over_delta(counts, delta):
    size, rows = counts
    found = preferent_compression(size, rows, delta)
    with mpmath.workdps(50):
        need = 1 / mpmath.mpf(repr(delta))
        assert found == 1 or e_value(size, rows, found) >= need * (1 - mpmath.mpf(10) ** -40)
        below = found - 4 * math.ulp(found)
        assert e_value(size, rows, below) < need


@settings(max_examples=20)
@given(
    st.integers(2, 300).flatmap(lambda m: st.tuples(st.integers(0, m - 2), st.just(m))),
    st.floats(1e-9, 0.5),
)
def test_monotone(counts, delta):
    size, rows = counts
    for bound in (preferent_compression, lambda *given: compression_classic(0, *given)):
        error = bound(size, rows, delta)
        assert bound(size + 1, rows, delta) >= error
        assert bound(size, rows, delta / 2) >= error
    assert preferent_compression(size, rows + 1, delta) <= preferent_compression(size, rows, delta)


@pytest.mark.parametrize(("size", "rows", "delta", "_"), GOLDEN)
def test_between_the_bound_of_a_fresh_holdout_and_the_classic_one(size, rows, delta, _):
    """No member of the family passes the relative-entropy bound of as many errors on fresh rows."""
    error = preferent_compression(size, rows, delta)
    assert holdout_exact(size, rows, delta) <= holdout_kl(size, rows, delta) <= error
    assert error <= compression_classic(0, size, rows, delta)
    weighted = preferent_compression_weighted(size, rows, delta)
    assert holdout_kl(size, rows, delta) <= weighted <= preferent_compression(size, rows, delta / 2)


def two_sided(size: int, rows: int, delta: float) -> float:
    """The formula of a public implementation: half of delta goes to sets larger than the sample."""
    low, high = size / rows, 1 - 1e-12
    for _ in range(40):
        e = (low + high) / 2
        below = float(e_value(size, rows, e)) / 2
        above = sum(
            math.exp(
                math.lgamma(M + 1)
                - math.lgamma(M - size + 1)
                - math.lgamma(rows + 1)
                + math.lgamma(rows - size + 1)
                + (M - rows) * math.log1p(-e)
            )
            for M in range(rows + 1, 4 * rows + 1)
        ) / (6 * rows)
        low, high = (low, e) if below + above >= 1 / delta else (e, high)
    return high


def test_the_two_sided_form_is_the_public_one():
    assert two_sided(50, 1000, 0.05) == pytest.approx(0.07527098633077, abs=1e-9)


@pytest.mark.parametrize(("size", "rows"), [(0, 40), (3, 60), (10, 100)])
def test_never_above_the_two_sided_form(size, rows):
    assert preferent_compression(size, rows, 0.05) <= two_sided(size, rows, 0.05)


def test_a_good_guess_helps_and_a_bad_one_does_not_hurt_much():
    even = preferent_compression(50, 1000, 0.05)
    for guess in (25, 50, 100):
        assert preferent_compression_weighted(50, 1000, 0.05, guess) <= 0.0717
    assert preferent_compression_weighted(50, 1000, 0.05, 900) <= 1.06 * even


def test_edges():
    assert preferent_compression(5, 5, 0.05) == 1.0
    assert preferent_compression_weighted(5, 5, 0.05) == 1.0
    assert compression_classic(0, 5, 5, 0.05) == 1.0
    assert compression_classic(3, 2, 5, 0.05) == 1.0
    assert compression_classic(0, 500, 1000, 0.05, messages=2**60_000) == 1.0
    assert preferent_compression(0, 1, 0.25) == pytest.approx(0.75)
    assert compression_classic(0, 5, 50, 0.05, 2) > compression_classic(0, 5, 50, 0.05)


# The promise, on learners whose true error is known.


def interval_closure(rng, rows, trials):
    """The smallest interval around uniform points: two rows fix it, and it misses what is outside."""
    points = rng.random((trials, rows))
    return 1 - (points.max(axis=1) - points.min(axis=1))


def perceptron_runs(rng, rows, trials, noise):
    """One pass over rows on the circle: rows mistaken, further rows wrong at the end, true error."""
    angle = rng.uniform(0, 2 * np.pi, (trials, rows))
    X = np.stack([np.cos(angle), np.sin(angle)], axis=2)
    y = np.where(X[:, :, 0] > 0, 1.0, -1.0) * np.where(rng.random((trials, rows)) < noise, -1, 1)
    w, mistaken = np.zeros((trials, 2)), np.zeros((trials, rows), dtype=bool)
    for t in range(rows):
        wrong = y[:, t] * (w * X[:, t]).sum(axis=1) <= 0
        w += np.where(wrong, y[:, t], 0.0)[:, None] * X[:, t]
        mistaken[:, t] = wrong
    final = y * np.einsum("td,trd->tr", w, X) <= 0
    away = np.arccos(np.clip(w[:, 0] / np.linalg.norm(w, axis=1), -1, 1)) / np.pi
    further = (final & ~mistaken).sum(axis=1)
    return mistaken.sum(axis=1), further, noise + (1 - 2 * noise) * away


def test_mistakes_are_kept_under_any_loss_of_the_others():
    """The run on the kept rows alone, in their order, is the same run."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        X, y = rng.normal(size=(40, 3)), rng.choice([-1, 1], 40)
        kept, w = kept_rows(X, y)
        others = rng.random(40) < 0.5
        part = np.flatnonzero(kept | others)
        again, w_again = kept_rows(X[part], y[part])
        assert (np.flatnonzero(kept) == part[again]).all()
        assert (w == w_again).all()


def kept_rows(X, y, passes=3):
    w, kept = np.zeros(X.shape[1]), np.zeros(len(y), dtype=bool)
    for _ in range(passes):
        for i in range(len(y)):
            if y[i] * (w @ X[i]) <= 0:
                w, kept[i] = w + y[i] * X[i], True
    return kept | (y * (X @ w) <= 0), w


def test_the_last_errors_must_be_kept_too():
    """On noise one pass ends with rows that are wrong and were never mistaken; a share is no promise."""
    rng = np.random.default_rng(1)
    mistaken, further, truth = perceptron_runs(rng, 40, 4000, 0.2)
    bounds = np.array([preferent_compression(k, 40, 0.05) for k in range(41)])
    with_errors = bounds[mistaken + further]
    assert (truth > with_errors).mean() <= 0.05
    share = mistaken / 40
    assert (truth > share).mean() > 0.05  # the plain share of mistakes is no promise


def test_intervals_are_promised_right_and_the_fresh_bound_is_caught():
    truth = interval_closure(np.random.default_rng(0), 50, 20_000)
    assert (truth > preferent_compression(2, 50, 0.05)).mean() < 0.005
    assert (truth > preferent_compression_weighted(2, 50, 0.05)).mean() < 0.01
    assert (truth > holdout_exact(0, 48, 0.05)).mean() > 0.1


def machine_of(rng, rows, C=1.0, noise=0.05):
    """A linear support vector machine on Gaussian rows, and its rows that do not clear the margin."""
    X = rng.normal(size=(rows, 5))
    y = np.where(X[:, 0] > 0, 1, -1) * np.where(rng.random(rows) < noise, -1, 1)
    machine = SVC(kernel="linear", C=C, tol=1e-9).fit(X, y)
    return X, y, machine, y * machine.decision_function(X) <= 1 + 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_a_machine_is_the_same_without_rows_that_clear_its_margin(seed):
    rng = np.random.default_rng(seed)
    X, y, machine, kept = machine_of(rng, 80)
    for others in (np.zeros(80, dtype=bool), rng.random(80) < 0.5):
        part = kept | others
        again = SVC(kernel="linear", C=1.0, tol=1e-9).fit(X[part], y[part])
        np.testing.assert_allclose(again.coef_, machine.coef_, atol=1e-5)
        assert ((y * again.decision_function(X) <= 1 + 1e-5) == kept).all()
    # With the losses averaged instead of summed, leaving rows out changes the machine.
    part = kept | (rng.random(80) < 0.2)
    mean = SVC(kernel="linear", C=80 / part.sum(), tol=1e-9).fit(X[part], y[part])
    assert np.abs(mean.coef_ - machine.coef_).max() > 1e-3


@pytest.mark.guarantees
@pytest.mark.parametrize("noise", [0.0, 0.05, 0.2])
def test_machines_keep_their_promise_and_the_share_does_not(noise):
    rng = np.random.default_rng(7)
    bounds = [svm_support_compression(k, 100, 0.05) for k in range(101)]
    broken = short = 0
    trials = 600
    for _ in range(trials):
        _, _, machine, kept = machine_of(rng, 100, noise=noise)
        X = rng.normal(size=(20_000, 5))
        y = np.where(X[:, 0] > 0, 1, -1) * np.where(rng.random(20_000) < noise, -1, 1)
        truth = (y * machine.decision_function(X) <= 1).mean()
        broken += truth - 0.01 > bounds[kept.sum()]
        short += truth > kept.mean()
    assert_sound(broken, trials, 0.05)
    assert_unsound(short, trials, 0.05)


# Refusals


@pytest.mark.parametrize(
    ("bound", "name", "more"),
    [
        (preferent_compression, "size", {}),
        (preferent_compression_weighted, "size", {}),
        (svm_support_compression, "support", {}),
        (mistake_compression, "mistaken", {}),
        (shuffled_mistake_compression, "mistaken", {}),
        (compression_classic, "size", {"errors": 1}),
    ],
)
def test_refusals(bound, name, more):
    good = {name: 3, "rows": 10, "delta": 0.05, **more}
    assert_refuses_all(bound, good, name, COUNT, NOT_COUNTS)
    assert_refuses_all(bound, good, "rows", COUNT_FROM_ONE, NOT_COUNTS_FROM_ONE)
    assert_refuses_all(bound, good, "delta", INSIDE_UNIT, NOT_INSIDE_UNIT)
    with refuses(f"{name} must be at most the number of rows 10, but is 11."):
        bound(**{**good, name: 11})
    with refuses("rows must be at most 1000000, but is 1000001."):
        bound(**{**good, "rows": 10**6 + 1})


def test_further_refusals():
    with refuses("errors must be at most the number of other rows 7, but is 8."):
        compression_classic(8, 3, 10, 0.05)
    with refuses("errors must be at most the number of other rows 7, but is 8."):
        mistake_compression(3, 10, 0.05, 8)
    with refuses("messages must be a whole number of at least 1, but is 0."):
        compression_classic(0, 3, 10, 0.05, 0)
    with refuses("guess must be below the number of rows 10, but is 10."):
        preferent_compression_weighted(3, 10, 0.05, 10)
    tiny = Fraction(1, 10**201)
    with refuses(f"delta must be at least 1e-200, but is {tiny!r}."):
        preferent_compression_weighted(3, 10, tiny)
