"""What neighbours count for."""

from __future__ import annotations

import re

import numpy as np
import pytest

from assay import KNeighborsClassifier, KNeighborsRegressor, RadiusNeighborsRegressor
from assay.errors import BadData

# The distances to the two rows are (1, 2), (0, 3) and (3, 0).
ROWS, TARGETS = np.array([[1.0], [4.0]]), np.array([0.0, 6.0])
ASKED = np.array([[2.0], [1.0], [4.0]])


@pytest.mark.parametrize(
    ("weights", "means"),
    [
        (None, [3, 3, 3]),
        ("uniform", [3, 3, 3]),
        ("distance", [2, 0, 6]),  # weights of 1 and 1/2, and a row that is an example counts alone
        (lambda d: d + 1, [6 * 3 / 5, 6 * 4 / 5, 6 / 5]),
    ],
)
def test_all_the_same_or_by_distance_or_by_a_function(weights, means):
    if callable(weights):

        def of_lists(lists):
            return [weights(part) for part in lists]

    else:
        of_lists = weights
    for model in (
        KNeighborsRegressor(2, weights=weights),
        RadiusNeighborsRegressor(9, weights=of_lists),
    ):
        np.testing.assert_allclose(model.fit(ROWS, TARGETS).predict(ASKED), means)


def test_lists_are_given_one_by_one():
    given = []

    def weigh(lists):
        given.extend(part.tolist() for part in lists)
        return [part + 1 for part in lists]

    model = RadiusNeighborsRegressor(2.0, weights=weigh).fit(ROWS, TARGETS)
    with pytest.warns(UserWarning, match="no neighbour"):
        far, own, both = model.predict([[9.0], [1.0], [2.0]])
    assert given == [[], [0.0], [1.0, 2.0]]
    assert np.isnan(far)
    assert (own, both) == (0.0, pytest.approx(6 * 3 / 5))


@pytest.mark.parametrize(
    ("weigh", "sentence"),
    [
        (
            lambda d: d[:, :1],
            "weights must return an array of the shape it is given, (3, 2), but returned (3, 1).",
        ),
        (lambda d: d - 1, "weights must return numbers, zero or more."),
        (lambda d: d * np.nan, "weights must return numbers, zero or more."),
    ],
)
def test_functions_that_do_not_weigh(weigh, sentence):
    model = KNeighborsClassifier(2, weights=weigh).fit(ROWS, [0, 1])
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        model.predict(ASKED)


def test_lists_of_another_number():
    model = RadiusNeighborsRegressor(9, weights=lambda lists: lists[:1]).fit(ROWS, TARGETS)
    with pytest.raises(
        BadData, match=r"^weights must return one array for each row, as it is given one\.$"
    ):
        model.predict(ASKED)


def test_somebody_must_count():
    model = KNeighborsRegressor(1, weights=lambda d: d).fit(ROWS, TARGETS)
    with pytest.raises(BadData, match=r"^weights gives no weight to any neighbour of row 1\.$"):
        model.predict(ASKED)
