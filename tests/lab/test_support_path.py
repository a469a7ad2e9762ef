"""The path of the dual variables: pieces of straight lines, feasible, and within the bound on leaving one out."""

from __future__ import annotations

import numpy as np
import pytest

from assay import figures, support_path
from assay.errors import BadData
from tests.report.figures.samples import check_themes

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 2))
Y = (X[:, 0] + 0.5 * RNG.normal(size=12) > 0).astype(int)


def test_it_is_feasible_and_leaves_out_what_it_may():
    path = support_path(X, Y, [2.0, 0.1, 0.5])
    assert path.prices.tolist() == [0.1, 0.5, 2.0]
    assert ((path.alpha >= 0) & (path.alpha <= path.prices[:, None] + 1e-12)).all()
    assert np.allclose(path.alpha @ np.where(Y, 1, -1), 0, atol=1e-9)
    assert (path.left_out <= path.critical / len(Y)).all()
    assert (np.diff(path.margin) <= 1e-12).all()
    assert path.best in path.prices
    assert str(path).startswith("12 rows:")


def test_it_is_linear_between_its_corners():
    # No row joins or leaves the margin in between: C from 0.75 to 1.35 on this sample.
    path = support_path(X, Y, np.linspace(0.8, 1.3, 5))
    assert np.abs(np.diff(path.alpha, 2, axis=0)).max() < 1e-6
    assert np.abs(np.diff(path.alpha, axis=0)).max() > 0.05
    # Over a corner it bends, so that a path that is linear throughout would be seen.
    bent = support_path(X, Y, np.linspace(1.2, 1.6, 5))
    assert np.abs(np.diff(bent.alpha, 2, axis=0)).max() > 0.01


def test_the_figure():
    path = support_path(X, Y, [0.1, 1.0])
    figure = figures.support_path_figure(path)
    *rows, price = figure.data
    assert price.name == "the price C"
    # Rows that lie on the axis or on the price all the way would hide each other.
    assert 1 <= len(rows) <= 5
    for row in rows:
        between = (np.array(row.y) > 1e-6) & (np.array(row.y) < path.prices - 1e-6)
        assert between.any()
    check_themes(lambda theme: figures.support_path_figure(path, theme=theme))


def test_three_classes_are_refused():
    with pytest.raises(BadData, match=r"^A path is of two classes, but there are 3\.$"):
        support_path(X, np.arange(12) % 3, [1.0])
