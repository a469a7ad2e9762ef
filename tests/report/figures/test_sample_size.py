import re
from itertools import pairwise

import numpy as np
import pytest

from assay import figures, plan
from assay.errors import BadParameter
from assay.report.figures.sample_size import bound_by_rows, rows_needed
from assay.theory.tail.binomial import holdout_exact
from assay.theory.tail.hoeffding import validation_hoeffding
from tests.report.figures.samples import check_themes, named


def test_rows_are_those_of_the_plan():
    figure = rows_needed([0.2, 0.05], delta=0.1)
    perfect, imperfect, classic = figure.data
    assert perfect.x.tolist() == [0.05, 0.2]
    assert perfect.y.tolist() == [plan(e, 0.1).rows for e in (0.05, 0.2)]
    plans = [plan(e, 0.1, expected=e / 2) for e in (0.05, 0.2)]
    assert imperfect.y.tolist() == [p.rows for p in plans]
    assert classic.y.tolist() == [p.textbook[1] for p in plans]


def test_the_bound_after_so_many_rows_is_the_theorems():
    figure = bound_by_rows(0.1, rows=500)
    [exactly], [hoeffding] = named(figure, "exact"), named(figure, "Hoeffding")
    [kl], [seen] = named(figure, "relative entropy"), named(figure, "observed")
    assert exactly.y[-1] == holdout_exact(50, 500, 0.05)
    assert hoeffding.y[-1] == validation_hoeffding(50, 500, 0.05)
    columns = [np.asarray(trace.y) for trace in (seen, exactly, kl, hoeffding)]
    for lower, higher in pairwise(columns):
        assert (lower <= higher).all()


def test_both_themes():
    check_themes(lambda theme: figures.rows_needed([0.1, 0.2], theme=theme))
    check_themes(lambda theme: figures.bound_by_rows(rows=50, theme=theme))


@pytest.mark.parametrize(
    ("draw", "sentence"),
    [
        (lambda: rows_needed([0.0]), "errors must lie strictly between 0 and 1."),
        (
            lambda: rows_needed([0.1], expected=1),
            "expected must be at least 0 and below 1, but is 1.",
        ),
        (lambda: bound_by_rows(1.0), "observed must be at least 0 and below 1, but is 1.0."),
    ],
)
def test_refusals(draw, sentence):
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        draw()
