from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import LinearSVC

from assay import max_margin
from assay.learners.common import Rows
from assay.learners.search import Hindsight
from assay.theory.mistake.perceptron import perceptron_hinge_mistakes
from tests.instances import noisy, separable
from tests.naive.widest_margin import widest_margin


def filled(X, y, *, constant=1.0, parts=1, thin=False, **settings):
    kept = Hindsight(**settings)
    rows, signs = Rows.of(sparse.csr_matrix(X) if thin else X), np.asarray(y, dtype=float)
    for part in np.array_split(np.arange(len(y)), parts):
        kept.add(rows, part, signs, constant)
    return kept


def total(X, y, constant=1.0):
    """The sum of the examples, each times its label: the perceptron's weights."""
    return np.append(y @ X, constant * np.sum(y))


def textbook(u, X, y, constant=1.0):
    """R^2 ||u||^2 + 2 L(u)."""
    whole = np.column_stack([X, np.full(len(y), constant)])
    radius = np.linalg.norm(whole, axis=1).max()
    return radius**2 * u @ u + 2 * np.maximum(1 - y * (whole @ u), 0).sum()


# The comparator


@pytest.mark.parametrize("constant", [0.0, 1.0])
@pytest.mark.parametrize("thin", [False, True])
def test_the_hinge_comparator_is_the_support_vector_machine_of_liblinear(constant, thin):
    X, y, _ = noisy(4, rows=100)
    best = filled(X, y, constant=constant, thin=thin).best()
    whole = np.column_stack([X, np.full(len(y), constant)])
    square = (whole**2).sum(axis=1).max()
    peer = LinearSVC(
        C=1 / square, loss="hinge", fit_intercept=False, tol=1e-9, max_iter=10**6, random_state=0
    ).fit(whole, y)
    ours, theirs = (textbook(u, X, y, constant) for u in (best.vector, peer.coef_[0]))
    assert ours == pytest.approx(theirs, rel=1e-4)
    assert best.margin is None


def test_no_comparator_on_a_grid_is_better():
    X, y, _ = noisy(7, rows=40, d=2)
    best = filled(X, y, constant=0.0).best()
    grid = np.linspace(-4, 4, 81)
    least = min(textbook(np.array([a, b, 0]), X, y, 0) for a, b in itertools.product(grid, grid))
    assert textbook(best.vector, X, y, 0.0) <= least * (1 + 1e-6)


def test_length_and_loss_are_rounded_up_and_the_margin_down():
    for seed in range(20):
        for X, y, _ in (noisy(seed, rows=30), separable(seed, rows=30)):
            kept = filled(X, y)
            best = kept.best()
            whole = np.column_stack([X, np.ones(len(y))])
            exact = [math.fsum(a * b for a, b in zip(x, best.vector, strict=True)) for x in whole]
            scores = y * np.array(exact)
            assert best.norm >= math.sqrt(math.fsum(v * v for v in best.vector))
            assert best.loss >= math.fsum(np.maximum(1 - scores, 0))
            assert kept.radius >= max(math.sqrt(math.fsum(v * v for v in x)) for x in whole)
            if best.margin is not None:
                assert best.margin <= scores.min() / np.linalg.norm(best.vector)
                assert scores.min() >= 1  # so that its loss of zero is true


@pytest.mark.parametrize("seed", range(6))
def test_separable_examples_get_the_separator_of_largest_margin(seed):
    X, y, v = separable(seed, rows=60, margin=0.15)
    best = filled(X, y, constant=0.0).best()
    assert best.loss == 0.0
    assert best.margin >= (y * (X @ v)).min() - 1e-4
    found, ceiling = filled(X, y, constant=0.0).widest(0.0)
    assert found.margin <= ceiling
    assert ceiling == pytest.approx(found.margin, rel=1e-3)


