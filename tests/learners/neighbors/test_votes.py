"""What neighbours count for."""

from __future__ import annotations

import re

import numpy as np
import pytest

from assay.errors import BadData
from assay.learners.neighbors.lists import each_list, owners
from assay.learners.neighbors.votes import listed_weights, require_some_weight, weights_of

DISTANCES = np.array([[1.0, 2.0], [0.0, 4.0], [0.0, 0.0]])


def test_all_the_same_or_by_distance():
    assert weights_of(None, DISTANCES) is weights_of("uniform", DISTANCES) is None
    found = weights_of("distance", DISTANCES)
    assert found.tolist() == [[1.0, 0.5], [1.0, 0.0], [1.0, 1.0]]
    assert DISTANCES[0].tolist() == [1.0, 2.0]
    assert weights_of(lambda d: d + 1, DISTANCES).tolist() == (DISTANCES + 1).tolist()


def test_the_same_for_lists():
    flat, many = np.array([1.0, 2.0, 0.0, 4.0]), np.array([2, 0, 2])
    assert listed_weights(None, flat, many) is None
    assert listed_weights("distance", flat, many).tolist() == [1.0, 0.5, 1.0, 0.0]
    given = []

    def weigh(lists):
        given.extend(part.tolist() for part in lists)
        return [part + 1 for part in lists]

    assert listed_weights(weigh, flat, many).tolist() == [2.0, 3.0, 1.0, 5.0]
    assert given == [[1.0, 2.0], [], [0.0, 4.0]]
    assert listed_weights(weigh, np.empty(0), np.zeros(2, int)).tolist() == []


@pytest.mark.parametrize(
    ("weigh", "sentence"),
    [
        (
            lambda d: d[:, :1],
            "weights must return an array of the shape it is given, (3, 2), but returned (3, 1).",
        ),
        (lambda d: d - 1, "weights must return finite numbers, zero or more."),
        (lambda d: d * np.nan, "weights must return finite numbers, zero or more."),
    ],
)
def test_functions_that_do_not_weigh(weigh, sentence):
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        weights_of(weigh, DISTANCES)


def test_lists_of_another_number():
    with pytest.raises(
        BadData, match=r"^weights must return one array for each row, as it is given one\.$"
    ):
        listed_weights(lambda lists: lists[:1], np.ones(2), np.array([1, 1]))


def test_somebody_must_count():
    require_some_weight(np.array([0.5, 1.0]))
    with pytest.raises(BadData, match=r"^weights gives no weight to any neighbour of row 1\.$"):
        require_some_weight(np.array([0.5, 0.0]))


def test_lists():
    assert owners(np.array([2, 0, 1])).tolist() == [0, 0, 2]
    assert [part.tolist() for part in each_list(np.arange(3), np.array([2, 0, 1]))] == [
        [0, 1],
        [],
        [2],
    ]
    assert len(each_list(np.empty(0), np.empty(0, int))) == 0
