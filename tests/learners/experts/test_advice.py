import math
import re

import numpy as np
import pytest

from assay.errors import BadData
from assay.learners.experts.advice import (
    as_numbers,
    missing,
    outcomes_for,
    refuse_mixed,
    single,
    table,
)


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


def test_what_pandas_calls_missing():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1, None], "b": [None, 2]}).astype("Int64")
    assert missing(table(frame, "advice")[0]).tolist() == [[False, True], [True, False]]
    assert as_numbers(table(frame, "advice")[0], "advice")[0, 0] == 1.0
    assert missing(single(frame.iloc[0], None, "advice")[0]).tolist() == [[False, True]]
    assert missing(single({"a": pd.NA, "b": 1}, None, "advice")[0]).tolist() == [[True, False]]
    assert missing(outcomes_for(pd.Series([1, None], dtype="Int64"), 2)).tolist() == [False, True]


def test_text_and_nan_in_a_list():
    cells, _ = table([["x", math.nan], ["y", 1]], "advice")
    assert cells[0, 0] == "x"
    assert missing(cells).tolist() == [[False, True], [False, False]]
    assert cells[1, 1] == 1


def test_text_beside_numbers():
    refuse_mixed(np.array([["a", None]], dtype=object), np.array(["b"]), 1)
    refuse_mixed(np.array([[1, math.nan]]), np.array([True]), 1)
    refuse_mixed(np.empty((0, 2)), np.empty(0, dtype=object), 1)
    with refuses(
        "Labels must be all text or all numbers, but in round 8 there is 3 and the outcome of round 7 is 'b'."
    ):
        refuse_mixed(np.array([["a"], [3]], dtype=object), np.array(["b", "b"]), 7)
