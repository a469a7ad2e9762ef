"""Systems in the place of the kernel matrix, against dense inverses."""

import numpy as np
import pytest

from assay.learners.kernel.penalised import Factored, Spectrum


def problem(seed, n=30, rank=None):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((n, rank or n))
    return A @ A.T, rng.standard_normal((n, 2))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_by_factors(n, dtype):
    K, y = problem(n, n)
    near = {"rtol": 1e-9, "atol": 1e-10} if dtype is np.float64 else {"rtol": 1e-2, "atol": 1e-3}
    inverse = np.linalg.inv(K + np.eye(n))
    matrix = K.astype(dtype)
    factored = Factored(matrix, 1.0)
    assert factored.fine
    a = factored.solve(y.astype(dtype))
    assert a.dtype == dtype
    assert np.allclose(a, inverse @ y, **near)
    assert np.allclose(factored.times(a), K @ (inverse @ y), **near)
    assert np.allclose(
        factored.solve(y.astype(dtype)), inverse @ y, **near
    )  # the factors are still there
    assert np.allclose(factored.inverse_diagonal(), np.diag(inverse), **near)


def test_the_factors_lie_in_the_matrix():
    K, _ = problem(1)
    kept = K.copy()
    factored = Factored(K, 1.0)
    assert np.shares_memory(factored._K, K)
    assert np.array_equal(np.triu(K, 1), np.triu(kept, 1))
    assert not np.array_equal(np.tril(K, -1), np.tril(kept, -1))


def test_strips_of_the_inverse(monkeypatch):
    from assay.learners.kernel import penalised

    monkeypatch.setattr(penalised, "_STRIP", 70)
    K, _ = problem(2)
    inverse = np.diag(np.linalg.inv(K + np.eye(30)))
    assert np.allclose(Factored(K.copy(), 1.0).inverse_diagonal(), inverse)
    assert np.allclose(Spectrum(K).inverse_diagonals(np.array([1.0]))[:, 0], inverse)


def test_what_is_not_positive_is_said():
    assert not Factored(np.diag([1.0, -3.0]), 1.0).fine


def test_one_decomposition_for_many_penalties():
    K, y = problem(3)
    spectrum = Spectrum(K.copy())
    penalties = np.array([0.1, 5.0])
    both = spectrum.solve(y, penalties)
    diagonals = spectrum.inverse_diagonals(penalties)
    for place, penalty in enumerate(penalties):
        inverse = np.linalg.inv(K + penalty * np.eye(30))
        assert np.allclose(both[:, place], inverse @ y[:, place])
        assert np.allclose(diagonals[:, place], np.diag(inverse))


def test_without_a_penalty_the_shortest_solution():
    K, y = problem(4, rank=5)
    found = Spectrum(K.copy()).solve(y, np.zeros(2))
    assert np.allclose(found, np.linalg.pinv(K, rcond=1e-12, hermitian=True) @ y)
