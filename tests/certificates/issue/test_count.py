"""One certificate, wherever the rows lie, however they are cut and in whatever order."""

import json

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from assay import certify, verify
from assay.errors import BadData, BadParameter

# Rows without a value are a group of their own, and a note says so.
pytestmark = pytest.mark.filterwarnings("ignore:.*has no value in")

RNG = np.random.default_rng(5)
ROWS = 4000
TABLE = pd.DataFrame(
    {
        "y": RNG.choice(["ham", "spam", "egg"], ROWS),
        "sex": RNG.choice(["f", "m", ""], ROWS),
        "age": RNG.choice([1.0, 2.0, np.nan], ROWS),
        "who": RNG.integers(0, 300, ROWS),
        "late": RNG.random(ROWS) < 0.5,
    }
)
TABLE["loss"] = np.where(TABLE.late, RNG.beta(1, 20, ROWS), 0.1)
TABLE["p"] = np.where(RNG.random(ROWS) < 0.9, TABLE.y, "spam")


LABELS = {"truth": "y", "prediction": "p"}


def places(table, folder):
    """The same rows in every place that is installed here."""
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    shuffled = table.sample(frac=1, random_state=1)
    yield "pandas", table
    yield "pandas, shuffled", shuffled
    yield "arrow", arrow
    yield "polars", pl.from_pandas(table)
    yield "polars, lazy", pl.from_pandas(shuffled).lazy()
    connection = duckdb.connect()
    connection.register("rows", arrow)
    yield "duckdb", connection.sql("select * from rows")
    for files in (1, 3, 17):
        path = folder / str(files)
        path.mkdir()
        for i, part in enumerate(np.array_split(np.arange(len(table)), files)):
            pq.write_table(arrow.take(pa.array(part)), path / f"{i}.parquet")
        yield f"{files} files of Parquet", ds.dataset(path)
    try:
        import ibis
    except ModuleNotFoundError:
        pass
    else:
        yield "ibis", ibis.memtable(arrow)


def on_dask(table):
    """The same rows in partitions of Dask, which takes its time."""
    frames = pytest.importorskip("dask.dataframe", reason="Dask is not installed")
    for partitions in (1, 5):
        yield f"dask, {partitions} partitions", frames.from_pandas(table, npartitions=partitions)


@pytest.mark.parametrize(
    "asked",
    [
        {"loss": "loss"},
        {"loss": "loss", "method": "kl"},
        {"loss": "loss", "unit": "who"},
        {"loss": "late"},
        {"loss": "late", "unit": "who"},
        {},
        {"rates": ["class", "macro-f1"]},
        {"by": ["sex", "age*late"], "fixed_before": True},
        {"unit": "who"},
        {"unit": "who", "by": "sex"},
        {"unit": "who", "over": "rows", "most_rows": 60},
    ],
    ids=str,
)
def test_the_same_bytes_from_every_place(asked, tmp_path):
    made = {
        name: json.dumps(certify(frame, **({} if "loss" in asked else LABELS), **asked).to_json())
        for name, frame in places(TABLE, tmp_path)
    }
    assert len(made) >= 9
    assert len(set(made.values())) == 1, sorted(made)


@pytest.mark.parametrize(
    "asked", [{"loss": "loss", "unit": "who"}, LABELS | {"unit": "who", "by": "sex"}], ids=str
)
def test_the_same_bytes_from_dask(asked):
    expected = certify(TABLE, **asked).to_json()
    for name, frame in on_dask(TABLE):
        assert certify(frame, **asked).to_json() == expected, name


def test_a_data_set_is_counted_as_it_is_and_not_as_its_files_are(tmp_path):
    arrow = pa.Table.from_pandas(TABLE, preserve_index=False)
    ds.write_dataset(
        arrow,
        tmp_path / "by_sex",
        format="parquet",
        partitioning=ds.partitioning(pa.schema([("sex", pa.string())]), flavor="hive"),
    )
    divided = ds.dataset(tmp_path / "by_sex", partitioning="hive")
    plain = ds.dataset(tmp_path / "by_sex")
    late = TABLE[TABLE.late]
    pq.write_table(arrow, tmp_path / "all.parquet")
    pq.write_table(arrow.drop_columns(["p"]), tmp_path / "less.parquet")
    filtered = ds.dataset(tmp_path / "all.parquet").filter(ds.field("late"))
    ds.write_dataset(arrow, tmp_path / "arrow", format="feather")
    for frame, table in (
        (divided, TABLE),
        (plain, TABLE),
        (filtered, late),
        (ds.dataset(tmp_path / "arrow", format="feather"), TABLE),
        (ds.dataset([ds.dataset(tmp_path / "all.parquet"), plain]), pd.concat([TABLE, TABLE])),
    ):
        expected = certify(table, **LABELS).to_json()
        assert certify(frame, **LABELS).to_json() == expected
    by_folder = certify(divided, **LABELS, by="sex").to_json()["claims"]
    assert (
        by_folder
        == certify(TABLE.replace({"sex": {"": None}}), **LABELS, by="sex").to_json()["claims"]
    )
    with pytest.raises(BadData, match="p has no value in 4,000 rows"):
        certify(ds.dataset([tmp_path / "all.parquet", tmp_path / "less.parquet"]), **LABELS)


def test_names_of_columns_are_no_queries(tmp_path):
    odd = 'y" from rows; --'
    table = pa.table({odd: ["a", "b", "b"], "p'": ["a", "b", "a"]})
    pq.write_table(table, tmp_path / "odd's.parquet")
    assert (
        certify(ds.dataset(tmp_path / "odd's.parquet"), truth=odd, prediction="p'").observed
        == 1 / 3
    )


