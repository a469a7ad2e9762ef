import re

import numpy as np
import pytest

from assay import figures
from assay.errors import BadParameter
from assay.report.figures.crowd import crowd_majority
from assay.theory.boosting.crowd import crowd_majority_error
from tests.report.figures.samples import check_themes, named


def test_curves_are_the_theorems_and_bounds_lie_above():
    figure = crowd_majority(0.1, voters=31)
    [exactly] = named(figure, "exact")
    assert exactly.x.tolist() == list(range(1, 32, 2))
    assert exactly.y.tolist() == [crowd_majority_error(n, 0.1) for n in range(1, 32, 2)]
    for name in ("Hoeffding, refined", "Hoeffding", "Chernoff"):
        assert (named(figure, name)[0].y >= exactly.y).all()


def test_a_simulation_stands_beside_the_curves():
    rng = np.random.default_rng(0)
    sizes = [1, 11, 21]
    shares = [float(((rng.random((4000, n)) >= 0.6).sum(axis=1) > n / 2).mean()) for n in sizes]
    [points] = named(crowd_majority(0.1, voters=21, simulated=(sizes, shares)), "simulated")
    assert points.y.tolist() == shares
    for n, share in zip(sizes, shares, strict=True):
        assert share == pytest.approx(crowd_majority_error(n, 0.1), abs=0.04)


def test_only_odd_crowds_are_drawn_however_many():
    x = crowd_majority(0.05, voters=1000).data[0].x
    assert x[-1] == 999
    assert all(n % 2 for n in x.tolist())


def test_both_themes():
    check_themes(lambda theme: figures.crowd_majority(0.2, voters=9, theme=theme))


def test_refusals():
    sentence = "The simulated shares must lie between 0 and 1."
    with pytest.raises(BadParameter, match=re.escape(sentence)):
        crowd_majority(0.1, voters=3, simulated=([3], [2.0]))
    with pytest.raises(BadParameter, match=re.escape("edge must be at most 1/2, but is 0.6.")):
        crowd_majority(0.6)
