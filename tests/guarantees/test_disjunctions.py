from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from assay.guarantees import disjunctions
from assay.guarantees.boolean_text import threshold_formula
from assay.guarantees.disjunctions import (
    Disjunction,
    disjunction_of,
    literal_text,
    smallest_disjunction,
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


@pytest.mark.parametrize("negations", [False, True])
@settings(max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), most=st.integers(0, 4))
def test_so_many_literals_are_enough_if_and_only_if_the_smallest_has_no_more(negations, seed, most):
    rng = np.random.default_rng(seed)
    X = (rng.random((int(rng.integers(1, 9)), int(rng.integers(1, 5)))) < 0.5).astype(float)
    y = np.where(X[:, : int(rng.integers(0, 4))].any(axis=1), 1.0, -1.0)
    y[0] = rng.choice([-1.0, 1.0])
    least = smallest_by_force(X, y, negations)
    for rows in (X, sparse.csr_matrix(X)):
        found = disjunction_of(most, rows, y, negations, X.shape[1])
        assert found.consistent == (least is not None and least <= most)
        if found.consistent:
            assert len(found.literals) <= most
            assert np.array_equal(truth(X, found.literals), y > 0)


def test_a_search_that_would_be_too_long_says_so(monkeypatch):
    X, y = np.eye(8), np.ones(8)
    assert not disjunction_of(7, X, y, False, 8).consistent
    assert disjunction_of(201, X, y, False, 8) is None
    monkeypatch.setattr(disjunctions, "_CELLS", 63)
    assert disjunction_of(7, X, y, False, 8) is None


def test_no_positive_examples_need_no_literal():
    assert smallest_disjunction(np.ones((2, 3)), -np.ones(2), False, 3) == Disjunction(True, (), 2)
    assert smallest_disjunction(np.zeros((0, 3)), np.zeros(0), True, 3) == Disjunction(True, (), 0)


def test_evidence_as_text():
    found = Disjunction(True, ((0, True), (2, False)), 7)
    assert found.told(None) == (
        "'x0 OR NOT x2' agrees with all 7 mistaken examples; the others changed nothing"
    )
    assert found.told(["a", "b", "c"]).startswith("'a OR NOT c' agrees")
    assert Disjunction(True, (), 1).told(None).startswith("'false' agrees with all 1")
    many = Disjunction(True, tuple((j, True) for j in range(13)), 50)
    assert " OR x9 OR 3 more' agrees" in many.told(None)
    assert Disjunction(False, (), 3).told(None) == (
        "a mistaken positive example sets nothing that no mistaken negative example sets, so no "
        "disjunction agrees with both"
    )


def test_names_of_literals():
    assert literal_text((4, True), None) == "x4"
    assert literal_text((0, False), ["vote"]) == "NOT vote"


@pytest.mark.parametrize(
    ("weights", "negated", "formula"),
    [
        ([1, 1], [], "x0 + x1 >= 2"),
        ([2, 0.5], [], "x0"),
        ([2, 2], [], "x0 OR x1"),
        ([0.5, 0.5], [], "false"),
        ([4, 2, 2, 1], [], "x0 OR (2 x1 + 2 x2 + x3 >= 4)"),
        ([1, 4], [1, 0.5], "x1"),  # x0 and NOT x0 are never both true
        ([2, 4], [0.5, 2], "x1 OR (2 x0 + 2 NOT x1 + 0.5 NOT x0 >= 4)"),
        ([0.25, 0.25], [4, 0.25], "NOT x0"),
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
    literals = [] if formula == "false" else formula.split(" OR ")
    chosen = [(int(text.split("x")[1]), not text.startswith("NOT ")) for text in literals]
    assert np.array_equal(truth(X, chosen), said)


@pytest.mark.parametrize("negations", [False, True])
@pytest.mark.parametrize("odd", [-1.0, -0.5, 0.5, 2.0])
def test_the_search_comes_to_an_end_whatever_the_cells(odd, negations):
    # Gains of cells that are not 0 or 1 may be large where nothing is explained.
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.choice([0.0, 1.0, odd], size=(6, 3))
        found = smallest_disjunction(X, rng.choice([-1.0, 1.0], 6), negations, 3)
        assert len(found.literals) <= 6
