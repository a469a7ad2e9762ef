"""`assay fit` as a user runs it: one sentence and code 2 for what is wrong, and no file left behind."""
# ruff: noqa: E501 (sentences stand as they are printed)

import errno
import json
import os
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay import load, verify
from assay.tables import choice
from assay.tables.candidates import Candidate
from tests.cli.runner import run
from tests.tables.tables import small, written

BAYES = ("--learner", "gaussian-nb")
WRITTEN = ("m.assay", "c.json", "r.html")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    few = (
        Candidate("decision-tree-classifier", 1, {"max_leaf_nodes": 4}),
        Candidate("gaussian-nb", 1),
    )
    known = choice.choose.__kwdefaults__
    monkeypatch.setattr(choice.choose, "__kwdefaults__", known | {"candidates": few})


@pytest.fixture
def table(tmp_path):
    return written(small(), tmp_path / "t.csv")


def lines(row=lambda i: f"{i % 7},{i % 5},{'pq'[i % 7 > 3]}", head="a,b,y", many=60):
    return "\n".join([head, *map(row, range(many))]) + "\n"


def outputs(folder):
    names = ("--out", "--certificate", "--report")
    return [
        x for pair in zip(names, (folder / name for name in WRITTEN), strict=True) for x in pair
    ]


def refused(path, *options, target="y", learner=BAYES):
    """The sentence, once it is sure that nothing else was said or written."""
    before = sorted(os.listdir(path.parent))
    asked = () if target is None else ("--target", target)
    found = run("fit", path, *asked, *learner, *options, *outputs(path.parent))
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith("assay: ")
    assert found.err.count("\n") == 1
    assert "Traceback" not in found.err
    assert sorted(os.listdir(path.parent)) == before
    return found.err.removeprefix("assay: ").replace(str(path), path.name).strip()


def test_from_a_table_to_model_certificate_and_report(table, tmp_path):
    found = run("fit", table, "--target", "kind", *outputs(tmp_path))
    assert (found.code, found.err) == (0, "")
    assert "predict with: assay predict" in found.out
    assert verify(tmp_path / "c.json").ok
    assert load(tmp_path / "m.assay").encoder_["encoder"] == "preparation"
    assert "m.assay" in (tmp_path / "r.html").read_text()
    assert sorted(os.listdir(tmp_path)) == ["c.json", "m.assay", "r.html", "t.csv"]


def test_json(table):
    answer = json.loads(run("fit", table, "--target", "kind", "--json").out)
    assert answer["ok"]
    assert (answer["train_rows"], answer["holdout_rows"]) == (96, 24)
    assert [one["learner"] for one in answer["candidates"]] == [
        "decision-tree-classifier",
        "gaussian-nb",
    ]
    assert [one["quantity"] for one in answer["certificate"]["claims"]] == [
        "error",
        "class-error",
        "class-error",
        "chosen-error",
    ]


def test_the_same_numbers_for_the_same_seed(table):
    options = (
        "fit",
        table,
        "--target",
        "kind",
        "--learner",
        "random-forest-classifier",
        "--param",
        "n_estimators=3",
    )
    first, second, other = (json.loads(run(*options, "--json", "--seed", s).out) for s in (1, 1, 2))
    assert first["certificate"]["data"] == second["certificate"]["data"]
    assert first["certificate"]["data"] != other["certificate"]["data"]


