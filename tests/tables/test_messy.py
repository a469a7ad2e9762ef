"""Columns as people have them: read alike when a model is fitted and when it predicts."""

from __future__ import annotations

import datetime as dt
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay import fit_table, predict_table
from assay.errors import AssayError

ROWS = 120
RNG = np.random.default_rng(0)
FLAG, Z = RNG.random(ROWS) < 0.5, RNG.normal(size=ROWS)
Y = np.where(FLAG ^ (RNG.random(ROWS) < 0.1), "p", "q")


def written(path, cells):
    rows = [f'{z:.4f},"{cell}",{y}' for z, cell, y in zip(Z, cells, Y, strict=True)]
    path.write_text("\n".join(["z,c,y", *rows]) + "\n")
    return path


def fit(data):
    return fit_table(data, "y", learner="logistic-regression", order="none")


def kind(fitted, name="c"):
    return {column.name: column.kind for column in fitted.preparation.columns}.get(name)


def predicted(model, data):
    return [
        label for batch in predict_table(model, data) for label in batch["prediction"].to_pylist()
    ]


TRUTHS = [
    ("true", "false"),
    ("True", "FALSE"),
    (" TRUE", "False "),
    ("tRue", "false"),
    ("true", "0"),
]
CHOICES = [("T", "F"), ("yes", "no"), ("Y", "N"), ("on", "off"), ("ja", "nein")]


@pytest.mark.parametrize(("yes", "no"), TRUTHS + CHOICES)
def test_truth_values_in_many_ways(yes, no, tmp_path):
    path = written(tmp_path / "t.csv", [yes if flag else no for flag in FLAG])
    fitted = fit(path)
    assert kind(fitted) == ("truth" if (yes, no) in TRUTHS else "category")
    assert fitted.error < 0.3


@pytest.mark.parametrize(("yes", "no"), TRUTHS[:3] + CHOICES[:4] + [(1, 0), (True, False)])
def test_a_model_of_truth_values_reads_them_in_any_way(yes, no):
    model = fit(pd.DataFrame({"z": Z, "c": FLAG, "y": Y})).model
    known = predicted(model, pd.DataFrame({"z": Z, "c": FLAG}))
    again = pd.DataFrame({"z": Z, "c": [yes if flag else no for flag in FLAG]})
    assert predicted(model, again) == known


@pytest.mark.parametrize(
    "missing", ["", "-", "NA", "null", "N/A", "None", "nan", "?", ".", "#N/A", "#DIV/0!"]
)
@pytest.mark.parametrize("what", ["truth", "number", "time"])
def test_missing_in_many_ways(missing, what, tmp_path):
    cells = {
        "truth": ["true" if flag else "false" for flag in FLAG],
        "number": [f"{i / 7:.2f}" for i in range(ROWS)],
        "time": [f"2024-{i % 12 + 1:02}-{i % 28 + 1:02}" for i in range(ROWS)],
    }[what]
    path = written(tmp_path / "t.csv", [missing if i % 9 == 0 else c for i, c in enumerate(cells)])
    fitted = fit(path)
    assert kind(fitted) == what
    assert "c is missing" in fitted.preparation.features


@pytest.mark.parametrize(
    "cell",
    [
        lambda x: f"{x:,.2f}",
        lambda x: f"${x:,.2f}",
        lambda x: f"{x:.2f} €",
        lambda x: f"{x:.2f}%",
        lambda x: f"+{x:.2f}",
        lambda x: f"{x:.3e}",
        lambda x: f"({x:.2f})",
    ],
)
def test_numbers_as_people_write_them(cell, tmp_path):
    numbers = 5000 + 1500 * FLAG + 100 * Z
    fitted = fit(written(tmp_path / "t.csv", map(cell, numbers)))
    assert kind(fitted) == "number"
    assert fitted.error < 0.3


def test_codes_with_letters_are_categories(tmp_path):
    fitted = fit(written(tmp_path / "t.csv", [f"0x{i % 7}" for i in range(ROWS)]))
    assert kind(fitted) == "category"


def gaps(values):
    return [None if i % 9 == 0 else value for i, value in enumerate(values)]


