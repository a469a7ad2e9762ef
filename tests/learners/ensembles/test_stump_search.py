"""The search for stumps: odd numbers, single features."""

from __future__ import annotations

import numpy as np

from assay import DecisionStump


def test_what_is_said_of_rows_in_any_order():
    X, codes = np.arange(6.0)[:, None], np.array([1, 0, 0, 1, 1, 1])
    stump = DecisionStump().fit(X, codes)
    assert (stump.threshold_, stump.labels_.tolist()) == (2.5, [0, 1])
    assert stump.predict(X).tolist() == [0, 0, 0, 1, 1, 1]
    np.testing.assert_allclose(stump.predict_proba(X)[[0, -1]], [[2 / 3, 1 / 3], [0, 1]])


def test_where_no_feature_has_two_values():
    X, codes = np.ones((5, 2)), np.array([0, 1, 1, 2, 2])
    for weights, label in ((None, 1), ([0.6, 0.1, 0.1, 0.1, 0.1], 0)):
        stump = DecisionStump().fit(X, codes, weights)
        assert (stump.feature_, stump.threshold_, stump.labels_.tolist()) == (-1, 0.0, [label] * 2)
        assert stump.predict(X).tolist() == [label] * 5


def test_neighbouring_and_extreme_numbers():
    one = np.nextafter(1.0, 2.0)
    for low, high in ((1.0, one), (-1.7e308, 1.7e308), (5e-324, 1e-323), (-0.0, 5e-324)):
        X = np.array([[low], [high]])
        stump = DecisionStump().fit(X, [0, 1])
        assert low <= stump.threshold_ < high
        assert stump.predict(X).tolist() == [0, 1]
    assert DecisionStump().fit([[-1.7e308], [1.7e308]], [0, 1]).threshold_ == 0.0


def test_two_zeros_are_one_value():
    stump = DecisionStump().fit([[0.0], [-0.0], [1.0]], [0, 1, 1], [0.2, 0.4, 0.4])
    assert stump.threshold_ == 0.5
