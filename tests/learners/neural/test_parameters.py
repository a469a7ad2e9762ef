"""What the parameters of a network must be."""

from __future__ import annotations

import math

import numpy as np
import pytest

from assay import MLPClassifier
from assay.errors import BadParameter
from assay.learners.neural.parameters import RULES, layer_sizes, require_parameters


def test_every_parameter_but_flags_and_seeds_has_a_rule():
    others = {"shuffle", "random_state", "verbose", "warm_start", "nesterovs_momentum"}
    assert set(MLPClassifier().get_params()) == set(RULES) | others | {"early_stopping"}
    require_parameters(MLPClassifier())


@pytest.mark.parametrize("name", RULES)
def test_odd_values_are_refused(name):
    for odd in (math.nan, -1, True, "x", None, [1.5], {}):
        if name == "hidden_layer_sizes" and odd == {}:
            continue
        with pytest.raises(BadParameter, match=f"^{name} must be "):
            require_parameters(MLPClassifier(**{name: odd}))


def test_good_values_are_taken():
    for name, values in {
        "hidden_layer_sizes": [(), [3], 5, np.array([4, 2]), np.int64(3)],
        "batch_size": [1, "auto"],
        "n_iter_no_change": [1, math.inf],
        "momentum": [0, 1.0],
        "alpha": [0, np.float32(0.5)],
    }.items():
        for value in values:
            require_parameters(MLPClassifier(**{name: value}))


def test_layers():
    assert layer_sizes(np.array([4, 2]), 3, 2) == [3, 4, 2, 1]
    assert layer_sizes((), 3, 4) == [3, 4]
