import re

import numpy as np
import pytest

from assay import figures
from assay.errors import BadParameter
from assay.theory.complexity.separating_lines import separating_lines
from assay.theory.complexity.shattering import intervals, rectangles
from tests.report.figures.samples import check_themes, named

TRIANGLE = [[0, 0], [1, 0], [0.4, 0.9]]
SQUARE = [[0, 0], [1, 0], [0, 1], [1, 1]]


def test_three_points_are_shattered_and_each_line_separates_its_labels():
    lines = separating_lines(TRIANGLE)
    figure = figures.labelings(TRIANGLE, lines)
    assert figure.layout.title.text == "8 of 8 labelings can be made by a line"
    assert len(named(figure, "separating line")) == 8
    assert not named(figure, "not by a line")
    for labels, trace in zip(lines, named(figure, "separating line"), strict=True):
        w1, w2, b = lines[labels]
        assert np.abs(w1 * np.array(trace.x) + w2 * np.array(trace.y) + b).max() < 1e-9


def test_the_two_labelings_of_a_square_that_no_line_makes():
    figure = figures.labelings(SQUARE, separating_lines(SQUARE), show="impossible")
    titles = [note.text for note in figure.layout.annotations]
    assert titles == ["− + + −  ✗", "+ − − +  ✗"]
    assert len(named(figure, "not by a line")) == 2
    every = figures.labelings(SQUARE, separating_lines(SQUARE))
    assert len(named(every, "separating line")) == 14


def test_intervals_and_a_rectangle_with_a_point_in_the_middle():
    figure = figures.labelings([1, 2, 3], intervals([1, 2, 3]), by="an interval", boxes=True)
    assert figure.layout.title.text == "7 of 8 labelings can be made by an interval"
    assert len(named(figure, "box")) == 6  # none around no points
    points = [[1, 0], [-1, 0], [0, 1], [0, -1], [0, 0]]
    figure = figures.labelings(points, rectangles(points), show=[[1, 1, 1, 1, -1]], boxes=True)
    assert [note.text for note in figure.layout.annotations] == ["+ + + + −  ✗"]


def test_a_student_gives_points_alone():
    titles = [figures.labelings(points).layout.title.text for points in (SQUARE, [1, 2, 3])]
    assert titles == [
        "14 of 16 labelings can be made by a line",
        "7 of 8 labelings can be made by an interval",
    ]
    boxed = figures.labelings(TRIANGLE, by="a rectangle")
    assert boxed.layout.title.text == "8 of 8 labelings can be made by a rectangle"
    assert len(named(figures.labelings(SQUARE), "separating line")) == 14
    assert len(named(figures.labelings([1, 2, 3]), "box")) == 6
    sentence = "by must be one of 'a line', 'a rectangle', 'an interval', but is 'a circle'."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        figures.labelings(SQUARE, by="a circle")


def test_themes():
    lines = separating_lines(TRIANGLE)
    check_themes(lambda theme: figures.labelings(TRIANGLE, lines, theme=theme))


def test_refusals():
    cases = [
        (
            {"show": "none"},
            "show must be 'all', 'possible', 'impossible' or a list, but is 'none'.",
        ),
        ({"show": []}, "the number of labelings to show must be from 1 to 64, but is 0."),
    ]
    for how, sentence in cases:
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            figures.labelings(TRIANGLE, separating_lines(TRIANGLE), **how)
    sentence = (
        "realised must be made of rows of -1 and +1, one for each of 3 points, but is [[1, 0, 1]]."
    )
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        figures.labelings(TRIANGLE, [[1, 0, 1]])
