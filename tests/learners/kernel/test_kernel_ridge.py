"""Kernel ridge regression: scikit-learn's weights, leaving one out, and matrices that are hard on it."""

import numpy as np
import pytest
from scipy import linalg, sparse
from sklearn.kernel_ridge import KernelRidge as Peer
from sklearn.metrics.pairwise import rbf_kernel

from assay import KernelRidge, Ridge, load, save
from assay.errors import BadData, BadParameter
from assay.kernels import Gaussian, Linear
from tests.refusals import refuses
from tests.scikit_checks import assert_checks_pass_but_those_named


def problem(seed, n=50, d=3, targets=None):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    shape = (n,) if targets is None else (n, targets)
    return rng, X, rng.standard_normal(shape)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "laplacian", "cosine"])
@pytest.mark.parametrize("targets", [None, 1, 2])
def test_as_scikit_learn(kernel, targets):
    rng, X, y = problem(1, targets=targets)
    for weights in (None, rng.random(50)):
        for rows in (X, sparse.csr_matrix(X)):
            ours = KernelRidge(0.5, kernel=kernel).fit(rows, y, weights)
            peer = Peer(0.5, kernel=kernel).fit(rows, y, weights)
            assert ours.dual_coef_.shape == peer.dual_coef_.shape
            assert np.allclose(ours.dual_coef_, peer.dual_coef_, rtol=1e-7, atol=1e-9)
            assert np.allclose(ours.predict(rows), peer.predict(rows), rtol=1e-7, atol=1e-9)
            [promise] = ours.guarantees()
            assert promise.theorem == "ridge-primal-dual"
            assert promise.value < 1e-14


@pytest.mark.parametrize("alphas", [(0.1, 0.1), (0.1, 10.0)])
def test_a_penalty_for_each_target(alphas):
    _, X, y = problem(2, targets=2)
    ours = KernelRidge(np.array(alphas), kernel="rbf").fit(X, y)
    assert np.allclose(ours.dual_coef_, Peer(np.array(alphas), kernel="rbf").fit(X, y).dual_coef_)
    assert ours.guarantees()[0].value < 1e-14


def test_kernels_of_any_kind():
    _, X, y = problem(3)
    by_name = KernelRidge(kernel="rbf", gamma=0.3).fit(X, y).predict(X)
    assert np.allclose(KernelRidge(kernel=Gaussian(0.3)).fit(X, y).predict(X), by_name)
    function = KernelRidge(kernel=lambda A, B: rbf_kernel(A, B, gamma=0.3)).fit(X, y)
    assert np.allclose(function.predict(X), by_name)
    K = rbf_kernel(X, gamma=0.3)
    kept = K.copy()
    given = KernelRidge(kernel="precomputed").fit(K, y)
    assert np.allclose(given.predict(K), by_name)
    assert np.array_equal(K, kept)
    statuses = [m.guarantees()[0].assumptions[0].status for m in (function, given)]
    assert statuses == ["assumed", "assumed"]


def test_the_linear_kernel_is_ridge_regression():
    _, X, y = problem(4)
    ridge = Ridge(0.7, fit_intercept=False).fit(X, y)
    ours = KernelRidge(0.7).fit(X, y)
    assert np.allclose(X.T @ ours.dual_coef_, ridge.coef_)
    assert np.allclose(ours.dual_coef_, (y - X @ ridge.coef_) / 0.7)


def left_out(X, y, alpha, weights=None):
    """Every row predicted by a fit to the others."""
    found = np.empty_like(y)
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        some = None if weights is None else weights[rest]
        model = Peer(alpha, kernel="rbf", gamma=0.5).fit(X[rest], y[rest], some)
        found[i] = model.predict(X[i : i + 1])[0]
    return found


@pytest.mark.parametrize("targets", [None, 2])
def test_leaving_one_out_in_closed_form(targets):
    rng, X, y = problem(5, 25, targets=targets)
    weights = rng.random(25)
    weights[3] = 0
    for s in (None, weights):
        model = KernelRidge(0.2, kernel="rbf", gamma=0.5, loo=True).fit(X, y, s)
        assert model.loo_predictions_.shape == y.shape
        assert np.allclose(model.loo_predictions_, left_out(X, y, 0.2, s))
    assert not hasattr(model.set_params(loo=False).fit(X, y), "loo_predictions_")


def test_the_penalty_of_the_least_error_when_one_is_left_out():
    rng, X, _ = problem(6, 40, 1)
    y = np.sin(2 * X[:, 0]) + 0.3 * rng.standard_normal(40)
    alphas = [1e-4, 1e-2, 1.0, 100.0]
    model = KernelRidge(kernel="rbf", gamma=0.5, alphas=alphas, loo=True).fit(X, y)
    errors = [np.mean((y - left_out(X, y, alpha)) ** 2) for alpha in alphas]
    assert np.allclose(model.loo_errors_, errors)
    assert model.alpha_ == alphas[int(np.argmin(errors))]
    alone = KernelRidge(model.alpha_, kernel="rbf", gamma=0.5, loo=True).fit(X, y)
    assert np.allclose(alone.dual_coef_, model.dual_coef_)
    assert np.allclose(alone.loo_predictions_, model.loo_predictions_)
    assert model.guarantees()[0].value < 1e-10


