import re

import numpy as np
import pytest

from assay import KNeighborsClassifier, RadiusNeighborsClassifier, figures
from assay.errors import BadParameter
from tests.report.figures.samples import check_themes, named, two_clouds

QUERY = [0.3, 0.2]


def test_the_nearest_are_marked_and_the_circle_passes_through_the_last():
    X, y = two_clouds()
    model = KNeighborsClassifier(5).fit(X, y)
    figure = figures.near_neighbors(model, X, y, QUERY)
    [distances], [rows] = model.kneighbors([QUERY])
    [marked] = named(figure, "neighbour")
    assert (np.column_stack([marked.x, marked.y]) == X[rows]).all()
    [ring] = named(figure, f"distance {distances.max():.3g}")
    far = np.hypot(np.array(ring.x) - QUERY[0], np.array(ring.y) - QUERY[1])
    assert np.allclose(far, distances.max())
    assert figure.layout.title.text.endswith(f"say {model.predict([QUERY])[0]}")


def test_all_within_a_radius():
    X, y = two_clouds()
    model = RadiusNeighborsClassifier(radius=2.0).fit(X, y)
    figure = figures.near_neighbors(model, X, y, QUERY)
    inside = np.hypot(*(X - QUERY).T) <= 2.0
    [marked] = named(figure, "neighbour")
    assert len(marked.x) == inside.sum()
    lonely = figures.near_neighbors(model, X, y, [50.0, 50.0])
    assert lonely.layout.title.text == "The 0 neighbours within distance 2 say nothing"


def test_themes_and_refusals():
    X, y = two_clouds(5)
    model = KNeighborsClassifier(3).fit(X, y)
    check_themes(lambda theme: figures.near_neighbors(model, X, y, QUERY, theme=theme))
    other = KNeighborsClassifier(3, metric="manhattan").fit(X, y)
    sentence = "metric must be 'euclidean', but is 'manhattan'."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        figures.near_neighbors(other, X, y, QUERY)
