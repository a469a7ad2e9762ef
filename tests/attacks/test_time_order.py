"""Tables that come in the order of time, and ways to make a promise about them lie."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from assay import compare_table, fit_table, predict_table, verify
from assay.errors import BadData
from assay.tables.time_column import read_time

BAYES = {"learner": "gaussian-nb"}


def drifting(rows=1500, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 2))
    turned = 2 * np.arange(rows) / rows
    y = np.cos(turned) * X[:, 0] + np.sin(turned) * X[:, 1] > 0
    days = np.datetime64("2023-01-15") + np.arange(rows)
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "day": days, "y": y.astype(int)})


def drawn(fitted):
    certificate = fitted.certificate
    assert all(finding.ok for finding in verify(certificate).findings)
    [known] = [a for a in certificate.claims[0].assumptions if a.id == "independent-draws"]
    return known.status


def shuffled(frame):
    return frame.sample(frac=1, random_state=1).reset_index(drop=True)


SHUFFLED = shuffled(drifting())
FORMS = ["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%b %d, %Y", "%Y-%m-%dT%H:%M:%S+02:00"]


@pytest.mark.parametrize("form", FORMS)
def test_shuffling_the_file_hides_no_drift_while_the_dates_are_there(form):
    written = SHUFFLED.assign(day=SHUFFLED["day"].dt.strftime(form))
    assert drawn(fit_table(written, "y", **BAYES)) == "violated"


def test_nor_does_a_gap_or_a_second_column_of_dates():
    other = SHUFFLED.assign(born=SHUFFLED["day"].sample(frac=1, random_state=2).to_numpy())
    other.loc[3, "day"] = pd.NaT
    assert drawn(fit_table(other[["born", "a", "b", "day", "y"]], "y", **BAYES)) == "violated"


def test_nor_do_row_numbers():
    numbered = drifting().drop(columns="day").rename_axis("id").reset_index()
    assert drawn(fit_table(numbered, "y", **BAYES)) == "violated"
    mixed = shuffled(numbered)
    assert drawn(fit_table(mixed, "y", **BAYES)) == "violated"
    assert drawn(fit_table(mixed.drop(columns="id"), "y", **BAYES)) == "assumed"


def test_what_was_dropped_is_not_followed():
    assert drawn(fit_table(SHUFFLED, "y", drop=["day"], **BAYES)) == "assumed"
    assert drawn(fit_table(drifting(), "y", drop=["day"], **BAYES)) == "violated"


def test_learners_side_by_side_are_checked_as_well():
    [row] = compare_table(drifting(), "y", learners=["gaussian-nb"]).rows
    assert row.certificate.claims[0].promised is None


def test_a_table_in_chunks_is_checked_as_well(tmp_path, monkeypatch):
    monkeypatch.setattr("assay.tables.large.LARGE", 1000)
    table = drifting(3000)
    for name, frame, status in (
        ("drift", table, "violated"),
        ("dates", shuffled(table), "violated"),
        ("none", shuffled(table.drop(columns="day")), "assumed"),
    ):
        frame.to_parquet(tmp_path / f"{name}.parquet")
        fitted = fit_table(tmp_path / f"{name}.parquet", "y", learner="sgd-classifier")
        assert drawn(fitted) == status
        assert (fitted.certificate.claims[0].promised is None) == (status == "violated")
    declared = fit_table(tmp_path / "drift.parquet", "y", learner="sgd-classifier", order="none")
    assert drawn(declared) == "declared"


def test_days_and_months_that_cannot_be_told_apart_order_nothing():
    with pytest.raises(BadData, match="must tell the day from the month in 'when'"):
        read_time(pa.array(["03/04/2024", "04/03/2024"]), "when", "t.csv")
    assert read_time(pa.array(["03/04/2024", "13/03/2024"]), "when", "t.csv").tolist() == [1, 0]


@pytest.mark.parametrize(
    "cells",
    [["2024-01-01", "5 Jan 2024"], ["2024-01-01", "1704067200"], ["2024-01-01", "2024-13-01"]],
)
def test_times_in_two_forms_order_nothing(cells):
    with pytest.raises(BadData, match="must hold a number, a date or a timestamp in every row"):
        read_time(pa.array(cells), "when", "t.csv")


def test_text_is_ordered_as_times_and_zones_count():
    assert read_time(pa.array(["9", "10", "11"]), "when", "t").tolist() == [0, 1, 2]
    assert read_time(pa.array(["Dec 9, 2023", "Jan 10, 2024"]), "when", "t").tolist() == [0, 1]
    zones = ["2024-01-01 01:00+02:00", "2024-01-01 00:30+00:00"]
    assert read_time(pa.array(zones), "when", "t").tolist() == [0, 1]


def test_a_change_before_the_last_rows_is_promised_by_them():
    rng, rows = np.random.default_rng(4), 2000
    X = rng.normal(size=(rows, 2))
    late = np.arange(rows) >= 1000
    y = (np.where(late, X[:, 1], X[:, 0]) > 0).astype(int)
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y})
    before, after = table[:1600], table[1600:]
    assert drawn(fit_table(before, "y", **BAYES)) == "violated"
    fitted = fit_table(before, "y", holdout="last", **BAYES)
    [guess] = predict_table(fitted.model, after)
    wrong = np.mean(guess.column("prediction").to_numpy() != after["y"].to_numpy())
    assert wrong <= fitted.certificate.error
