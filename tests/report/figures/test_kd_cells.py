import re

import numpy as np
import pytest

from assay import KNeighborsClassifier, figures
from assay.errors import BadParameter
from assay.learners.neighbors.cells import kd_cells, kd_search
from tests.report.figures.samples import check_themes


def _model(width=2, metric="euclidean"):
    X = np.random.default_rng(2).normal(size=(70, width))
    return KNeighborsClassifier(2, algorithm="kd_tree", leaf_size=8, metric=metric).fit(
        X, np.arange(70) % 2
    )


def test_every_cut_is_a_frame_at_its_threshold():
    cells = kd_cells(_model())
    figure = figures.kd_construction(cells)
    assert len(figure.frames) == cells.blocks - 1
    cuts = [node for node in np.argsort(cells.depth, kind="stable") if cells.feature[node] >= 0]
    for node, frame in zip(cuts, figure.frames, strict=True):
        fresh = frame.data[2]
        along = np.array(fresh.x if cells.feature[node] == 0 else fresh.y)
        assert set(along[np.isfinite(along)]) == {cells.threshold[node]}
    before = figure.frames[-1].data[1]
    assert np.isnan(before.x).sum() == len(cuts)  # a gap at the start, and one after each other cut


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_every_step_of_a_search_is_a_frame(metric):
    model = _model(metric=metric)
    cells, found = kd_cells(model), kd_search(model, [0.1, -0.2])
    figure = figures.kd_query(cells, found)
    assert len(figure.frames) == len(found.steps)
    passed, looked, ring, kept = figure.frames[-1].data
    assert np.isnan(looked.x).sum() - 1 == found.scanned
    assert np.isnan(passed.x).sum() - 1 == len(found.steps) - found.scanned
    assert passed.fillpattern.shape == "/"
    assert sorted(zip(kept.x, kept.y, strict=True)) == sorted(
        map(tuple, cells.points[list(found.rows)].tolist())
    )
    away = np.column_stack([ring.x, ring.y]) - found.query
    far = np.abs(away).sum(axis=1) if metric == "manhattan" else np.hypot(*away.T)
    assert np.allclose(far, found.distances[-1])


def test_themes():
    model = _model()
    cells, found = kd_cells(model), kd_search(model, [0.1, -0.2])
    check_themes(lambda theme: figures.kd_construction(cells, theme=theme))
    check_themes(lambda theme: figures.kd_query(cells, found, theme=theme))


def test_refusals():
    sentence = "the number of features must be 2, to be drawn in the plane, but is 3."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        figures.kd_construction(kd_cells(_model(width=3)))
