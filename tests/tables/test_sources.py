"""Folders, patterns, workbooks and compressed text, wherever a table is taken: fit, predict, compare and certify."""

from __future__ import annotations

import gzip
import json

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay import compare_table, fit_table, predict_table
from assay.tables import large
from tests.cli.runner import run

ROWS = 400


def rows():
    rng = np.random.default_rng(0)
    x, colour = rng.normal(size=ROWS).round(6), rng.choice(["red", "green"], ROWS)
    y = np.where(x + (colour == "red") > 0.5, "yes", "no")
    return pa.table({"x": x, "colour": colour, "y": y})


def text(table):
    lines = [",".join(table.column_names)]
    lines += [",".join(map(str, row.values())) for row in table.to_pylist()]
    return "\n".join(lines) + "\n"


def zstd(path, content):
    with pa.output_stream(str(path), compression="zstd") as file:
        file.write(content.encode())


def csv_parts(folder):
    folder.mkdir()
    for k in range(4):
        (folder / f"part-{k}.csv").write_text(text(rows().slice(k * 100, 100)))
    return folder


def parquet_parts(folder):
    folder.mkdir()
    for k in range(4):
        pq.write_table(rows().slice(k * 100, 100), folder / f"part-{k}.parquet")
    (folder / "_SUCCESS").write_text("")
    return folder


def workbook(path):
    book = openpyxl.Workbook()
    table = rows()
    book.active.append(table.column_names)
    for row in table.to_pylist():
        book.active.append(list(row.values()))
    book.create_sheet("Notes").append(["nothing here"])
    book.save(path)
    return path


def sheet(path):
    book = openpyxl.load_workbook(workbook(path))
    book.move_sheet("Notes", -1)
    book.save(path)
    return f"{path}#Sheet"


def compressed(path):
    if path.suffix == ".zst":
        zstd(path, text(rows()))
    else:
        path.write_bytes(gzip.compress(text(rows()).encode()))
    return path


SOURCES = {
    "CSV folder": lambda tmp: csv_parts(tmp / "data"),
    "CSV pattern": lambda tmp: f"{csv_parts(tmp / 'data')}/part-*.csv",
    "Parquet folder": lambda tmp: parquet_parts(tmp / "data"),
    "Parquet pattern": lambda tmp: f"{parquet_parts(tmp / 'data')}/part-?.parquet",
    "workbook": lambda tmp: workbook(tmp / "t.xlsx"),
    "sheet": lambda tmp: sheet(tmp / "t.xlsx"),
    "gz": lambda tmp: compressed(tmp / "t.csv.gz"),
    "zst": lambda tmp: compressed(tmp / "t.csv.zst"),
}


@pytest.fixture(params=SOURCES)
def source(request, tmp_path):
    return SOURCES[request.param](tmp_path)


def test_all_are_the_table_that_they_hold(source, tmp_path):
    terms = {"learner": "gaussian-nb", "order": "none"}
    known = fit_table(rows(), "y", **terms)
    fitted = fit_table(source, "y", **terms)
    assert fitted.evidence.errors == known.evidence.errors
    assert fitted.source.digest().startswith("sha256:")
    expected = pa.Table.from_batches(predict_table(known.model, rows(), keep=["x"]))
    predicted = pa.Table.from_batches(predict_table(fitted.model, source, keep=["x"]))
    assert predicted["prediction"].to_pylist() == expected["prediction"].to_pylist()
    assert predicted["x"].to_pylist() == expected["x"].to_pylist()
    [compared] = compare_table(source, "y", learners=["gaussian-nb"], order="none").rows
    assert compared.errors == known.evidence.errors


def test_commands_take_them(source, tmp_path):
    model, out = tmp_path / "model.assay", tmp_path / "predicted.csv"
    report = tmp_path / "report.html"
    fitted = run(
        "fit", str(source), "--target", "y", "--learner", "gaussian-nb", "--order", "none",
        "--out", str(model), "--report", str(report),
    )  # fmt: skip
    assert (fitted.code, fitted.err) == (0, "")
    predicted = run("predict", str(model), str(source), "--keep", "y", "--out", str(out))
    assert predicted.code == 0
    assert len(out.read_text().splitlines()) == ROWS + 1


def test_certify_reads_them(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    book = openpyxl.Workbook()
    book.active.append(["truth", "guess"])
    for k in range(3):
        (folder / f"{k}.csv").write_text("truth,guess\n" + "a,a\n" * 20 + "b,a\n")
    for i in range(63):
        book.active.append(["b" if i % 21 == 20 else "a", "a"])
    book.save(tmp_path / "t.xlsx")
    for path in (folder, f"{folder}/*.csv", tmp_path / "t.xlsx"):
        told = run("certify", str(path), "--truth", "truth", "--prediction", "guess", "--json")
        counted = json.loads(told.out)
        assert counted["rows"] == 63
        assert float(counted["observed"]) == pytest.approx(3 / 63)


def test_keys_of_folders_are_learned_from_and_predicted_by(tmp_path):
    rng = np.random.default_rng(1)
    for year in (2022, 2023, 2024):
        x = rng.normal(size=150)
        part = pa.table({"x": x, "y": np.where(x > year - 2023, "yes", "no")})
        (tmp_path / f"year={year}").mkdir()
        pq.write_table(part, tmp_path / f"year={year}" / "part.parquet")
    fitted = fit_table(tmp_path, "y", learner="logistic-regression", order="none")
    assert fitted.preparation.features == ("x", "year")
    assert fitted.error < 0.1
    batches = predict_table(fitted.model, f"{tmp_path}/year=2023/*.parquet")
    with pytest.raises(ValueError, match="has no column 'year'"):
        list(batches)
    predicted = pa.Table.from_batches(predict_table(fitted.model, f"{tmp_path}/year=*/*.parquet"))
    assert predicted.num_rows == 450


def test_a_folder_too_large_for_memory_is_read_in_chunks(tmp_path, monkeypatch):
    for k in range(4):
        (tmp_path / f"half={k % 2}").mkdir(exist_ok=True)
        pq.write_table(rows().slice(k * 100, 100), tmp_path / f"half={k % 2}" / f"{k}.parquet")
    monkeypatch.setattr(large, "LARGE", 2**10)
    fitted = fit_table(tmp_path, "y", learner="perceptron", random_state=1)
    assert any("read in chunks" in note for note in fitted.notes)
    assert "half" in fitted.preparation.features
    assert fitted.train_rows + fitted.evidence.rows == ROWS


def test_the_digest_of_a_folder_changes_with_any_of_its_files(tmp_path):
    folder = csv_parts(tmp_path / "data")
    terms = {"learner": "gaussian-nb", "order": "none"}
    before = fit_table(folder, "y", **terms).source.digest()
    assert fit_table(f"{folder}/*.csv", "y", **terms).source.digest() == before
    (folder / "part-3.csv").write_text(text(rows().slice(300, 99)))
    assert fit_table(folder, "y", **terms).source.digest() != before


def test_a_folder_to_test_on(tmp_path):
    folder = csv_parts(tmp_path / "data")
    table = rows()
    pq.write_table(table.slice(0, 200), tmp_path / "train.parquet")
    fitted = fit_table(
        tmp_path / "train.parquet",
        "y",
        learner="gaussian-nb",
        holdout_file=f"{folder}/part-[23].csv",
    )
    assert fitted.evidence.rows == 200
