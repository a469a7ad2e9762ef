from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.data.synthetic.dnf import dnf
from assay.errors import BadParameter
from tests.data.reading import refuses


@given(st.integers(1, 30), st.integers(1, 8), st.booleans(), st.integers(0, 100), st.data())
def test_labels_follow_from_the_terms(rows, features, negated, seed, data):
    literals = data.draw(st.integers(1, features))
    terms = data.draw(st.integers(1, 2 if literals < features else 1))
    made = dnf(rows, features, terms=terms, literals=literals, negated=negated, random_state=seed)
    assert set(made.X.flat) <= {0.0, 1.0}
    assert len({tuple(j for j, _ in term) for term in made.terms}) == terms
    for row, label in zip(made.X, made.y, strict=True):
        true = any(all(bool(row[j]) is plain for j, plain in term) for term in made.terms)
        assert label == (1.0 if true else -1.0)
    if not negated:
        assert all(plain for term in made.terms for _, plain in term)


def test_neither_label_is_rare():
    made = dnf(4000, 20, terms=4, literals=3, random_state=1)
    assert 1000 < (made.y > 0).sum() < 3000
    assert {plain for term in dnf(9, 20, terms=4, negated=True).terms for _, plain in term} == {
        True,
        False,
    }


def test_the_same_seed_gives_the_same_data():
    first, again = (dnf(10, 5, random_state=4) for _ in range(2))
    assert np.array_equal(first.X, again.X)
    assert first.terms == again.terms


def test_refusals():
    with refuses("literals must be at most the 5 features, but is 6.", BadParameter):
        dnf(10, 5, literals=6)
    with refuses("terms must be at most the 10 choices of features, but is 11.", BadParameter):
        dnf(10, 5, terms=11)
    with refuses("terms must be a whole number of at least 1, but is 0.", BadParameter):
        dnf(10, 5, terms=0)
