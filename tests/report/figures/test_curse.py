import re

import pytest

from assay import figures
from assay.errors import BadParameter
from assay.report.figures.curse import curse_of_dimensionality
from assay.theory.generalization.neighbors import curse_of_dimension
from tests.report.figures.samples import check_themes, named


def test_columns_are_drawn_by_dimension():
    figure = curse_of_dimensionality([10, 1], [0.4, 0.1], [0.5, 0.01], best=0.05)
    [error] = named(figure, "nearest neighbour")
    assert (error.x.tolist(), error.y.tolist()) == ([1, 10], [0.1, 0.4])
    ball = figure.data[-1]
    assert ball.y.tolist() == [curse_of_dimension(1), curse_of_dimension(10)]
    assert named(figure, "best rule")[0].y.tolist() == [0.05, 0.05]
    assert (error.yaxis, ball.yaxis) == ("y", "y2")


def test_both_themes():
    check_themes(lambda t: figures.curse_of_dimensionality([1, 2], [0.1, 0.2], [0.1, 0.3], theme=t))


def test_refusals():
    with pytest.raises(
        BadParameter, match=re.escape("dimensions must be whole numbers of at least 1.")
    ):
        curse_of_dimensionality([0.5], [0.1], [0.1])
