"""Tables as trees read them."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from assay import DecisionTreeClassifier
from assay.errors import BadData, BadParameter

FRAME = pd.DataFrame(
    {
        "age": [30.0, np.nan, 20],
        "town": ["b", "a", None],
        "vote": pd.array([True, None, False], dtype="boolean"),
        "kind": pd.Categorical(["x", "y", "x"], categories=["y", "x", "z"]),
        "legs": [2, 4, 2],
    }
)
Y = [0, 1, 2]


def fitted(X, y=Y, **parameters):
    return DecisionTreeClassifier(**parameters).fit(X, y)


def test_a_frame():
    model = fitted(FRAME)
    assert model.categories_[:3] == [None, ["a", "b"], ["false", "true"]]
    assert set(model.categories_[3]) >= {"x", "y"}
    assert model.categories_[4] is None
    assert model.missing_features_.tolist() == [True, True, True, False, False]
    assert model.n_features_in_ == 5
    assert list(model.feature_names_in_) == list(FRAME.columns)
    assert model.predict(FRAME).tolist() == Y


def test_each_column_is_read_as_it_was_learned():
    for name in FRAME:
        column = FRAME[[name]]
        same = [str(cell) for cell in FRAME[name]]
        y = np.unique(same, return_inverse=True)[1]
        assert fitted(column, y).predict(column).tolist() == y.tolist()
    # A town that was not known is a missing one.
    model = fitted(FRAME[["town"]], splits="multiway")
    assert model.predict(pd.DataFrame({"town": ["c", "a", "b", None]})).tolist() == [2, 1, 0, 2]


def test_polars_and_arrow_read_alike():
    plain = {"town": ["b", "a", None], "vote": [True, None, False], "age": [1.5, 2.0, None]}
    models = [
        fitted(X)
        for X in (pd.DataFrame(plain), pl.DataFrame(plain), pl.DataFrame(plain).to_arrow())
    ]
    for other in models[1:]:
        assert other.nodes_.same_as(models[0].nodes_)
        assert other.categories_ == models[0].categories_ == [["a", "b"], ["false", "true"], None]


@pytest.mark.parametrize("chosen", [["legs"], [4], [False, False, False, False, True]])
def test_whole_numbers_that_are_categories(chosen):
    assert fitted(FRAME, categorical_features=chosen).categories_[4] == ["2", "4"]


def test_arrays():
    for cells, categories in (
        (np.array([[1.5, 2], [3, np.nan]]), [None, None]),
        (np.array([["a", 1], ["b", None]], object), [["a", "b"], None]),
        (np.array([[True], [False]]), [["false", "true"]]),
    ):
        model = fitted(cells, [0, 1])
        assert model.categories_ == categories
        assert model.predict(cells).tolist() == [0, 1]


def test_refusals():
    with pytest.raises(BadData, match=r"^X holds 2\.5 in column 'x0', row 1, which is no category"):
        fitted(np.array([[2.5], [3.0]]), [0, 1], categorical_features=[0])
    with pytest.raises(BadParameter, match=re.escape("None, 'all', or a list, but is 'text'.")):
        fitted(np.array([[2.0], [3.0]]), [0, 1], categorical_features="text")
    with pytest.raises(BadData, match="too large for dtype"):
        fitted(pd.DataFrame({"a": ["x", "y"], "b": [1e300, 1.0]}), [0, 1])
    with pytest.raises(BadData, match=r"^Found array with 0 sample"):
        fitted(pd.DataFrame({"a": pd.Series([], dtype=str)}), [], categorical_features=["a"])
    with pytest.raises(ValueError, match="5 features"):
        fitted(FRAME.to_numpy()).predict(FRAME.to_numpy()[:, :3])
    with pytest.raises(BadData, match="Expected 2D array"):
        fitted(np.array(["a", "b"]), [0, 1], categorical_features=[0])
