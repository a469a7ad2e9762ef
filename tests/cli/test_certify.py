"""`assay certify` as a user runs it: files in, words, JSON, files and exit codes out."""

import io
import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from assay import Certificate, Ledger, verify
from tests.cli.runner import run

TRUTH = ["ham", "spam"] * 500
GUESS = ["spam" if t == "ham" else "ham" for t in TRUTH[:50]] + TRUTH[50:]
TABLE = pa.table(
    {"id": range(1000), "label": TRUTH, "guess": GUESS, "loss": np.linspace(0, 0.1, 1000)}
)
COLUMNS = ("--truth", "label", "--prediction", "guess")


@pytest.fixture(params=["csv", "csv.gz", "parquet", "feather"])
def table(request, tmp_path):
    path = tmp_path / f"guesses.{request.param}"
    if request.param == "csv":
        pyarrow.csv.write_csv(TABLE, path)
    elif request.param == "csv.gz":
        with pa.CompressedOutputStream(str(path), "gzip") as sink:
            pyarrow.csv.write_csv(TABLE, sink)
    elif request.param == "parquet":
        pq.write_table(TABLE, path)
    else:
        pyarrow.feather.write_feather(TABLE, str(path))
    return path


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "guesses.csv"
    pyarrow.csv.write_csv(TABLE, path)
    return path


def test_fifty_errors_in_a_thousand_rows(table):
    found = run("certify", table, *COLUMNS, "--json")
    assert found.code == 0
    answer = json.loads(found.out)
    assert float(answer["promised"]) == pytest.approx(0.0628634035123797437, abs=1e-12)
    assert float(answer["textbook"]["promised"]) == pytest.approx(0.0887022756020495, abs=1e-12)
    assert (answer["observed"], answer["rows"], answer["delta"]) == ("0.05", 1000, "0.05")


def test_words(csv):
    found = run("certify", csv, *COLUMNS)
    assert found.code == 0
    assert "Seen      50 of 1,000 rows are wrong (5 %)." in found.out
    assert (
        "The chance that a new row is wrong is at most 6.29 %, with 95 % confidence." in found.out
    )


def test_the_gate(csv):
    assert run("certify", csv, *COLUMNS, "--max-error", "0.07").code == 0
    found = run("certify", csv, *COLUMNS, "--max-error", "0.06")
    assert found.code == 1
    assert "FAIL: an error of at most 0.06 cannot be promised." in found.out
    answer = json.loads(run("certify", csv, *COLUMNS, "--max-error", "0.06", "--json").out)
    assert (answer["ok"], answer["passed"]) == (False, False)


def test_the_certificate_is_written_and_verifies(csv, tmp_path):
    out = tmp_path / "spam.cert.json"
    found = run("certify", csv, *COLUMNS, "--rate", "class", "--out", out, "--model-file", csv)
    assert f"check it with: assay verify {out}" in found.out
    assert verify(out).ok
    assert len(Certificate.load(out).claims) == 3
    assert Certificate.load(out).document["subject"]["model"] is not None
    checked = run("verify", out, "--data", csv, *COLUMNS)
    assert checked.code == 0
    assert "digests and counts agree" in checked.out


def test_losses(csv):
    answer = json.loads(run("certify", csv, "--loss", "loss", "--json").out)
    assert 0.05 < float(answer["promised"]) < 0.06


def test_counts_instead_of_a_file():
    assert "6.29 %" in run("certify", "--errors", "50", "--rows", "1000").out


def test_ledger_and_pass_fail(csv, tmp_path):
    ledger, out = tmp_path / "ledger.db", tmp_path / "a.cert.json"
    gate = ("--ledger", ledger, "--answer", "pass-fail", "--max-error", "0.08")
    assert run("certify", csv, *COLUMNS, *gate).code == 0
    second = run("certify", csv, *COLUMNS, *gate, "--out", out)
    assert "Look 2 at this holdout, after 1.000 bits about it were told." in second.out
    assert run("verify", out, "--ledger", ledger).code == 0
    third = run(
        "certify", csv, *COLUMNS, "--ledger", ledger, "--answer", "pass-fail", "--max-error", "0.06"
    )
    assert third.code == 1
    assert third.err.startswith("assay: Fail: an error rate of 0.06 cannot be promised")


def test_standard_input(csv, monkeypatch):
    class Stdin:
        buffer = io.BytesIO(csv.read_bytes())

    monkeypatch.setattr("sys.stdin", Stdin())
    assert "50 of 1,000 rows are wrong" in run("certify", "-", *COLUMNS).out


