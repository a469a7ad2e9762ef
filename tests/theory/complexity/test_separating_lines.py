import re

import numpy as np
import pytest

from assay import SVC
from assay.errors import BadParameter
from assay.theory.complexity.separating_lines import separating_lines
from assay.theory.complexity.shattering import halfspaces


@pytest.mark.parametrize("seed", range(4))
def test_they_are_the_labelings_of_halfspaces_with_lines_that_separate(seed):
    points = np.random.default_rng(seed).normal(size=(3 + seed % 3, 2)) * 10.0**seed
    lines = separating_lines(points)
    assert set(lines) == {tuple(row) for row in halfspaces(points).tolist()}
    for labels, (w1, w2, b) in lines.items():
        scores = np.array(labels) * (points @ [w1, w2] + b)
        assert scores.min() == pytest.approx(1.0)


def test_the_margin_is_the_widest():
    points = np.random.default_rng(5).normal(size=(5, 2))
    for labels, (w1, w2, b) in separating_lines(points).items():
        if len(set(labels)) == 2:
            machine = SVC(C=np.inf, kernel="linear", tol=1e-8).fit(points, labels)
            assert np.allclose([w1, w2, b], [*machine.coef_[0], machine.intercept_[0]], rtol=1e-4)


def test_points_on_a_line_and_on_each_other():
    assert len(separating_lines([[0, 0], [1, 1], [2, 2]])) == 6
    assert len(separating_lines([[1, 1], [1, 1]])) == 2
    assert len(separating_lines([[1, 1]])) == 2


def test_refusals():
    sentence = "points must be a table with two columns and 1 to 10 rows, but is (11, 2)."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        separating_lines(np.zeros((11, 2)))
