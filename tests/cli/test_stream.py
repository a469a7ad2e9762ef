"""`assay stream` as a user runs it: any file in, certificate and model out, and nothing learned is lost."""

import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from assay import Certificate, Perceptron, load, save, verify
from assay.evidence.digest import digest_file
from tests.cli.runner import run

RNG = np.random.default_rng(4)
X = RNG.normal(size=(1000, 3)).round(3)
KIND = np.where((X @ [1.0, -2.0, 0.5] > 0) ^ (RNG.random(1000) < 0.05), "spam", "ham")
TABLE = pa.table({"size": X[:, 0], "links": X[:, 1], "kind": KIND, "age": X[:, 2]})
ASKED = ("--target", "kind", "--learner", "perceptron")
LABELS = ("--label", "ham", "--label", "spam")


@pytest.fixture(params=["csv", "csv.gz", "tsv", "parquet", "feather"])
def table(request, tmp_path):
    path = tmp_path / f"mails.{request.param}"
    if request.param == "csv":
        pyarrow.csv.write_csv(TABLE, path)
    elif request.param == "csv.gz":
        with gzip.open(path, "wb") as file:
            pyarrow.csv.write_csv(TABLE, file)
    elif request.param == "tsv":
        pyarrow.csv.write_csv(TABLE, path, pyarrow.csv.WriteOptions(delimiter="\t"))
    elif request.param == "parquet":
        pq.write_table(TABLE, path)
    else:
        pyarrow.feather.write_feather(TABLE, str(path))
    return path


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "mails.csv"
    pyarrow.csv.write_csv(TABLE, path)
    return path


def lines(path):
    return path.read_text().splitlines(keepends=True)


def answers(found):
    return [json.loads(line) for line in found.out.splitlines()]


def test_every_format_gives_the_same(table):
    found = run("stream", table, *ASKED, "--json")
    assert found.code == 0, found.err
    *progress, final = answers(found)
    assert progress
    assert final["ok"]
    assert final["done"]
    assert (final["refusal"], final["interrupted"]) == (None, False)
    assert (final["rows"], final["errors"]) == (1000, 189)
    assert final["bound"]["observed"] == "189"
    assert final["promised"] > final["error"] == 0.189


def test_words_certificate_and_model(csv, tmp_path):
    out, model = tmp_path / "mails.cert.json", tmp_path / "mails.assay"
    found = run("stream", csv, *ASKED, "--certificate", out, "--out", model, "--delta", "0.01")
    assert found.code == 0
    assert "189 of 1,000 rows were predicted wrongly (18.9 %)" in found.out
    assert re.search(
        r"Always    189 mistakes, at most [\d,]+ by perceptron-hinge-mistakes\.", found.out
    )
    assert f"Saved     {out}; check it with: assay verify {out}" in found.out
    checked = run("verify", out)
    assert checked.code == 0
    assert "The certificate holds." in checked.out
    certificate = Certificate.load(out)
    assert certificate.delta == 0.01
    digest = certificate.document["subject"]["model"]["sha256"]
    assert f"sha256:{digest}" == digest_file(model)
    learner = load(model)
    assert learner.record_.mistakes == 189
    assert learner.feature_names_in_.tolist() == ["size", "links", "age"]
    assert {p.name for p in tmp_path.iterdir()} == {"mails.csv", "mails.cert.json", "mails.assay"}


def test_elec2_stays_under_its_bound(tmp_path):
    out = tmp_path / "elec2.cert.json"
    found = run(
        "stream", "examples/data/elec2.parquet", "--target", "target", "--learner", "perceptron",
        "--certificate", out, "--json",
    )  # fmt: skip
    assert found.code == 0
    final = answers(found)[-1]
    assert final["rows"] == 45_312
    assert final["errors"] == int(final["bound"]["observed"]) <= int(final["bound"]["promised"])
    assert final["error"] < final["promised"] < 1.1 * final["error"]
    assert run("verify", out).code == 0


