"""Columns of numbers are forecasts; the others are named, not dropped in silence."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from assay.errors import BadData, UnknownName
from assay.play.forecast_columns import forecast_columns

TABLE = pa.table(
    {
        "day": [dt.date(2024, 1, 1), dt.date(2024, 1, 2)],
        "ann": [1.0, None],
        "sky": ["blue", "grey"],
        "bob": [1, 2],
        "truth": [1.5, 2.5],
        "yes": [True, False],
    }
)


@pytest.mark.parametrize("kind", ["csv", "parquet", "feather"])
def test_numbers_are_kept_in_their_order(tmp_path, kind):
    path = tmp_path / f"t.{kind}"
    {
        "csv": pyarrow.csv.write_csv,
        "parquet": pq.write_table,
        "feather": lambda table, path: pyarrow.feather.write_feather(table, str(path)),
    }[kind](TABLE, path)
    found = forecast_columns(str(path), "truth")
    assert found.forecasts == ("ann", "bob", "yes")
    assert found.left_out == ("day", "sky")
    assert "sky" in forecast_columns(str(path), "truth", ("sky",)).forecasts
    assert forecast_columns(str(tmp_path / "*"), "truth") == found


def test_a_column_without_values_may_yet_hold_some(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,y\n,1,2\n,3,4\n")
    assert forecast_columns(str(path), "y").forecasts == ("a", "b")


def test_refusals(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("word,y\nx,1\n")
    with pytest.raises(BadData, match=r"t\.csv has no column of numbers besides 'y'\.$"):
        forecast_columns(str(path), "y")
    with pytest.raises(UnknownName, match="has no column 'z'"):
        forecast_columns(str(path), "z")
    with pytest.raises(BadData, match="does not exist"):
        forecast_columns(str(tmp_path / "none.csv"), "y")
