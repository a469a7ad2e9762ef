import re

import numpy as np
import pytest

from assay import LinearSVC, figures
from assay.errors import BadParameter
from tests.report.figures.samples import ball, check_themes, named, two_clouds


def test_weights_are_written_and_negative_ones_are_dashed():
    X, y = two_clouds()
    X = np.column_stack([X, -X[:, 0]])
    model = LinearSVC(random_state=0).fit(X, y)
    figure = figures.neuron_diagram(model, feature_names=["age", "debt", "income"])
    values = [*model.coef_[0], model.intercept_[0]]
    edges = [trace for trace in figure.data if " = " in trace.name]
    assert [float(edge.name.split(" = ")[1]) for edge in edges] == pytest.approx(values, rel=1e-3)
    for edge, value in zip(edges, values, strict=True):
        assert edge.line.dash == ("solid" if value >= 0 else "dash")
    words = {note.text for note in figure.layout.annotations}
    assert "≥ 0: yes<br>&lt; 0: no" in words


def test_the_line_beside_it_is_that_of_the_model():
    X, y = two_clouds()
    model = LinearSVC().fit(X, y)
    [line] = named(figures.neuron_diagram(model, X, y), "where the sum is 0")
    assert np.abs(model.decision_function(np.column_stack([line.x, line.y]))).max() < 1e-9


def test_themes_and_refusals():
    X, y = two_clouds(5)
    model = LinearSVC().fit(X, y)
    check_themes(lambda theme: figures.neuron_diagram(model, X, y, theme=theme))
    three = LinearSVC().fit(ball(30)[0], np.arange(30) % 3)
    sentence = "model must be a linear classifier of two classes, but is 'LinearSVC'."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        figures.neuron_diagram(three)