def test_labels_keep_their_type(tmp_path):
    path = tmp_path / "numbers.csv"
    path.write_text("y,p\n" + "0,0\n1,1\n" * 50 + "1,0\n")
    found = run(
        "certify",
        path,
        "--truth",
        "y",
        "--prediction",
        "p",
        "--rate",
        "false-negative",
        "--positive",
        "0",
    )
    assert found.code == 0
    assert "False-negative rate: 0 taken for 1" in found.out


def test_a_label_that_only_predictions_hold_is_wrong_and_noted(tmp_path):
    path = tmp_path / "three.csv"
    for rows, label in (("a,a\nb,c\n", "'c'"), ("0,0\n1,2\n", "2")):
        path.write_text("y,p\n" + rows)
        shown = run("certify", path, "--truth", "y", "--prediction", "p").out
        assert "1 of 2 rows are wrong" in shown
        assert f"Note      p holds {label}, which y never holds; that counts as wrong." in shown


def test_a_name_with_a_leading_zero_is_not_a_number(tmp_path):
    path = tmp_path / "codes.csv"
    columns = (path, "--truth", "y", "--prediction", "p")
    path.write_text("y,p\n01,01\n1,01\n02,02")
    assert "1 of 3 rows are wrong" in run("certify", *columns).out
    path.write_text("y,p\n01,1\n1,1\n02,2\n")
    assert refused(*columns) == (
        "y holds text ('01') but p holds whole numbers (1); write both in the same labels."
    )


def test_labels_can_be_declared(tmp_path):
    path = tmp_path / "three.csv"
    path.write_text("y,p\na,c\nb,c\n")
    columns = (path, "--truth", "y", "--prediction", "p")
    assert "must share a label, but y holds 'a', 'b' and p 'c'" in refused(*columns)
    declared = [part for label in "abc" for part in ("--label", label)]
    assert "2 of 2 rows are wrong" in run("certify", *columns, *declared).out


def refused(*arguments):
    """A refusal: exit code 2, nothing on standard output, one sentence on standard error."""
    found = run("certify", *arguments)
    assert found.code == 2, found
    assert found.out == ""
    assert found.err.startswith("assay: ")
    assert found.err.count("\n") == 1
    return found.err.removeprefix("assay: ").rstrip()


def write(tmp_path, text):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    return path


BAD_FILES = {
    "empty file": ("", "empty"),
    "header only": ("label,guess\n", "no rows"),
    "missing column": ("label,gues\na,a\n", "gues"),
    "null": ("label,guess\na,a\na,\n", "row"),
    "mixed types": ("label,guess\n1,a\n2,b\n", "text"),
    "no label in common": ("label,guess\na,d\nb,c\n", "'c'"),
    "measured quantity": ("label,guess\n1.5,1\n0.25,0\n", "loss"),
    "unequal rows": ("label,guess\na,a\nb\n", "row"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_are_refused_with_a_sentence(tmp_path, name):
    text, word = BAD_FILES[name]
    sentence = refused(write(tmp_path, text), *COLUMNS)
    assert re.search(word, sentence), sentence
    assert sentence.endswith((".", ")"))


@pytest.mark.parametrize("delta", ["0", "1", "nan", "-0.1", "two"])
def test_bad_delta(csv, delta):
    assert refused(csv, *COLUMNS, "--delta", delta) == (
        f"--delta must be a number strictly between 0 and 1, but is {delta!r}."
    )


def test_bad_combinations(csv, tmp_path):
    assert (
        refused()
        == "Give a table with --truth and --prediction (or --loss), or --errors with --rows."
    )
    assert refused(csv) == (
        "Name the columns: --truth with --prediction, --loss, or --metric for a column of scores."
    )
    assert (
        refused(csv, "--truth", "label")
        == "Name the columns: --truth with --prediction, or --loss."
    )
    assert refused(csv, *COLUMNS, "--loss", "loss") == (
        "Give --loss, or --truth with --prediction, but not both."
    )
    assert refused(csv, *COLUMNS, "--errors", "1", "--rows", "2") == (
        "Give a table, or --errors with --rows, but not both."
    )
    assert (
        refused("--errors", "3", "--rows", "2")
        == "--errors must be at most the number of rows 2, but is 3."
    )
    assert "missing.csv" in refused(tmp_path / "missing.csv", *COLUMNS)
    assert refused(csv, *COLUMNS, "--out", tmp_path / "no" / "where.json").endswith(
        "is no folder that can be written to."
    )
    assert refused("--errors", "1", "--rows", "2", "--truth", "label") == (
        "--truth names a column of a table, but no table is given."
    )
    assert refused(csv, "--truth", "label", "--prediction", "label") == (
        "--prediction must be another column than the truth, but is 'label'."
    )
    assert refused(csv, "--loss", "loss", "--label", "a") == (
        "--label is for --truth and --prediction; losses have no labels."
    )


@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        (("--rate", "auc"), "--rate auc needs scores: name their column with --score."),
        (("--rate", "nope"), "--rate must be some of class,"),
        (
            ("--score", "s", "--positive", "a", "--rate", "log-loss"),
            "--floor must be given for log-loss",
        ),
        (("--unit", "u", "--rate", "f1"), "are promised with --over rows."),
        (("--unit", "u", "--over", "rows"), "--most-rows must be given for a promise over rows"),
        (("--rate", "precision"), "Say which of the 3 labels counts as positive, with --positive,"),
        (("--answer", "pass-fail"), "--max-error must be given for a pass/fail answer."),
    ],
)
def test_what_is_lacking_is_named_as_options(tmp_path, options, refusal):
    path = tmp_path / "t.csv"
    path.write_text("y,p,s,u\n" + "a,a,0.5,1\nb,c,0.25,2\nc,c,0.75,3\n" * 9)
    found = run("certify", path, "--truth", "y", "--prediction", "p", *options)
    assert (found.code, refusal in found.err) == (2, True)


