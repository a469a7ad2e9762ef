"""What comes last is held out: nothing later is learned from, and rows of one time stay together."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import compare_table, fit_table, verify
from assay.errors import BadData, BadParameter
from assay.tables.holdout_size import HoldoutSize
from assay.tables.last_rows import last_rows
from assay.tables.time_column import read_time
from tests.refusals import refuses
from tests.tables.tables import small, written

TREE = {"learner": "decision-tree-classifier"}


@given(st.lists(st.integers(0, 6), min_size=2, max_size=30), st.integers(1, 29), st.data())
def test_nothing_that_is_learned_from_is_later_than_what_is_held_out(times, size, data):
    order = np.array(times)
    units = data.draw(
        st.none() | st.lists(st.integers(0, 5), min_size=len(order), max_size=len(order))
    )
    unit = None if units is None else np.array(units)
    owners = len(order) if unit is None else len(np.unique(unit))
    try:
        past, last = last_rows(order, HoldoutSize(size), name="t", unit=unit)
    except BadParameter:
        assert size >= owners
        return
    except BadData:
        latest = order if unit is None else [order[unit == u].max() for u in np.unique(unit)]
        assert len(set(latest)) == 1
        return
    assert sorted([*past, *last]) == list(range(len(order)))
    assert len(past)
    assert len(last)
    if unit is None:
        assert order[past].max() < order[last].min()
        others = len(order) - np.count_nonzero(order == order.min())
        assert len(last) >= min(size, others)
    else:
        assert not set(unit[past]) & set(unit[last])
        assert order[past].max() < min(order[unit == u].max() for u in unit[last])


@pytest.mark.parametrize(
    "column",
    [
        pa.array([30, 10, 20, 20]),
        pa.array([3.5, -1.0, 0.25, 0.25]),
        pa.array(["30", "9", "11.5", "11.5"]),
        pa.array(["2024-05-03", "2023-12-31", "2024-01-01", "2024-01-01"]),
        pa.array(
            [
                "2024-05-03 10:00:00",
                "2023-12-31 23:59:59",
                "2024-01-01 00:00:00",
                "2024-01-01 00:00:00",
            ]
        ),
        pa.array(
            [
                "2024-01-01T10:00:00+02:00",
                "2024-01-01T07:30:00Z",
                "2024-01-01T07:45:00Z",
                "2024-01-01T08:45:00+01:00",
            ]
        ),
        pa.array(
            [dt.date(2024, 5, 3), dt.date(2023, 12, 31), dt.date(2024, 1, 1), dt.date(2024, 1, 1)]
        ),
        pa.array([3, 1, 2, 2]).cast(pa.timestamp("ns", tz="Europe/Paris")),
        pa.array([3, 1, 2, 2]).cast(pa.duration("s")),
    ],
)
def test_kinds_of_times(column):
    assert read_time(column, "when", "t").tolist() == [2, 0, 1, 1]
    assert read_time(column.dictionary_encode(), "when", "t").tolist() == [2, 0, 1, 1]


def test_times_that_are_none():
    with refuses(
        "t.csv must hold a number, a date or a timestamp in every row of 'when' to be ordered by it, but holds "
        "'soon'. Write times as 2024-05-31 or 2024-05-31 23:59:00.",
        BadData,
    ):
        read_time(pa.array(["2024-01-01", "soon"]), "when", "t.csv")
    for gap in (pa.array([1, None]), pa.array([1.0, float("nan")]), pa.array(["2024-01-01", ""])):
        with refuses(
            "t.csv must say in every row when it came, but holds no time in column 'when', row 2. Fill it in, or "
            "take the row out.",
            BadData,
        ):
            read_time(gap, "when", "t.csv")


def dated(rows=120, seed=0):
    """A table in no order, with days; some of them twice."""
    rng = np.random.default_rng(seed)
    days = np.datetime64("2024-01-01") + rng.permutation(rows) // 2
    return small(rows).append_column("day", pa.array(days.astype("datetime64[D]")))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_column_of_times(tmp_path, suffix):
    table = dated()
    path = written(table, tmp_path / f"t{suffix}")
    fitted = fit_table(path, "kind", time="day", holdout=0.25, **TREE)
    assert fitted.drawn == (
        "the last 0.25 of the rows in the order of 'day', rows of one time together; the rows before them were "
        "learned from"
    )
    assert (fitted.train_rows, fitted.evidence.rows) == (90, 30)
    # The same rows, in the order of their days and without them, are the same model and the same errors.
    order = np.argsort(table["day"].to_numpy(), kind="stable")
    plain = written(table.take(order).drop_columns(["day"]), tmp_path / f"s{suffix}")
    again = fit_table(plain, "kind", holdout="last:30", **TREE)
    assert again.evidence.tally.confusion == fitted.evidence.tally.confusion
    assert again.drawn == (
        "the last 30 rows in the order of the file; the rows before them were learned from"
    )
    assert "day" not in {column.name for column in fitted.preparation.columns}
    assert verify(fitted.certificate)


def test_the_learner_is_chosen_by_the_last_training_rows(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 2))
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "y": np.where(X[:, 0] > 0, "p", "q")})
    path = written(table, tmp_path / "t.csv")
    fitted = fit_table(path, "y", holdout="last")
    assert fitted.choice.chosen.rows == 80
    compared = compare_table(path, "y", holdout="last", learners=["gaussian-nb"])
    assert compared.drawn == fitted.drawn
    assert compared.holdout_rows == 80


def test_units_come_when_their_last_row_does(tmp_path):
    table = small(120).append_column("who", pa.array(np.repeat(np.arange(40), 3)))
    table = table.append_column("when", pa.array(np.tile(np.arange(40)[::-1], 3)))
    fitted = fit_table(written(table, tmp_path / "t.csv"), "kind", unit="who", time="when", **TREE)
    units = table["who"].to_numpy()
    latest = {who: table["when"].to_numpy()[units == who].max() for who in set(units.tolist())}
    cut = sorted(latest.values())[-8]
    held = np.array([latest[who] >= cut for who in units.tolist()])
    assert fitted.train_rows == np.count_nonzero(~held)
    assert fitted.evidence.rows == np.count_nonzero(held)
    known = {a.id: a for a in fitted.certificate.claims[0].assumptions}
    assert known["independent-units"].status == "assumed"
    assert "these are the last units" in known["independent-units"].evidence


def test_copies_of_the_past_do_not_count(tmp_path):
    table = pa.concat_tables([small(60), small(60).slice(40), small(90).slice(60)])
    path = written(table, tmp_path / "t.csv")
    fitted = fit_table(path, "kind", holdout="last:50", **TREE)
    assert (fitted.evidence.rows, fitted.repeated) == (30, 20)
    assert fit_table(path, "kind", holdout="last:50", overlap="keep", **TREE).evidence.rows == 50


def test_what_cannot_be(tmp_path):
    path = written(small(40), tmp_path / "t.csv")
    with refuses("Give time or holdout_file, but not both."):
        fit_table(path, "kind", time="size", holdout_file=path.with_name("o.csv"))
    with refuses("Give holdout='last' or holdout_file, but not both."):
        fit_table(path, "kind", holdout="last", holdout_file=path.with_name("o.csv"))
    with refuses("time must be a column of its own, but 'kind' is the target."):
        fit_table(path, "kind", time="kind")
    with refuses("holdout must be from 1 to 39 for 40, but is 40."):
        fit_table(path, "kind", holdout="last:40", **TREE)
    with refuses(
        "holdout must be a share such as 0.2, a number of rows, or 'last', 'last:0.3', 'last:500' for the last rows, "
        "but is 'first'."
    ):
        fit_table(path, "kind", holdout="first")
    same = written(small(40).append_column("when", pa.array([7] * 40)), tmp_path / "s.csv")
    with pytest.raises(BadData, match="all come at one time"):
        fit_table(same, "kind", time="when", **TREE)
