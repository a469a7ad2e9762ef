import re

import numpy as np
import pytest

from assay import Perceptron, figures
from assay.errors import BadData, BadParameter
from tests.report.figures.samples import check_themes, two_clouds


def _fitted(apart=0.5, **how):
    X, y = two_clouds(15, seed=4, apart=apart)
    return Perceptron(trace=True, max_iter=2, **how).fit(X, y), X, y


@pytest.mark.parametrize("intercept", [True, False])
def test_every_update_is_a_frame_and_shows_its_point_and_line(intercept):
    model, X, y = _fitted(fit_intercept=intercept)
    figure = figures.perceptron_steps(model, X, y)
    assert len(figure.frames) == model.record_.updates > 3
    assert [frame.name for frame in figure.frames] == [
        str(k + 1) for k in range(model.record_.updates)
    ]
    w = np.zeros(3)
    for k, frame in enumerate(figure.frames):
        old, new, _, wrong, so_far = frame.data
        point = np.array([wrong.x[0], wrong.y[0]])
        [row] = np.flatnonzero((point == X).all(axis=1))
        sign = 1.0 if y[row] == "yes" else -1.0
        before = w @ [*point, float(intercept)]
        assert sign * before <= 0  # it was mistaken, or had no score yet
        for line in (old,) if w[:2].any() else ():
            corners = np.column_stack([line.x, line.y])
            assert np.isnan(corners).all() or np.abs(corners @ w[:2] + w[2]).max() < 1e-9
        w = w + sign * np.array([*point, float(intercept)])
        corners = np.column_stack([new.x, new.y])
        assert not len(corners) or np.abs(corners @ w[:2] + w[2]).max() < 1e-9
        assert so_far.y[-1] == k + 1
    assert np.allclose(w, [*model.coef_[0], model.intercept_[0]])


@pytest.mark.parametrize(("apart", "formula"), [(0.5, "R²‖u‖² + 2L(u)"), (0.9, "R²/γ²")])
def test_the_bound_is_the_promised_one(apart, formula):
    model, X, y = _fitted(apart)
    figure = figures.perceptron_steps(model, X, y)
    known = ("perceptron-margin-mistakes", "perceptron-hinge-mistakes")
    best = min(g.value for g in model.guarantees() if g.theorem in known)
    [words] = [note.text for note in figure.layout.annotations]
    assert words.startswith(f"at most {formula}")
    assert f"{best:g}" in words
    lines = [trace for trace in figure.data if trace.name == "bound"]
    assert all(set(trace.y) == {best} for trace in lines)


def test_the_first_of_many_updates():
    model, X, y = _fitted()
    assert len(figures.perceptron_steps(model, X, y, most_frames=2).frames) == 2


def test_themes():
    model, X, y = _fitted()
    check_themes(lambda theme: figures.perceptron_steps(model, X, y, theme=theme))


def test_refusals():
    model, X, y = _fitted()
    sentence = "trace must be True in the model, so that it records its updates, but is False."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        figures.perceptron_steps(Perceptron().fit(X, y), X, y)
    sentence = "X and y must be the sample that the model was fitted to, in the same order."
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        figures.perceptron_steps(model, X[::-1], y[::-1])
    sentence = "most_frames must be from 1 to 200, but is 0."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        figures.perceptron_steps(model, X, y, most_frames=0)
