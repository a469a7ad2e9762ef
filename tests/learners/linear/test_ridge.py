"""Ridge regression: both forms, scikit-learn's solution, and samples that are hard on them."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge as Peer

from assay import LinearRegression, Ridge, load, save
from assay.errors import BadParameter
from assay.learners.linear import least_squares_above_zero, left_over
from assay.record.ridge import RidgeRecord
from tests.refusals import refuses
from tests.scikit_checks import assert_checks_pass_but_those_named


def problem(seed, n=60, d=5, targets=None):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + 1
    shape = (n,) if targets is None else (n, targets)
    return rng, X, rng.standard_normal(shape)


def objective(model, X, y, weights=None):
    weights = np.ones(len(y)) if weights is None else weights
    rest = (y - model.predict(X)) ** 2
    return np.sum(weights * rest.T) + np.sum(model.alpha * (model.coef_.astype(float) ** 2).T)


def test_the_smallest_problem():
    # x = (1, 2), y = (1, 2), penalty 1: w = 5/6.
    for solver in ("primal", "dual"):
        model = Ridge(fit_intercept=False, solver=solver).fit([[1.0], [2.0]], [1.0, 2.0])
        assert model.coef_ == pytest.approx([5 / 6], rel=1e-15)


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("targets", [None, 3])
@pytest.mark.parametrize(("n", "d"), [(60, 5), (5, 9), (1, 3), (8, 1)])
def test_both_forms_agree_and_are_scikit_learns(n, d, targets, free):
    rng, X, y = problem(n + d, n, d, targets)
    for weights in (None, rng.random(n) + 0.1):
        for rows in (X, sparse.csr_matrix(X)):
            peer = Peer(0.7, fit_intercept=free).fit(X, y, weights)
            for solver in ("auto", "primal", "dual"):
                model = Ridge(0.7, fit_intercept=free, solver=solver).fit(rows, y, weights)
                assert model.coef_.shape == peer.coef_.shape
                assert np.shape(model.intercept_) == np.shape(peer.intercept_)
                assert np.allclose(model.coef_, peer.coef_, rtol=1e-9, atol=1e-10)
                assert np.allclose(model.predict(rows), peer.predict(X), rtol=1e-9, atol=1e-10)
                wanted = ("dual" if d > n else "primal") if solver == "auto" else solver
                assert model.form_ == wanted
                [promise] = model.guarantees()
                assert promise.value < 1e-20


def test_a_penalty_for_each_target():
    _, X, y = problem(1, targets=3)
    alpha = np.array([0.1, 1.0, 10.0])
    for solver in ("primal", "dual"):
        model = Ridge(alpha, solver=solver).fit(X, y)
        assert np.allclose(model.coef_, Peer(alpha).fit(X, y).coef_, rtol=1e-9)
        assert model.guarantees()[0].value < 1e-20


def test_one_column_of_targets_is_predicted_as_scikit_learn_does():
    _, X, y = problem(8, targets=1)
    model, peer = Ridge().fit(X, y), Peer().fit(X, y)
    assert model.coef_.shape == peer.coef_.shape == (5,)
    assert model.intercept_.shape == peer.intercept_.shape == (1,)
    assert model.predict(X).shape == peer.predict(X).shape == (len(X),)


def test_the_sum_of_squares_is_not_a_mean():
    # Every row twice with twice the penalty is the same problem.
    _, X, y = problem(2)
    twice = Ridge(2.0).fit(np.vstack([X, X]), np.concatenate([y, y]))
    assert np.allclose(twice.coef_, Ridge(1.0).fit(X, y).coef_)


@pytest.mark.parametrize("solver", ["primal", "dual"])
def test_no_penalty_is_least_squares(solver):
    _, X, y = problem(3)
    X = np.hstack([X, X[:, :1]])  # and a column that repeats another
    model = Ridge(0.0, solver=solver).fit(X, y)
    assert model.form_ == "svd"
    assert np.allclose(model.coef_, LinearRegression().fit(X, y).coef_)
    assert model.guarantees() == []


@pytest.mark.parametrize("alpha", [1e-14, 1e-9, 1e-3, 1e9])
@pytest.mark.parametrize("solver", ["primal", "dual"])
def test_tiny_and_huge_penalties_on_repeated_columns(alpha, solver):
    rng, X, _ = problem(4, 40, 4)
    X = np.hstack([X, X, 1e3 * X[:, :1], np.ones((40, 2))])
    y = X @ rng.standard_normal(X.shape[1])
    model = Ridge(alpha, solver=solver).fit(X, y)
    peer = Peer(alpha, solver="svd").fit(X, y)
    assert objective(model, X, y) <= objective(peer, X, y) * (1 + 1e-6) + 1e-12
    assert np.allclose(model.predict(X), peer.predict(X), rtol=1e-5, atol=1e-5)


def test_large_sparse_systems_are_only_multiplied_by():
    rng, n = np.random.default_rng(5), 5100
    X = 3 * sparse.identity(n, format="csr") + sparse.random(n, n, 3 / n, "csr", random_state=0)
    y, weights = rng.standard_normal(n), rng.random(n) + 0.1
    model = Ridge(0.5).fit(X, y, weights)
    assert model.form_ == "lsqr"
    rest = weights * (y - X @ model.coef_ - model.intercept_)
    assert np.allclose(X.T @ rest, 0.5 * model.coef_, atol=1e-7)
    assert abs(rest.sum()) < 1e-7
    # What it stops short of is in the receipt.
    assert 1e-30 < model.guarantees()[0].value < 1e-10


def test_the_receipt_is_never_below_the_excess():
    broken = 0
    for seed in range(60):
        rng, X, y = problem(seed, 15, 4)
        alpha = 10.0 ** rng.integers(-3, 3)
        weights = rng.random(15) + 0.1 if seed % 2 else None
        best = Ridge(alpha).fit(X, y, weights)
        off = best.coef_ + rng.standard_normal(4) * 10.0 ** rng.integers(-4, 1)
        level = best.intercept_ + rng.standard_normal()
        terms = {"penalty": np.array([alpha]), "centred": True}
        gradient, offset = left_over(X, y[:, None], off[None], np.array([level]), weights, **terms)
        least = objective(best, X, y, weights)
        best.coef_, best.intercept_ = off, level
        distance = float(np.sqrt((gradient[0] / alpha) ** 2 + offset[0] / alpha))
        best.record_ = RidgeRecord(alpha, distance)
        excess = objective(best, X, y, weights) - least
        promise = best.guarantees()[0].value
        assert excess <= promise * (1 + 1e-9)
        # Forgetting the intercept would be noticed.
        broken += excess > gradient[0] ** 2 / alpha
    assert broken > 0


def test_one_row_and_constant_columns():
    model = Ridge().fit([[1.0, 2.0]], [3.0])
    assert model.coef_.tolist() == [0.0, 0.0]
    assert model.intercept_ == 3.0
    model = Ridge().fit(np.ones((4, 2)), [1.0, 2.0, 3.0, 4.0])
    assert np.allclose(model.predict([[1.0, 1.0]]), 2.5)


def test_refusals():
    X, y = [[1.0], [2.0]], [1.0, 2.0]
    must = "a finite number, zero or more, or one such for each target"
    for alpha in (-1.0, np.nan, np.inf, True, None, "1e-3x"):
        with refuses(f"alpha must be {must}, but is {alpha!r}."):
            Ridge(alpha).fit(X, y)
    sentence = "alpha must be one number, or one for each target, but there are 1 targets"
    with pytest.raises(BadParameter, match=sentence):
        Ridge(np.ones(2)).fit(X, y)
    names = "auto, primal, dual, svd, cholesky, lsqr, sparse_cg, sag, saga, lbfgs"
    with refuses(f"solver must be one of {names}, but is 'qr'."):
        Ridge(solver="qr").fit(X, y)
    with refuses(
        "solver must be another than 'lbfgs', but is 'lbfgs'. Without positive=True take 'auto'."
    ):
        Ridge(solver="lbfgs").fit(X, y)
    with refuses(
        "solver='dual' does not support positive weights. Take 'auto', or set positive=False."
    ):
        Ridge(solver="dual", positive=True).fit(X, y)


@pytest.mark.parametrize("sparse_rows", [False, True])
@pytest.mark.parametrize("columns", [None, 2])
def test_weights_of_zero_or_more(sparse_rows, columns):
    rng, X, y = problem(3, targets=columns)
    y = y + (X @ [1.0, -1, 2, 0, -3]).reshape(len(y), *[1] * (columns is not None))
    weights = rng.uniform(0.5, 2, len(y))
    model = Ridge(2.0, positive=True).fit(sparse.csr_matrix(X) if sparse_rows else X, y, weights)
    peer = Peer(2.0, positive=True, tol=1e-12).fit(X, y, weights)
    assert (model.coef_ >= 0).all()
    assert (model.coef_ == 0).any()
    assert np.allclose(model.coef_, peer.coef_, atol=1e-6)
    assert objective(model, X, y, weights) <= objective(peer, X, y, weights) * (1 + 1e-9)
    # The theorem is about the best weights of any sign, which these are far from.
    assert model.guarantees() == []
    assert model.record_.distance == np.inf


@pytest.mark.parametrize("sparse_rows", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_projected_steps_find_the_weights_of_the_active_set(weighted, sparse_rows):
    rng, X, y = problem(4, targets=3)
    means, penalties = X.mean(axis=0), np.array([0.0, 1.0, 5.0])
    weights = rng.uniform(0.5, 2, len(X)) if weighted else None
    rows = sparse.csr_matrix(X) if sparse_rows else X
    one, other = (
        least_squares_above_zero(rows, means, weights, y + X[:, :3], penalties=penalties, few=few)
        for few in (0, 9)
    )
    assert np.allclose(one, other, atol=1e-7)
    assert (one == 0).any()


@pytest.mark.parametrize("name", ["cholesky", "lsqr", "sparse_cg", "sag", "saga", "svd"])
def test_scikit_learns_solvers_find_the_weights_that_all_find(name):
    _, X, y = problem(4)
    model = Ridge(solver=name, tol=1e3, max_iter=1, random_state=0, copy_X=False).fit(X, y)
    assert np.allclose(model.coef_, Peer().fit(X, y).coef_, rtol=1e-10)
    assert model.form_ == ("svd" if name == "svd" else "primal")
    assert model.solver_ == name
    assert Ridge().fit(X, y).solver_ == Peer().fit(X, y).solver_ == "cholesky"
    assert Ridge(positive=True).fit(X, y).solver_ == Peer(positive=True).fit(X, y).solver_
    assert model.n_iter_ is None


@pytest.mark.parametrize("columns", [None, 2])
def test_single_precision_is_kept_and_costs_what_is_said(columns):
    _, X, y = problem(5, targets=columns)
    X = X.astype(np.float32)
    wide = X.astype(np.float64)
    model, exact = Ridge(0.5).fit(X, y), Ridge(0.5).fit(wide, y)
    assert model.coef_.dtype == model.intercept_.dtype == np.float32
    assert model.predict(X).dtype == np.float32
    assert model.predict(wide).dtype == np.float64
    # Rounded weights are further from the best ones, and the promise is about the rounded ones.
    rounded, best = (objective(m, wide, y) for m in (model, exact))
    assert 0 < rounded - best <= model.guarantees()[0].value + 1e-12
    assert model.guarantees()[0].value > exact.guarantees()[0].value


def test_saved_and_loaded(tmp_path):
    _, X, y = problem(6, targets=2)
    model = Ridge(np.array([1.0, 2.0])).fit(X, y)
    save(model, tmp_path / "a.assay")
    again = load(tmp_path / "a.assay")
    assert again.predict(X).tobytes() == model.predict(X).tobytes()
    assert again.guarantees() == model.guarantees()
    assert (again.form_, again.solver_) == (model.form_, model.solver_)


@pytest.mark.parametrize("solver", ["auto", "dual"])
def test_scikit_learns_checks(solver):
    assert_checks_pass_but_those_named(Ridge(solver=solver))
