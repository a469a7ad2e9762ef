import re

import pytest

from assay import figures, plan
from assay.errors import BadParameter
from tests.report.figures.samples import check_themes

FOUND = plan(error=0.1, expected=0.05)


def test_the_chances_are_those_of_the_plan():
    curve, mark = figures.power_by_rows(FOUND, rows=400).data
    assert [FOUND.power_at(int(n)) for n in curve.x] == curve.y.tolist()
    assert (mark.x[0], mark.y[0]) == (FOUND.rows, FOUND.power)
    assert max(curve.x) == 400


def test_several_plans_by_name():
    others = {f"{p} %": plan(error=0.1, expected=p / 100) for p in (2, 4)}
    figure = figures.power_by_rows(others)
    assert [trace.name for trace in figure.data] == ["2 %", "4 %", "planned", "planned"]
    assert max(figure.data[0].x) == int(1.5 * others["4 %"].rows)


def test_both_themes():
    check_themes(lambda theme: figures.power_by_rows(FOUND, theme=theme))


def test_refusals():
    sentence = (
        "plans must be of rows that test; one of training rows is for the worst case and has no power, but is "
        "'training'."
    )
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        figures.power_by_rows(plan(error=0.1, bits=10))
    with pytest.raises(BadParameter, match="plans must be at least one plan"):
        figures.power_by_rows({})
