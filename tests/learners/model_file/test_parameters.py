"""What a model file may hold as parameters."""

import math

import numpy as np
import pytest

from assay import Perceptron, SGDClassifier
from assay.learners.model_file import require_parameter


def test_parameters_by_their_annotations():
    for name, value in (("trace", 1), ("max_iter", np.int64(3)), ("zero", "mistake")):
        require_parameter(Perceptron, name, value)
    for name, value in (("tol", None), ("tol", 1), ("average", 3), ("class_weight", {"a": 2})):
        require_parameter(SGDClassifier, name, value)
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
            require_parameter(learner, name, value)
