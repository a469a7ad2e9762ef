"""Samples with weights: rows of weight zero are not there."""

from __future__ import annotations

import re

import numpy as np
import pytest

from assay import AdaBoostClassifier
from assay.errors import BadData
from assay.learners.ensembles.weighted_sample import weighted_sample

X, Y = np.arange(8.0).reshape(4, 2), np.array(["a", "b", "a", "c"])


def test_without_weights_all_are_even():
    sample = weighted_sample(None, X, Y, None)
    assert sample.weights.tolist() == [0.25] * 4
    assert sample.codes.tolist() == [0, 1, 0, 2]
    assert sample.even


def test_rows_of_weight_zero_take_their_class_along():
    sample = weighted_sample(None, X, Y, [2, 1, 1, 0])
    assert sample.classes.tolist() == ["a", "b"]
    assert sample.weights.tolist() == [0.5, 0.25, 0.25]
    assert sample.X.tolist() == X[:3].tolist()
    assert not sample.even


def test_equal_weights_are_even_and_large_ones_do_not_overflow():
    assert weighted_sample(None, X, Y, [3, 3, 3, 3]).even
    assert weighted_sample(None, X, Y, [1e308] * 4).weights.tolist() == [0.25] * 4


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1, -2, 1, 1], "sample_weight must not be negative, but is -2.0 in row 1."),
        ([0] * 4, "sample_weight must leave at least one row, but is zero in all of them."),
        (
            [1, 0, 1, 0],
            "AdaBoostClassifier needs at least two classes, but the weights leave 1 class: 'a'.",
        ),
    ],
)
def test_refusals(weights, sentence):
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        AdaBoostClassifier().fit(X, Y, sample_weight=weights)
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        weighted_sample(AdaBoostClassifier(), X, Y, weights)
