import math
import re

import numpy as np
import pytest

from assay.errors import BadData
from assay.learners.experts.advice import as_numbers, missing, outcomes_for, single, table


def refuses(sentence):
    return pytest.raises(BadData, match=f"^{re.escape(sentence)}$")


def test_tables_of_several_kinds():
    pa = pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    columns = {"a": [0.5, 1.0], "b": [0.25, 0.0]}
    for given in (pa.table(columns), pd.DataFrame(columns), pl.DataFrame(columns)):
        cells, names = table(given, "advice")
        assert cells.tolist() == [[0.5, 0.25], [1.0, 0.0]]
        assert names == ("a", "b")
    assert table([[1, 2]], "advice")[1] is None
    with refuses(
        "advice must be a table with a row for each round and a column for each expert, but has 3 "
        "dimensions."
    ):
        table(np.zeros((1, 1, 1)), "advice")


def test_one_round():
    pd = pytest.importorskip("pandas")
    assert single([1, 2], None, "advice")[0].tolist() == [[1, 2]]
    assert single(pd.Series([1, 2]), None, "advice")[1] is None
    assert single(pd.Series([1, 2], index=["a", "b"]), None, "advice")[1] == ("a", "b")
    cells, names = single({"b": 2.0, "a": 1.0}, ("a", "b", "c"), "advice")
    assert cells.tolist()[0][:2] == [1.0, 2.0]
    assert math.isnan(cells[0, 2])
    assert names == ("a", "b", "c")
    assert single({"a": "x", "b": None}, None, "advice")[0].tolist() == [["x", None]]
    with refuses("advice names an expert 'd', who was not there before."):
        single({"d": 1}, ("a",), "advice")


def test_numbers_and_what_is_missing():
    given = np.array([[1, None]], dtype=object)
    found = as_numbers(given, "advice")
    assert found.dtype == np.float64
    assert missing(found).tolist() == missing(given).tolist() == [[False, True]]
    assert not missing(np.array([["a"]])).any()
    assert as_numbers(np.array([["0.5"]]), "advice").tolist() == [[0.5]]
    assert as_numbers(np.zeros((2, 2), order="F"), "x").flags["C_CONTIGUOUS"]
    with refuses("advice must hold numbers, but holds 'x'."):
        as_numbers(np.array([[1, "x"]], dtype=object), "advice")


def test_outcomes():
    assert outcomes_for([1, 2], 2).tolist() == [1, 2]
    with refuses("outcomes must hold one for each of the 3 rounds, but has shape (2,)."):
        outcomes_for([1, 2], 3)
