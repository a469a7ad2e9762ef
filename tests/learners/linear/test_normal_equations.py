"""What is left of the normal equations, never below the exact number."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from assay.learners.linear import left_over


def exact(X, y, w, b, s, penalty, centred):
    """The squared length of the gradient, and what a better intercept would save, in fractions."""
    X, y, w, s = ([[Fraction(v) for v in row] for row in np.atleast_2d(a)] for a in (X, y, w, s))
    [y], [w], [s], b, penalty = y, w, s, Fraction(b), Fraction(penalty)
    r = [
        yi - sum(a * c for a, c in zip(row, w, strict=True)) - b
        for row, yi in zip(X, y, strict=True)
    ]
    total = sum(a * c for a, c in zip(s, r, strict=True))
    offset = Fraction(0)
    if centred:
        offset = total**2 / sum(s)
        r = [v - total / sum(s) for v in r]
    pulled = [
        sum(a * v * row[j] for a, v, row in zip(s, r, X, strict=True)) - penalty * w[j]
        for j in range(len(w))
    ]
    return sum(v * v for v in pulled), offset


@pytest.mark.parametrize("seed", range(60))
def test_never_below_the_exact_number_and_near_it(seed):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(1, 12, 2)
    X = rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 4) + rng.integers(0, 100)
    y = rng.standard_normal(n)
    w, b = rng.standard_normal(d), float(rng.standard_normal())
    s = rng.random(n) + 0.1 if seed % 2 else None
    penalty, centred = float(rng.random()), bool(seed % 3)
    if seed % 5 == 0:  # near the solution everything cancels
        w = np.linalg.lstsq(X, y - b, rcond=None)[0]
    rows = sparse.csr_matrix(X) if seed % 4 == 0 else X
    terms = {"penalty": np.array([penalty]), "centred": centred}
    [gradient], [offset] = left_over(rows, y[:, None], w[None], np.array([b]), s, **terms)
    squared, moved_by = exact(X, y, w, b, np.ones(n) if s is None else s, penalty, centred)
    assert Fraction(gradient) ** 2 >= squared
    assert Fraction(offset) >= moved_by
    size = (
        1e-9 * np.abs(X).max() * (np.abs(y).sum() + np.abs(X).sum() * np.abs(w).max() + abs(b) * n)
    )
    assert gradient <= float(squared) ** 0.5 * (1 + 1e-6) + size


def test_plain_floats_would_fall_below():
    below = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = rng.standard_normal((9, 3)), rng.standard_normal(9)
        w = np.linalg.lstsq(X, y, rcond=None)[0]
        squared, _ = exact(X, y, w, 0, np.ones(9), 0, False)
        below += Fraction(float(np.linalg.norm(X.T @ (y - X @ w)))) ** 2 < squared
    assert below > 0