I = range(ROWS)  # noqa: E741
DAYS = [dt.datetime(2024, 1, 1) + dt.timedelta(hours=7 * i) for i in I]
TYPED = {
    "pandas Int64": (lambda: pd.Series(gaps(i % 17 for i in I), dtype="Int64"), "number"),
    "pandas Float64": (lambda: pd.Series(gaps(i / 7 for i in I), dtype="Float64"), "number"),
    "pandas boolean": (lambda: pd.Series(gaps(FLAG.tolist()), dtype="boolean"), "truth"),
    "pandas objects": (lambda: pd.Series(gaps(FLAG.tolist()), dtype=object), "truth"),
    "pandas string": (lambda: pd.Series(gaps("abc"[i % 3] for i in I), dtype="string"), "category"),
    "pandas category": (lambda: pd.Series(gaps("abc"[i % 3] for i in I), dtype="category"), "category"),
    "pandas category of numbers": (lambda: pd.Series([i % 5 for i in I]).astype("category"), "category"),
    "pandas decimals": (lambda: pd.Series([decimal.Decimal(i % 17) / 4 for i in I]), "number"),
    "pandas durations": (lambda: pd.Series(pd.to_timedelta([i % 17 for i in I], unit="h")), "time"),
    "pandas zone": (lambda: pd.Series(DAYS).dt.tz_localize("Europe/Berlin"), "time"),
    "pandas half floats": (lambda: pd.Series([i % 7 for i in I], dtype="float16"), "number"),
    "polars Categorical": (lambda: pl.Series(gaps("abc"[i % 3] for i in I), dtype=pl.Categorical), "category"),
    "polars Enum": (lambda: pl.Series(["abc"[i % 3] for i in I], dtype=pl.Enum(["a", "b", "c"])), "category"),
    "polars Decimal": (lambda: pl.Series([decimal.Decimal(i % 17) / 4 for i in I]), "number"),
    "polars Duration": (lambda: pl.Series([dt.timedelta(hours=i % 17) for i in I]), "time"),
    "polars Time": (lambda: pl.Series([dt.time(i % 24, 5) for i in I]), "time"),
    "polars zone": (lambda: pl.Series(DAYS).dt.replace_time_zone("Asia/Tokyo"), "time"),
    "polars Boolean": (lambda: pl.Series(gaps(FLAG.tolist())), "truth"),
    "Arrow dictionary": (lambda: pa.array(gaps("abc"[i % 3] for i in I)).dictionary_encode(), "category"),
    "Arrow dictionary of numbers": (lambda: pa.array([i % 5 for i in I]).dictionary_encode(), "category"),
    "Arrow views": (lambda: pa.array(["abc"[i % 3] for i in I], pa.string_view()), "category"),
    "Arrow runs": (
        lambda: pa.RunEndEncodedArray.from_arrays(pa.array([60, ROWS], pa.int32()), pa.array(["a", "b"])),
        "category",
    ),
    "Arrow decimals": (lambda: pa.array([decimal.Decimal(i % 5) for i in I], pa.decimal256(40, 2)), "number"),
    "Arrow date64": (lambda: pa.array([(i % 50) * 86400000 for i in I], pa.date64()), "time"),
}  # fmt: skip


@pytest.mark.parametrize("name", TYPED)
def test_types_of_frames(name):
    make, expected = TYPED[name]
    column = make()
    columns = {"z": Z, "c": column, "y": Y}
    if isinstance(column, pl.Series):
        frame = pl.DataFrame(columns)
    else:
        frame = pd.DataFrame(columns) if isinstance(column, pd.Series) else pa.table(columns)
    fitted = fit(frame)
    assert kind(fitted) == expected
    assert len(predicted(fitted.model, frame)) == ROWS


@pytest.fixture(scope="module")
def model():
    frame = pd.DataFrame(
        {
            "z": Z,
            "flag": FLAG,
            "when": pd.Series(DAYS).dt.tz_localize("Europe/Berlin"),
            "n": pd.Series(gaps(i % 17 for i in I), dtype="Int64"),
            "colour": pd.Series(["abc"[i % 3] for i in I], dtype="category"),
            "y": Y,
        }
    )
    return fit(frame).model


NEW = {
    "z": [0.1, 0.2],
    "flag": [True, False],
    "when": ["2024-01-05 10:00+01:00", "2024-01-06 10:00+01:00"],
    "n": [1, None],
    "colour": ["a", "b"],
}


@pytest.mark.parametrize(
    "other",
    [
        {"flag": ["yes", "no"]},
        {"flag": [None, None]},
        {"when": [dt.datetime(2024, 1, 5, 9), dt.datetime(2024, 1, 6, 9)]},
        {"when": pd.to_datetime(["2024-01-05 09:00", "2024-01-06 09:00"], utc=True)},
        {"when": [None, None]},
        {"n": ["1", "NA"]},
        {"n": [None, None]},
        {"colour": ["a", "never seen"]},
        {"colour": [None, None]},
        {"more": ["x", "y"]},
    ],
)
def test_new_rows_may_be_of_other_types(model, other):
    assert len(predicted(model, pd.DataFrame(NEW | other))) == 2


def test_columns_are_matched_by_name(model):
    new = pd.DataFrame(NEW)
    known = predicted(model, new)
    for order in (list(reversed(NEW)), sorted(NEW)):
        assert predicted(model, new[order]) == known
    with pytest.raises(AssayError) as refused:
        predicted(model, new.rename(columns={"colour": "Colour "}))
    assert str(refused.value) == (
        "The data frame has no column 'colour'. Did you mean 'Colour '? "
        "Its columns are 'z', 'flag', 'when', 'n', 'Colour '."
    )


def test_a_bad_first_cell_beside_a_time_is_one_sentence(model):
    with pytest.raises(AssayError) as refused:
        predicted(model, pd.DataFrame(NEW | {"flag": ["maybe", "no"]}))
    assert str(refused.value) == (
        "The data frame holds 'maybe' in column 'flag', row 1, where true or false is needed."
    )
