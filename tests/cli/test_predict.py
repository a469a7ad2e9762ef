"""`assay predict` as a user runs it."""
# ruff: noqa: E501 (sentences stand as they are printed)

import errno
import json
import os

import pytest

from tests.cli.runner import run
from tests.tables.tables import small, written


@pytest.fixture
def model(tmp_path):
    table = written(small(), tmp_path / "t.csv")
    found = run(
        "fit", table, "--target", "kind", "--learner", "gaussian-nb", "--out", tmp_path / "m"
    )
    assert found.code == 0
    return tmp_path / "m"


def refused(model, data, *options):
    folder = model.parent
    before = sorted(os.listdir(folder))
    found = run("predict", model, data, "--out", folder / "p.csv", *options)
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)
    assert sorted(os.listdir(folder)) == before
    return found.err.removeprefix("assay: ").replace(str(data), data.name).strip()


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "feather"])
def test_predictions_in_every_format(model, tmp_path, ending):
    out = tmp_path / f"p.{ending}"
    found = run(
        "predict", model, tmp_path / "t.csv", "--out", out, "--keep", "kind", "--keep", "kind"
    )
    assert (found.code, found.out) == (0, f"120 predictions written to {out}.\n")
    if ending in ("csv", "tsv"):
        assert (
            out.read_text().split("\n")[0] == f"kind{',' if ending == 'csv' else chr(9)}prediction"
        )


def test_columns_in_another_order_gaps_and_new_categories(model, tmp_path):
    (tmp_path / "n.csv").write_text("id,colour,windy,rain,size\n7,mauve,true,,0.5\n8,,,1,\n")
    found = run("predict", model, tmp_path / "n.csv", "--out", tmp_path / "p.csv", "--keep", "id")
    assert found.code == 0
    assert [line.split(",")[0] for line in (tmp_path / "p.csv").read_text().split()] == [
        "id",
        "7",
        "8",
    ]


HEAD = "size,rain,windy,colour\n"
TABLES = {
    "d.csv has no column 'size'. Its columns are 'rain', 'colour'.": "rain,colour\n1,red\n",
    "d.csv is empty.": "",
    "d.csv has a header but no rows.": HEAD,
    "d.csv holds 'x' in column 'size', row 20001, where a number is needed.": HEAD + "1,2,true,red\n" * 20000 + "x,2,true,red\n",
}  # fmt: skip


@pytest.mark.parametrize(("sentence", "text"), TABLES.items(), ids=map(str, range(len(TABLES))))
def test_tables_that_cannot_be_predicted(model, tmp_path, sentence, text):
    (tmp_path / "d.csv").write_text(text)
    assert refused(model, tmp_path / "d.csv") == sentence


def test_models_that_do_not_fit(model, tmp_path):
    table, lines = tmp_path / "t.csv", tmp_path / "t.svm"
    (tmp_path / "no").write_bytes(b"nothing")
    assert "is not a model file" in refused(tmp_path / "no", table)
    assert "cannot be read: No such file" in refused(tmp_path / "nowhere", table)
    lines.write_text("".join(f"{i % 2} 1:{i % 2} 2:{i}\n" for i in range(40)))
    assert (
        refused(model, lines)
        == "t.svm is libsvm text, but the model was learned from a table with columns."
    )
    other = tmp_path / "o"
    assert run("fit", lines, "--learner", "perceptron", "--out", other).code == 0
    assert "does not know how the columns of t.csv become features" in refused(other, table)
    lines.write_text("1 5:1\n")
    assert "t.svm holds index 5" in refused(other, lines)


def test_names_that_cannot_be_kept_or_written(model, tmp_path):
    table = tmp_path / "t.csv"
    assert refused(model, table, "--keep", "id").startswith("t.csv has no column 'id'.")
    assert "'prediction' cannot be kept" in refused(model, table, "--keep", "prediction")
    for out, why in ((tmp_path / "p.txt", "ends otherwise"), (table, "which is the table")):
        found = run("predict", model, table, "--out", out)
        assert (found.code, why in found.err) == (2, True)


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_a_disk_that_is_full(model, tmp_path, monkeypatch, ending):
    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    out = tmp_path / f"p.{ending}"
    found = run("predict", model, tmp_path / "t.csv", "--out", out)
    assert (found.code, found.err) == (
        2,
        f"assay: {out} cannot be written: No space left on device.\n",
    )
    assert sorted(os.listdir(tmp_path)) == ["m", "t.csv"]


def test_rows_that_are_not_like_those_are_told(model, tmp_path):
    rows = "".join(f"{i / 100},9,true,mauve\n" for i in range(100))
    (tmp_path / "n.csv").write_text("size,rain,windy,colour\n" + rows)
    out = tmp_path / "p.csv"
    found = run("predict", model, tmp_path / "n.csv", "--out", out)
    assert (found.code, found.out) == (0, f"100 predictions written to {out}.\n")
    told = found.err.split("\n")
    assert told[0] == "Warning: these rows are not like those that were learned from."
    assert "  - 'colour' holds a category that training did not: 'mauve' (100 rows)." in told
    assert run("predict", model, tmp_path / "n.csv", "--out", out, "--strict").code == 1
    answer = json.loads(run("predict", model, tmp_path / "n.csv", "--out", out, "--json").out)
    assert (answer["ok"], answer["rows"], answer["promise"]) == (False, 100, None)
    assert {"rain", "colour"} <= {one["column"] for one in answer["watch"]["findings"]}
    like = run("predict", model, tmp_path / "t.csv", "--out", out, "--strict")
    assert (like.code, like.err) == (0, "")


def test_probabilities_stand_beside(model, tmp_path):
    run("predict", model, tmp_path / "t.csv", "--proba", "--out", tmp_path / "p.csv")
    head, first, *_ = (tmp_path / "p.csv").read_text().split("\n")
    assert head == "prediction,probability of flat,probability of tall"
    assert abs(sum(map(float, first.split(",")[1:])) - 1) < 1e-9


def test_a_model_without_probabilities(tmp_path):
    table = written(small(), tmp_path / "t.csv")
    run("fit", table, "--target", "kind", "--learner", "perceptron", "--out", tmp_path / "m")
    assert refused(tmp_path / "m", table, "--proba") == (
        "perceptron predicts classes and no probabilities. Learn with one that has them, such as "
        "logistic-regression or random-forest-classifier."
    )


def test_a_promise_is_repeated_with_its_condition(tmp_path):
    table = written(small(400), tmp_path / "t.csv")
    for name in "mn":
        run("fit", table, "--target", "kind", "--learner", "gaussian-nb", "--seed", "mn".index(name),
            "--out", tmp_path / name, "--certificate", tmp_path / f"{name}.json")  # fmt: skip
    certified = ("--certificate", tmp_path / "m.json")
    found = run("predict", tmp_path / "m", table, "--out", tmp_path / "p.csv", *certified)
    assert found.out.endswith(", if these rows are like those that were held out.\n")
    assert "is not the certificate of" in refused(tmp_path / "n", table, *certified)
