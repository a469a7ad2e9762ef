"""Tables as trees read them."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import BaseEstimator

from assay.errors import BadData, BadParameter
from assay.learners.trees.columns import learn_columns, read_columns

FRAME = pd.DataFrame(
    {
        "age": [30.0, np.nan, 20],
        "town": ["b", "a", None],
        "vote": pd.array([True, None, False], dtype="boolean"),
        "kind": pd.Categorical(["x", "y", "x"], categories=["y", "x", "z"]),
        "legs": [2, 4, 2],
    }
)


def same(found, expected):
    np.testing.assert_array_equal(found, np.array(expected, np.float32))
    assert found.dtype == np.float32


def test_a_frame():
    model = BaseEstimator()
    cells, categories = learn_columns(model, FRAME, None)
    same(cells[:, :3], [[30, 1, 1], [np.nan, 0, np.nan], [20, np.nan, 0]])
    assert categories[:3] == [None, ["a", "b"], ["false", "true"]]
    assert categories[3][int(cells[0, 3])] == "x"
    assert categories[4] is None
    assert cells.flags.c_contiguous
    assert model.n_features_in_ == 5
    assert list(model.feature_names_in_) == list(FRAME.columns)
    same(read_columns(model, FRAME, categories), cells)
    other = FRAME.assign(town=["c", "a", "b"])
    same(read_columns(model, other, categories)[:, 1], [np.nan, 0, 1])  # c is not known


def test_polars_and_arrow_read_alike():
    plain = {"town": ["b", "a", None], "vote": [True, None, False], "age": [1.5, 2.0, None]}
    cells = [
        learn_columns(BaseEstimator(), X, None)[0]
        for X in (pd.DataFrame(plain), pl.DataFrame(plain), pl.DataFrame(plain).to_arrow())
    ]
    same(cells[0], [[1, 1, 1.5], [0, np.nan, 2], [np.nan, 0, np.nan]])
    for other in cells[1:]:
        same(other, cells[0])


@pytest.mark.parametrize("chosen", [["legs"], [4], [False, False, False, False, True]])
def test_whole_numbers_that_are_categories(chosen):
    cells, categories = learn_columns(BaseEstimator(), FRAME, chosen)
    assert categories[4] == ["2", "4"]
    same(cells[:, 4], [0, 1, 0])


def test_arrays():
    model = BaseEstimator()
    cells, categories = learn_columns(model, np.array([[1.5, 2], [3, np.nan]]), None)
    same(cells, [[1.5, 2], [3, np.nan]])
    assert categories == [None, None]
    cells, categories = learn_columns(model, np.array([["a", 1], ["b", None]], object), None)
    same(cells, [[0, 1], [1, np.nan]])
    assert categories == [["a", "b"], None]
    cells, categories = learn_columns(model, np.array([[True], [False]]), None)
    assert categories == [["false", "true"]]
    same(cells, [[1], [0]])


def test_refusals():
    model = BaseEstimator()
    with pytest.raises(BadData, match=r"^X holds 2\.5 in column 'x0', row 1, which is no category"):
        learn_columns(model, np.array([[2.5], [3.0]]), [0])
    with pytest.raises(BadParameter, match=re.escape("None, 'all', or a list, but is 'text'.")):
        learn_columns(model, np.array([[2.0], [3.0]]), "text")
    with pytest.raises(BadData, match="too large for dtype"):
        learn_columns(model, pd.DataFrame({"a": ["x"], "b": [1e300]}), None)
    with pytest.raises(BadData, match=r"^Found array with 0 sample"):
        learn_columns(model, pd.DataFrame({"a": pd.Series([], dtype=str)}), ["a"])
    _, categories = learn_columns(model, FRAME, None)
    with pytest.raises(ValueError, match="5 features"):
        read_columns(model, FRAME.to_numpy()[:, :3], categories)
    with pytest.raises(BadData, match="Expected 2D array"):
        learn_columns(model, np.array(["a", "b"]), [0])
