"""Dates, times and durations as features."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from assay.data.cells import Place
from assay.data.prepare import Preparation
from assay.data.stored_encoder import encoder_from_json
from assay.data.times import part_of, read_times, time_form
from assay.errors import BadData
from assay.tables.fit import fit_table
from assay.tables.predict import predict_table
from tests.tables.tables import written

MOMENT = dt.datetime(2024, 2, 29, 17, 5, 9)
PLACE = Place("t.csv", "when")
# All of one moment, or of its day.
WRITTEN = {
    "2024-02-29 17:05:09": MOMENT,
    "2024-02-29T17:05:09Z": MOMENT,
    "2024-02-29T19:05:09+02:00": MOMENT,
    "2024/02/29": dt.datetime(2024, 2, 29),
    "29.02.2024 17:05": dt.datetime(2024, 2, 29, 17, 5),
    "29/02/2024": dt.datetime(2024, 2, 29),
    "2/29/2024 5:05:09 PM": MOMENT,
    "29 Feb 2024": dt.datetime(2024, 2, 29),
    "February 29, 2024": dt.datetime(2024, 2, 29),
    "1899-12-31": dt.datetime(1899, 12, 31),
}


@pytest.mark.parametrize("text", WRITTEN)
def test_text(text):
    cells = pa.array([text, None, "NA", text])
    form, zone = time_form(cells)
    moment = (WRITTEN[text] - dt.datetime(1970, 1, 1)) / dt.timedelta(microseconds=1)
    assert read_times(cells, form, zone, PLACE).tolist() == pytest.approx(
        [moment, np.nan, np.nan, moment], nan_ok=True
    )


@pytest.mark.parametrize("text", ["red", "2024", "12-34", "1.2.3", "10.0.0.1", "a 2024-01-01", "3"])
def test_other_text_is_no_time(text):
    assert time_form(pa.array([text] * 3)) is None


def test_parts_are_those_of_the_calendar():
    rng = np.random.default_rng(0)
    days = [
        dt.datetime(1900, 1, 1) + dt.timedelta(minutes=int(m)) for m in rng.integers(0, 9e7, 300)
    ]
    moments = np.array(
        [(day - dt.datetime(1970, 1, 1)) / dt.timedelta(microseconds=1) for day in days]
    )
    for part in ("year", "month", "day", "hour", "minute"):
        assert part_of(moments, part).tolist() == [getattr(day, part) for day in days]
    assert part_of(moments, "weekday").tolist() == [day.weekday() for day in days]


@pytest.mark.parametrize(
    ("cells", "hours"),
    [
        (pa.array([dt.timedelta(hours=5)]), 5),
        (pa.array([dt.time(17, 30)]), 17.5),
        (pa.array(["17:30"]), 17.5),
        (pa.array(["2 days, 01:30:00"]), 49.5),
        (pa.array(["-01:30:00"]), -1.5),
    ],
    ids=str,
)
def test_durations_are_hours(cells, hours):
    assert part_of(read_times(cells, *time_form(cells), PLACE), "hours").tolist() == [hours]


def test_zones_are_read_as_their_clocks_show():
    cells = pa.array([0, 1720000000], pa.timestamp("s", "Europe/Rome"))
    form, zone = time_form(cells)
    assert zone == "Europe/Rome"
    assert part_of(read_times(cells, form, zone, PLACE), "hour").tolist() == [1, 11]
    # The same instants in another zone, or as text, are the same hours there.
    other = cells.cast(pa.timestamp("us", "UTC"))
    text = pa.array(["1970-01-01T00:00:00Z", "2024-07-03T09:46:40+00:00"])
    for same in (other, text):
        assert part_of(read_times(same, form, zone, PLACE), "hour").tolist() == [1, 11]


@pytest.mark.parametrize("text", ["2024-02-30", "2024-13-01", "soon", "2024-01-01 25:00"])
def test_no_such_day(text):
    with pytest.raises(BadData, match="row 2, where a date or time is needed"):
        read_times(pa.array(["2024-01-01", text]), "year-month-day", "", PLACE)


def test_what_varies_is_a_feature_and_is_kept():
    table = pa.table({"when": ["2024-01-05", "2024-01-20", None, "2024-01-31"]})
    ready = Preparation.fit(table, untyped=True).unscaled()
    assert ready.features == ("days of when", "day of when", "weekday of when", "when is missing")
    assert ready.transform(table)[:, 1].round(3).tolist() == [5, 20, 18.667, 31]
    assert encoder_from_json(ready.to_json()) == ready
    typed = pa.table({"when": pa.array([dt.date(2024, 1, 5)])})
    assert ready.transform(typed)[0, 1:].tolist() == [5, 4, 0]
    assert ready.described() == [
        ("when", "time", "3 features: days, day, weekday", "the mean, and a feature says so")
    ]


@pytest.mark.parametrize(
    "broken", [{"form": "moon"}, {"zone": "Nowhere/At All"}, {"parts": []}, {"parts": ["eon"]}]
)
def test_forged_columns_are_refused(broken):
    document = Preparation.fit(pa.table({"when": ["2024-01-05", "2024-01-20"]})).to_json()
    document["columns"][0] |= broken
    with pytest.raises(BadData):
        encoder_from_json(document)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow"])
def test_a_weekday_can_be_learned(tmp_path, suffix):
    rng = np.random.default_rng(0)
    days = np.datetime64("2024-01-01") + rng.integers(0, 700, 300)
    weekend = (days.astype(int) + 3) % 7 > 4
    table = pa.table(
        {"when": pa.array(days), "x": rng.normal(size=300), "y": np.where(weekend, "p", "q")}
    )
    path = written(table, tmp_path / f"t{suffix}")
    fitted = fit_table(path, "y", learner="decision-tree-classifier")
    assert fitted.evidence.errors == 0
    fitted.save(tmp_path / "m.assay")
    (said,) = predict_table(
        tmp_path / "m.assay", written(table.drop_columns(["y"]).select(["x", "when"]), path)
    )
    assert said["prediction"].to_pylist() == table["y"].to_pylist()
