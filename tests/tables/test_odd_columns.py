"""Columns that are left out or told of: ids, row numbers, constants, leaks, what is known after the event."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from assay.errors import BadData, BadParameter
from assay.tables.compare import compare_table
from assay.tables.fit import fit_table
from assay.tables.odd_columns import odd_columns
from assay.tables.predict import predict_table
from tests.cli.runner import run
from tests.tables.tables import small, written

ROWS = 120
BAYES = {"learner": "gaussian-nb"}


def plus(name, cells, rows=ROWS):
    return small(rows).append_column(name, pa.array(cells))


def told(name, cells, rows=ROWS, **ways):
    fitted = fit_table(plus(name, cells, rows), "kind", **BAYES, **ways)
    return {one.column: (one.what, one.action) for one in fitted.columns_told}


SHUFFLED = np.random.default_rng(1).permutation(10 * ROWS)[:ROWS]
ODD = {
    "empty": [None] * ROWS,
    "constant": ["mm"] * ROWS,
    "row number": range(1, ROWS + 1),
    "id": [f"x{i:04}" for i in SHUFFLED],
}


@pytest.mark.parametrize("what", ODD)
@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arrow"])
def test_what_says_nothing_is_left_out(what, suffix, tmp_path):
    path = written(plus("odd", ODD[what]), tmp_path / f"t{suffix}")
    fitted = fit_table(path, "kind", **BAYES)
    assert [(one.column, one.what, one.action) for one in fitted.columns_told] == [
        ("odd", what, "left out")
    ]
    assert "odd" not in [column["name"] for column in fitted.model.encoder_["columns"]]
    assert fitted.columns_told[0].sentence in fitted.notes


def test_numbers_from_far_apart_that_fall_in_any_order_are_no_ids():
    measured = [int(number) for number in SHUFFLED]
    assert told("weight", measured) == {}
    assert told("customer_id", measured) == {"customer_id": ("id", "left out")}


def test_a_permutation_of_numbers_is_an_id_whatever_it_is_called():
    rows = 400
    numbers = np.random.default_rng(0).permutation(rows)
    assert told("code", numbers, rows) == {"code": ("id", "left out")}


@pytest.mark.parametrize("name", ["", "Unnamed: 0", "index"])
def test_an_index_is_left_out(name, tmp_path):
    path = tmp_path / "t.csv"
    lines = [f"{name},a,y", *(f"{i},{i * 7 % 13},{'pq'[i * 7 % 13 > 6]}" for i in range(60))]
    path.write_text("\n".join(lines))
    fitted = fit_table(path, "y", **BAYES)
    assert [(one.column, one.what) for one in fitted.columns_told] == [(name, "row number")]


def test_keep_brings_back():
    assert told("odd", ODD["id"], keep=["odd"]) == {"odd": ("id", "kept")}
    fitted = fit_table(plus("odd", ODD["row number"]), "kind", keep=["odd"], **BAYES)
    assert "odd" in [column["name"] for column in fitted.model.encoder_["columns"]]


def test_known_after_is_left_out_and_must_be_a_column(tmp_path):
    table = plus("outcome", ["a", "b"] * (ROWS // 2))
    fitted = fit_table(table, "kind", after_event=["outcome"], **BAYES)
    assert [(one.column, one.what) for one in fitted.columns_told] == [("outcome", "known after")]
    (predicted,) = predict_table(fitted.model, table.drop_columns(["outcome", "kind"]))
    assert predicted.num_rows == ROWS
    path = written(table, tmp_path / "t.csv")
    found = run(
        "fit", path, "--target", "kind", "--known-after", "outcom", "--learner", "gaussian-nb"
    )
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)
    with pytest.raises(BadParameter, match="'kind' is to be predicted"):
        fit_table(table, "kind", after_event=["kind"])
    with pytest.raises(BadParameter, match="both kept and left out"):
        fit_table(table, "kind", after_event=["outcome"], keep=["outcome"])


def test_a_column_that_tells_the_target_is_told_and_kept():
    table = small(400)
    noise = np.random.default_rng(2).random(400)
    shows = np.array(table["kind"]) == "tall"
    found = odd_columns(
        table.drop_columns(["kind"])
        .append_column("copy", pa.array(np.where(shows, "T", "F")))
        .append_column("score", pa.array(shows + 0.5 * noise))
        .append_column("noise", pa.array(noise)),
        np.array(table["kind"]),
        "kind",
    )
    assert [(one.column, one.what, one.action) for one in found] == [
        ("copy", "tells the target", "kept"),
        ("score", "tells the target", "kept"),
    ]


def test_chance_tells_no_target():
    # 300 columns that have nothing to do with the labels, rare classes among these.
    rng = np.random.default_rng(3)
    for rare in (0.5, 0.02):
        y = (rng.random(200) < rare).astype(int)
        cells = {f"n{i}": rng.integers(0, 5, 200) for i in range(100)}
        cells |= {f"w{i}": rng.integers(0, 50, 200).astype(str) for i in range(50)}
        assert odd_columns(pa.table(cells), y, "y") == ()


def test_ids_hide_no_copies():
    # Every row twice, under another id: the copies stay on one side of the holdout.
    half = small(60)
    twice = pa.concat_tables([half, half]).append_column("id", pa.array(range(120)))
    fitted = fit_table(twice, "kind", **BAYES)
    plain = fit_table(pa.concat_tables([half, half]), "kind", **BAYES)
    assert fitted.evidence.rows == plain.evidence.rows <= 12
    assert fitted.evidence.errors == plain.evidence.errors


def test_only_odd_columns():
    with pytest.raises(BadData, match="each is empty or always the same"):
        fit_table(pa.table({"a": [1] * 60, "y": ["p", "q"] * 30}), "y", overlap="keep", **BAYES)
    # An id alone is what there is.
    fitted = fit_table(pa.table({"a": range(60), "y": ["p", "q"] * 30}), "y", **BAYES)
    assert fitted.columns_told == ()


def test_the_json_holds_them_and_compare_leaves_them_out(tmp_path):
    path = written(plus("odd", ODD["row number"]), tmp_path / "t.csv")
    answer = json.loads(
        run("fit", path, "--target", "kind", "--learner", "gaussian-nb", "--json").out
    )
    assert answer["columns_told"] == [{"column": "odd", "what": "row number", "action": "left out"}]
    compared = compare_table(path, "kind", learners=["gaussian-nb"])
    assert [one.column for one in compared.columns_told] == ["odd"]
    answer = json.loads(
        run("compare", path, "--target", "kind", "--learners", "gaussian-nb", "--json").out
    )
    assert answer["columns_told"] == [{"column": "odd", "what": "row number", "action": "left out"}]


def test_rows_without_a_label_are_left_out_and_counted(tmp_path):
    table = small(ROWS)
    kinds = table["kind"].to_pylist()
    for row, word in ((3, ""), (50, "NA"), (51, "null"), (90, "nan")):
        kinds[row] = word
    path = written(
        table.drop_columns(["kind"]).append_column("kind", pa.array(kinds)), tmp_path / "t.csv"
    )
    fitted = fit_table(path, "kind", **BAYES)
    assert fitted.unlabelled == 4
    assert fitted.train_rows + fitted.evidence.rows == ROWS - 4
    nulls = pa.array([None if row in (3, 50, 51, 90) else kinds[row] for row in range(ROWS)])
    again = fit_table(table.drop_columns(["kind"]).append_column("kind", nulls), "kind", **BAYES)
    assert again.evidence.errors == fitted.evidence.errors
    assert any("4 rows of" in note for note in fitted.notes)
