import re

import numpy as np
import pytest

from assay import figures
from assay.errors import BadParameter
from assay.report.figures.concepts import two_concepts
from assay.theory.generalization.impossibility import unseen_point
from tests.report.figures.samples import check_themes, named

SAMPLES = [[0.1, 0.7, 0.9], [0.2, 0.52, 0.58, 0.6, 0.99]]


def test_rows_that_tell_the_concepts_apart_are_marked():
    figure = two_concepts(SAMPLES)
    small, large = named(figure, "tells them apart")
    assert len(small.x) == 0
    assert list(large.x) == [0.52, 0.58]
    told = [a.text for a in figure.layout.annotations if "apart" in a.text]
    assert told == ["no row tells them apart", "2 rows tell them apart"]


def test_the_chance_is_the_theorems():
    figure = two_concepts([np.linspace(0, 1, 40)], first=0.3, second=0.25)
    [exactly], [classic] = named(figure, "exactly"), named(figure, "e^(-width n)")
    width = 0.3 - 0.25
    assert exactly.y.tolist() == [unseen_point(width, n) for n in range(1, 41)]
    assert (classic.y >= exactly.y).all()


def test_both_themes():
    check_themes(lambda theme: figures.two_concepts(SAMPLES, theme=theme))


@pytest.mark.parametrize(
    ("draw", "sentence"),
    [
        (lambda: two_concepts([]), "samples must hold at least one sample, but is empty."),
        (lambda: two_concepts([[1.5]]), "samples[0] must lie between 0 and 1."),
        (
            lambda: two_concepts([[0.5]], first=0.5, second=0.5),
            "first and second must be two different numbers between 0 and 1, but are 0.5 and 0.5.",
        ),
    ],
)
def test_refusals(draw, sentence):
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        draw()
