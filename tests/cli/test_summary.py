"""``--summary``: Markdown on standard output or appended to a file, and to no file that is something else."""

import json

import pytest

from assay import certify
from tests.cli.runner import run

COUNTS = ("certify", "--errors", 30, "--rows", 1000)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("t,p\n" + "x,x\n" * 480 + "y,y\n" * 490 + "x,y\n" * 30)
    return path


def test_it_is_printed_in_place_of_text():
    for words in (["--summary"], ["--summary", "-"]):
        answer = run(*COUNTS, "--max-error", "0.05", *words)
        assert answer.code == 0
        assert answer.out.startswith("### Certificate\n\n✅ **PASS**: an error of at most 0.05 can")
        assert "Seen      " not in answer.out


def test_it_is_appended_to_a_file_beside_the_text(table, tmp_path):
    page = tmp_path / "summary.md"
    columns = ("--truth", "t", "--prediction", "p")
    for most, code in (("0.05", 0), ("0.03", 1)):
        answer = run("certify", table, *columns, "--max-error", most, "--summary", page)
        assert answer.code == code
        assert answer.out.startswith("Certificate for")
    text = page.read_text()
    assert text.count("### Certificate for") == 2
    assert text.index("✅ **PASS**") < text.index("❌ **FAIL**: an error of at most 0.03 cannot")
    answer = run("certify", table, *columns, "--summary", page, "--json")
    assert json.loads(answer.out)["ok"]
    assert page.read_text().count("### Certificate for") == 3


def test_a_refused_look_stands_in_the_summary_too(table, tmp_path):
    page = tmp_path / "summary.md"
    gate = ("--answer", "pass-fail", "--max-error", "0.03", "--ledger", tmp_path / "ledger")
    columns = ("--truth", "t", "--prediction", "p")
    answer = run("certify", table, *columns, *gate, "--summary", page)
    assert (answer.code, answer.out) == (1, "")
    assert "❌ **FAIL**: Fail: an error rate of 0.03 cannot be promised" in page.read_text()


def test_the_file_of_a_job_needs_no_ending(tmp_path, monkeypatch):
    job = tmp_path / "step_summary_0a1b"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(job))
    assert run(*COUNTS, "--summary", job).code == 0
    assert job.read_text().startswith("### Certificate\n")


@pytest.mark.parametrize("command", [COUNTS, ("verify", "a.cert.json")])
def test_nothing_is_appended_to_what_is_no_summary(command, table, tmp_path, monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    before = table.read_bytes()
    answer = run(*command, "--summary", table)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "assay: --summary must be a file that ends in .md, or what $GITHUB_STEP_SUMMARY names, but is "
        f"'{table}'.\n"
    )
    assert table.read_bytes() == before


def test_one_answer_at_a_time():
    answer = run(*COUNTS, "--json", "--summary")
    assert answer.code == 2
    assert "Give --json or --summary, but not both" in answer.err


def test_a_folder_that_is_not_there(tmp_path):
    answer = run(*COUNTS, "--summary", tmp_path / "absent" / "a.md")
    assert answer.code == 2
    assert "a.md cannot be written: No such file or directory." in answer.err


def test_certificates_verified_together(tmp_path):
    good, bad = tmp_path / "good.cert.json", tmp_path / "bad.cert.json"
    certify(errors=3, rows=300).save(good)
    bad.write_text(good.read_text().replace(": 300", ": 400"))
    page = tmp_path / "summary.md"
    answer = run("verify", good, bad, "--summary", page)
    assert answer.code == 1
    assert answer.out.startswith(f"{good}:\n")
    assert f"{bad}:\n" in answer.out
    assert page.read_text().count("### Verification of") == 2
    assert page.read_text().count("PASS") == page.read_text().count("FAIL") == 1
    told = json.loads(run("verify", good, bad, "--json").out)
    assert not told["ok"]
    assert {path: one["ok"] for path, one in told["certificates"].items()} == {
        str(good): True,
        str(bad): False,
    }
    assert run("verify", good, good).code == 0
    bad.write_text("{}")
    assert run("verify", bad, "--summary").out.startswith("### Verification of")


def test_data_belongs_to_one_certificate(tmp_path, table):
    path = tmp_path / "a.cert.json"
    certify(errors=3, rows=300).save(path)
    certify(errors=2, rows=300).save(tmp_path / "b.cert.json")
    answer = run("verify", path, tmp_path / "b.cert.json", "--data", table)
    assert answer.code == 2
    assert "--data must be left out with several certificates" in answer.err


def test_a_comparison(tmp_path):
    path = tmp_path / "t.csv"
    rows = "".join(f"{i % 7},{i},{'ab'[i % 2]}\n" for i in range(300))
    path.write_text("p|q,r,kind\n" + rows)
    words = ("compare", path, "--target", "kind", "--learners", "gaussian-nb,perceptron")
    answer = run(*words, "--order", "none", "--summary")
    assert answer.code == 0, answer.err
    assert answer.out.startswith("### 2 learners compared on t.csv")
    assert "| Candidate | Promised | Observed |" in answer.out
    assert "| Condition | How it is known |" in answer.out
