from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.guarantees.small_dnf import small_dnf
from assay.learners.boolean import cube, terms_of


def value(terms, points):
    said = np.zeros(len(points), dtype=bool)
    for term in terms:
        true = np.ones(len(points), dtype=bool)
        for j, plain in term:
            true &= points[:, j] == plain
        said |= true
    return said


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(0, 7), st.floats(0, 1))
def test_any_function_is_the_or_of_its_terms(seed, d, share):
    truth = np.random.default_rng(seed).random(2**d) < share
    terms = terms_of(truth)
    assert value(terms, cube(d)).tolist() == truth.tolist()
    for i in range(len(terms)):  # none can be spared
        assert value(terms[:i] + terms[i + 1 :], cube(d)).tolist() != truth.tolist()
    for term in terms:  # no literal can be spared
        for literal in term:
            shorter = tuple(other for other in term if other != literal)
            assert not truth[value([shorter], cube(d))].all()


def test_a_monotone_function_has_plain_literals_only():
    x = cube(12)
    truth = (x[:, 0] & x[:, 5]) | (x[:, 3] & x[:, 4] & x[:, 11])
    assert terms_of(truth) == [((0, True), (5, True)), ((3, True), (4, True), (11, True))]
    assert terms_of(np.ones(4, dtype=bool)) == [()]
    assert terms_of(np.zeros(4, dtype=bool)) == []


def test_more_features_than_faces_can_be_looked_at():
    x = cube(13)
    assert terms_of(x[:, 0]) == [((0, True),)]
    truth = (~x[:, 0] & x[:, 3]) | (x[:, 5] & ~x[:, 12])
    terms = terms_of(truth)
    assert value(terms, x).tolist() == truth.tolist()
    assert ((0, False), (3, True)) in terms
    noise = np.random.default_rng(0).random(2**13) < 0.97
    assert value(terms_of(noise), x).tolist() == noise.tolist()


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_a_small_formula_agrees_with_the_examples(seed, negations):
    rng = np.random.default_rng(seed)
    X, y = rng.random((30, 5)) < 0.5, rng.choice([-1, 1], 30)
    found = small_dnf(X, y, negations)
    reach = X[:, None, :] <= X[None, :, :] if not negations else X[:, None, :] == X[None, :, :]
    clash = (reach.all(axis=2) & (y[:, None] > 0) & (y[None, :] < 0)).any()
    assert found.consistent == (not clash)
    if found.consistent:
        assert value(found.terms, X).tolist() == (y > 0).tolist()
        assert negations or all(plain for term in found.terms for _, plain in term)


def test_evidence():
    X = np.array([[True, False], [False, True]])
    assert small_dnf(X, np.array([1, -1]), False).evidence(["a", "b"]) == (
        "'a' agrees with all 2 mistaken examples; the others changed nothing"
    )
    assert small_dnf(X, np.array([-1, -1]), False).terms == []
    many = small_dnf(cube(6), np.where(cube(6).sum(axis=1) % 2 == 1, 1, -1), True)
    assert many.evidence(None).startswith("'a formula of 32 terms' agrees with all 64")
    twice = small_dnf(X[[0, 0]], np.array([1, -1]), True)
    assert twice.evidence(None) == "some mistaken examples have labels that no such formula gives"


@pytest.mark.parametrize("d", [1, 3])
def test_the_cube(d):
    assert sorted(map(tuple, cube(d).tolist())) == sorted(
        {tuple(bool(m >> j & 1) for j in range(d)) for m in range(2**d)}
    )
