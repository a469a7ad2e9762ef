import numpy as np
import pytest

from assay import KNeighborsClassifier, figures
from assay.errors import BadParameter
from assay.learners.neighbors.cells import kd_cells
from assay.report.figures.kd_halves import cells_of


def below(cells, node):
    if cells.feature[node] < 0:
        return cells.rows[node].tolist()
    return below(cells, cells.left[node]) + below(cells, cells.right[node])


@pytest.mark.parametrize("rule", ["cyclic", "widest"])
@pytest.mark.parametrize("width", [2, 3])
def test_halves_at_the_median_of_the_feature_in_turn(rule, width):
    points = np.random.default_rng(width).normal(size=(45, width)).round(1)
    cells = cells_of(points, rule, 2)
    assert sorted(below(cells, 0)) == list(range(45))
    for node, j in enumerate(cells.feature.tolist()):
        rows = below(cells, node)
        inside = points[rows]
        assert (cells.low[node] <= inside).all()
        assert (inside <= cells.high[node]).all()
        if j < 0:
            assert len(rows) <= 2 or (inside == inside[0]).all()
            continue
        left, right = (below(cells, half[node]) for half in (cells.left, cells.right))
        assert points[left, j].max() < cells.threshold[node] < points[right, j].min()
        spread = np.ptp(inside, axis=0)
        wanted = int(cells.depth[node]) % width if rule == "cyclic" else int(spread.argmax())
        assert j == wanted or spread[wanted] == 0
        # Halves differ by as many as share the value of the median.
        same = (inside[:, j] == np.sort(inside[:, j])[(len(rows) - 1) // 2]).sum()
        assert abs(len(left) - len(right)) <= 2 * same


def test_the_tree_of_a_fitted_rule_is_drawn_as_it_is():
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = KNeighborsClassifier(1, algorithm="kd_tree", leaf_size=8).fit(X, np.arange(60) % 2)
    cells = kd_cells(model)
    assert cells_of(cells, "cyclic", 1) is cells
    assert len(figures.kd_construction(cells).frames) == cells.blocks - 1


def test_alike_points_and_refusals():
    assert len(cells_of([[1, 2]] * 5, "cyclic", 1)) == 1
    with pytest.raises(BadParameter, match="rule must be 'cyclic' or 'widest', but is 'random'"):
        figures.kd_construction([[0, 1]], rule="random")
    with pytest.raises(BadParameter, match="points must be a table of finite numbers"):
        figures.kd_construction([[0, np.nan]])
    with pytest.raises(BadParameter, match="leaf_size must be a whole number of at least 1"):
        figures.kd_construction([[0, 1]], leaf_size=0)
