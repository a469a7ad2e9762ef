from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from assay import GaussianNB, Hedge, LogisticRegression, Ridge
from assay.distributed import fit, predict
from assay.errors import BadData, BadParameter, UnknownName
from tests.distributed.samples import classified, cut, measured


def test_a_learner_that_does_not():
    X, y = classified()
    with pytest.raises(BadParameter, match=r"Hedge does not learn from blocks of rows. These"):
        fit(Hedge(), X, y)


@pytest.mark.parametrize("here", [True, False])
def test_cells_that_are_no_numbers_are_named_by_their_row(here, two_workers):
    X, y = classified()
    X[577, 2] = np.nan
    with pytest.raises(
        BadData, match=r"Input X cannot be learned from: row 577, column 2 holds NaN\."
    ):
        fit(GaussianNB(), cut(X, 5), cut(y, 5), client=None if here else two_workers)


def test_rows_without_a_label():
    X, y = classified()
    y = y.astype(object)
    y[400] = None
    with pytest.raises(BadData, match=r"y must hold a value for each row, but row 400 has none\."):
        fit(GaussianNB(), X, y)
    X, y = measured()
    y[30] = np.inf
    with pytest.raises(BadData, match=r"y must hold finite numbers, but row 30 does not\."):
        fit(Ridge(), X, y)


def test_tables_of_different_lengths():
    X, y = classified()
    with pytest.raises(BadData, match=r"as many rows as one another, but have 700 and 600\."):
        fit(GaussianNB(), cut(X, 5), cut(y[:600], 5))


def test_columns_that_are_no_numbers(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"], "y": [0, 1]})
    with pytest.raises(BadData, match=r"Column 'b' holds .*, and features must be numbers\."):
        fit(GaussianNB(), frame, "y")
    frame.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(BadData, match=r"Column 'b' holds .*, and features must be numbers\."):
        fit(GaussianNB(), tmp_path, "y")
    with pytest.raises(UnknownName, match=r"y names the column 'z', which is not there\."):
        fit(GaussianNB(), tmp_path, "z")
    with pytest.raises(BadParameter, match=r"must name columns where X is a folder of Parquet\."):
        fit(GaussianNB(), tmp_path, [0, 1])
    with pytest.raises(BadData, match=r"There is no folder or file"):
        fit(GaussianNB(), tmp_path / "none", "y")


def test_weights():
    X, y = classified()
    with pytest.raises(BadData, match=r"sample_weight must hold a finite number, zero or more"):
        fit(GaussianNB(), X, y, sample_weight=np.full(len(y), -1.0))
    with pytest.raises(BadData, match=r"sample_weight must be above zero for some row\."):
        fit(GaussianNB(), X, y, sample_weight=np.zeros(len(y)))


def test_a_model_that_refuses_keeps_what_it_had():
    X, y = classified()
    model = GaussianNB().fit(X, y)
    before = model.predict(X)
    with pytest.raises(BadData):
        fit(model, X, y, sample_weight=np.zeros(len(y)))
    assert np.array_equal(model.predict(X), before)


def test_predictions_of_what_cannot_be_asked():
    X, y = classified()
    model = GaussianNB().fit(X, y)
    with pytest.raises(UnknownName, match=r"GaussianNB has no method 'transform'\."):
        predict(model, cut(X, 2), method="transform")
    with pytest.raises(BadParameter, match=r"X must be a Dask array or frame"):
        predict(model, X)


def test_positive_weights():
    X, y = measured()
    with pytest.raises(BadParameter, match=r"Ridge does not learn positive weights from blocks"):
        fit(Ridge(positive=True), X, y)


def test_going_on_from_an_earlier_fit():
    X, y = classified()
    with pytest.raises(
        BadParameter, match=r"warm_start must be False to learn from blocks of rows"
    ):
        fit(LogisticRegression(warm_start=True), X, y)


def test_what_are_no_rows_and_columns():
    with pytest.raises(BadData, match=r"X must be a Dask array or frame, a folder of Parquet"):
        fit(GaussianNB(), np.zeros(3), [0, 1, 0])
    with pytest.raises(BadData, match=r"X holds no rows\."):
        fit(GaussianNB(), np.zeros((0, 2)), np.zeros(0))
    with pytest.raises(BadData, match=r"LogisticRegression needs at least two classes"):
        fit(LogisticRegression(), np.zeros((3, 2)), np.zeros(3))
