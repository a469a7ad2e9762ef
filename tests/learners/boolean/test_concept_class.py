from __future__ import annotations

import pickle

import numpy as np

from assay.boolean import dnf, halfspaces, stumps
from assay.learners.boolean import build
from tests.learners.boolean.shared import refuses


def test_only_the_places_asked_for_answer_and_in_their_order():
    X = (np.random.default_rng(0).random((50, 4)) < 0.5).astype(float)
    for spec, d in (("disjunctions", 4), ("conjunctions", 4), (dnf(2, 2), 4), (stumps([0.5]), 4)):
        built = build(spec, d)
        everyone = built.words(X, np.arange(built.size))
        some = np.array([built.size - 1, 0, 3])
        assert built.words(X, some).tolist() == everyone[some].tolist()
        again = pickle.loads(pickle.dumps(built))
        assert again.words(X, some).tolist() == everyone[some].tolist()


def test_points_of_a_table():
    built = build(np.array([[0, 1, 1]]), 1)
    assert built.words(np.array([[2.0], [0.0]]), np.array([0])).tolist() == [1]
    for wrong in (3.0, -1.0, 0.5):
        with refuses(f"X must hold the numbers of points, 0 to 2, but holds {wrong!r}."):
            built.words(np.array([[wrong]]), np.array([0]))
    assert built.formula(0, None) == "concept 0"


def test_functions_must_answer_for_every_row():
    def odd(X):
        return np.ones(3)

    built = build([odd, lambda X: X[:, 0] - 1], 1)
    with refuses("odd must give one label for each of 2 rows, but gives the shape (3,)."):
        built.words(np.zeros((2, 1)), np.array([0]))
    # Above zero is positive: truth values, 0 and 1, and -1 and 1 all read the same.
    assert built.words(np.array([[2.0], [1.0]]), np.array([1])).tolist() == [1]
    assert [built.formula(i, None) for i in (0, 1)] == ["odd", "concept 1"]


def test_a_halfspace_holds_its_edge():
    built = build(halfspaces(1.0), 2)  # the first concept is x0 >= 0
    assert built.words(np.array([[0.0, 5.0], [-1e-9, 0]]), np.array([0])).tolist() == [1]