def test_single_precision_is_near_and_its_receipt_says_how_near():
    _, X, y = problem(7, 200)
    double = KernelRidge(kernel="rbf").fit(X, y)
    single = KernelRidge(kernel="rbf", dtype="float32").fit(X, y)
    assert single.dual_coef_.dtype == single.predict(X).dtype == np.float32
    assert np.allclose(single.dual_coef_, double.dual_coef_, atol=1e-4)
    K = rbf_kernel(X)

    def objective(a):
        return np.sum((y - K @ a) ** 2) + a @ K @ a

    excess = objective(single.dual_coef_.astype(float)) - objective(double.dual_coef_)
    promise = single.guarantees()[0].value
    assert excess <= promise
    assert double.guarantees()[0].value < promise / 1e6


def test_repeated_rows_and_no_penalty():
    _, X, y = problem(8, 20)
    X = np.vstack([X, X])
    y = np.concatenate([y, y])
    model = KernelRidge(0.0, kernel="rbf").fit(X, y)
    assert np.allclose(model.predict(X), y, atol=1e-6)
    assert model.guarantees() == []


def test_a_penalty_lost_in_rounding_is_said():
    X = np.linspace(0, 1, 60)[:, None]
    model = KernelRidge(1e-25, kernel="rbf", gamma=1.0)
    with pytest.warns(linalg.LinAlgWarning, match="is lost in the rounding of the kernel matrix"):
        model.fit(X, X[:, 0])
    assert np.allclose(model.predict(X), X[:, 0], atol=1e-2)
    assert model.guarantees()[0].value > 1  # and the receipt says that this is not the minimum


@pytest.mark.parametrize("n", [1, 2])
def test_one_row_and_two(n):
    _, X, y = problem(9, n)
    for how in ({}, {"dtype": "float32"}, {"alphas": [1.0]}, {"loo": True}):
        model = KernelRidge(1.0, kernel="rbf", **how).fit(X, y)
        assert np.allclose(
            model.dual_coef_, np.linalg.solve(rbf_kernel(X) + np.eye(n), y), atol=1e-6
        )


def test_hardly_more_memory_than_the_matrix():
    import tracemalloc

    _, X, y = problem(10, 1500)
    KernelRidge(kernel="rbf", loo=True).fit(X[:50], y[:50])
    tracemalloc.start()
    KernelRidge(kernel="rbf").fit(X, y)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (
        most < 1.35 * 1500 * 1500 * 8
    )  # strips have a fixed size, and weigh more in a small matrix


def test_refusals():
    X, y = np.eye(3), [1.0, 2.0, 3.0]
    with refuses("dtype must be 'float64' or 'float32', but is 'float16'."):
        KernelRidge(dtype="float16").fit(X, y)
    for alphas in ([], [0.0], [1.0, -1.0], [np.inf]):
        with refuses(f"alphas must be a sequence of finite numbers above zero, but is {alphas!r}."):
            KernelRidge(alphas=alphas).fit(X, y)
    with pytest.raises(BadData, match="must be square, but has shape"):
        KernelRidge(kernel="precomputed").fit(X[:, :2], y)
    with pytest.raises(BadParameter, match="kernel must be a kernel"):
        KernelRidge(kernel="sigmoids").fit(X, y)
    with pytest.raises(BadParameter, match="alpha must be a finite number, zero or more"):
        KernelRidge(-1.0).fit(X, y)


@pytest.mark.parametrize(
    "terms",
    [
        {"kernel": "rbf", "gamma": "scale", "loo": True},
        {"kernel": 2 * Gaussian(0.5) + Linear()},
        {"dtype": "float32", "kernel": "poly"},
        {"alphas": [0.1, 1.0]},
        {"alpha": np.array([0.1, 1.0])},
    ],
)
def test_saved_and_loaded(terms, tmp_path):
    _, X, y = problem(11, targets=2)
    for rows in (X, sparse.csr_matrix(X)):
        model = KernelRidge(**terms).fit(rows, y)
        save(model, tmp_path / "a.assay")
        again = load(tmp_path / "a.assay")
        assert again.predict(rows).tobytes() == model.predict(rows).tobytes()
        assert again.guarantees() == model.guarantees()
        assert repr(again) == repr(model)


def test_saved_and_loaded_without_rows(tmp_path):
    _, X, y = problem(12)
    K = rbf_kernel(X)
    model = KernelRidge(kernel="precomputed").fit(K, y)
    save(model, tmp_path / "a.assay")
    assert load(tmp_path / "a.assay").predict(K).tobytes() == model.predict(K).tobytes()


def test_a_function_cannot_be_saved(tmp_path):
    with pytest.raises(BadParameter, match="This kernel-ridge cannot be saved"):
        save(KernelRidge(kernel=lambda A, B: A @ B.T), tmp_path / "a.assay")


def test_a_file_whose_weights_do_not_fit(tmp_path):
    _, X, y = problem(13)
    model = KernelRidge().fit(X, y)
    model.dual_coef_ = model.dual_coef_[:9].copy()
    save(model, tmp_path / "a.assay")
    with pytest.raises(BadData, match="is of another kind or size"):
        load(tmp_path / "a.assay")


@pytest.mark.parametrize("kernel", [pytest.param("linear", marks=pytest.mark.guarantees), "rbf"])
def test_scikit_learns_checks(kernel):
    assert_checks_pass_but_those_named(KernelRidge(kernel=kernel))


def test_a_function_is_told_its_parameters():
    _, X, y = problem(3)
    told = KernelRidge(kernel=rbf_kernel, kernel_params={"gamma": 0.25}).fit(X, y)
    named = KernelRidge(kernel="rbf", gamma=0.25, kernel_params={"gamma": 9.0}).fit(X, y)
    assert np.allclose(told.predict(X), named.predict(X), rtol=1e-9)
    plain = KernelRidge(kernel=rbf_kernel).fit(X, y)
    assert not np.allclose(told.predict(X), plain.predict(X), rtol=1e-2)
