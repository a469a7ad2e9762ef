"""Data frames of any library, in place of files."""

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay import compare_table, fit_table, predict_table, verify
from assay.errors import BadData
from assay.tables.story import story_of
from tests.tables.tables import small, written

TREE = {"learner": "decision-tree-classifier", "parameters": {"max_leaf_nodes": 4}}
FRAMES = {
    "arrow": lambda table: table,
    "pandas": lambda table: table.to_pandas(),
    "pandas with Arrow types": lambda table: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "lazy polars": lambda table: pl.from_arrow(table).lazy(),
    "duckdb": lambda rows: duckdb.sql("select * from rows"),
}


@pytest.fixture(scope="module")
def by_file(tmp_path_factory):
    path = written(small(), tmp_path_factory.mktemp("t") / "t.parquet")
    fitted = fit_table(path, "kind", **TREE)
    [batch] = predict_table(fitted.model, path, keep=["colour"])
    return fitted, batch


@pytest.mark.parametrize("made", FRAMES.values(), ids=FRAMES)
def test_a_frame_gives_what_its_file_gives(made, by_file, tmp_path):
    frame = made(small())
    fitted = fit_table(frame, "kind", **TREE)
    expected, predicted = by_file
    assert fitted.evidence.errors == expected.evidence.errors
    assert fitted.certificate.error == expected.certificate.error
    fitted.save(tmp_path / "m.assay")
    [batch] = predict_table(tmp_path / "m.assay", frame, keep=["colour"])
    assert batch.to_pydict() == predicted.to_pydict()


def test_its_certificate_report_and_comparison(tmp_path):
    frame = small().to_pandas()
    fitted = fit_table(frame, "kind", **TREE).save(tmp_path / "m.assay")
    fitted.certificate.save(tmp_path / "c.json")
    assert verify(tmp_path / "c.json").ok
    story = story_of(fitted, model=tmp_path / "m.assay")
    assert story.title == "decision-tree-classifier predicts 'kind' of the data frame"
    assert story.verify == ()
    compared = compare_table(frame, "kind", learners=["gaussian-nb"])
    assert compared.rows[0].errors is not None


def test_a_frame_to_test_on():
    fitted = fit_table(small(), "kind", holdout_file=small(60, seed=1).to_pandas(), **TREE)
    assert fitted.evidence.rows == 60
    assert fitted.drawn == "a file of its own, the data frame to test on"


REFUSED = {
    "The table must be an Arrow table or batch, or a pandas or polars frame, but is of type list.": [[1]],
    "The data frame has no column 'y'. Its columns are 'a', 'b'.": pa.table({"a": [1], "b": [2]}),
    "The data frame has columns but no rows.": pd.DataFrame({"a": [], "y": []}),
    "The data frame has two columns named 'y'. Rename or drop one of them.": pa.table(
        [[1], [2]], names=["y", "y"]
    ),
}  # fmt: skip


@pytest.mark.parametrize(("sentence", "frame"), REFUSED.items(), ids=map(str, range(len(REFUSED))))
def test_refusals(sentence, frame):
    with pytest.raises((BadData, KeyError)) as refusal:
        fit_table(frame, "y")
    assert str(refusal.value) == sentence


def test_values_of_several_kinds_in_one_column():
    frame = pd.DataFrame({"a": np.array([1, "x", 2.5] * 20, dtype=object), "y": [0, 1, 0] * 20})
    with pytest.raises(BadData, match="values of several kinds in one column") as refusal:
        fit_table(frame, "y")
    assert "\n" not in str(refusal.value)


def test_a_model_learned_from_arrays_cannot_read_a_frame():
    from assay import GaussianNB

    model = GaussianNB().fit(np.eye(2), [0, 1])
    with pytest.raises(BadData, match="does not know how the columns of The data frame become"):
        next(predict_table(model, small()))
