import re

import pytest

from assay import figures
from assay.errors import BadParameter
from assay.report.figures.differences import differences_figure
from tests.report.figures.samples import check_themes, named

ROWS = [
    {"learner": "gaussian-nb", "observed": 0.12, "least": 0.08001, "most": 0.16999},
    {"learner": "perceptron", "observed": 0.01, "least": -0.02, "most": 0.04},
    {"learner": "winnow", "observed": 0.3, "least": None, "most": None},
]


def test_models_are_sorted_by_what_was_seen():
    figure = differences_figure(ROWS, best="svc")
    names = [text.split("<br>")[0] for text in figure.layout.yaxis.ticktext]
    assert names == ["perceptron", "gaussian-nb", "winnow"]
    [seen], [least], [most] = (named(figure, name) for name in ("observed", "at least", "at most"))
    assert list(seen.x) == [0.01, 0.12, 0.3]
    assert list(least.x)[:2] == [-0.02, 0.08001]
    assert list(most.x)[:2] == [0.04, 0.16999]
    bars = [shape for shape in figure.layout.shapes if shape.y0 == shape.y1]
    assert [(bar.x0, bar.x1) for bar in bars] == [(-0.02, 0.04), (0.08001, 0.16999)]
    assert "svc" in figure.layout.title.text


def test_what_is_promised_never_reads_narrower_than_it_is():
    text = differences_figure(ROWS).layout.yaxis.ticktext
    assert "+12.00 points seen, +8.00 to +17.00 points promised" in text[1]
    assert "no promise" in text[2]


def test_both_themes():
    check_themes(lambda theme: figures.differences_figure(ROWS, theme=theme))
    check_themes(lambda theme: figures.differences_figure(ROWS[:1], theme=theme))


def test_refusals():
    with pytest.raises(
        BadParameter, match=re.escape("rows must hold at least one model, but is empty.")
    ):
        differences_figure([])
    with pytest.raises(BadParameter, match="least is missing"):
        differences_figure([{"learner": "a", "observed": 0.1}])
