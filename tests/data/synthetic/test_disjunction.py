from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.data.synthetic.disjunction import disjunction
from assay.errors import BadParameter
from tests.data.reading import refuses


@given(st.integers(1, 30), st.integers(1, 10), st.booleans(), st.integers(0, 100), st.data())
def test_labels_follow_from_the_literals(rows, features, negated, seed, data):
    relevant = data.draw(st.integers(1, features))
    made = disjunction(rows, features, relevant=relevant, negated=negated, random_state=seed)
    assert set(made.X.flat) <= {0.0, 1.0}
    assert len({feature for feature, _ in made.literals}) == relevant
    for row, label in zip(made.X, made.y, strict=True):
        true = any(bool(row[feature]) is plain for feature, plain in made.literals)
        assert label == (1.0 if true else -1.0)
    if not negated:
        assert all(plain for _, plain in made.literals)


def test_about_half_are_positive_and_some_literals_negated():
    for relevant in (1, 3, 10):
        made = disjunction(4000, 20, relevant=relevant, negated=True, random_state=relevant)
        # Four deviations of a fair coin tossed 4,000 times.
        assert abs((made.y > 0).sum() - 2000) < 127
    assert {plain for _, plain in made.literals} == {True, False}


def test_the_same_seed_gives_the_same_data():
    first, again = (disjunction(10, 5, random_state=4) for _ in range(2))
    assert np.array_equal(first.X, again.X)
    assert first.literals == again.literals


def test_refusals():
    with refuses("relevant must be at most the 5 features, but is 6.", BadParameter):
        disjunction(10, 5, relevant=6)
    with refuses("relevant must be a whole number of at least 1, but is 0.", BadParameter):
        disjunction(10, 5, relevant=0)