OPTIONS = {
    "Name the column to predict with --target; t.csv has 'a', 'b', 'y'.": (None, ()),
    "t.csv has no column 'yy'. Did you mean 'y'? Its columns are 'a', 'b', 'y'.": ("yy", ()),
    "No learner is called 'gausian-nb'. Did you mean 'gaussian-nb'?": ("y", ("--learner", "gausian-nb")),
    "t.csv must hold numbers in column 'y' for a quantity to be learned, but holds words. Learn classes, by a classifier, or make numbers of them.": ("y", ("--learner", "ridge")),
    "svc predicts classes, but ridge predicts numbers. Name learners of one kind.": ("y", ("--learner", "ridge,svc")),
    "ridge predicts numbers, not classes. Name a classifier.": ("y", ("--learner", "ridge", "--task", "classes")),
    "--task must be 'auto', 'classes' or 'quantity', but is 'numbers'.": ("y", ("--task", "numbers")),
    "--range must be two numbers, as in 0,100, but is '5'.": ("y", ("--range", "5")),
    "within is about a quantity, but column 'y' holds classes. Leave it out, or say that the target is one, with --task quantity.": ("y", ("--within", "2")),
    "gaussian-nb has no parameter 'foo'. It has priors, var_smoothing.": ("y", ("--param", "foo=1")),
    "C must be a number above zero, but is 'abc'.": ("y", ("--learner", "svc", "--param", "C=abc")),
    "max_iter must be a whole number, zero or more, but is 'abc'.": ("y", ("--learner", "logistic-regression", "--param", "max_iter=abc")),
    "--param must be name=value, but is 'C'.": ("y", ("--param", "C")),
    "Parameters are for a learner that is named; auto chooses its own.": ("y", ("--learner", "auto", "--param", "C=1")),
    "--holdout must be from 1 to 34 for 35 distinct rows, but is 0.": ("y", ("--holdout", "0")),
    "--holdout must be from 1 to 34 for 35 distinct rows, but is 60.": ("y", ("--holdout", "60")),
    "--holdout must be a number strictly between 0 and 1, or a number of rows, but is -1.0.": ("y", ("--holdout", "-1")),
    "--holdout must be a number strictly between 0 and 1, or a number of rows, but is nan.": ("y", ("--holdout", "nan")),
    "--holdout must be a number strictly between 0 and 1, or a number of rows, but is 1.0.": ("y", ("--holdout", "1.0")),
    "--holdout must be a share such as 0.2, a number of rows, or 'last', 'last:0.3', 'last:500' for the last rows, "
    "but is 'some'.": ("y", ("--holdout", "some")),
    "Give --holdout or --holdout-file, but not both.": ("y", ("--holdout", "2", "--holdout-file", "x.csv")),
    "x.csv does not exist. Check the path.": ("y", ("--holdout-file", "x.csv")),
    "--delta must be a number strictly between 0 and 1, but is '0'.": ("y", ("--delta", "0")),
    "--delta must be a number strictly between 0 and 1, but is '2'.": ("y", ("--delta", "2")),
    "--seed must be a whole number of at least 0, but is -1.": ("y", ("--seed", "-1")),
    "t.csv holds no column to learn from but the target 'y'.": ("y", ("--column", "y")),
    "t.csv has no column 'z'. Its columns are 'a', 'b', 'y'.": ("y", ("--drop", "z")),
    "Column 'a' cannot be read both as categories and as numbers.": ("y", ("--category", "a", "--number", "a")),
}  # fmt: skip


@pytest.mark.parametrize(("sentence", "asked"), OPTIONS.items(), ids=map(str, range(len(OPTIONS))))
def test_options_that_cannot_be(tmp_path, sentence, asked):
    path = tmp_path / "t.csv"
    path.write_text(lines())
    target, options = asked
    assert refused(path, *options, target=target) == sentence


TABLES = {
    "t.csv is empty.": "",
    "t.csv has a header but no rows.": "a,b,y\n",
    "t.csv holds only blank lines.": "\n\n",
    "t.csv has two columns named 'a'. Rename or drop one of them.": lines(head="a,a,y"),
    "t.csv holds nothing but 'p' in column 'y': with one class there is nothing to learn.": lines(lambda i: f"{i},{i},p"),
    "t.csv holds 'oops' in column 'a', row 44, where a number is needed. If the column holds categories, name it with --category.": lines(lambda i: f"{'oops' if i == 43 else i},1,{'pq'[i % 2]}"),
    "t.csv holds inf in column 'a', row 8, which is not a finite number.": lines(lambda i: f"{'inf' if i == 7 else i},1,{'pq'[i % 2]}"),
    "t.csv has 2 fields in row 3, but 3 columns. Complete the row, and quote cells that hold a separator.": lines(lambda i: "1,2" if i == 2 else f"{i},1,p"),
    "t.csv must hold a value in column 'y', which is to be predicted, but holds none on any of its 60 rows. Name another target.": lines(lambda i: f"{i},{i},"),
    "t.csv is UTF-16 text. Save it as UTF-8.": lines().encode("utf-16"),
    "t.csv is not UTF-8 text. Column 'b', row 10 holds other bytes; save the file as UTF-8.": lines(lambda i: f"{i},{'é' if i == 9 else 'e'},{'pq'[i % 2]}").encode("latin1"),
    "t.csv leaves 1 training rows of one class only. Give more rows, or a smaller holdout.": lines(lambda i: f"1,{i},{'pq'[i]}", many=2),
    "t.csv must hold at least two rows to tell apart, but holds one distinct row, over and over. If equal rows are separate draws, say --overlap keep.": lines(lambda i: f"1,1,{'pq'[i]}", many=2),
}  # fmt: skip