def test_going_on_from_a_model_file_is_as_if_there_had_been_no_break(csv, tmp_path):
    head, tail = tmp_path / "head.csv", tmp_path / "tail.csv"
    header, *rows = lines(csv)
    head.write_text(header + "".join(rows[:400]))
    # Columns by their names, whatever their order.
    pyarrow.csv.write_csv(TABLE.select(["age", "kind", "links", "size"]).slice(400), tail)
    whole, half, both = (tmp_path / f"{name}.assay" for name in ("whole", "half", "both"))
    assert run("stream", csv, *ASKED, "--out", whole).code == 0
    assert run("stream", head, *ASKED, "--out", half).code == 0
    found = run("stream", tail, "--target", "kind", "--warm-start", half, "--out", both)
    assert found.code == 0, found.err
    assert "Before    400 rows were learned earlier; mistakes include theirs." in found.out
    assert load(both).coef_.tobytes() == load(whole).coef_.tobytes()
    assert load(both).record_ == load(whole).record_
    same = run("stream", tail, *ASKED, "--warm-start", half)
    assert same.code == 0
    refused = run("stream", tail, "--target", "kind", "--warm-start", half, "--learner", "winnow")
    assert refused.err == f"assay: --learner is 'winnow', but {half} holds a perceptron.\n"
    refused = run("stream", tail, "--target", "kind", "--warm-start", half, "--param", "zero=1")
    assert "the one in the model file has its own" in refused.err
    refused = run("stream", tail, "--target", "kind", "--warm-start", half, "--column", "age")
    assert "the one in the file knows its own" in refused.err
    fewer = tmp_path / "fewer.csv"
    pyarrow.csv.write_csv(TABLE.drop(["age"]), fewer)
    refused = run("stream", fewer, "--target", "kind", "--warm-start", half)
    assert refused.code == 2
    assert "has no column 'age'" in refused.err
    assert run("stream", csv, "--target", "kind", "--warm-start", csv).code == 2


def test_standard_input(csv, monkeypatch):
    class Stdin:
        buffer = io.BytesIO(csv.read_bytes())

    monkeypatch.setattr("sys.stdin", Stdin())
    found = run("stream", "-", *ASKED)
    assert found.out.startswith("Stream of standard input, learned by perceptron\n")
    assert "189 of 1,000 rows were predicted wrongly" in found.out


def test_libsvm(tmp_path):
    found = run("stream", "examples/data/heart_scale.svmlight", "--learner", "perceptron", "--json")
    assert found.code == 0, found.err
    assert answers(found)[-1]["rows"] == 270


@pytest.mark.parametrize(
    ("learner", "params"),
    [
        ("perceptron", ["zero=mistake", "fit_intercept=false"]),
        ("margin-perceptron", []),
        ("gradient-descent", []),
        ("sgd-classifier", ["loss=hinge", "alpha=0.001", "average=True"]),
    ],
)
def test_learners_and_their_parameters(csv, tmp_path, learner, params):
    model, out = tmp_path / "m.assay", tmp_path / "c.json"
    options = [part for text in params for part in ("--param", text)]
    found = run(
        "stream", csv, "--target", "kind", "--learner", learner, *options, "--out", model,
        "--certificate", out,
    )  # fmt: skip
    assert found.code == 0, found.err
    assert verify(out).ok, verify(out).reason
    got = load(model).get_params()
    for text in params:
        name, value = text.split("=")
        assert str(got[name]).lower() == value.lower()


def test_text_columns_become_features(tmp_path):
    path, model = tmp_path / "votes.csv", tmp_path / "votes.assay"
    rows = [("yes" if i % 3 else "no", "rep" if i % 3 else "dem") for i in range(300)]
    path.write_text("aid,party\n" + "".join(f"{a},{p}\n" for a, p in rows))
    found = run(
        "stream", path, "--target", "party", "--learner", "winnow", "--encoder", "literals",
        "--out", model,
    )  # fmt: skip
    assert found.code == 0, found.err
    assert len(load(model).feature_names_in_) > 1
    again = run("stream", path, "--target", "party", "--warm-start", model, "--json")
    assert answers(again)[-1]["errors"] == 0