def test_labels_of_counts_are_columns_of_a_table():
    found = run("certify", "--errors", 5, "--rows", 100, "--rate", "precision")
    assert found.err == (
        "assay: --rate needs the labels: name the columns of a table with --truth and --prediction.\n"
    )


def test_a_bad_gate_writes_nothing_and_costs_nothing(csv, tmp_path):
    out, ledger = tmp_path / "a.json", tmp_path / "ledger.db"
    for bad in (
        ("--max-error", "abc"),
        ("--method", "magic"),
        ("--out", tmp_path / "no" / "a.json"),
    ):
        refused(csv, *COLUMNS, "--out", out, "--ledger", ledger, *bad)
    assert not out.exists()
    assert not ledger.exists() or Ledger(ledger).entries() == []


def test_delta_may_be_written_as_a_fraction(csv):
    as_decimal = json.loads(run("certify", csv, *COLUMNS, "--json").out)
    assert json.loads(run("certify", csv, *COLUMNS, "--delta", "1/20", "--json").out) == as_decimal


def test_a_truncated_parquet_file(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(TABLE, path)
    path.write_bytes(path.read_bytes()[:-200])
    assert "t.parquet" in refused(path, *COLUMNS)


def test_refusals_are_json_when_asked(csv):
    found = run("certify", csv, *COLUMNS, "--delta", "2", "--json")
    answer = json.loads(found.out)
    assert (found.code, answer["ok"], answer["kind"]) == (2, False, "BadParameter")


def test_units_are_named_by_a_column(tmp_path):
    path = tmp_path / "units.csv"
    rows = "".join(f"a,{'ab'[i % 10 == 0]},u{i // 4}\n" for i in range(200))
    path.write_text("y,p,u\n" + rows)
    columns = (path, "--truth", "y", "--prediction", "p")
    assert "averaged over units" in run("certify", *columns, "--unit", "u").out
    assert "unit must be a column of its own" in refused(*columns, "--unit", "p")
    path.write_text("y,p,u\na,a,u1\nb,b,\n")
    assert refused(*columns, "--unit", "u") == (
        "unit has no value in row 2; every row needs one. Fill it in, or leave the row out."
    )


def test_the_next_rows_and_what_is_declared(csv):
    found = run("certify", csv, *COLUMNS, "--next-rows", "100", "--fixed-before")
    assert "At most 9 of the next 100 rows will be wrong, with 95 % confidence." in found.out
    assert (
        "the model was fixed before these rows were seen                                      (declared)"
        in found.out
    )
    sentence = "--max-error must be left out with --next-rows, but is '0.1'."
    assert sentence in refused(csv, *COLUMNS, "--next-rows", "100", "--max-error", "0.1")


def test_labels_that_were_renamed_are_the_same_holdout(csv, tmp_path):
    ledger, other = tmp_path / "ledger.db", tmp_path / "renamed.csv"
    renamed = csv.read_text().replace("ham", "good").replace("spam", "bad")
    other.write_text(renamed)
    for path in (csv, other):
        assert run("certify", path, *COLUMNS, "--ledger", ledger).code == 0
    assert [entry.number for entry in Ledger(ledger).entries()] == [1, 2]


def test_the_loss_of_two_columns_of_numbers_has_a_name(tmp_path):
    path = tmp_path / "numbers.csv"
    pyarrow.csv.write_csv(
        pa.table({"price": np.linspace(0, 9, 90), "guess": np.linspace(0.5, 9, 90)}), path
    )
    columns = ("--truth", "price", "--prediction", "guess", "--range", "0,10")
    found = run("certify", path, *columns, "--loss", "squared")
    assert "The mean squared error on new rows is at most" in found.out
    assert "The mean absolute error" in run("certify", path, *columns, "--loss", "absolute").out
    assert run("certify", path, *columns[:4], "--loss", "absolute").code == 2
