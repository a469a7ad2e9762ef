"""Examples with a planted edge: the table proves it, and the reluctant learner keeps it."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone

from assay.data.synthetic import weakly_learnable
from assay.errors import BadParameter
from assay.theory.boosting.majority_boost import boosting_minimax


@pytest.mark.parametrize(
    ("k", "edge", "right"), [(25, 0.1, 15), (20, 0.25, 15), (9, 0.2, 7), (6, 0.01, 4)]
)
def test_every_example_is_right_for_exactly_so_many(k, edge, right):
    data = weakly_learnable(60, k, edge=edge, random_state=1)
    assert set(data.right.sum(axis=1).tolist()) == {right}
    assert Fraction(repr(data.edge)) <= Fraction(right, k) - Fraction(1, 2)
    assert data.edge == pytest.approx(right / k - 0.5)
    assert data.edge >= edge - 1e-15
    assert set(np.unique(data.X)) == set(np.unique(data.y)) == {-1.0, 1.0}


def test_the_game_has_at_least_the_planted_value():
    data = weakly_learnable(30, 9, edge=0.1, random_state=2)
    assert boosting_minimax(data.right.tolist()).low >= 0.5 + data.edge - 1e-9


def test_the_reluctant_learner_keeps_its_promise_and_no_more():
    data = weakly_learnable(80, 15, edge=0.1, random_state=3)
    rng = np.random.default_rng(0)
    for power in (0, 1, 5):
        w = rng.exponential(size=80) ** power
        learner = clone(data.reluctant_learner())
        said = learner.fit(data.X, data.y, w).predict(data.X)
        shares = (w @ data.right) / w.sum()
        share = w[said == data.y].sum() / w.sum()
        assert share == pytest.approx(min(s for s in shares if s >= 0.5 + data.edge - 1e-12))
    contrary = data.reluctant_learner().set_params(edge=0.49).fit(data.X, data.y, np.ones(80))
    assert contrary.get_params() == {"edge": 0.49}
    assert contrary.feature_ == int(data.right.sum(axis=0).argmax())


def test_the_same_seed_gives_the_same_examples():
    one, other = (weakly_learnable(10, 5, random_state=4) for _ in range(2))
    assert one.X.tolist() == other.X.tolist()
    assert one.X.tolist() != weakly_learnable(10, 5, random_state=5).X.tolist()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"rows": 0}, "rows must be a whole number of at least 1, but is 0."),
        ({"hypotheses": 1.5}, "hypotheses must be a whole number of at least 1, but is 1.5."),
        ({"edge": 0.5}, "edge must be a number strictly between 0 and 1/2, but is 0.5."),
        ({"edge": True}, "edge must be a number strictly between 0 and 1/2, but is True."),
        (
            {"hypotheses": 3, "edge": 0.4},
            "edge must be so small that not all of the 3 hypotheses must be right, but is 0.4.",
        ),
    ],
)
def test_refusals(change, sentence):
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        weakly_learnable(**{"rows": 10, "hypotheses": 5} | change)
