"""Samples with weights: rows of weight zero are not there."""

from __future__ import annotations

import re

import numpy as np
import pytest

from assay import AdaBoostClassifier, DecisionStump
from assay.errors import BadData

X, Y = np.arange(8.0).reshape(4, 2), np.array(["a", "b", "a", "c"])


def test_rows_of_weight_zero_take_their_class_along():
    for kind in (DecisionStump(), AdaBoostClassifier(n_estimators=2)):
        model = kind.fit(X, Y, [2, 1, 1, 0])
        assert model.classes_.tolist() == ["a", "b"]
        assert (model.predict(X) == kind.fit(X[:3], Y[:3], [2, 1, 1]).predict(X)).all()


def test_equal_weights_are_even_and_large_ones_do_not_overflow():
    plain = AdaBoostClassifier(n_estimators=3).fit(X, Y)
    for weights in ([3] * 4, [1e308] * 4):
        model = AdaBoostClassifier(n_estimators=3).fit(X, Y, weights)
        assert model.record_.even
        assert model.record_.errors.tolist() == plain.record_.errors.tolist()
        assert [str(g) for g in model.guarantees()] == [str(g) for g in plain.guarantees()]


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1, -2, 1, 1], "sample_weight must not be negative, but is -2.0 in row 1."),
        ([0] * 4, "sample_weight must leave at least one row, but is zero in all of them."),
    ],
)
def test_refusals(weights, sentence):
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        AdaBoostClassifier().fit(X, Y, sample_weight=weights)
