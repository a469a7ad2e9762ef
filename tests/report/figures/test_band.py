import re

import numpy as np
import pytest

from assay import LinearSVC, MarginPerceptron, figures
from assay.errors import BadParameter
from tests.report.figures.samples import check_themes, named, two_clouds


def test_the_band_holds_what_the_margin_perceptron_would_learn_from():
    X, y = two_clouds(apart=0.8)
    model = MarginPerceptron(margin=0.3, fit_intercept=False, max_iter=1).fit(X, y)
    figure = figures.margin_band(model, X, y)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    reached = np.where(y == "yes", 1, -1) * (unit @ model.coef_[0]) / np.linalg.norm(model.coef_)
    narrow = (reached >= 0) & (reached < 0.15)
    rings = named(figure, "right, but in the band")
    assert sum(len(ring.x) for ring in rings) == narrow.sum()
    assert sum(len(ring.x) for ring in named(figure, "wrong")) == (reached < 0).sum()
    band = figure.data[0]
    away = np.column_stack([band.x, band.y]) @ model.coef_[0] / np.linalg.norm(model.coef_)
    assert np.abs(away).max() == pytest.approx(0.15)
    assert band.fillpattern.shape == "/"


def test_themes_and_refusals():
    X, y = two_clouds(5)
    model = MarginPerceptron(fit_intercept=False).fit(X, y)
    check_themes(lambda theme: figures.margin_band(model, X, y, theme=theme))
    sentence = (
        "fit_intercept must be False, but is True. With a constant feature the scaled points lie on a "
        "sphere, not in the plane."
    )
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        figures.margin_band(MarginPerceptron().fit(X, y), X, y)
    with pytest.raises(BadParameter, match=r"^width must be a number above zero, but is None\.$"):
        figures.margin_band(LinearSVC().fit(X, y), X, y)
