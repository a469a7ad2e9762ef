import re

import numpy as np
import pytest

from assay import KNeighborsClassifier
from assay.errors import BadData, BadParameter
from assay.learners.neighbors import kd_cells, kd_search


def _model(metric="euclidean", rows=150, **how):
    draw = np.random.default_rng(0)
    X = draw.normal(size=(rows, 2))
    X[20:60] = X[20:60].round()  # with many at the same distance
    return KNeighborsClassifier(3, algorithm="kd_tree", leaf_size=8, metric=metric, **how).fit(
        X, np.arange(rows) % 2
    )


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_the_search_in_the_open_is_the_compiled_one(metric):
    model = _model(metric)
    draw = np.random.default_rng(1)
    for query in np.vstack([draw.normal(size=(25, 2)), model.X_fit_[20:30], [[9.0, -9.0]]]):
        found = kd_search(model, query)
        distances, rows = model.kneighbors([query])
        _, _, opened, scanned = model._search.counted(query[None, :], 3)
        assert found.rows == tuple(rows[0])
        assert np.allclose(found.distances, distances[0])
        assert (found.opened, found.scanned) == (opened, scanned)
        worst = np.inf
        for step in found.steps:
            assert step.looked == (step.distance <= worst * (1 + 1e-9)) or worst == 0
            worst = step.worst


def test_the_boxes_hold_their_rows_and_all_rows_once():
    cells = kd_cells(_model())
    assert sorted(np.concatenate(cells.rows).tolist()) == list(range(150))
    for node, rows in enumerate(cells.rows):
        assert (cells.points[rows] >= cells.low[node]).all()
        assert (cells.points[rows] <= cells.high[node]).all()
    inner = np.flatnonzero(cells.feature >= 0)
    assert (cells.depth[cells.left[inner]] == cells.depth[inner] + 1).all()
    assert len(cells) == 2 * cells.blocks - 1


def test_refusals():
    model = _model()
    sentence = "query must be one row of 2 finite numbers, but is [1.0]."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        kd_search(model, [1.0])
    sentence = "n_neighbors must be a whole number from 1 to 150, but is 151."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        kd_search(model, [1.0, 2.0], 151)
    sentence = "metric must be 'euclidean' or 'manhattan', but is 'cosine'."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        kd_cells(_model("cosine"))
    brute = KNeighborsClassifier(algorithm="brute").fit([[0.0], [1.0]], [0, 1])
    sentence = "This rule has no kd-tree. Fit it with algorithm='kd_tree', to dense rows."
    with pytest.raises(BadData, match=f"^{re.escape(sentence)}$"):
        kd_cells(brute)
