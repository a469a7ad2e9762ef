import pytest

from assay import figures
from assay.errors import BadParameter
from assay.theory.complexity.radon import radon_partition
from tests.report.figures.samples import check_themes, named

POINTS = [[0, 0], [3, 0.2], [1, 3], [1.2, 1]]


def test_the_groups_and_the_point_are_those_of_the_theorem():
    found = radon_partition(POINTS)
    figure = figures.radon_hulls(POINTS)
    for name, rows in (("first group", found.first), ("second group", found.second)):
        shown = {(x, y) for t in named(figure, name) for x, y in zip(t.x, t.y, strict=True)}
        assert shown == {tuple(map(float, POINTS[row])) for row in rows}
    [common] = named(figure, "common point")
    assert [common.x[0], common.y[0]] == [float(value) for value in found.point]


def test_points_inside_of_a_hull_are_shown():
    cloud = [[0, 0], [4, 0], [0, 4], [4, 4], [1, 1.1], [2, 2.3]]
    figure = figures.radon_hulls(cloud)
    shown = {(x, y) for t in figure.data[:-1] for x, y in zip(t.x, t.y, strict=True)}
    assert shown == {tuple(map(float, point)) for point in cloud}


def test_themes_and_refusals():
    check_themes(lambda theme: figures.radon_hulls(POINTS, theme=theme))
    must = r"^the number of points must be at least 4 in dimension 2, but is 3\.$"
    with pytest.raises(BadParameter, match=must):
        figures.radon_hulls(POINTS[:3])
