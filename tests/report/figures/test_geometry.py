import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import BadParameter
from assay.report.figures.geometry import cut, hull, line_in_box, plane_points, side_of_box

BOX = (-1.0, 3.0, 0.0, 2.0)
numbers = st.floats(-5, 5).filter(lambda v: v == 0 or abs(v) > 1e-3)


@settings(max_examples=25)
@given(numbers, numbers, numbers)
def test_a_line_ends_on_the_rim_and_passes_outside_only_if_no_corner_changes_sides(w1, w2, b):
    ends = line_in_box((w1, w2), b, BOX)
    corners = np.array([(x, y) for x in BOX[:2] for y in BOX[2:]])
    scores = corners @ [w1, w2] + b
    if len(ends) == 0:
        same_side = (scores > 0).all() or (scores < 0).all()
        assert same_side or (w1 == 0 and w2 == 0) or (scores == 0).sum() == 1
        return
    assert np.abs(ends @ [w1, w2] + b).max() < 1e-9
    on_rim = np.isclose(ends[:, 0], BOX[0]) | np.isclose(ends[:, 0], BOX[1])
    on_rim |= np.isclose(ends[:, 1], BOX[2]) | np.isclose(ends[:, 1], BOX[3])
    assert on_rim.all()


def _area(polygon):
    x, y = polygon[:, 0], polygon[:, 1]
    return abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1))) / 2 if len(polygon) else 0.0


@settings(max_examples=25)
@given(numbers, numbers, numbers)
def test_both_sides_of_a_line_make_up_the_box(w1, w2, b):
    if w1 == w2 == 0:
        return
    above, below = side_of_box((w1, w2), b, BOX), side_of_box((-w1, -w2), -b, BOX)
    assert _area(above) + _area(below) == pytest.approx(8.0)
    assert (cut(above, (w1, w2), b) @ [w1, w2] + b >= -1e-9).all()


def test_a_hull_holds_all_points():
    points = np.random.default_rng(0).normal(size=(30, 2))
    edge = hull(points)
    assert (edge[0] == edge[-1]).all()
    ahead, step = np.diff(edge, axis=0), points[:, None, :] - edge[None, :-1, :]
    assert (ahead[:, 0] * step[:, :, 1] - ahead[:, 1] * step[:, :, 0] >= -1e-12).all()


def test_other_tables_are_refused():
    must = r"^X must be a table with two columns and a row at least, but is \(2, 3\)\.$"
    with pytest.raises(BadParameter, match=must):
        plane_points(np.zeros((2, 3)))
    must = r"^X must be a table of finite numbers, but is 'one with NaN or infinity in it'\.$"
    with pytest.raises(BadParameter, match=must):
        plane_points([[0.0, np.nan]])
    must = r"^X must be a table of numbers, but is 'one with something else in it'\.$"
    with pytest.raises(BadParameter, match=must):
        plane_points([["high", 1.0]])
