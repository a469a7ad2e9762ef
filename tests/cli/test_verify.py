import json

import numpy as np
import pytest

from assay import certify, certify_difference
from assay.certificates.format.document import sealed
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
    answer = json.loads(run("verify", certificate, "--json").out)
    assert (answer["ok"], answer["verdict"]) == (True, "holds")
    assert answer["not_compared"][-1] == "who issued it"


def test_what_promises_nothing_is_exit_code_1(tmp_path):
    path = tmp_path / "a.cert.json"
    certify(errors=4, rows=4).save(path)
    found = run("verify", path)
    assert found.code == 1
    assert found.out.endswith(
        "The certificate adds up, and promises nothing: its bound is one that every model meets.\n"
    )
    answer = json.loads(run("verify", path, "--json").out)
    assert (answer["ok"], answer["verdict"]) == (False, "promises nothing")
    assert all(check["ok"] for check in answer["checks"])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda text: text.replace('"errors": 50', '"errors": 40'), "the document was changed"),
        (lambda text: text[:300], "is damaged or not a certificate"),
        (lambda text: text.replace('"format": 2', '"format": 3'), "has format 3"),
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
    table = tmp_path / "x.csv"
    table.write_text("y,p\na,a\n")
    found = run("verify", certificate, "--data", table)
    assert found.err.endswith(
        "or name the columns of a table: --truth with --prediction, or --loss.\n"
    )
    found = run("verify", certificate, "--data", table, "--truth", "y")
    assert found.err == (
        "assay: --data needs the columns to count: --truth with --prediction or --score, or --loss.\n"
    )
    assert run("verify", certificate, "--ledger", tmp_path / "none.db").code == 2


# The certificate of a stream, with its table


@pytest.fixture
def streamed(tmp_path):
    table, out = tmp_path / "mails.csv", tmp_path / "mails.cert.json"
    X = np.random.default_rng(0).integers(0, 9, size=(300, 2))
    kinds = np.where(X[:, 0] > X[:, 1], "spam", "ham")
    rows = [f"{a},{b},{kind}" for (a, b), kind in zip(X, kinds, strict=True)]
    table.write_text("\n".join(["links,images,kind", *rows]) + "\n")
    asked = ("--target", "kind", "--learner", "perceptron")
    assert run("stream", table, *asked, "--certificate", out).code == 0
    return table, out


def data_line(found):
    [line] = [line for line in found.out.splitlines() if " data: " in line]
    return " ".join(line.split())


def test_the_truth_of_a_stream_is_compared_by_the_column_it_names(streamed):
    table, out = streamed
    assert json.loads(out.read_text())["data"]["target"] == "kind"
    found = run("verify", out, "--data", table)
    assert (found.code, data_line(found)) == (
        0,
        "ok data: all 300 rows have the truth that was certified; "
        "not compared: the predictions, the features",
    )
    answer = json.loads(run("verify", out, "--data", table, "--json").out)
    last = answer["checks"][-1]
    assert (last["check"], last["ok"]) == ("data", True)


def test_another_truth_or_fewer_rows_are_refused(streamed):
    table, out = streamed
    rows = table.read_text().splitlines(keepends=True)
    other = {"ham": "spam", "spam": "ham"}[rows[200].strip().split(",")[2]]
    table.write_text("".join([*rows[:200], f"1,2,{other}\n", *rows[201:]]))
    found = run("verify", out, "--data", table)
    assert found.code == 1
    assert data_line(found) == "REFUSED data: the truth is not the one that was certified"
    table.write_text("".join(rows[:-1]))
    found = run("verify", out, "--data", table)
    assert data_line(found) == "REFUSED data: the data have 299 rows, and the stream had 300"
    # Another column is another truth.
    table.write_text("".join(rows))
    assert run("verify", out, "--data", table, "--truth", "links").code == 1
    assert run("verify", out, "--data", table, "--truth", "kinds").code == 2


@pytest.mark.parametrize("next_row", ["3,4,ham", "3,,ham", "3,4", "3,4,"])
def test_a_stream_that_ended_early_is_compared_as_far_as_it_came(streamed, next_row):
    table, out = streamed
    with table.open("a") as file:
        file.write(f"{next_row}\n" * 3)
    found = run("verify", out, "--data", table)
    assert found.code == 0, found.out
    assert data_line(found) == (
        "ok data: the first 300 rows have the truth that was certified; "
        "not compared: the predictions, the features, the rows after them"
    )


def test_features_need_not_be_readable(streamed):
    table, out = streamed
    rows = table.read_text().splitlines(keepends=True)
    kind = rows[100].strip().split(",")[2]
    table.write_text("".join([*rows[:100], f",99,{kind}\n", *rows[101:]]))
    assert run("verify", out, "--data", table).code == 0


