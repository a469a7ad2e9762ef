from __future__ import annotations

import math

import numpy as np
import pytest

from assay.data.synthetic.draws import generator, is_count, require_counts, require_positive
from assay.errors import BadParameter
from tests.data.reading import refuses


def test_the_same_seed_gives_the_same_numbers():
    assert generator(5).random() == generator(5).random()
    assert generator(5).random() != generator(6).random()


@pytest.mark.parametrize("seed", [-1, 1.5, None, True, "3"])
def test_bad_seeds(seed):
    with refuses(
        f"random_state must be a whole number of at least 0, but is {seed!r}.", BadParameter
    ):
        generator(seed)


@pytest.mark.parametrize("value", [0, -1, 1.0, True, None, "2"])
def test_bad_counts(value):
    with refuses(f"rows must be a whole number of at least 1, but is {value!r}.", BadParameter):
        require_counts(rows=value)


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, True, "2"])
def test_bad_sizes(value):
    with refuses(f"radius must be a finite number above zero, but is {value!r}.", BadParameter):
        require_positive(radius=value)


def test_counts():
    assert is_count(np.int64(3), 3)
    assert not is_count(2, 3)
