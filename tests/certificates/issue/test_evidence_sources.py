import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.certificates.issue.evidence_sources import from_counts, from_loss_table, from_table
from assay.evidence.evidence import from_losses, from_pairs


def test_counts():
    assert (from_counts(3, 10).errors, from_counts(3, 10).rows) == (3, 10)


def test_a_file_gives_the_same_evidence_as_the_arrays(tmp_path):
    truth, guess = ["a", "b", "a", "c"] * 50, ["a", "b", "b", "c"] * 50
    path = tmp_path / "p.parquet"
    pq.write_table(pa.table({"other": range(200), "y": truth, "p": guess}), path, row_group_size=30)
    assert from_table(path, truth="y", prediction="p") == from_pairs([(truth, guess)])


def test_losses_from_a_file(tmp_path):
    path = tmp_path / "l.csv"
    path.write_text("loss\n" + "0\n" * 10 + "0.25\n" * 10)
    found = from_loss_table(path, loss="loss")
    assert (found.rows, found.errors) == (20, None)
    assert found.losses.total == pytest.approx(2.5)
    binary = from_losses([[0, 1, 1, 0]])  # whole numbers: a loss of 0 or 1 is an error or none
    assert (binary.rows, binary.errors, binary.losses) == (4, 2, None)