# What is refused, and what is kept.


def broken(csv, tmp_path, row, text):
    """The table with one row replaced."""
    path = tmp_path / "broken.csv"
    kept = lines(csv)
    kept[row] = text + "\n"
    path.write_text("".join(kept))
    return path


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("1,2,3", "broken.csv has 3 fields in row 700, but 4 columns."),
        ("1,2,spam,3,4", "broken.csv has 5 fields in row 700, but 4 columns."),
        ("1,,spam,3", "broken.csv holds no value in column 'links', row 700"),
        ("1,nan,spam,3", "broken.csv holds no value in column 'links', row 700"),
        ("1,inf,spam,3", "in column 'links', row 700, which is not a finite number"),
        ("1,two,spam,3", "broken.csv holds 'two' in column 'links', row 700"),
        ("1,2,eggs,3", "broken.csv holds the label 'eggs' in column 'kind', row 700"),
        ("1,2,,3", "broken.csv holds no label in column 'kind', row 700"),
        ("1e308,-1e308,ham,1e308", "Row 700 of X is too large to be learned from"),
    ],
)
def test_a_broken_row_ends_the_stream_and_keeps_what_was_learned(csv, tmp_path, text, reason):
    path = broken(csv, tmp_path, 700, text)
    out, model = tmp_path / "c.json", tmp_path / "m.assay"
    # A stray word would make the column one of categories, had it not been said to hold numbers.
    asked = ("stream", path, *ASKED, *LABELS, "--number", "links", "--certificate", out)
    asked += ("--out", model)
    found = run(*asked)
    assert found.code == 2
    assert found.err.startswith("assay: ")
    assert found.err.count("\n") == 1
    assert reason in found.err.replace(str(tmp_path) + "/", "")
    assert "Ended     after 699 rows, by a row that cannot be learned" in found.out
    assert verify(out).ok
    assert Certificate.load(out).rows == 699
    head = tmp_path / "head.csv"
    head.write_text("".join(lines(csv)[:700]))
    whole = tmp_path / "whole.assay"
    assert run("stream", head, *ASKED, "--out", whole).code == 0
    assert load(model).coef_.tobytes() == load(whole).coef_.tobytes()
    final = answers(run(*asked, "--json"))[-1]
    assert (final["ok"], final["done"], final["rows"]) == (False, True, 699)
    assert reason in final["refusal"].replace(str(tmp_path) + "/", "")


def test_a_truncated_parquet_is_a_sentence(tmp_path):
    path = tmp_path / "mails.parquet"
    pq.write_table(TABLE, path)
    path.write_bytes(path.read_bytes()[:-100])
    found = run("stream", path, *ASKED)
    assert found.code == 2
    assert found.err.startswith(f"assay: {path} cannot be read as Parquet")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("--target", "kind"),
            "Name the learner with --learner, or a model file with --warm-start.",
        ),
        (("--learner", "perceptron"), "Name the column to predict."),
        (("--target", "kin", "--learner", "perceptron"), "Did you mean 'kind'?"),
        (("--target", "kind", "--learner", "perceptorn"), "Did you mean 'perceptron'?"),
        (("--target", "kind", "--learner", "sgd-regressor"), "predicts quantities"),
        ((*ASKED, "--param", "zero"), "--param must be name=value, but is 'zero'."),
        ((*ASKED, "--param", "luck=7"), "perceptron has no parameter 'luck'."),
        ((*ASKED, "--param", "zero=7"), "zero must be 1, -1 or 'mistake', but is 7."),
        ((*ASKED, "--delta", "1"), "delta must be a number strictly between 0 and 1, but is '1'."),
        ((*ASKED, "--encoder", "magic"), "encoder must be one of"),
        ((*ASKED, "--certificate", "/missing/c.json"), "/missing/c.json cannot be written"),
        ((*ASKED, "--out", "/missing/m.assay"), "/missing/m.assay cannot be written"),
        ((*ASKED, "--label", "eggs", "--label", "bacon"), "in column 'kind', row 1, which is none"),
        ((*ASKED, "--label", "spam"), "needs at least two classes"),
        ((*ASKED, "--column", "weight"), "has no column 'weight'"),
        ((*ASKED, "--warm-start", "missing.assay"), "missing.assay cannot be read"),
    ],
)
def test_refusals_are_one_sentence(csv, arguments, sentence):
    found = run("stream", csv, *arguments)
    assert found.code == 2, found.out
    assert sentence in found.err
    assert found.err.count("\n") == 1
    assert found.out == ""
    as_json = run("stream", csv, *arguments, "--json")
    assert as_json.code == 2
    assert sentence in json.loads(as_json.out.splitlines()[-1])["error"]