@pytest.mark.parametrize("thin", [False, True])
@pytest.mark.parametrize("unit", [False, True])
def test_the_widest_margin_is_exact_and_proved(unit, thin):
    for seed in range(4):
        X, y, _ = separable(seed, rows=80, margin=0.05)
        kept = filled(X, y, unit=unit, thin=thin)
        found, ceiling = kept.widest(0.0)
        whole = np.column_stack([X, np.ones(len(y))])
        if unit:
            whole /= np.linalg.norm(whole, axis=1, keepdims=True)
        truth = widest_margin(whole * y[:, None])
        assert found.margin == pytest.approx(truth, rel=1e-8)
        assert found.margin <= ceiling <= found.margin * (1 + 1e-8)
        scores = y * (whole @ found.vector)
        assert scores.min() >= 1 - 1e-15
        assert found.norm >= np.linalg.norm(found.vector)


def test_many_features_are_left_to_descent():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(140, 150)), rng.choice([-1.0, 1.0], 140)
    exact = max_margin(X, y, constant=1.0).margin
    found, ceiling = filled(X, y).widest(0.0)
    assert found.margin <= exact * (1 + 1e-9)
    assert exact <= ceiling
    assert found.margin == pytest.approx(exact, rel=2e-2)


def test_a_ceiling_proves_that_no_vector_is_so_wide():
    X, y, _ = noisy(2, rows=60)
    found, ceiling = filled(X, y).widest(0.05)
    assert found is None
    assert ceiling < 0.05
    rng = np.random.default_rng(0)
    for u in rng.normal(size=(2000, X.shape[1] + 1)):
        margins = y * (X @ u[:-1] + u[-1]) / np.linalg.norm(u)
        assert margins.min() <= ceiling


def test_margins_that_promise_next_to_nothing_are_not_looked_for():
    # Two opposite examples a hair apart: the margin exists, and allows a billion mistakes.
    X, y = np.array([[1.0, 1e-5], [1.0, -1e-5]]), np.array([1, -1])
    assert filled(X, y, constant=0.0).best().margin is None


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.floats(0.01, 10))
def test_every_vector_gives_a_valid_bound_for_the_perceptron(seed, scale):
    # Played on the kept examples alone, the perceptron errs on at most as many as any u allows.
    X, y, v = noisy(seed % 997, rows=30)
    w, missed = np.zeros(X.shape[1]), []
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        if label * (w @ x) <= 0:
            w, missed = w + label * x, [*missed, t]
    u = scale * (v + np.random.default_rng(seed).normal(size=len(v)))
    loss = np.maximum(1 - y[missed] * (X[missed] @ u), 0).sum()
    radius = np.linalg.norm(X[missed], axis=1).max()
    bound = perceptron_hinge_mistakes(radius * 1.000001, np.linalg.norm(u), loss)
    assert len(missed) <= bound


def test_the_sharp_form_at_zero_says_nothing():
    # Why the comparator is chosen by the textbook form: with u = 0 the bound is the count itself.
    assert perceptron_hinge_mistakes(radius=1, norm=0, hinge_loss=37) == 37


# The cap


@pytest.mark.parametrize("thin", [False, True])
@pytest.mark.parametrize("parts", [1, 4])
def test_beyond_the_cap_the_comparator_is_the_sum_of_all_examples(thin, parts):
    X, y, _ = noisy(5, rows=100)
    capped = filled(X, y, cap=10, parts=parts, thin=thin)
    assert (capped.count, capped.kept, capped.complete) == (100, 10, False)
    assert capped.radius == pytest.approx(filled(X, y).radius)
    assert capped.best() is None
    best = capped.best(total(X, y))
    whole = np.column_stack([X, np.ones(len(y))])
    loss = np.maximum(1 - y * (whole @ best.vector), 0).sum()
    assert best.loss == pytest.approx(loss)
    assert best.loss >= loss
    assert best.norm == pytest.approx(1 / capped.radius)
    assert best.margin is None


def test_a_sum_in_single_precision_is_trusted_less():
    X, y, _ = noisy(5, rows=100)
    capped = filled(X, y, cap=10)
    wide = capped.best(total(X, y))
    narrow = capped.best(total(X, y).astype(np.float32))
    assert narrow.loss > wide.loss
    assert narrow.loss == pytest.approx(wide.loss, rel=1e-4)


