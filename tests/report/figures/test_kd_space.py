import re
from itertools import pairwise

import numpy as np
import pytest

from assay import KNeighborsClassifier, figures
from assay.errors import BadParameter
from assay.learners.neighbors.cells import kd_cells
from tests.report.figures.samples import check_themes


def _model(width=2):
    X = np.random.default_rng(2).normal(size=(70, width))
    return KNeighborsClassifier(2, algorithm="kd_tree", leaf_size=8).fit(X, np.arange(70) % 2)


def test_the_boxes_in_space_hold_all_rows():
    cells = kd_cells(_model(width=3))
    figure = figures.kd_boxes(cells, depth=2)
    boxes, rows = figure.data[::2], figure.data[1::2]
    assert sum(len(trace.x) for trace in rows) == 70
    for box, inside in zip(boxes, rows, strict=True):
        for axis in "xyz":
            assert min(box[axis]) <= min(inside[axis]) <= max(inside[axis]) <= max(box[axis])
    # A box has twelve edges, and the pen draws each of them.
    corners = np.column_stack([boxes[0].x, boxes[0].y, boxes[0].z])
    pairs = {frozenset(map(tuple, pair)) for pair in pairwise(corners)}
    assert len(pairs) == 12
    check_themes(lambda theme: figures.kd_boxes(cells, theme=theme))
    sentence = "the number of features must be 3, to be drawn in space, but is 2."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        figures.kd_boxes(kd_cells(_model()))
