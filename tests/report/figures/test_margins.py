import re

import numpy as np
import pytest

from assay import AdaBoostClassifier, figures
from assay.errors import BadParameter
from tests.report.figures.samples import ball, check_themes


def test_the_curve_is_the_share_of_margins_that_are_at_most_as_large():
    X, y = ball()
    model = AdaBoostClassifier(n_estimators=10).fit(X, y)
    staged = list(model.staged_margins(X, y))
    assert np.allclose(
        staged[-1], model.margins(X, y), rtol=1e-12
    )  # votes added up in another order
    figure = figures.margins_distribution({"1": staged[0], "10": staged[-1]})
    for trace, margins in zip(figure.data, (staged[0], staged[-1]), strict=True):
        assert (np.diff(trace.x) > 0).all()
        for at, share in zip(trace.x, trace.y, strict=True):
            assert share == np.mean(margins <= at)
    assert len({trace.line.dash for trace in figure.data}) == 2


def test_many_margins_are_thinned():
    figure = figures.margins_distribution(np.random.default_rng(0).normal(size=20_000))
    assert len(figure.data[0].x) <= 1500
    assert figure.data[0].y[-1] == 1


def test_themes():
    check_themes(lambda theme: figures.margins_distribution([0.1, 0.2], theme=theme))


def test_refusals():
    sentence = "the margins of a must be finite numbers, one at least, but is [nan]."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        figures.margins_distribution({"a": [np.nan]})
    sentence = "margins must be one sample at least, but is {}."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        figures.margins_distribution({})