def test_a_stream_of_one_label_asks_for_the_others(tmp_path):
    path = tmp_path / "ham.csv"
    path.write_text("size,kind\n" + "1.5,ham\n" * 50)
    found = run("stream", path, *ASKED)
    assert found.code == 2
    assert "holds only the label 'ham' in its first 50 rows" in found.err
    declared = run("stream", path, *ASKED, "--label", "ham", "--label", "spam", "--json")
    assert declared.code == 0, declared.err
    assert answers(declared)[-1]["rows"] == 50


def test_many_files_one_after_the_other(csv, tmp_path):
    header, *rows = lines(csv)
    parts = [tmp_path / f"part{k}.csv" for k in range(4)]
    for k, part in enumerate(parts):
        part.write_text(header + "".join(rows[250 * k : 250 * k + 250]))
    whole, joined = tmp_path / "whole.assay", tmp_path / "joined.assay"
    assert run("stream", csv, *ASKED, "--out", whole).code == 0
    found = run("stream", *parts, *ASKED, "--out", joined)
    assert found.code == 0, found.err
    assert f"Stream of {parts[0]} and 3 other files, learned by perceptron" in found.out
    assert joined.read_bytes() == whole.read_bytes()
    parts[2].write_text(header + "".join(rows[:100]) + "1,two,spam,3\n")
    broken = run("stream", *parts[:3], *ASKED, *LABELS)
    assert f"Stream of {parts[0]}, {parts[1]} and {parts[2]}, learned" in broken.out
    assert "after 600 rows" in broken.out
    assert f"{parts[2]} holds 'two' in column 'links', row 101, where" in broken.err


def test_refusals_name_options(tmp_path):
    path = tmp_path / "t.csv"
    rows = ["1,red,ham", "0,blue,spam"] * 50
    out = {}
    for text in ("1,,ham", "1,green,ham", "one,red,ham", "1,red,eggs", ",red,spam"):
        path.write_text("\n".join(["size,colour,kind", *rows, text, "1,red,ham"]))
        # The encoder knows the first rows only, and here these are all there are.
        found = run("stream", path, *ASKED, *LABELS, "--number", "size")
        assert "=" not in found.err
        out[text] = found.err
    assert "or say --missing zero." in out["1,,ham"]
    assert "or say --missing zero." in out[",red,spam"]
    assert out["one,red,ham"].endswith("name it with --category.\n")
    assert out["1,red,eggs"].endswith("Declare all labels with --label.\n")


