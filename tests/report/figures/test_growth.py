import re

import numpy as np
import pytest

from assay import figures
from assay.errors import BadParameter
from assay.report.figures.growth import growth_curve, halfspace_growth
from assay.theory.complexity.growth import sauer_growth
from assay.theory.complexity.shattering import growth_on, intervals
from tests.report.figures.samples import check_themes, named


def test_curves_are_the_theorems_numbers():
    figure = growth_curve(3, points=12)
    m = range(1, 13)
    assert named(figure, "all labelings, 2^m")[0].y.tolist() == [2.0**k for k in m]
    assert named(figure, "Sauer's sum")[0].y.tolist() == [sauer_growth(k, 3) for k in m]
    loose = named(figure, "(em/d)^d")[0]
    assert loose.x.tolist() == list(range(3, 13))
    assert (loose.y >= named(figure, "Sauer's sum")[0].y[2:]).all()


def test_three_points_have_eight_labelings_and_four_miss_two():
    [exactly] = named(halfspace_growth(2, points=6), "halfspaces, exactly")
    assert exactly.y[2:4].tolist() == [8, 14]


def test_what_was_counted_stays_below_the_bound():
    m = list(range(1, 8))
    counted = [growth_on(np.arange(k, dtype=float), intervals) for k in m]
    figure = growth_curve(2, points=7, counted=("intervals", m, counted))
    [ways], [most] = named(figure, "intervals"), named(figure, "Sauer's sum")
    assert ways.y.tolist() == most.y.tolist()


def test_both_themes():
    check_themes(lambda theme: figures.growth_curve(2, points=5, theme=theme))
    check_themes(lambda theme: figures.halfspace_growth(1, points=5, theme=theme))


def test_refusals():
    with pytest.raises(BadParameter, match=re.escape("points must be at most 1000, but is 2000.")):
        growth_curve(2, points=2000)
    with pytest.raises(BadParameter, match="vc_dimension must be"):
        growth_curve(0)