def test_wide_examples_are_kept_until_they_fill_the_cells():
    kept = filled(np.zeros((7, 2_500_000)), np.ones(7), parts=7)
    assert (kept.kept, kept.count) == (4, 7)


def test_below_the_cap_the_sum_is_not_needed():
    X, y, _ = noisy(5, rows=50)
    kept = filled(X, y)
    assert kept.best(total(X, y)) is kept.best()


# Keeping


@pytest.mark.parametrize("thin", [False, True])
def test_parts_and_singles_keep_the_same_as_the_whole(thin):
    X, y, _ = noisy(9, rows=30)
    whole = filled(X, y, thin=thin).examples()
    for other in (filled(X, y, parts=7, thin=thin), _one_by_one(X, y)):
        rows, ones, signs = other.examples()
        assert np.array_equal(ones, whole[1])
        assert np.array_equal(signs, whole[2])
        assert all(np.array_equal(rows.row(t), whole[0].row(t)) for t in range(30))


def _one_by_one(X, y):
    kept = Hindsight()
    for x, label in zip(X, y, strict=True):
        kept.add_one(x, float(label), 1.0)
    return kept


def test_singles_and_blocks_stay_in_order():
    kept = Hindsight()
    kept.add_one(np.array([1.0]), 1.0, 1.0)
    kept.add(Rows.of(np.array([[2.0, 5.0]])), np.array([0]), np.array([-1.0]), 1.0)
    kept.add_one(np.array([3.0, 0.0, 6.0]), 1.0, 1.0)
    rows, ones, signs = kept.examples()
    assert rows.dense.tolist() == [[1, 0, 0], [2, 5, 0], [3, 0, 6]]
    assert (ones.tolist(), signs.tolist()) == ([1, 1, 1], [1, -1, 1])


def test_the_cap_holds_for_singles_too():
    kept = Hindsight(cap=3)
    for value in (1.0, 2.0, 3.0, 10.0):
        kept.add_one(np.array([value]), 1.0, 0.0)
    assert (kept.kept, kept.count) == (3, 4)
    assert kept.radius == pytest.approx(10.0)


def test_no_kept_example_is_the_callers_memory():
    X, y, _ = noisy(3, rows=20)
    kept, single = filled(X, y), Hindsight()
    row = X[0].copy()
    single.add_one(row, 1.0, 0.0)
    before = kept.best().vector
    X[...], row[...] = 0.0, 0.0
    assert np.array_equal(filled(*noisy(3, rows=20)[:2]).best().vector, before)
    assert single.examples()[0].dense.any()


def test_unit_examples_are_scaled_with_their_constant():
    X = np.array([[3.0, 0.0], [0.0, 4.0]])
    for thin in (False, True):
        kept = filled(X, [1, -1], unit=True, thin=thin)
        rows, ones, _ = kept.examples()
        assert np.allclose(rows.squares() + ones**2, 1.0)
        assert ones[0] == pytest.approx(1 / math.sqrt(10))
        assert kept.radius == 1.0


def test_nothing_kept_means_nothing_known():
    kept = Hindsight()
    assert (kept.radius, kept.best(), kept.count) == (0.0, None, 0)
    assert Hindsight(unit=True).radius == 0.0


def test_examples_without_length_lose_one_each():
    kept = filled(np.zeros((3, 2)), np.ones(3), constant=0.0)
    best = kept.best()
    assert (best.norm, best.margin) == (0.0, None)
    assert best.loss == pytest.approx(3.0)
    beyond = filled(np.zeros((3, 2)), np.ones(3), constant=0.0, cap=1).best(np.zeros(3))
    assert beyond.loss == pytest.approx(3.0)


def test_forgotten_examples_stay_counted_and_measured():
    kept = filled(np.array([[3.0], [4.0]]), [1, -1], constant=0.0)
    kept.add_one(np.array([5.0]), 1.0, 0.0)
    kept.forget()
    assert (kept.kept, kept.count, kept.complete) == (0, 3, False)
    assert kept.radius == pytest.approx(5.0)
    assert len(kept.examples()[2]) == 0
