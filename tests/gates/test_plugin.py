"""Gates in test runs of others: what fails and says why, what a run tells at its end, workers, reruns and ledgers."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import entry_points

import pytest
from scipy.stats import binom

from assay import Certificate, Ledger, theorems, verify

pytest_plugins = ["pytester"]

# Where the package is installed with its entry point, pytest has loaded it by that.
INSTALLED = any(e.value == "assay.gates.plugin" for e in entry_points(group="pytest11"))
OTHERS = ("-p", "no:cacheprovider", "-p", "no:schemathesis", "-p", "no:anyio")
PLUGIN = OTHERS if INSTALLED else ("-p", "assay.gates.plugin", *OTHERS)

MODEL = """
    TRUTH = [0, 1] * 500

    def predictions(wrong):
        return [1 - t if i < wrong else t for i, t in enumerate(TRUTH)]
"""


@pytest.fixture(scope="module", autouse=True)
def every_theorem():
    """Loaded beforehand: what a run within this process imports is forgotten after it, and no theorem comes twice."""
    assert theorems(all=True)
    import assay.gates.gate
    import assay.gates.looks  # noqa: F401


@pytest.fixture
def suite(pytester, monkeypatch):
    """Writes a test file and runs it."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    pytester.makepyfile(model=MODEL)

    def run(text, *options, plugins=()):
        pytester.makepyfile(test_it=f"from model import *\n{text}")
        return pytester.runpytest_inprocess(*PLUGIN, *options)

    return run


TWO = """
def test_good(assay_gate):
    certificate = assay_gate(y_true=TRUTH, y_pred=predictions(30), max_error=0.05)
    assert certificate.rows == 1000

def test_bad(assay_gate):
    assay_gate(y_true=TRUTH, y_pred=predictions(60), max_error=0.05)
"""


def test_a_gate_fails_with_the_sentence_of_its_certificate(suite):
    result = suite(TWO)
    result.assert_outcomes(passed=1, failed=1)
    sentence = (
        "An error of at most 0.05 cannot be promised. The chance that a new row is wrong is at most 7.39 %, with 95 % "
        "confidence. 60 of 1,000 rows are wrong (6 %)."
    )
    result.stdout.fnmatch_lines([f"{sentence}", "*= promises =*"])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*gate.py*")


def test_the_promises_of_a_run_are_listed(suite):
    result = suite(TWO)
    result.stdout.fnmatch_lines(
        [
            "*= promises =*",
            "PASS test_it.py::test_good",
            "     An error of at most 0.05 can be promised. The chance that a new row is wrong is at most 4.05 %*",
            "FAIL test_it.py::test_bad",
            "1 of 2 gates passed. What was promised here holds with 90 % confidence: 2 gates were asked, which spend "
            "0.1 together.",
        ]
    )


def test_a_run_without_gates_says_nothing_of_them(suite):
    result = suite("def test_it(): pass")
    result.stdout.no_fnmatch_line("*promises*")


def test_the_fixture_is_told_by_pytest(suite):
    result = suite("", "--fixtures")
    result.stdout.fnmatch_lines(["assay_gate*", "*Fail the test unless what is wanted of a model*"])


def test_certificates_are_written_and_verify(suite, pytester):
    suite(TWO, "--assay-out", "out", "--assay-delta", "0.1")
    files = sorted((pytester.path / "out").iterdir())
    assert [file.name[:20] for file in files] == ["test_it.py-test_bad-", "test_it.py-test_good"]
    assert all(verify(file).ok for file in files)
    assert [Certificate.load(file).delta for file in files] == [0.1, 0.1]


def test_names_of_tests_make_other_files(suite, pytester):
    suite(
        """
import pytest
@pytest.mark.parametrize("name", ["a/b", "a-b", "../up", "x" * 300, "\\u202e"])
def test_named(assay_gate, name):
    assay_gate(errors=1, rows=1000, max_error=0.05)
    assay_gate(errors=2, rows=1000, max_error=0.05)
""",
        "--assay-out",
        "out",
    ).assert_outcomes(passed=5)
    files = list((pytester.path / "out").iterdir())
    assert len(files) == 10
    assert {file.parent for file in pytester.path.rglob("*.cert.json")} == {pytester.path / "out"}


