from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from assay.learners.linear.disjunction import (
    Disjunction,
    literal_name,
    smallest_disjunction,
    threshold_formula,
)


def truth(X, literals):
    """What a disjunction says about each row."""
    columns = [X[:, j] == sign for j, sign in literals]
    return np.any(columns, axis=0) if columns else np.zeros(len(X), dtype=bool)


def smallest_by_force(X, y, negations):
    """The size of the smallest disjunction that agrees, by trying all of them; None if none does."""
    d = X.shape[1]
    literals = [(j, True) for j in range(d)] + [(j, False) for j in range(d) if negations]
    for size in range(len(literals) + 1):
        for chosen in combinations(literals, size):
            if np.array_equal(truth(X, chosen), y > 0):
                return size
    return None


@pytest.mark.parametrize("negations", [False, True])
@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1))
def test_one_is_found_if_and_only_if_there_is_one(negations, seed):
    rng = np.random.default_rng(seed)
    X = (rng.random((int(rng.integers(1, 7)), int(rng.integers(1, 5)))) < 0.5).astype(float)
    y = rng.choice([-1.0, 1.0], size=len(X))
    least = smallest_by_force(X, y, negations)
    for rows in (X, sparse.csr_matrix(X)):
        found = smallest_disjunction(rows, y, negations, X.shape[1])
        assert found.consistent == (least is not None)
        if found.consistent:
            assert np.array_equal(truth(X, found.literals), y > 0)
            assert least <= len(found.literals) <= max(2 * least, 1)  # greedy, but not far off


def test_no_positive_examples_need_no_literal():
    assert smallest_disjunction(np.ones((2, 3)), -np.ones(2), False, 3) == Disjunction(True, (), 2)
    assert smallest_disjunction(np.zeros((0, 3)), np.zeros(0), True, 3) == Disjunction(True, (), 0)


def test_evidence_as_text():
    found = Disjunction(True, ((0, True), (2, False)), 7)
    assert found.told(None) == (
        "'x0 or not x2' agrees with all 7 mistaken examples; the others changed nothing"
    )
    assert found.told(["a", "b", "c"]).startswith("'a or not c' agrees")
    assert Disjunction(True, (), 1).told(None).startswith("'false' agrees with all 1")
    many = Disjunction(True, tuple((j, True) for j in range(13)), 50)
    assert " or x9 or 3 more' agrees" in many.told(None)
    assert Disjunction(False, (), 3).told(None) == (
        "a mistaken positive example sets nothing that no mistaken negative example sets, so no "
        "disjunction agrees with both"
    )


def test_names_of_literals():
    assert literal_name(4, True, None) == "x4"
    assert literal_name(0, False, ["vote"]) == "not vote"


@pytest.mark.parametrize(
    ("weights", "negated", "formula"),
    [
        ([1, 1], [], "x0 + x1 >= 2"),
        ([2, 0.5], [], "x0"),
        ([2, 2], [], "x0 or x1"),
        ([0.5, 0.5], [], "false"),
        ([4, 2, 2, 1], [], "x0 or (2 x1 + 2 x2 + x3 >= 4)"),
        ([1, 4], [1, 0.5], "x1"),  # x0 and not x0 are never both true
        ([2, 4], [0.5, 2], "x1 or (2 x0 + 2 not x1 + 0.5 not x0 >= 4)"),
        ([0.25, 0.25], [4, 0.25], "not x0"),
    ],
)
def test_a_threshold_as_a_formula(weights, negated, formula):
    assert threshold_formula(np.array(weights, float), np.array(negated, float), None) == formula


@given(st.integers(1, 6), st.booleans(), st.integers(0, 2**32 - 1))
def test_a_formula_without_a_sum_says_exactly_what_the_weights_say(d, negations, seed):
    rng = np.random.default_rng(seed)
    w = 2.0 ** rng.integers(-6, 5, size=d)
    v = 2.0 ** rng.integers(-6, 5, size=d if negations else 0)
    formula = threshold_formula(w, v, None)
    if ">=" in formula:
        return
    X = (np.arange(2**d)[:, None] >> np.arange(d)) & 1
    said = X @ w + ((1 - X) @ v if negations else 0) >= d * (1 + negations)
    literals = [] if formula == "false" else formula.split(" or ")
    chosen = [(int(text.split("x")[1]), not text.startswith("not ")) for text in literals]
    assert np.array_equal(truth(X, chosen), said)