def test_a_category_that_turns_up_late(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    # More than the first block, from which categories are taken.
    monkeypatch.setattr("assay.data.delimited._BLOCK", 2**16)
    path.write_text("colour,kind\n" + "red,ham\nblue,spam\n" * 5_000 + "green,ham\nred,ham\n")
    refused = run("stream", path, *ASKED)
    assert refused.code == 2
    assert "holds 'green' in column 'colour', row 10001" in refused.err
    assert refused.err.endswith("Begin with rows that hold it, or say --unknown other.\n")
    found = run("stream", path, *ASKED, "--unknown", "other", "--json")
    assert found.code == 0, found.err
    assert answers(found)[-1]["rows"] == 10_002


def test_missing_values_and_numbers_as_categories(tmp_path):
    path, model = tmp_path / "t.csv", tmp_path / "m.assay"
    path.write_text("size,ward,kind\n" + "1,3,ham\n,4,spam\n" * 20)
    options = ("--missing", "zero", "--category", "ward")
    found = run("stream", path, *ASKED, *options, "--out", model)
    assert found.code == 0, found.err
    assert load(model).feature_names_in_.tolist() == ["size", "ward=3", "ward=4"]
    again = run("stream", path, "--target", "kind", "--warm-start", model)
    assert again.code == 0, again.err
    twice = run("stream", path, "--target", "kind", "--warm-start", model, *options)
    assert twice.err == (
        "assay: --column, --category, --encoder, --missing and --unknown are for a new learner; the one in "
        "the file knows its own.\n"
    )


def test_quantities_are_no_labels(csv):
    found = run("stream", csv, "--target", "size", "--learner", "perceptron", "--column", "age")
    assert found.code == 2
    assert re.fullmatch(
        rf"assay: {csv}: Unknown label type: column 'size' holds \S+, a measured quantity\. "
        r"A classifier needs classes\.\n",
        found.err,
    )


# Ctrl-C, as a shell sends it.


def started(*arguments, **how):
    script = os.path.join(os.path.dirname(sys.executable), "assay")
    return subprocess.Popen(
        [script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **how,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_finishes_in_order_and_loses_nothing(csv, tmp_path, number):
    out, model = tmp_path / "c.json", tmp_path / "m.assay"
    with started("stream", "-", *ASKED, "--certificate", out, "--out", model, "--json") as process:
        # Rows arrive, and then none for as long as anybody waits: the input stays open.
        process.stdin.write("".join(lines(csv)[:601]))
        process.stdin.flush()
        first = json.loads(process.stdout.readline())
        assert first["rows"] > 0
        time.sleep(0.3)
        process.send_signal(number)
        said, complaint = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert "finishing with what was learned" in complaint
    assert "Traceback" not in complaint
    final = json.loads(said.splitlines()[-1])
    assert final["interrupted"]
    # How much of it had been read when the signal came is a matter of time.
    assert first["rows"] <= final["rows"] <= 600
    assert verify(out).ok
    assert load(model).players_[0].rounds == final["rows"]
    head = tmp_path / "head.csv"
    head.write_text("".join(lines(csv)[: final["rows"] + 1]))
    whole = tmp_path / "whole.assay"
    assert run("stream", head, *ASKED, "--out", whole).code == 0
    assert load(model).coef_.tobytes() == load(whole).coef_.tobytes()


def test_an_interrupt_before_anything_was_learned(tmp_path):
    out = tmp_path / "c.json"
    with started("stream", "-", *ASKED, "--certificate", out) as process:
        time.sleep(3.0)
        process.send_signal(signal.SIGINT)
        said, complaint = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the stream was ended before anything was learned" in complaint
    assert said == ""
    assert not out.exists()


def test_a_learner_fitted_on_a_frame_is_given_its_columns_by_name(tmp_path):
    frame = TABLE.to_pandas()
    model, path = tmp_path / "m.assay", tmp_path / "mails.csv"
    save(Perceptron().fit(frame[["age", "size"]], frame["kind"]), model)
    pyarrow.csv.write_csv(TABLE, path)
    found = run("stream", path, "--target", "kind", "--warm-start", model, "--out", model)
    assert found.code == 0, found.err
    assert load(model).feature_names_in_.tolist() == ["age", "size"]
