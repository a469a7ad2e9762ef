import itertools

import numpy as np
import pytest

from assay import lab
from assay.errors import BadParameter


@pytest.mark.parametrize("features", [1, 2, 3])
def test_every_function_is_its_formula_and_its_network(features):
    every = list(itertools.product((False, True), repeat=2**features))
    for values in every if features < 3 else every[::6]:
        table = lab.truth_table(values)
        points = table.points
        for formula in (table.formula, table.full_formula):
            said = [
                eval(formula.replace("false", "False").replace("true", "True"), {}, named)
                for named in ({f"x{j}": bool(v) for j, v in enumerate(row)} for row in points)
            ]
            assert said == list(values)
        assert table.network().predict(points).tolist() == list(values)
        assert len(table.terms) <= sum(values)


def test_a_threshold_that_is_half_too_low_is_caught():
    table = lab.truth_table(lambda a, b, c: a and not b and c, 3)
    network = table.network()
    broken = type(network)(network.weights, network.thresholds - 1)
    assert network.predict(table.points).tolist() == table.truth.tolist()
    assert broken.predict(table.points).tolist() != table.truth.tolist()


def test_the_formula_of_the_notes():
    """x1 x4 x7 or x1 not x2 or x2 x5, on the five features that it has."""
    table = lab.truth_table(
        lambda x1, x2, x4, x5, x7: (x1 and x4 and x7) or (x1 and not x2) or (x2 and x5),
        5,
        names=["x1", "x2", "x4", "x5", "x7"],
    )
    network = table.network()
    assert network.predict(table.points).tolist() == table.truth.tolist()
    assert int(table.truth.sum()) == len(table.full_formula.split(" or "))
    assert len(table.terms) < int(table.truth.sum())
    assert np.isin(network.weights, (-1, 0, 1)).all()


def test_refusals():
    for given, sentence in (
        (([0, 1, 1],), "function must be a value for each of 2\\^d points"),
        (([0, 1], 2), "features must be 1, as the table has it, but is 2"),
        ((bool, 17), "features must be at most 16, but is 17"),
    ):
        with pytest.raises(BadParameter, match=sentence):
            lab.truth_table(*given)
    with pytest.raises(BadParameter, match="names must be one for each of 1 features"):
        lab.truth_table([0, 1], names=["a", "b"])
