from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.data.synthetic.separable import separable
from assay.errors import BadParameter
from tests.data.reading import refuses


def exact(row):
    return [Fraction(float(x)) for x in row]


def inner(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def constants(data):
    """Squared length of the separator, squared radius and margin, in exact arithmetic."""
    u = exact(data.separator)
    rows = [exact(row) for row in data.X]
    margins = [int(y) * inner(u, row) for y, row in zip(data.y, rows, strict=True)]
    return inner(u, u), max(inner(row, row) for row in rows), min(margins)


@settings(max_examples=60)
@given(
    st.integers(2, 12),
    st.integers(1, 20),
    st.floats(1e-3, 1e3),
    st.floats(1e-6, 1.0),
    st.integers(0, 1000),
)
def test_constants_are_met_exactly(rows, features, radius, share, seed):
    margin = min(max(radius * share, 1e-6 * radius), radius)
    data = separable(rows, features, radius=radius, margin=margin, random_state=seed)
    assert data.X.shape == (rows, features)
    assert set(data.y) <= {-1.0, 1.0}
    length, longest, least = constants(data)
    assert length == 1
    assert longest == Fraction(radius) ** 2
    assert least == Fraction(margin)
    assert (data.radius, data.margin) == (radius, margin)


def test_no_separator_has_a_larger_margin():
    """The row on the separator, at the distance of the margin, is the whole proof."""
    data = separable(50, 6, margin=0.2, random_state=3)
    on_it = np.isclose(data.X, 0.2 * data.y[:, None] * data.separator, atol=0).all(axis=1)
    assert on_it.sum() == 1
    rng = np.random.default_rng(0)
    others = rng.normal(size=(5000, 6)) * 0.05 + data.separator
    others /= np.linalg.norm(others, axis=1, keepdims=True)
    margins = (data.y * (others @ data.X.T)).min(axis=1)
    assert margins.max() <= 0.2


def test_the_check_can_fail():
    shorter = separable(20, 5, margin=0.1, random_state=0)
    shorter.X[:] *= 0.999
    assert constants(shorter)[1:] != (1, Fraction(0.1))


def test_rows_differ_in_length_and_side():
    data = separable(500, 8, radius=3.0, margin=0.5, random_state=1)
    lengths = np.linalg.norm(data.X, axis=1)
    assert lengths.std() > 0.1
    assert 150 < (data.y > 0).sum() < 350


def test_one_feature_and_a_margin_as_large_as_the_radius():
    assert constants(separable(5, 1, radius=2.0, margin=0.5))[1:] == (4, Fraction(1, 2))
    data = separable(5, 7, radius=2.0, margin=2.0)
    assert constants(data)[1:] == (4, 2)


def test_the_same_seed_gives_the_same_data():
    first, again = (separable(10, 3, random_state=4) for _ in range(2))
    assert np.array_equal(first.X, again.X)
    assert not np.array_equal(first.X, separable(10, 3, random_state=5).X)


@pytest.mark.parametrize("margin", [1.5, 1e-7])
def test_bad_margins(margin):
    with refuses(
        f"margin must be at most the radius 1.0 and at least a millionth of it, but is {margin}.",
        BadParameter,
    ):
        separable(10, 3, margin=margin)


def test_other_refusals():
    with refuses("rows must be at least 2, but is 1.", BadParameter):
        separable(1, 3)
    with refuses("features must be a whole number of at least 1, but is 0.", BadParameter):
        separable(5, 0)
    with refuses("radius must be a finite number above zero, but is -1.0.", BadParameter):
        separable(5, 2, radius=-1.0)
