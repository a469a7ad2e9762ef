import re

import numpy as np
import pytest

from assay import BasisRidge, bias_variance, figures
from assay.data.synthetic import NoisyFunction
from assay.errors import BadParameter
from assay.report.figures.bias_variance import bias_variance_curve, fit_curves, learning_curve
from tests.report.figures.samples import check_themes, named


@pytest.fixture(scope="module")
def results():
    source = NoisyFunction(np.cos, noise=0.3, low=-3.0, high=3.0)
    return [
        bias_variance(BasisRidge(degree=d), source, rows=30, trials=15, at=20, random_state=0)
        for d in (1, 2, 4)
    ]


def test_the_parts_are_those_of_the_experiment(results):
    figure = bias_variance_curve(results[::-1], [4, 2, 1], of="degree")
    [seen], [whole] = named(figure, "error seen"), named(figure, "promised sum")
    assert seen.x.tolist() == [1, 2, 4]
    assert seen.y.tolist() == [r.error.value for r in results]
    assert whole.y.tolist() == [r.promised for r in results]
    assert named(figure, "noise")[0].y.tolist() == [r.noise for r in results]
    assert named(figure, "variance")[0].y.tolist() == [r.variance.value for r in results]


def test_training_and_test_error_by_capacity():
    figure = fit_curves([3, 1, 2], [0.0, 0.5, 0.2], [0.5, 0.6, 0.3], of="degree")
    training, test = figure.data
    assert training.y.tolist() == [0.5, 0.2, 0.0]
    assert test.y.tolist() == [0.6, 0.3, 0.5]
    assert figure.layout.title.subtitle.text == "the test error is least at degree 2"
    assert [a.text for a in figure.layout.annotations if "fits" in a.text] == [
        "underfits ←",
        "→ overfits",
    ]


def test_training_and_test_error_by_rows():
    figure = learning_curve([100, 10], [0.1, 0.0], [0.15, 0.4], bound=("occam-exact", [0.3, 0.9]))
    assert [trace.y.tolist() for trace in figure.data] == [[0.0, 0.1], [0.4, 0.15], [0.9, 0.3]]
    assert figure.layout.xaxis.type == "log"


def test_both_themes(results):
    check_themes(lambda t: figures.bias_variance_curve(results, [1, 2, 4], theme=t))
    check_themes(lambda t: figures.fit_curves([1, 2], [1, 0], [1, 2], theme=t))
    check_themes(lambda t: figures.learning_curve([1, 2], [0, 0.1], [0.5, 0.4], theme=t))


def test_refusals(results):
    sentence = "capacity and results must be equally long, but hold 1 and 3 numbers."
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        bias_variance_curve(results, [1])
    with pytest.raises(BadParameter, match=re.escape("rows must be above zero.")):
        learning_curve([0], [0], [0])