def test_kept_predictions_are_counted_against_the_errors(streamed, tmp_path):
    table, out = streamed
    document = json.loads(out.read_text())
    errors = document["claims"][0]["inputs"]["errors"]
    rows = table.read_text().splitlines()
    swapped = {"ham": "spam", "spam": "ham"}
    kept = tmp_path / "kept.csv"
    for made, code in ((errors, 0), (errors + 1, 1)):
        kinds = [row.split(",")[2] for row in rows[1:]]
        said = [swapped[kind] if i < made else kind for i, kind in enumerate(kinds)]
        text = "".join(f"{k},{s}\n" for k, s in zip(kinds, said, strict=True))
        kept.write_text("kind,said\n" + text)
        found = run("verify", out, "--data", kept, "--prediction", "said")
        assert found.code == code
        assert ("the predictions are wrong as often as it says" in found.out) == (code == 0)
    assert f"the data show {errors + 1} for" in found.out


def test_libsvm_text_needs_no_target_and_a_table_does(streamed, tmp_path):
    table, out = streamed
    thin, thin_out = tmp_path / "a.svm", tmp_path / "a.cert.json"
    rows = (f"+1 1:{i}\n-1 2:{i}\n+1 1:{i + 99} 2:1\n" for i in range(1, 31))
    thin.write_text("".join(rows))
    assert run("stream", thin, "--learner", "perceptron", "--certificate", thin_out).code == 0
    found = run("verify", thin_out, "--data", thin)
    assert found.code == 0
    assert "all 90 rows have the truth" in found.out
    document = json.loads(out.read_text())
    del document["data"]["target"]
    out.write_text(json.dumps(sealed(document)))
    found = run("verify", out, "--data", table)
    assert found.err == (
        "assay: The certificate does not name the column that was predicted: "
        "name it with --truth.\n"
    )
    assert run("verify", out, "--data", table, "--truth", "kind").code == 0


def test_a_damaged_certificate_with_data_is_refused_all_the_same(streamed):
    table, out = streamed
    out.write_text(out.read_text()[:200])
    for columns in ((), ("--truth", "kind"), ("--truth", "kind", "--prediction", "links")):
        found = run("verify", out, "--data", table, *columns)
        assert found.code == 1
        assert "is damaged or not a certificate" in found.out


def test_certificates_are_held_to_a_limit(tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    certify(errors=3, rows=300).save(good)
    certify(errors=30, rows=300).save(bad)
    passed, failed = (
        run("verify", good, "--max-error", "0.05"),
        run("verify", bad, "--max-error", "0.05"),
    )
    assert (passed.code, failed.code) == (0, 1)
    assert passed.out.endswith("\nPASS: an error of at most 0.05 can be promised.\n")
    assert failed.out.endswith("\nFAIL: an error of at most 0.05 cannot be promised.\n")
    both = run("verify", good, bad, "--max-error", "0.05", "--json")
    answer = json.loads(both.out)
    told = [one["passed"] for one in answer["certificates"].values()]
    assert (both.code, answer["ok"], told) == (1, False, [True, False])
    assert answer["certificates"][str(bad)]["ok"] is False
    assert answer["certificates"][str(bad)]["verdict"] == "holds"


def test_a_certificate_that_is_hardly_sure_passes_no_limit(tmp_path):
    """With a large enough delta any error can be promised."""
    lax = tmp_path / "lax.json"
    certify(errors=40, rows=300, delta="0.99").save(lax)
    assert run("verify", lax).code == 0
    found = run("verify", lax, "--max-error", "0.12")
    assert found.code == 1
    assert found.out.endswith(
        "\nFAIL: an error may be promised with 1 % confidence alone, and not with 95 % confidence.\n"
    )
    answer = json.loads(run("verify", lax, "--max-error", "0.12", "--json").out)
    assert (answer["ok"], answer["passed"], answer["verdict"]) == (False, False, "holds")
    allowed = run("verify", lax, "--max-error", "0.12", "--delta", "0.99")
    assert (allowed.code, allowed.out.splitlines()[-1]) == (
        0,
        "PASS: an error of at most 0.12 can be promised.",
    )
    missed = run("verify", lax, "--max-error", "0.09")
    assert missed.out.endswith("\nFAIL: an error of at most 0.09 cannot be promised.\n")
    alone = run("verify", lax, "--delta", "0.5")
    assert (alone.code, alone.err) == (
        2,
        "assay: --delta must be left out without --max-error, but is '0.5'.\n",
    )


def test_a_forged_certificate_passes_no_limit(tmp_path):
    forged = tmp_path / "forged.json"
    certify(errors=30, rows=300).save(forged)
    forged.write_text(forged.read_text().replace('"errors": 30', '"errors": 3'))
    found = run("verify", forged, "--max-error", "0.2")
    assert found.code == 1
    assert "PASS" not in found.out


def test_what_promises_no_error_is_held_to_none(tmp_path):
    path = tmp_path / "difference.json"
    certify_difference(only_old=40, only_new=20, rows=1000).save(path)
    found = run("verify", path, "--max-error", "0.05")
    assert (found.code, found.out) == (2, "")
    assert found.err == (
        "assay: --max-error must be left out for a certificate that promises no error rate, but is '0.05'.\n"
    )
