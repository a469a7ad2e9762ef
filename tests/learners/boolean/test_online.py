from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from assay import Halving, KTermDNF, OnlineDisjunction
from assay.errors import UnknownName
from tests.learners.boolean.shared import refuses

LEARNERS = pytest.mark.parametrize("learner", [OnlineDisjunction, Halving, KTermDNF])


@LEARNERS
def test_sparse_entries_that_stand_twice_add_up(learner):
    halves = sparse.csr_matrix(
        (np.array([0.5, 0.5, 1.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2)
    )
    model = learner().fit(halves, [1, 0])
    assert model.formula_ == learner().fit(np.eye(2), [1, 0]).formula_
    assert model.predict(halves).tolist() == [1, 0]
    assert halves.nnz == 3  # what was given is left as it was


@LEARNERS
def test_names_of_a_table_are_those_of_the_formula(learner):
    X = pd.DataFrame(np.eye(2), columns=["odor=foul", "spore_print=green"])
    assert "odor=foul" in learner().fit(X, [1, 0]).formula_


@LEARNERS
def test_no_constant_that_no_theorem_knows(learner):
    model = learner().fit(np.eye(2), [1, 0])
    with pytest.raises(UnknownName, match="has no guarantee from 'radius'"):
        model.guarantees(radius=1)


def test_truth_values_are_numbers():
    X = np.eye(3, dtype=bool)
    assert OnlineDisjunction().fit(X, [True, False, False]).formula_ == "x0"
    assert OnlineDisjunction().fit(X.astype(np.int8), [1, 0, 0]).formula_ == "x0"


def test_the_refusal_of_a_cell():
    X = np.zeros((5, 2))
    X[3, 1] = 2.0
    with refuses("Features must be 0 or 1, but row 3, column 1 holds 2.0."):
        OnlineDisjunction().fit(np.eye(2), [1, 0]).predict(X)
    with refuses("Features must be 0 or 1, but x['wet'] is 0.3."):
        OnlineDisjunction().learn_one({"wet": 0.3}, True)
