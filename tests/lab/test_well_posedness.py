"""Condition and movement of ridge regression stay within what is promised; half of it would not do."""

from __future__ import annotations

import re

import numpy as np
import pytest

from assay import well_posedness
from assay.errors import BadParameter

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("seed", range(6))
def test_promises(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=rng.integers(1, 9, 2)) * 10.0 ** rng.integers(-2, 3)
    if X.shape[1] > 1:
        X[:, -1] = X[:, 0]
    X = np.vstack([X, X[:1]])
    y = rng.normal(size=len(X))
    posed = well_posedness(X, y, [1e-3, 1.0, 50.0, 2.0, 0.0], change=0.1, random_state=seed)
    assert all(step.holds for step in posed.steps)
    for step in posed.steps[:-1]:
        exact = np.linalg.cond(X.T @ X + step.penalty * np.eye(X.shape[1]))
        assert step.condition == pytest.approx(exact, rel=1e-6)
        w = np.linalg.solve(X.T @ X + step.penalty * np.eye(X.shape[1]), X.T @ y)
        assert step.norm == pytest.approx(np.linalg.norm(w), rel=1e-6, abs=1e-9)
    assert posed.rank == np.linalg.matrix_rank(X)
    assert np.isinf(posed.steps[-1].moved_promised)


def test_the_constant_is_the_smallest_there_is():
    """A singular value that is the root of the penalty moves the weights by all that is promised."""
    posed = well_posedness([[2.0], [0.0]], [1.0, 1.0], [4.0, 8.0], random_state=0)
    first = posed.steps[0]
    assert first.moved == pytest.approx(first.moved_promised)
    assert first.moved > 0.99 * first.moved_promised  # so that a smaller one would be broken


def test_a_singular_problem_is_ill_posed_without_a_penalty():
    X = RNG.normal(size=(5, 2))[:, [0, 0, 1]]
    posed = well_posedness(X, RNG.normal(size=5), [0.0, 1e-3])
    assert posed.steps[0].condition == np.inf
    assert posed.steps[1].condition < np.inf
    assert "rank 2" in str(posed)


def test_refusals():
    for how, sentence in (
        ({"penalties": [-1.0]}, "penalties must be finite numbers, zero or more, but is [-1.0]."),
        ({"change": 0.0}, "change must be a finite number above zero, but is 0.0."),
    ):
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            well_posedness([[1.0], [2.0]], [1.0, 2.0], **{"penalties": [1.0]} | how)
