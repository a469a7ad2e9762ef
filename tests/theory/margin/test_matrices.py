from fractions import Fraction

import pytest

from assay.errors import BadParameter
from assay.theory.margin.matrices import dot, matrix, symmetric, times, transposed, vector
from tests.refusals import refuses


def test_floats_are_the_decimals_they_print_as():
    assert vector("v", [0.1, 2, "1/3"]) == (Fraction(1, 10), Fraction(2), Fraction(1, 3))


def test_operations():
    table = matrix("X", [[1, 2], [3, 4], [5, 6]])
    assert times(table, vector("v", [1, -1])) == (-1, -1, -1)
    assert transposed(table) == ((1, 3, 5), (2, 4, 6))
    assert dot(table[0], table[1]) == 11


@pytest.mark.parametrize(
    ("read", "sentence"),
    [
        (lambda: vector("v", [1], 2), "the length of v must be 2, but is 1."),
        (lambda: vector("v", 3), "v must be a sequence of numbers, but is 3."),
        (lambda: matrix("X", []), "the number of rows of X must be at least 1, but is 0."),
        (lambda: matrix("X", [[]]), "the number of columns of X must be at least 1, but is 0."),
        (lambda: matrix("X", 7), "X must be a table of rows, but is 7."),
        (lambda: matrix("X", [[1], [True]]), "X[1][0] must be a finite number, but is True."),
        (lambda: symmetric("K", [[1, 2]]), "K must be square, but is [[1, 2]]."),
        (lambda: symmetric("K", [[1, 2], [0, 1]]), "K must be symmetric, but is [[1, 2], [0, 1]]."),
    ],
)
def test_refusals(read, sentence):
    with refuses(sentence):
        read()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None])
def test_no_cell_is_anything_but_a_finite_number(value):
    with pytest.raises(BadParameter, match="finite number"):
        matrix("X", [[1.0], [value]])
