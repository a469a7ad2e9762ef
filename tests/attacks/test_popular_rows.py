"""A row that comes often in use is counted once: the certificate must say on what that rests."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pytest

from assay.certificates.issue.distinct_rows import COPIES
from assay.tables import large
from assay.tables.fit import fit_table


def popular(seed, rows=600):
    """Half of all rows are one row, with coin-flip labels; the others are easy."""
    rng = np.random.default_rng(seed)
    x = rng.integers(1, 10**6, (rows, 2))
    often = rng.random(rows) < 0.5
    x[often] = 7
    y = np.where(often, rng.integers(0, 2, rows), x[:, 0] > 5 * 10**5)
    return pa.table({"a": x[:, 0], "b": x[:, 1], "y": np.where(y, "up", "down")})


def known(fitted):
    return {a.name: a for a in fitted.certificate.claims[0].assumptions}


@pytest.mark.parametrize("seed", range(4))
def test_a_holdout_drawn_by_distinct_rows_says_so(tmp_path, seed):
    table = popular(seed)
    pacsv.write_csv(table, tmp_path / "t.csv")
    fitted = fit_table(tmp_path / "t.csv", "y", learner="perceptron", random_state=seed)
    copies = known(fitted)[COPIES]
    assert copies.status == "assumed"
    assert "repeat an earlier one" in copies.evidence


def test_so_it_does_in_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr(large, "LARGE", 100)
    pacsv.write_csv(popular(0), tmp_path / "t.csv")
    for seed in range(4):
        fitted = fit_table(tmp_path / "t.csv", "y", learner="perceptron", random_state=seed)
        assert known(fitted)[COPIES].status == "assumed"


def test_so_it_does_where_rows_of_a_file_are_left_out_for_they_were_learned(tmp_path):
    pacsv.write_csv(popular(0), tmp_path / "t.csv")
    table = popular(1)
    first = table["a"].to_pylist().index(7)
    rest = table.filter(pc.not_equal(table["a"], 7))
    pacsv.write_csv(pa.concat_tables([rest, table.slice(first, 1)]), tmp_path / "h.csv")
    fitted = fit_table(
        tmp_path / "t.csv", "y", learner="perceptron", holdout_file=tmp_path / "h.csv"
    )
    assert known(fitted)[COPIES].evidence.endswith("repeat a training row and do not count")


def test_nothing_is_said_where_no_row_repeats_another(tmp_path):
    table = popular(2)
    pacsv.write_csv(table.filter(pc.not_equal(table["a"], 7)), tmp_path / "t.csv")
    assert COPIES not in known(fit_table(tmp_path / "t.csv", "y", learner="perceptron"))