def test_differences_certificates_and_logs(suite, pytester):
    rows = "".join(json.dumps({"id": i, "correct": i % 50 != 0}) + "\n" for i in range(500))
    (pytester.path / "run.jsonl").write_text(rows)
    result = suite(
        """
import pytest
from assay import certify
NEW, OLD = predictions(30), predictions(60)

def test_better(assay_gate):
    claim = assay_gate.difference(y_true=TRUTH, y_pred=NEW, baseline=OLD).claims[0]
    assert claim.theorem == "mcnemar-better"

def test_much_better(assay_gate):
    assay_gate.difference(y_true=TRUTH, y_pred=NEW, baseline=OLD, at_least=0.05)

def test_all_of_several(assay_gate):
    several = {"old": OLD, "same": NEW}
    assay_gate.difference(y_true=TRUTH, y_pred=NEW, baseline=several, at_least=-0.01)
    assay_gate.difference(y_true=TRUTH, y_pred=NEW, baseline=several)

def test_not_much_worse(assay_gate):
    assay_gate.difference(y_true=TRUTH, y_pred=OLD, baseline=NEW, at_least=-0.06)

def test_log(assay_gate):
    assert assay_gate.log("run.jsonl", max_error=0.05).rows == 500

def test_log_that_is_not_good_enough(assay_gate):
    assay_gate.log("run.jsonl", max_error=0.02)

def test_certificate(assay_gate, tmp_path):
    certify(errors=3, rows=1000).save(tmp_path / "a.cert.json")
    assay_gate.certificate(tmp_path / "a.cert.json", max_error=0.01)
    assay_gate.certificate(certify(errors=3, rows=1000))

def test_forged_certificate(assay_gate, tmp_path):
    path = tmp_path / "a.cert.json"
    certify(errors=30, rows=1000).save(path)
    path.write_text(path.read_text().replace("0.0404", "0.0104"))
    assay_gate.certificate(path, max_error=0.05)

def test_certificate_of_nothing(assay_gate):
    assay_gate.certificate(certify(errors=3, rows=3))
"""
    )
    result.assert_outcomes(passed=4, failed=5)
    result.stdout.fnmatch_lines(
        [
            "A difference of at least 0.05 cannot be promised. The new model's error is below the old one's by*",
            "An error of at most 0.02 cannot be promised.*10 of 500 rows are wrong (2 %).",
            "The certificate does NOT add up. *seal: the document was changed after it was issued*",
            "The certificate adds up, and promises nothing:*",
        ]
    )


def test_bad_input_is_an_error_of_the_test_and_says_so(suite):
    result = suite(
        """
def test_both(assay_gate):
    assay_gate(errors=1, rows=9, y_true=[1], max_error=0.5)

def test_limit(assay_gate):
    assay_gate(errors=1, rows=9, max_error=5)

def test_own_ledger(assay_gate):
    assay_gate(errors=1, rows=9, max_error=0.5, ledger="x")

def test_two_limits(assay_gate):
    assay_gate.difference(only_old=3, only_new=1, rows=9, margin=0.1)
"""
    )
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(
        [
            "*BadParameter: certify takes one of*",
            "*BadParameter: max_error must be a number strictly between 0 and 1, but is 5.",
            "*BadParameter: ledger must be left out of a gate: --assay-ledger names it for the whole run*",
            "*BadParameter: margin must be left out of a gate: at_least says by how much*",
        ]
    )
    # The line of the test is shown, and not where in the package it was found out.
    result.stdout.fnmatch_lines(["*assay_gate(errors=1, rows=9, max_error=5)"])
    result.stdout.no_fnmatch_line("*def require(*")