@pytest.mark.parametrize(("sentence", "text"), TABLES.items(), ids=map(str, range(len(TABLES))))
@pytest.mark.parametrize("learner", [BAYES, ()], ids=["named", "auto"])
def test_tables_that_cannot_be_learned(tmp_path, sentence, text, learner):
    path = tmp_path / "t.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    found = refused(path, learner=learner)
    assert found.replace("36 training rows", "48 training rows") == sentence


def test_a_quantity_as_target(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(lines(lambda i: f"{i},1,{i * 0.37}", many=150))
    assert refused(path) == (
        "gaussian-nb predicts classes, but column 'y' is a quantity. Name a regressor, such as ridge or "
        "random-forest-regressor; or say that the numbers are classes, with --task classes."
    )


@pytest.mark.parametrize("sign", [";", "\t", "|"])
def test_other_separators_and_decimal_commas_are_recognised(tmp_path, sign):
    path, plain = tmp_path / "t.csv", tmp_path / "plain.csv"
    text = lines(lambda i: f"{i * 7 % 31}.25,w{i % 3},{'pq'[i * 7 % 31 > 14]}")
    plain.write_text(text)
    asked = ("--target", "y", *BAYES, "--json")
    expected = json.loads(run("fit", plain, *asked).out)["certificate"]["claims"][0]["promised"]
    for commas in (False, True):
        written = text.replace(",", sign)
        path.write_text(written.replace(".", ",") if commas else written)
        found = json.loads(run("fit", path, *asked).out)
        assert found["certificate"]["claims"][0]["promised"] == expected


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([[1], [2]] * 20), pa.array([b"x", b"y"] * 20), pa.array([{"a": 1}, {"a": 2}] * 20),
    ],
    ids=lambda cells: str(cells.type),
)  # fmt: skip
@pytest.mark.parametrize("learner", [BAYES, ()], ids=["named", "auto"])
def test_columns_that_are_no_features(tmp_path, cells, learner):
    path = written(
        pa.table({"a": cells, "b": np.arange(40.0), "y": [0, 1] * 20}), tmp_path / "t.parquet"
    )
    found = refused(path, learner=learner)
    assert "holds values of type " in found
    assert " in column 'a'" in found
    assert found.endswith("Convert the column, or leave it out with --drop.")
    assert run("fit", path, "--target", "y", *BAYES, "--drop", "a").code == 0


def test_other_types_simply_work(tmp_path):
    words = ["x", "y", None, "z"] * 10
    columns = {
        "dictionary": pa.array(words).dictionary_encode(),
        "view": pa.array(words, pa.string_view()),
        "large": pa.array(words, pa.large_string()),
        "truth": pa.array([True, None, False, True] * 10),
        "decimal": pa.array(range(40)).cast(pa.decimal128(22, 2)),
        "huge": pa.array([2**63 + i for i in range(40)], pa.uint64()),
        "half": pa.array(np.arange(40, dtype=np.float16)),
        "y": pa.array(["p", "q"] * 20, pa.string_view()),
    }
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table(columns), path)
    found = run("fit", path, "--target", "y", "--out", tmp_path / "m", *BAYES)
    assert (found.code, found.err) == (0, "")
    assert run("predict", tmp_path / "m", path, "--out", tmp_path / "p.csv").code == 0


def test_a_byte_order_mark_and_odd_names(tmp_path):
    path = tmp_path / "t.csv"
    head = 'y,"a,b","<b>""é"" \'$%"'
    path.write_bytes(b"\xef\xbb\xbf" + lines(lambda i: f"{'pq'[i % 2]},{i},{i}", head).encode())
    found = run("fit", path, "--target", "y", *BAYES, *outputs(tmp_path))
    assert (found.code, found.err) == (0, "")
    assert '<b>"é"' not in (tmp_path / "r.html").read_text()
    assert run("predict", tmp_path / "m.assay", path, "--out", tmp_path / "p.csv").code == 0


