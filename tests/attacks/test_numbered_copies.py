"""Rows written several times, each with a number of its own, on coin-flip labels."""

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from assay.errors import BadData
from assay.tables.fit import fit_table


def table(seed, copies, values=200, discrete=False):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 6, (values, 2)) if discrete else rng.normal(size=(values, 2))
    rows = rng.permutation(np.repeat(np.arange(values), copies))
    y = np.where(rng.integers(0, 2, values), "up", "down")
    columns = {"a": x[rows, 0], "b": x[rows, 1], "y": y[rows]}
    return {"id": np.arange(len(rows)), **columns}


@pytest.mark.parametrize("write", [pacsv.write_csv, pq.write_table], ids=["csv", "parquet"])
@pytest.mark.parametrize("name", [int, lambda number: f"row {number}"], ids=["number", "text"])
@pytest.mark.parametrize("copies", [2, 5])
def test_a_number_of_its_own_does_not_make_a_copy_a_new_row(tmp_path, copies, name, write):
    made = table(0, copies)
    made["id"] = [name(number) for number in made["id"].tolist()]
    path = tmp_path / ("t.csv" if write is pacsv.write_csv else "t.parquet")
    write(pa.table(made), path)
    if name is int:
        # A column that counts the rows is left out, unless it is asked for.
        assert fit_table(path, "y", learner="decision-tree-classifier").evidence.rows == 40
    with pytest.raises(BadData, match=r"rows that repeat another but for 'id'.*with drop,"):
        fit_table(path, "y", learner="decision-tree-classifier", keep=["id"])
    fitted = fit_table(path, "y", learner="decision-tree-classifier", drop=["id"])
    assert fitted.evidence.rows == 40


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("discrete", [False, True])
def test_rows_that_are_equal_by_chance_are_none(tmp_path, seed, discrete):
    pacsv.write_csv(pa.table(table(seed, 1, 400, discrete)), tmp_path / "t.csv")
    fit_table(tmp_path / "t.csv", "y", learner="perceptron")
