"""Stopping early: a depth, or a question that helps too little."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier as Peer

from assay import DecisionTreeClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 3))
Y = (X[:, 0] + X[:, 1] ** 2 + 0.5 * RNG.normal(size=300) > 0.7).astype(int)


@pytest.mark.parametrize("limit", [{"max_depth": 3}, {"min_impurity_decrease": 0.01}])
def test_it_stops_where_scikit_learn_stops(limit):
    model, peer = (
        kind(**limit, random_state=0).fit(X, Y) for kind in (DecisionTreeClassifier, Peer)
    )
    assert (
        model.get_n_leaves()
        == peer.get_n_leaves()
        < DecisionTreeClassifier().fit(X, Y).get_n_leaves()
    )
    assert (model.predict(X) == peer.predict(X)).all()


def test_no_question_that_helps_too_little_is_asked():
    assert DecisionTreeClassifier(min_impurity_decrease=0.5).fit(X, Y).get_n_leaves() == 1
