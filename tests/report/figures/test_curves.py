import re

import numpy as np
import pytest

from assay.errors import BadParameter
from assay.report.figures.canvas import Canvas
from assay.report.figures.curves import (
    Curves,
    _apart,
    decades,
    moments,
    numbers,
    same_length,
    thinned,
)


@pytest.mark.parametrize(
    ("values", "shown"),
    [([], "[]"), ([1, float("nan")], "[1, nan]"), ("abc", "'abc'"), ([[1]], "[[1]]"), (3, "3")],
)
def test_what_is_no_sequence_of_numbers_is_refused(values, shown):
    sentence = f"rows must be a sequence of at least 1 finite number, but is {shown}."
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        numbers("rows", values)


def test_columns_go_together():
    same_length(a=[1], b=[2])
    with pytest.raises(
        BadParameter, match=re.escape("a and b must be equally long, but hold 1 and 2 numbers.")
    ):
        same_length(a=[1], b=[2, 3])


@pytest.mark.parametrize("rounds", [1, 7, 120, 121, 12_345, 10**7])
def test_moments_are_few_and_hold_both_ends(rounds):
    at = moments(rounds)
    assert at[0] == 1
    assert at[-1] == rounds
    assert len(at) <= 120
    assert (np.diff(at) > 0).all()


def test_thinning_keeps_both_ends():
    few = thinned(100_000, 50)
    assert (few[0], few[-1], len(few)) == (0, 99_999, 50)


def test_labels_do_not_overlap_and_keep_their_order():
    wanted, sizes = [10.0, 11.0, 12.0, 290.0], [17.0, 34.0, 17.0, 17.0]
    spots = _apart(wanted, sizes, 300.0)
    gaps = np.diff(spots)
    need = (np.array(sizes[1:]) + np.array(sizes[:-1])) / 2
    assert (gaps >= need - 0.1).all()
    assert _apart([10.0, 100.0], [17.0, 17.0], 300.0) == [10.0, 100.0]


def test_every_series_has_a_dash_a_marker_and_its_name_at_the_end():
    canvas = Curves("t", x="x", y="y")
    for place in range(6):
        canvas.curve([0, 1], [place, place], f"series {place}")
    canvas.name_ends(canvas.y_range(0, 5))
    figure = canvas.figure
    assert len({trace.line.dash for trace in figure.data}) == 6
    assert len({trace.marker.symbol for trace in figure.data}) == 6
    names = [annotation.text for annotation in figure.layout.annotations]
    assert [name.split(" ", 1)[1] for name in names] == [f"series {k}" for k in range(6)]
    assert len({name[0] for name in names}) == 6
    assert figure.layout.showlegend is False


def test_a_second_panel_has_its_own_axes_and_room():
    canvas = Canvas("t")
    canvas.second_panel(x="below", share=0.6, below=True, gap=0.1)
    figure = canvas.figure
    (low, top), (bottom, high) = figure.layout.yaxis.domain, figure.layout.yaxis2.domain
    assert (top, bottom) == (1.0, 0.0)
    assert low - high == pytest.approx(0.1)
    assert figure.layout.xaxis2.title.text == "below"
    assert figure.layout.xaxis2.anchor == "y2"


def test_ticks_of_a_logarithmic_axis_lie_on_it():
    assert decades(20, 5000) == [20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0]
    assert decades(0.005, 0.2) == [0.005, 0.01, 0.02, 0.05, 0.1, 0.2]
