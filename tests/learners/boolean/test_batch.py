from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from assay import DisjunctionClassifier, FiniteClassERM
from tests.learners.boolean.shared import refuses

LEARNERS = pytest.mark.parametrize("learner", [DisjunctionClassifier, FiniteClassERM])


@LEARNERS
def test_nothing_before_it_is_fitted(learner):
    for ask in (lambda m: m.predict(np.eye(2)), lambda m: m.formula_, lambda m: m.guarantees()):
        with pytest.raises(NotFittedError):
            ask(learner())


@LEARNERS
def test_cells_that_are_no_numbers(learner):
    X = np.eye(3)
    X[2, 1] = np.nan
    for form in (np.asarray, sparse.csr_matrix):
        with refuses("Input X contains NaN or infinity: row 2, column 1 holds NaN."):
            learner().fit(form(X), [0, 1, 0])


@LEARNERS
def test_sparse_entries_that_stand_twice_add_up(learner):
    halves = sparse.csr_matrix(
        (np.array([0.5, 0.5, 1.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2)
    )
    model = learner().fit(halves, [1, 0])
    assert model.formula_ == learner().fit(np.eye(2), [1, 0]).formula_
    assert model.predict(halves).tolist() == [1, 0]
