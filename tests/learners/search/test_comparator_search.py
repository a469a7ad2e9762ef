import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC

from assay.learners.common.rows import Rows
from assay.learners.search.comparator_search import ComparatorSearch

MUCH = 10**8


def searched(X, y, cap, *, constant=1.0, work=MUCH, least=0.0):
    y = np.asarray(y, dtype=float)
    search = ComparatorSearch(Rows.of(X), np.full(len(y), constant), y)
    search.run(np.full(len(y), cap), work, least)
    return search


def noisy(seed, n=60, d=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.where(X[:, 0] + rng.normal(size=n) >= 0, 1.0, -1.0)


def price(u, X, y, cap):
    """Half the squared length plus the hinge losses times their cap."""
    whole = np.column_stack([X, np.ones(len(y))])
    return u @ u / 2 + cap * np.maximum(0, 1 - y * (whole @ u)).sum()


def test_separator_of_two_points():
    """On the line, 3 against -1: the nearer one decides, and gets a margin of one."""
    search = searched(np.array([[3.0], [-1.0]]), [1, -1], np.inf, constant=0.0)
    np.testing.assert_allclose(search.vector, [1.0, 0.0], atol=1e-5)
    np.testing.assert_allclose(search.margins(), [3.0, 1.0], atol=1e-4)
    assert search.norm == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("cap", [0.01, 1.0])
def test_the_vector_is_liblinears(cap):
    X, y = noisy(1)
    search = searched(X, y, cap)
    theirs = LinearSVC(loss="hinge", C=cap, tol=1e-8, max_iter=10**6, random_state=0).fit(X, y)
    other = np.append(theirs.coef_, theirs.intercept_)
    assert price(search.vector, X, y, cap) <= price(other, X, y, cap) * (1 + 1e-4)
    np.testing.assert_allclose(search.vector, other, atol=1e-2)


def test_the_vector_is_the_weighted_sum_of_the_examples():
    X, y = noisy(2)
    search = searched(X, y, 0.3)
    assert ((search.alpha >= 0) & (search.alpha <= 0.3)).all()
    np.testing.assert_allclose(search.u, (search.alpha * y) @ X, atol=1e-9)
    np.testing.assert_allclose(search.margins(), y * (X @ search.u + search.u0), atol=1e-12)


def test_a_search_is_taken_up_again_under_smaller_caps():
    X, y = noisy(3)
    search = searched(X, y, 1.0)
    search.run(np.full(len(y), 0.05), MUCH, 0.0)
    assert search.alpha.max() <= 0.05
    fresh = searched(X, y, 0.05)
    assert price(search.vector, X, y, 0.05) == pytest.approx(
        price(fresh.vector, X, y, 0.05), rel=1e-4
    )


def test_sparse_rows_have_the_same_vector():
    X, y = noisy(4)
    X[X < 0] = 0
    dense, thin = searched(X, y, 0.5), searched(sparse.csr_matrix(X), y, 0.5)
    np.testing.assert_allclose(dense.vector, thin.vector, rtol=1e-9, atol=1e-12)


def test_little_work_and_hopeless_margins_end_the_search_early():
    X, y = noisy(5, n=400)
    best, little = searched(X, y, 0.5), searched(X, y, 0.5, work=1)
    assert price(little.vector, X, y, 0.5) > price(best.vector, X, y, 0.5)
    hopeless = searched(X, y, np.inf, least=0.5)
    # No separator has a margin above the norm over the sum of the weights.
    assert hopeless.norm / hopeless.alpha.sum() < 0.5