@pytest.mark.parametrize("option", [["--assay-delta", "2"], ["--assay-summary", "test_it.py"]])
def test_options_that_cannot_be_used_end_the_run_before_it_begins(suite, option):
    result = suite(TWO, *option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {option[0]} must be *"])


def test_options_may_stand_in_the_configuration(suite, pytester):
    pytester.makeini("[pytest]\nassay_out = made\nassay_delta = 0.2\nassay_summary = promises.md\n")
    suite(TWO).assert_outcomes(passed=1, failed=1)
    [one, _] = sorted((pytester.path / "made").iterdir())
    assert Certificate.load(one).delta == 0.2
    text = (pytester.path / "promises.md").read_text()
    assert "### Promises" in text
    assert "| test&#95;it.py::test&#95;good | ✓ passed | An error of at most 0.05 can be" in text


class TestALedger:
    def test_each_gate_is_a_look_of_one_bit(self, suite, pytester):
        result = suite(TWO, "--assay-ledger", "ci.ledger", "--assay-out", "out")
        result.assert_outcomes(passed=1, failed=1)
        entries = Ledger(pytester.path / "ci.ledger").entries()
        assert [(e.number, e.answer, e.answers) for e in entries] == [
            (1, "pass-fail", "0x2"),
            (2, "pass-fail", "0x2"),
        ]
        result.stdout.no_fnmatch_line("*another exception*")
        result.stdout.fnmatch_lines(
            [
                "Fail: an error rate of 0.05 cannot be promised from this holdout, where this look may fail with "
                "probability 0.00417.",
                "PASS test_it.py::test_good (look 1 at this holdout)",
                "FAIL test_it.py::test_bad (look 2 at this holdout)",
                "1 of 2 gates passed. What was promised here holds with 97.08 % confidence: 2 gates were asked, which "
                "spend 0.0292 together.",
            ]
        )
        [file] = (pytester.path / "out").iterdir()
        assert verify(file, ledger=pytester.path / "ci.ledger").ok
        # The count itself was not told: it states the largest with which the gate would have been passed.
        told = Certificate.load(file).claims[0].inputs["errors"]
        assert binom.cdf(told, 1000, 0.05) <= 0.025 < binom.cdf(told + 1, 1000, 0.05)

    def test_the_next_run_pays_for_the_one_before(self, suite, pytester):
        for _ in range(3):
            suite(TWO, "--assay-ledger", "ci.ledger")
        assert [e.number for e in Ledger(pytester.path / "ci.ledger").entries()] == [*range(1, 7)]

    def test_a_difference_is_one_bit_too(self, suite, pytester):
        result = suite(
            """
NEW, OLD = predictions(30), predictions(60)

def test_better(assay_gate):
    assay_gate.difference(y_true=TRUTH, y_pred=NEW, baseline=OLD)

def test_worse(assay_gate):
    assay_gate.difference(y_true=TRUTH, y_pred=OLD, baseline=NEW, at_least=-0.01)

def test_by_how_much(assay_gate):
    assay_gate.difference(y_true=TRUTH, y_pred=NEW, baseline=OLD, at_least=0.001)
""",
            "--assay-ledger",
            "ci.ledger",
        )
        result.assert_outcomes(passed=2, failed=1)
        entries = Ledger(pytester.path / "ci.ledger").entries()
        assert [(e.number, e.answer) for e in entries] == [
            (1, "pass-fail"),
            (2, "pass-fail"),
            (3, "exact"),
        ]

    def test_counts_need_the_name_of_their_holdout(self, suite, pytester):
        text = "def test_it(assay_gate): assay_gate(errors=3, rows=1000, max_error=0.05{})"
        result = suite(text.format(""), "--assay-ledger", "ci.ledger")
        result.stdout.fnmatch_lines(["*holdout must be named, because neither counts nor losses*"])
        suite(text.format(", holdout='May'"), "--assay-ledger", "ci.ledger").assert_outcomes(
            passed=1
        )
        [entry] = Ledger(pytester.path / "ci.ledger").entries()
        assert entry.holdout == "May"

    def test_numbers_are_told_where_they_are_asked_for(self, suite, pytester):
        text = TWO.replace("max_error=0.05", "max_error=0.05, answer='exact'")
        result = suite(text, "--assay-ledger", "ci.ledger")
        assert [e.answer for e in Ledger(pytester.path / "ci.ledger").entries()] == ["exact"] * 2
        result.stdout.fnmatch_lines(
            ["An error of at most 0.05 cannot be promised.*60 of 1,000 rows*"]
        )

    def test_a_ledger_that_was_changed_is_no_ledger(self, suite, pytester):
        import sqlite3

        suite(TWO, "--assay-ledger", "ci.ledger")
        with sqlite3.connect(pytester.path / "ci.ledger") as connection:
            connection.execute("UPDATE entry SET answers = '0x1' WHERE sequence = 1")
        result = suite(TWO, "--assay-ledger", "ci.ledger")
        result.assert_outcomes(failed=2)
        result.stdout.fnmatch_lines(["*LedgerBroken:*does not hold together at entry 1*"])


# Runs every test that fails once more, as plugins for reruns do: set up anew, reported again.
RERUNS = """
    import pytest
    from _pytest.runner import runtestprotocol

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(item, nextitem):
        for attempt in range(4):
            reports = runtestprotocol(item, nextitem=nextitem, log=False)
            failed = any(report.failed for report in reports)
            if failed and attempt < 3:
                for report in reports:
                    report.outcome = "rerun"
                    item.ihook.pytest_runtest_logreport(report=report)
                item._initrequest()
                continue
            for report in reports:
                item.ihook.pytest_runtest_logreport(report=report)
            return True
"""
UNLUCKY = """
import itertools
WRONG = itertools.chain([40, 40, 30], itertools.repeat(10))

def test_unlucky(assay_gate):
    assay_gate(y_true=TRUTH, y_pred=predictions(next(WRONG)), max_error=0.05)
"""


class TestReruns:
    def test_trying_again_until_it_passes_does_not_pass(self, suite, pytester):
        pytester.makeconftest(RERUNS)
        result = suite(UNLUCKY)
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(
            ["This gate has failed before in this run, and a rerun is another look*"]
        )

    def test_neither_does_it_where_one_bit_is_told(self, suite, pytester):
        pytester.makeconftest(RERUNS)
        result = suite(UNLUCKY.replace("max_error", "answer='pass-fail', max_error"))
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(
            [
                "FAIL*",
                "     Fail: an error rate of 0.05*",
                "FAIL*",
                "     This gate has failed before*",
            ]
        )

    def test_the_same_model_again_is_the_same_answer(self, suite, pytester):
        pytester.makeconftest(RERUNS)
        result = suite(UNLUCKY.replace("[40, 40, 30]", "[40] * 9"))
        result.assert_outcomes(failed=1)
        result.stdout.no_fnmatch_line("*a rerun is another look*")

    def test_another_failure_does_not_close_a_gate(self, suite, pytester):
        pytester.makeconftest(RERUNS)
        result = suite(
            """
TRIES = []
def test_flaky(assay_gate):
    TRIES.append(1)
    assay_gate(y_true=TRUTH, y_pred=predictions(10), max_error=0.05)
    assert len(TRIES) == 3
"""
        )
        result.assert_outcomes(passed=1)
        # Each of the three is told and counts: which of them was taken was seen before.
        result.stdout.fnmatch_lines(
            ["3 of 3 gates passed. All promises made here hold with 85 % confidence*"]
        )

    def test_with_a_ledger_every_try_is_paid_for(self, suite, pytester):
        pytester.makeconftest(RERUNS)
        result = suite(UNLUCKY, "--assay-ledger", "ci.ledger")
        result.assert_outcomes(passed=1)
        entries = Ledger(pytester.path / "ci.ledger").entries()
        assert [entry.number for entry in entries] == [1, 2, 3, 4]
        result.stdout.fnmatch_lines(
            ["FAIL test_it.py::test_unlucky (look 1 *", "PASS test_it.py::test_unlucky (look 4 *"]
        )


MANY = """
import pytest

@pytest.mark.parametrize("wrong", range(0, 60, 6))
def test_many(assay_gate, wrong):
    assay_gate(y_true=TRUTH, y_pred=predictions(wrong), max_error=0.05)
"""


def test_workers_share_one_ledger_and_one_summary(suite, pytester):
    pytester.makepyfile(test_it=f"from model import *\n{MANY}")
    options = ("-n2", "--assay-ledger", "ci.ledger", "--assay-out", "out")
    result = pytester.runpytest_subprocess(*PLUGIN, *options)
    outcomes = result.parseoutcomes()
    assert outcomes["passed"] + outcomes["failed"] == 10
    entries = Ledger(pytester.path / "ci.ledger").entries()
    assert [entry.number for entry in entries] == [*range(1, 11)]
    lines = result.outlines
    told = [line for line in lines if line.startswith(("PASS test_it.py", "FAIL test_it.py"))]
    assert len(told) == len(set(told)) == 10
    assert {f"(look {number} at this holdout)" for number in range(1, 11)} == {
        line[line.index("(look") :] for line in told
    }
    assert len(list((pytester.path / "out").iterdir())) == outcomes["passed"]
    result.stdout.fnmatch_lines([f"{outcomes['passed']} of 10 gates passed.*"])


def test_pytest_starts_as_fast_as_without(tmp_path):
    """The plugin is imported at every start of pytest: it must not bring what only a gate needs."""
    code = (
        "import sys, assay.gates.plugin; "
        "print(sorted({'numpy', 'scipy', 'narwhals', 'fastjsonschema'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
