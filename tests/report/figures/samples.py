"""Small samples that figures are tried on."""

from __future__ import annotations

import numpy as np

THEMES = ("light", "dark")
PAPER = {"light": "#ffffff", "dark": "#14181f"}


def two_clouds(rows=20, seed=0, apart=2.0):
    """Two clouds of the plane that a line separates, in a mixed order."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(2 * rows, 2)) * 0.6
    y = np.where(np.arange(2 * rows) % 2 == 0, "no", "yes")
    return X + np.where(y == "yes", apart, -apart)[:, None] / np.array([1.0, 2.0]), y


def ball(rows=80, seed=0):
    """Points inside and outside of the unit circle."""
    X = np.random.default_rng(seed).uniform(-1.5, 1.5, size=(rows, 2))
    return X, np.where((X**2).sum(axis=1) < 1, "inside", "outside")


def named(figure, name):
    """The traces of a name."""
    return [trace for trace in figure.data if trace.name == name]


def check_themes(draw):
    """A figure can be drawn in both themes, has a title and survives being written; others are refused."""
    for theme in THEMES:
        figure = draw(theme)
        assert figure.layout.paper_bgcolor == PAPER[theme]
        assert figure.layout.title.text
        assert '"data"' in figure.to_json()
