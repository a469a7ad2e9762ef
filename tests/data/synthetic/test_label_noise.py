from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.data.synthetic.label_noise import noisy_labels
from assay.errors import BadParameter
from tests.data.reading import refuses


@given(st.lists(st.sampled_from([-1, 1]), max_size=50), st.floats(0, 0.49), st.booleans())
def test_what_was_flipped_is_known(y, rate, exact):
    noisy = noisy_labels(y, rate=rate, exact=exact, random_state=1)
    assert np.array_equal(np.where(noisy.flipped, -noisy.y, noisy.y), y)
    assert noisy.rate == rate
    if exact:
        assert noisy.flipped.sum() == round(rate * len(y))


def test_the_rate_is_met_on_average():
    noisy = noisy_labels(np.ones(10_000), rate=0.2, random_state=5)
    # Four deviations of 10,000 draws.
    assert abs(noisy.flipped.sum() - 2000) < 160
    assert not noisy_labels(np.ones(1000), rate=0).flipped.any()


@pytest.mark.parametrize("rate", [0.5, -0.1, math.nan, True, "0.1"])
def test_bad_rates(rate):
    with refuses(
        f"rate must be a number of at least 0 and less than 0.5, but is {rate!r}.", BadParameter
    ):
        noisy_labels([1, -1], rate=rate)


@pytest.mark.parametrize("y", [[0, 1], [[1, -1]]])
def test_bad_labels(y):
    with refuses("Labels to be made noisy must be one column of -1 and +1."):
        noisy_labels(y)