def test_a_column_named_twice_and_the_target_among_the_columns(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(lines())
    named = ("--column", "a", "--column", "a", "--column", "y", "--category", "y", "--drop", "b")
    assert run("fit", path, "--target", "y", *BAYES, *named).code == 0


def test_files_that_are_not_there_or_not_tables(tmp_path, monkeypatch):
    assert "is a directory" in refused_elsewhere(tmp_path, tmp_path)
    assert "does not exist" in refused_elsewhere(tmp_path, tmp_path / "no.csv")
    (tmp_path / "t.data").write_text(lines())
    assert refused_elsewhere(tmp_path, tmp_path / "t.data").endswith("named so; or say --format.\n")
    assert run("fit", tmp_path / "t.data", "--format", "csv", "--target", "y", *BAYES).code == 0
    whole = written(pa.table({"a": [1.0, 2.0] * 50, "y": [0, 1] * 50}), tmp_path / "t.parquet")
    whole.write_bytes(whole.read_bytes()[:-40])
    assert "cut short, damaged" in refused_elsewhere(tmp_path, whole)

    def forbidden(*args, **kwargs):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("assay.data.table.open", forbidden, raising=False)
    found = refused_elsewhere(tmp_path, tmp_path / "t.data", "--format", "csv")
    assert found.endswith("t.data cannot be read: Permission denied.\n")


def refused_elsewhere(folder, path, *options):
    before = sorted(os.listdir(folder))
    found = run("fit", path, "--target", "y", *options, *outputs(folder))
    assert (found.code, found.out, found.err.count("\n")) == (2, "", 1)
    assert sorted(os.listdir(folder)) == before
    return found.err


@pytest.mark.parametrize("file", [1, 2, 3])
def test_a_disk_that_is_full(table, tmp_path, monkeypatch, file):
    (tmp_path / "m.assay").write_bytes(b"the old one")
    writes, real = [], os.fsync

    def full(handle):
        writes.append(handle)
        if len(writes) == file:
            raise OSError(errno.ENOSPC, "No space left on device")
        real(handle)

    monkeypatch.setattr("os.fsync", full)
    found = run("fit", table, "--target", "kind", *BAYES, *outputs(tmp_path))
    path = tmp_path / WRITTEN[file - 1]
    assert (found.code, found.out) == (2, "")
    assert found.err == f"assay: {path} cannot be written: No space left on device.\n"
    assert sorted(os.listdir(tmp_path)) == ["m.assay", "t.csv"]
    assert (tmp_path / "m.assay").read_bytes() == b"the old one"


def test_a_folder_that_is_not_there_is_found_before_anything_is_learned(
    table, tmp_path, monkeypatch
):
    monkeypatch.setattr("assay.tables.fit.load_rows", None)
    for option in ("--out", "--certificate", "--report"):
        found = run("fit", table, "--target", "kind", option, tmp_path / "no" / "x")
        assert (found.code, found.err.count("\n")) == (2, 1)
        assert "cannot be written" in found.err


def test_nothing_is_written_over_the_table_or_over_one_another(table, tmp_path):
    found = run("fit", table, "--target", "kind", *BAYES, "--out", table)
    assert (found.code, "which is the table" in found.err) == (2, True)
    both = tmp_path / "x"
    found = run("fit", table, "--target", "kind", *BAYES, "--out", both, "--report", both)
    assert (found.code, "which is what --out names" in found.err) == (2, True)


def test_a_report_without_plotly_says_so(table, tmp_path, monkeypatch):
    for name in ("plotly", "plotly.graph_objects"):
        monkeypatch.setitem(sys.modules, name, None)
    found = run("fit", table, "--target", "kind", *BAYES, "--report", tmp_path / "r.html")
    assert found.code == 0
    assert "plotly" in found.out
    assert "<h1>" in (tmp_path / "r.html").read_text()


@pytest.mark.parametrize("where", ["assay.tables.fit.load_rows", "assay.tables.story.panels_of"])
def test_control_c(table, tmp_path, monkeypatch, where):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(where, interrupted)
    found = run("fit", table, "--target", "kind", *BAYES, *outputs(tmp_path))
    assert found.code == 130
    assert os.listdir(tmp_path) == ["t.csv"]


def test_copies_units_and_declarations_on_the_command_line(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{i},{i % 5},u{i // 3},{'pq'[i % 2]}\n" for i in range(60))
    path.write_text("a,b,u,y\n" + rows * 2)
    asked = ("fit", path, "--target", "y", "--learner", "gaussian-nb", "--drop", "u")
    shown = run(*asked).out
    assert (
        "Note      60 rows repeat another; copies stay on one side and are counted once." in shown
    )
    assert json.loads(run(*asked, "--json").out)["holdout_rows"] == 12
    assert "(declared: " in run(*asked, "--overlap", "keep").out
    assert "but 60 rows repeat another" in run(*asked, "--overlap", "refuse").err
    assert "say --overlap drop to count them once." in run(*asked, "--overlap", "refuse").err
    by_unit = run("fit", path, "--target", "y", "--learner", "gaussian-nb", "--unit", "u").out
    assert "on average over 4 units" in by_unit
    assert "no column 'v'" in run("fit", path, "--target", "y", "--unit", "v").err
    refused = run(*asked, "--overlap", "some")
    assert "overlap must be 'refuse', 'drop' or 'keep', but is 'some'." in refused.err
