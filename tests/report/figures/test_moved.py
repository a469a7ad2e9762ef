import re

import numpy as np
import pytest

from assay import SVC, LinearSVC, figures
from assay.errors import BadParameter
from tests.report.figures.samples import ball, check_themes, named, two_clouds


def test_points_are_moved_to_their_margin_and_no_further():
    X, y = two_clouds(apart=0.5)
    model = LinearSVC(random_state=0).fit(X, y)
    figure = figures.moved_points(model, X, y)
    [moves] = named(figure, "distance to be moved")
    corners = np.column_stack([moves.x, moves.y]).reshape(-1, 3, 2)
    signs = np.array([1.0 if y[(a == X).all(axis=1)][0] == "yes" else -1.0 for a in corners[:, 0]])
    assert np.allclose(signs * model.decision_function(corners[:, 1]), 1.0)
    # The hinge loss of the model is the sum of the distances over the margin.
    losses = np.maximum(0, 1 - np.where(y == "yes", 1, -1) * model.decision_function(X))
    lengths = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)
    assert lengths.sum() * np.linalg.norm(model.coef_) == pytest.approx(losses.sum())
    assert f"{lengths.sum():.4g} in all, {len(lengths)} of 40" in figure.layout.title.text


def test_nothing_is_moved_where_a_line_separates():
    X, y = two_clouds(apart=4.0)
    figure = figures.moved_points(LinearSVC(C=100).fit(X, y), X, y, margin=0.01)
    assert not named(figure, "distance to be moved")
    assert figure.layout.title.text == "Distances to be moved: 0 in all, 0 of 40 points"


def test_themes_and_refusals():
    X, y = two_clouds(5)
    model = LinearSVC().fit(X, y)
    check_themes(lambda theme: figures.moved_points(model, X, y, theme=theme))
    sentence = (
        "model must be linear, over two features, but is 'SVC'. It has no line to move points to."
    )
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        figures.moved_points(SVC().fit(*ball(20)), *ball(20))
    with pytest.raises(BadParameter, match=r"^margin must be above zero, but is 0\.$"):
        figures.moved_points(model, X, y, margin=0)
