from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from assay.data.scale import BallScale, UnitLength, row_lengths
from assay.errors import BadData, BadParameter
from tests.data.reading import refuses

matrices = hnp.arrays(
    np.float64,
    hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
    elements=st.floats(-1e6, 1e6).map(lambda x: x if abs(x) > 1e-6 else 0.0),
).filter(lambda X: X.any())


def longest_squared(X):
    """The largest squared length of a row, in exact arithmetic."""
    return max(sum(Fraction(float(x)) ** 2 for x in row) for row in X)


@given(matrices, st.floats(1e-3, 1e3), st.sampled_from([np.float64, np.float32]))
def test_no_row_leaves_the_ball_by_a_single_bit(X, into, dtype):
    X = X.astype(dtype)
    scale = BallScale.measured(X, into=into)
    assert scale.known == "measured"
    assert longest_squared(X) <= Fraction(scale.radius) ** 2
    scaled = scale.transform(X)
    assert scaled.dtype == dtype
    assert longest_squared(scaled) <= Fraction(into) ** 2
    # Nor is the ball much too large.
    assert longest_squared(scaled) >= Fraction(into) ** 2 * (1 - Fraction(1, 10**5))


@given(matrices)
def test_plain_division_would_leave_the_ball(X):
    """The test above is no test if dividing by the longest length passes it too, so it must not."""
    scaled = np.array([[0.6, 0.8]])
    assert longest_squared(scaled) > 1
    declared = BallScale.declared(5.0).transform(np.array([[3.0, 4.0]]))
    assert longest_squared(declared) <= 1
    assert np.allclose(declared, scaled)


@given(matrices)
def test_sparse_rows_alike(X):
    for kind in (sparse.csr_array, sparse.csr_matrix, sparse.coo_array):
        assert np.allclose(row_lengths(kind(X)), row_lengths(X), rtol=1e-12)
    scale = BallScale.measured(sparse.csr_array(X))
    scaled = scale.transform(sparse.csr_array(X))
    assert sparse.issparse(scaled)
    assert longest_squared(scaled.toarray()) <= 1


def test_whole_numbers_and_the_given_array():
    X = np.array([[3, 4], [0, 1]])
    scaled = BallScale.declared(10, into=2).transform(X)
    assert np.allclose(scaled, X / 5)
    assert X.tolist() == [[3, 4], [0, 1]]


def test_rows_beyond_a_declared_radius():
    X = np.array([[3.0, 4.0], [6.0, 8.0]])
    with refuses("Row 12 has length 10, but the radius was declared as 9. Declare a larger one."):
        BallScale.declared(9.0).transform(X, done=10)
    for odd, said in ((math.nan, "nan"), (math.inf, "inf")):
        with refuses(
            f"Row 1 has length {said}, but the radius was declared as 9. Declare a larger one."
        ):
            BallScale.declared(9.0).transform(np.array([[odd, 1.0]]))
    # On the edge, whatever rounding says.
    edge = np.full((1, 1000), 0.1)
    BallScale.declared(math.sqrt(1000) * 0.1).transform(edge)


def test_nothing_to_measure():
    with refuses("All rows are zero, so that no radius can be measured. Declare one."):
        BallScale.measured(np.zeros((2, 2)))
    with refuses("Row 2 has no finite length, and so lies in no ball."):
        BallScale.measured(np.array([[1.0], [math.nan]]))


@pytest.mark.parametrize("value", [0, -1.0, math.nan, math.inf, True, "5", 1e-200, 1e200])
def test_bad_radii(value):
    must = "a number from 1e-150 to 1e150"
    with refuses(f"radius must be {must}, but is {value!r}.", BadParameter):
        BallScale.declared(value)
    with refuses(f"into must be {must}, but is {value!r}.", BadParameter):
        BallScale.declared(1.0, into=value)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_unit_length_keeps_the_direction(make, dtype):
    X = np.random.default_rng(0).normal(size=(50, 7)).astype(dtype)
    scaled = UnitLength().transform(make(X))
    assert scaled.dtype == dtype
    rows = scaled.toarray() if sparse.issparse(scaled) else scaled
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)
    lengths = np.linalg.norm(X.astype(float), axis=1, keepdims=True)
    assert np.allclose(rows, X / lengths, rtol=1e-5)
    # No separator through the origin sees the difference, but margins do.
    w = np.random.default_rng(1).normal(size=7)
    assert (np.sign(rows @ w) == np.sign(X @ w)).all()
    assert not np.allclose(rows @ w, X @ w / lengths.max())


def test_unit_length_at_the_ends_of_the_floats():
    X = np.array([[3e300, 4e300], [3e-320, 4e-320], [5e-324, 0.0], [1.7e308, 0.0]])
    assert np.linalg.norm(UnitLength().transform(X), axis=1) == pytest.approx(np.ones(4), rel=1e-3)
    assert UnitLength().transform(X[:1])[0] == pytest.approx([0.6, 0.8], rel=1e-15)


def test_unit_length_refuses_what_has_no_direction():
    zero = np.array([[1.0, 0.0], [0.0, 0.0]])
    with pytest.raises(
        BadData, match=r"^Row 12 is zero, and so has no direction\. Leave it out, or keep zeros\.$"
    ):
        UnitLength().transform(zero, done=10)
    assert UnitLength("keep").transform(zero).tolist() == zero.tolist()
    assert UnitLength("keep").transform(sparse.csr_array(zero)).toarray().tolist() == zero.tolist()
    for bad in (np.nan, np.inf):
        with pytest.raises(BadData, match=r"^Row 1 has no finite length, and so no direction\.$"):
            UnitLength().transform(np.array([[bad, 1.0]]))
    with pytest.raises(BadParameter, match=r"^zeros must be 'refuse' or 'keep', but is 'drop'\.$"):
        UnitLength("drop")
