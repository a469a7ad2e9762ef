"""`assay stream` from standard input and files of other names, and with rows standardized on the way."""

import gzip
import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from assay import Certificate, load, read_table
from assay.certificates.issue.stream import SCALED
from tests.cli.runner import run

RNG = np.random.default_rng(4)
X = RNG.normal(size=(1000, 3)).round(3)
KIND = np.where((X @ [1.0, -2.0, 0.5] > 0) ^ (RNG.random(1000) < 0.05), "spam", "ham")
TABLE = pa.table({"size": X[:, 0], "links": X[:, 1], "kind": KIND, "age": X[:, 2]})
ASKED = ("--target", "kind", "--learner", "perceptron")
LABELS = ("--label", "ham", "--label", "spam")
HEART = "examples/data/heart_scale.svmlight"
ELEC2 = ("stream", "examples/data/elec2.parquet", "--target", "target", "--learner", "perceptron")


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "mails.csv"
    pyarrow.csv.write_csv(TABLE, path)
    return path


def lines(path):
    return path.read_text().splitlines(keepends=True)


def answers(found):
    return [json.loads(line) for line in found.out.splitlines()]


# Standardized on the way.


def test_elec2_standardized_on_the_way(tmp_path):
    out, model = tmp_path / "elec2.cert.json", tmp_path / "elec2.assay"
    found = run(*ELEC2, "--standardize", "--certificate", out, "--out", model)
    assert found.code == 0, found.err
    assert "Scaled    Every feature was centred and scaled by the rows up to each" in found.out
    learner, certificate = load(model), Certificate.load(out)
    assert 0.095 <= learner.record_.mistakes / 45_312 <= 0.099
    assert [claim.of for claim in certificate.claims][1:] == ["mistakes"]
    for claim in certificate.claims:
        assert SCALED in [assumption.name for assumption in claim.assumptions]
    assert run("verify", out).code == 0
    assert "Scaled" not in run(*ELEC2).out
    # The file has what it takes to predict new rows as they are.
    rows = read_table("examples/data/elec2.parquet", target="target").X
    assert learner.scale_.rows == len(rows)
    scaled = learner.scale_.transform(rows, learn=False)
    assert scaled == pytest.approx(
        (rows - rows.mean(axis=0)) / rows.std(axis=0), rel=1e-9, abs=1e-9
    )


def test_going_on_with_a_standardized_learner(csv, tmp_path):
    header, *rows = lines(csv)
    head, tail = tmp_path / "head.csv", tmp_path / "tail.csv"
    head.write_text(header + "".join(rows[:400]))
    tail.write_text(header + "".join(rows[400:]))
    whole, half, both = (tmp_path / f"{name}.assay" for name in ("whole", "half", "both"))
    assert run("stream", csv, *ASKED, "--standardize", "--out", whole).code == 0
    assert run("stream", head, *ASKED, "--standardize", "--out", half).code == 0
    for asked in ((), ("--standardize",)):
        found = run("stream", tail, "--target", "kind", "--warm-start", half, "--out", both, *asked)
        assert found.code == 0, found.err
        assert "Scaled" in found.out
        again, unbroken = load(both), load(whole)
        assert again.coef_.tobytes() == unbroken.coef_.tobytes()
        assert again.record_ == unbroken.record_
        assert again.scale_.rows == 1000
        assert again.scale_.mean.tobytes() == unbroken.scale_.mean.tobytes()
        assert again.scale_.squares.tobytes() == unbroken.scale_.squares.tobytes()
    plain = tmp_path / "plain.assay"
    assert run("stream", head, *ASKED, "--out", plain).code == 0
    refused = run("stream", tail, "--target", "kind", "--warm-start", plain, "--standardize")
    assert refused.code == 2
    assert refused.err == (
        "assay: --standardize is for a new learner; the one in the file learned its rows as they were.\n"
    )


@pytest.mark.parametrize("text", ["1,,spam,3", "1,2,eggs,3", "1e141,2,spam,3"])
def test_a_broken_row_leaves_the_scale_as_the_rows_before_it_made_it(csv, tmp_path, text):
    path, model, before = tmp_path / "broken.csv", tmp_path / "m.assay", tmp_path / "b.assay"
    kept = lines(csv)
    kept[700] = text + "\n"
    path.write_text("".join(kept))
    found = run(
        "stream", path, *ASKED, *LABELS, "--number", "size", "--standardize", "--out", model
    )
    assert found.code == 2
    assert "row 700" in found.err
    head = tmp_path / "head.csv"
    head.write_text("".join(lines(csv)[:700]))
    asked = ("stream", head, *ASKED, *LABELS, "--number", "size", "--standardize", "--out", before)
    assert run(*asked).code == 0
    assert model.read_bytes() == before.read_bytes()


def test_sparse_rows_are_not_standardized():
    found = run("stream", HEART, "--learner", "perceptron", "--standardize")
    assert found.code == 2
    assert found.err == (
        "assay: Sparse rows cannot be standardized, since centring would fill in all their zeros.\n"
    )


# Formats that names do not tell.


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_libsvm_text_from_standard_input(compress, monkeypatch):
    with open(HEART, "rb") as file:
        text = compress(file.read())

    class Stdin:
        buffer = io.BytesIO(text)

    monkeypatch.setattr("sys.stdin", Stdin())
    asked = ("stream", "-", "--learner", "perceptron", "--format", "libsvm")
    unsaid = run(*asked)
    assert unsaid.code == 2
    assert unsaid.err.startswith("assay: Say with --features how many there are: libsvm text")
    found = run(*asked, "--features", "13", "--json")
    assert found.code == 0, found.err
    same = run("stream", HEART, "--learner", "perceptron", "--json")
    assert [answers(f)[-1]["errors"] for f in (found, same)] == [71, 71]


def test_files_with_other_names(csv, tmp_path):
    odd = tmp_path / "mails.txt"
    odd.write_bytes(csv.read_bytes())
    refused = run("stream", odd, *ASKED)
    assert refused.code == 2
    found = run("stream", odd, *ASKED, "--format", "csv", "--json")
    assert answers(found)[-1]["errors"] == 189
    other = run("stream", odd, *ASKED, "--format", "xml")
    assert other.err == (
        "assay: --format must be one of csv, tsv, jsonl, parquet, feather, xlsx, libsvm, but is 'xml'.\n"
    )
    wide = run("stream", csv, *ASKED, "--features", "3")
    assert wide.err == ("assay: The features of a table are its columns; leave out --features.\n")
    heart = tmp_path / "heart.txt"
    with open(HEART, "rb") as file:
        heart.write_bytes(file.read())
    found = run("stream", heart, "--learner", "perceptron", "--format", "libsvm", "--json")
    assert answers(found)[-1]["rows"] == 270


@pytest.mark.parametrize("option", ["--standardize", "--features=3"])
def test_forecasts_are_taken_as_they_are(csv, option):
    found = run("stream", csv, "--experts", "--target", "age", option)
    assert found.code == 2
    assert found.err == f"assay: {option.split('=')[0]} does not go with --experts.\n"
