"""Least squares: scikit-learn's solution, and degenerate samples."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression as Peer
from sklearn.linear_model import RANSACRegressor

from assay import LinearRegression, load, save
from assay.errors import BadData
from tests.scikit_checks import assert_checks_pass_but_those_named


def problem(seed, n=60, d=5, targets=None):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + 3
    shape = (n,) if targets is None else (n, targets)
    return rng, X, rng.standard_normal(shape)


@pytest.mark.parametrize("free", [True, False])
@pytest.mark.parametrize("targets", [None, 1, 3])
@pytest.mark.parametrize(("n", "d"), [(60, 5), (5, 8), (1, 3), (8, 1)])
def test_as_scikit_learn(n, d, targets, free):
    rng, X, y = problem(n + d, n, d, targets)
    for weights in (None, rng.random(n) + 0.1):
        ours = LinearRegression(fit_intercept=free).fit(X, y, weights)
        peer = Peer(fit_intercept=free).fit(X, y, weights)
        assert ours.coef_.shape == peer.coef_.shape
        assert np.shape(ours.intercept_) == np.shape(peer.intercept_)
        assert np.allclose(ours.coef_, peer.coef_, rtol=1e-8, atol=1e-8)
        assert np.allclose(ours.intercept_, peer.intercept_, rtol=1e-8, atol=1e-8)
        assert ours.rank_ == peer.rank_
        assert ours.predict(X).shape == peer.predict(X).shape


def test_the_residual_is_orthogonal_to_the_columns():
    _, X, y = problem(1)
    model = LinearRegression().fit(X, y)
    rest = y - model.predict(X)
    assert np.abs(X.T @ rest).max() < 1e-12
    assert abs(rest.sum()) < 1e-12
    [promise] = model.guarantees()
    assert promise.theorem == "ols-normal-equations"
    assert promise.applies
    assert 0 < promise.value < 1e-20


def test_of_many_solutions_the_shortest():
    _, X, y = problem(2, 30, 2)
    twice = np.hstack([X, X, np.ones((30, 1)), np.zeros((30, 1))])
    ours = LinearRegression().fit(twice, y)
    assert ours.rank_ == 2
    assert np.allclose(ours.predict(twice), Peer().fit(X, y).predict(X))
    assert np.allclose(ours.coef_[:2], ours.coef_[2:4])
    assert np.allclose(ours.coef_[4:], 0, atol=1e-12)
    [promise] = ours.guarantees()
    [assumption] = promise.assumptions
    assert assumption.status == "assumed"
    assert 0 < promise.value < 1e-18


def test_a_condition_whose_square_would_be_lost():
    # The normal equations would lose all digits: 1 + e^2 is 1.
    e = 1e-9
    X = np.array([[1.0, 1.0], [e, 0.0], [0.0, e]])
    model = LinearRegression(fit_intercept=False).fit(X, X @ [1.0, -2.0])
    assert np.allclose(model.coef_, [1.0, -2.0], rtol=1e-6)


def test_constant_rows_and_columns():
    model = LinearRegression().fit(np.ones((4, 2)), [1.0, 2.0, 3.0, 4.0])
    assert model.rank_ == 0
    assert model.predict(np.ones((1, 2))).tolist() == [2.5]
    assert model.guarantees() == []


def test_sparse_rows_give_what_dense_ones_give():
    rng, X, y = problem(3, 80, 6, 2)
    X[rng.random(X.shape) < 0.6] = 0
    weights = rng.random(80)
    for free in (True, False):
        ours = LinearRegression(fit_intercept=free).fit(sparse.csr_matrix(X), y, weights)
        dense = LinearRegression(fit_intercept=free).fit(X, y, weights)
        assert np.allclose(ours.coef_, dense.coef_, atol=1e-9)
        assert np.allclose(ours.predict(sparse.csr_matrix(X)), dense.predict(X), atol=1e-9)
        assert ours.guarantees() == []


def test_a_dense_fit_after_a_sparse_one_and_back():
    _, X, y = problem(4)
    model = LinearRegression().fit(X, y).fit(sparse.csr_matrix(X), y)
    assert not hasattr(model, "rank_")
    assert model.guarantees() == LinearRegression().guarantees() == []


def test_rows_are_left_as_they_were():
    _, X, y = problem(5)
    before = X.copy(), y.copy()
    LinearRegression().fit(X, y, np.full(len(y), 2.0))
    assert np.array_equal(X, before[0])
    assert np.array_equal(y, before[1])


def test_no_vector_does_better_than_the_promise_allows():
    # The excess of any fit is below its promise; a promise without its square is noticed.
    broken = 0
    for seed in range(40):
        rng, X, y = problem(seed, 20, 4)
        model = LinearRegression().fit(X, y)
        best = np.sum((y - model.predict(X)) ** 2)
        model.coef_ = model.coef_ + rng.standard_normal(4) * 10.0 ** rng.integers(-3, 1)
        targets = y[:, None]
        coef, free = model.coef_[None], np.array([model.intercept_])
        model.left_ = model._left(X, targets, coef, free, None)
        excess = np.sum((y - model.predict(X)) ** 2) - best
        [promise] = model.guarantees()
        assert excess <= promise.value * (1 + 1e-9)
        broken += excess > promise.value / 100
    assert broken > 0


def test_refusals():
    with pytest.raises(BadData, match="sample_weight must hold finite numbers, zero or more"):
        LinearRegression().fit([[1.0], [2.0]], [1.0, 2.0], [1.0, -1.0])
    with pytest.raises(ValueError, match="NaN"):
        LinearRegression().fit([[1.0], [np.nan]], [1.0, 2.0])


def test_saved_and_loaded(tmp_path):
    for targets in (None, 2):
        _, X, y = problem(6, targets=targets)
        model = LinearRegression().fit(X, y)
        save(model, tmp_path / "a.assay")
        again = load(tmp_path / "a.assay")
        assert again.predict(X).tobytes() == model.predict(X).tobytes()
        assert again.guarantees() == model.guarantees()


def test_a_file_whose_weights_do_not_fit(tmp_path):
    _, X, y = problem(7)
    model = LinearRegression().fit(X, y)
    model.coef_ = model.coef_[:3].copy()
    save(model, tmp_path / "a.assay")
    with pytest.raises(BadData, match="coef_ is of another kind or size"):
        load(tmp_path / "a.assay")


def test_scikit_learns_checks():
    assert_checks_pass_but_those_named(LinearRegression())


@pytest.mark.parametrize("sparse_rows", [False, True])
def test_weights_of_zero_or_more_promise_nothing(sparse_rows):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((50, 4))
    y = X @ [1.0, -2, 0.5, 0] + 1 + 0.1 * rng.standard_normal(50)
    given = sparse.csr_matrix(X) if sparse_rows else X
    model = LinearRegression(positive=True).fit(given, y)
    assert np.allclose(model.coef_, Peer(positive=True).fit(X, y).coef_)
    assert model.guarantees() == []
    assert not hasattr(model, "singular_")


def test_single_precision_is_kept():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((30, 3)).astype(np.float32)
    model = LinearRegression(n_jobs=2, copy_X=False, tol=1.0).fit(X, X @ np.ones(3))
    assert model.coef_.dtype == model.intercept_.dtype == model.predict(X).dtype == np.float32
    # The promise is about the rounded weights.
    assert 0 < model.guarantees()[0].value < 1e-10


def test_ransac_knows_how_few_rows_give_a_fit():
    """It asks of which class the model is: of any other it does not know, and refuses."""
    _, X, y = problem(4)
    y[:40] = X[:40].sum(axis=1)
    ours = RANSACRegressor(LinearRegression(), random_state=0).fit(X, y)
    peer = RANSACRegressor(Peer(), random_state=0).fit(X, y)
    assert ours.inlier_mask_.tolist() == peer.inlier_mask_.tolist()
    assert np.allclose(ours.estimator_.coef_, 1.0, atol=0.2)