def test_what_is_promised_is_what_arrays_promise():
    with_arrays = certify(y_true=TABLE.y, y_pred=TABLE.p, groups={"sex": TABLE.sex}, unit=TABLE.who)
    in_place = certify(
        pl.from_pandas(TABLE).lazy(), truth="y", prediction="p", by="sex", unit="who"
    )
    assert [str(claim) for claim in in_place.claims] == [str(claim) for claim in with_arrays.claims]


def test_losses_in_place_are_those_of_arrays_rounded_up():
    lazy = pl.from_pandas(TABLE).lazy()
    exact = np.ceil(TABLE.loss.to_numpy() * 2**16) / 2**16
    assert ((exact >= TABLE.loss) & (exact < TABLE.loss + 2**-16)).all()
    for column, losses in (("loss", exact), ("late", TABLE.late)):
        here = certify(lazy, loss=column)
        there = certify(loss=losses, method="bernstein" if column == "loss" else None)
        assert str(here.claims[0]) == str(there.claims[0])
        by_unit = certify(lazy, loss=column, unit="who").claims[0]
        method = "bernstein" if column == "loss" else None
        rows = certify(loss=losses, unit=TABLE.who, method=method).claims[0]
        # Means of units are rounded up once more where they are counted in place.
        assert rows.promised <= by_unit.promised < rows.promised + 1e-4


@pytest.mark.parametrize("bad", [None, float("nan"), -1e-9, 1.0000001, float("inf")])
@pytest.mark.parametrize("unit", [None, "who"])
def test_what_is_no_loss_is_refused_where_it_lies(bad, unit, tmp_path):
    table = TABLE[["loss", "who"]].copy()
    table.loc[[7, 9], "loss"] = bad
    lazy = pl.from_pandas(table).lazy() if bad is not None else pa.Table.from_pandas(table)
    pq.write_table(pa.Table.from_pandas(table), tmp_path / "rows.parquet")
    for frame in (table, lazy, ds.dataset(tmp_path / "rows.parquet"), duckdb.from_df(table)):
        with pytest.raises(BadData, match="no number between 0 and 1 in 2 of 4,000 rows"):
            certify(frame, loss="loss", unit=unit)


def test_verify_holds_what_was_counted_in_place(tmp_path):
    certificate = certify(TABLE, truth="y", prediction="p", by="sex")
    certificate.save(tmp_path / "one.json")
    assert verify(tmp_path / "one.json").ok


def test_ids_that_come_again_promise_nothing_until_somebody_says_what_rows_are():
    named = pl.from_pandas(TABLE).with_columns(
        question_id=pl.Series([f" Q{i % 3000}" if i % 2 else f"q{i % 3000} " for i in range(ROWS)])
    )
    with pytest.warns(UserWarning, match="'question_id' repeats itself in 1,000 of 4,000 rows"):
        silent = certify(named.lazy(), truth="y", prediction="p")
    assert silent.claims[0].promised is None
    declared = certify(named.lazy(), truth="y", prediction="p", unit="none")
    assert declared.claims[0].promised is not None
    assert certify(named.lazy(), truth="y", prediction="p", unit="question_id").rows == ROWS


@pytest.mark.parametrize(
    ("frame", "given", "sentence"),
    [
        (TABLE, {"truth": "x", "prediction": "p"}, "The frame has no column 'x'; its columns are"),
        (TABLE, {"truth": "y"}, "prediction must be the name of a column of the frame"),
        (TABLE, {"truth": "y", "prediction": "p", "by": "race"}, "no column 'race'"),
        (TABLE, {"truth": "y", "prediction": "p", "unit": "whom"}, "unit must be a column"),
        (TABLE, {"truth": "y", "prediction": "p", "score": [0.1]}, "score must be left out"),
        (TABLE, {"truth": "y", "prediction": "p", "errors": 0}, "errors must be left out"),
        (TABLE, {"truth": "y", "prediction": "p", "ledger": "l.json"}, "ledger must be left out"),
        (None, {"truth": "y", "prediction": "p"}, "name columns of a frame"),
        ([[1, 2]], {"truth": "y", "prediction": "p"}, "name columns of a frame"),
        (TABLE, {"loss": "loss", "by": "sex"}, "by must be left out beside the column of losses"),
        (TABLE, {"loss": "y"}, "y holds String, not numbers"),
        (TABLE, {"loss": "none"}, "The frame has no column 'none'"),
        (TABLE.head(0), {"loss": "loss"}, "loss holds no rows"),
        ("losses.csv", {"loss": "loss"}, "name columns of a frame"),
        (None, {"errors": 1, "rows": 9, "by": "sex"}, "by must be left out"),
    ],
)
def test_what_makes_no_sense_is_refused(frame, given, sentence):
    with pytest.raises((BadData, BadParameter), match=sentence):
        certify(frame, **given)


def test_what_is_no_label_is_refused_in_rows():
    gone = TABLE.assign(y=np.where(TABLE.who < 3, None, TABLE.y))
    many = int((TABLE.who < 3).sum())
    with pytest.raises(BadData, match=f"y has no value in {many} rows"):
        certify(pl.from_pandas(gone).lazy(), truth="y", prediction="p")
    nameless = TABLE.assign(who=TABLE.who.where(TABLE.who >= 3))
    with pytest.raises(BadData, match=f"who has no value in {many} rows"):
        certify(nameless, truth="y", prediction="p", unit="who")


def test_quantities_are_refused_before_they_travel(monkeypatch):
    monkeypatch.setattr("assay.evidence.in_place.MOST_CELLS", 100)
    wide = TABLE.assign(y=np.arange(ROWS))
    with pytest.raises(BadData, match="y and p take more than 100 values together"):
        certify(wide, truth="y", prediction="p")
