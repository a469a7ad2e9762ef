import json

import pytest

from assay import certify
from tests.cli.runner import run


@pytest.fixture
def certificate(tmp_path):
    path = tmp_path / "a.cert.json"
    certify(errors=50, rows=1000, delta=0.05).save(path)
    return path


def test_a_good_certificate(certificate):
    found = run("verify", certificate)
    assert found.code == 0
    assert found.out.endswith("The certificate holds.\n")
    assert json.loads(run("verify", certificate, "--json").out)["ok"] is True


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: text.replace('"errors": 50', '"errors": 40'), "the document was changed"),
        (lambda text: text[:300], "is damaged or not a certificate"),
        (lambda text: text.replace('"format": 1', '"format": 2'), "has format 2"),
        (lambda text: "", "is damaged or not a certificate"),
    ],
)
def test_bad_certificates_are_exit_code_1_with_the_reason(certificate, change, reason):
    certificate.write_text(change(certificate.read_text()))
    found = run("verify", certificate)
    assert found.code == 1
    assert reason in found.out
    answer = json.loads(run("verify", certificate, "--json").out)
    assert answer["ok"] is False


def test_losses_and_undeclared_labels_can_be_counted_again(tmp_path):
    path, out = tmp_path / "t.csv", tmp_path / "a.cert.json"
    path.write_text("y,p,l\n" + "a,a,0.25\nb,c,0.5\n" * 20)
    labels = ("--label", "a", "--label", "b", "--label", "c")
    columns = ("--truth", "y", "--prediction", "p")
    assert run("certify", path, *columns, *labels, "--out", out).code == 0
    assert run("verify", out, "--data", path, *columns).code == 0
    assert run("certify", path, "--loss", "l", "--out", out).code == 0
    assert run("verify", out, "--data", path, "--loss", "l").code == 0


def test_a_missing_file_is_bad_input(tmp_path):
    found = run("verify", tmp_path / "missing.json")
    assert (found.code, found.out) == (2, "")
    assert found.err.endswith("cannot be read: No such file or directory.\n")


def test_data_needs_its_columns(certificate, tmp_path):
    found = run("verify", certificate, "--data", tmp_path / "x.csv")
    assert found.err == (
        "assay: --data needs the columns to count: --truth with --prediction, or --loss.\n"
    )
    assert run("verify", certificate, "--ledger", tmp_path / "none.db").code == 2
