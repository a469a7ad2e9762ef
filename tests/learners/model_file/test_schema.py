"""What a model file may hold, attribute by attribute and parameter by parameter."""

import math

import numpy as np
import pytest

from assay import Perceptron, SGDClassifier
from assay.learners.model_file import schema


def test_parameters_by_their_annotations():
    for name, value in (("trace", 1), ("max_iter", np.int64(3)), ("zero", "mistake")):
        schema.require_parameter(Perceptron, name, value)
    for name, value in (("tol", None), ("tol", 1), ("average", 3), ("class_weight", {"a": 2})):
        schema.require_parameter(SGDClassifier, name, value)
    for learner, name, value in (
        (Perceptron, "trace", 2),
        (Perceptron, "trace", None),
        (Perceptron, "max_iter", 2.0),
        (Perceptron, "zero", [1]),
        (SGDClassifier, "tol", "small"),
        (SGDClassifier, "alpha", math.nan),
        (SGDClassifier, "eta0", 10**400),
        (SGDClassifier, "class_weight", {"a": "b"}),
        (SGDClassifier, "random_state", -1),
    ):
        with pytest.raises(ValueError, match=f"the parameter {name} is of another kind"):
            schema.require_parameter(learner, name, value)


def test_an_attribute_is_like_a_fresh_one_or_in_the_table():
    for name, fresh, value in (
        ("rounds", 0, 5),
        ("clean", False, True),
        ("weights", np.zeros(2, "f4"), np.ones(2, "f4")),
        ("counts", np.zeros(1, int), np.ones(1, int)),
        ("pair", (1.0, 2), (0.5, 7)),
        ("passes", None, 3),
        ("largest", 0.0, math.inf),
    ):
        schema.require_attribute(name, fresh, value)
    for name, fresh, value in (
        ("rounds", 0, True),
        ("rounds", 0, -1),
        ("clean", False, 1),
        ("weights", np.zeros(2), np.ones(3)),
        ("weights", np.zeros(2), np.ones(2, "f4")),
        ("weights", np.zeros(2), np.array([0, math.nan])),
        ("counts", np.zeros(1, int), -np.ones(1, int)),
        ("pair", (1.0, 2), (0.5, -7)),
        ("pair", (1.0, 2), (0.5,)),
        ("numbers", np.zeros(2), np.zeros(3)),
        ("passes", None, "x"),
        ("unheard_of", None, 3),
        ("unheard_of", [], []),
        ("negations", False, True),
    ):
        with pytest.raises(ValueError, match=f"{name} is of another kind"):
            schema.require_attribute(name, fresh, value)
