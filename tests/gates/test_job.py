"""The action and the hooks, run as GitHub and pre-commit run them."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from assay import Ledger, certify, verify
from assay.gates import job as module
from assay.gates.job import Result, _number, commands
from tests.cli.runner import run as assay

ROOT = Path(__file__).parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
STEPS = {step.get("id"): step for step in ACTION["runs"]["steps"]}
BIN = Path(sys.executable).parent


def shell(script, folder, environment):
    """A script as GitHub runs it: bash is told to stop at the first error."""
    path = folder / "step.sh"
    path.write_text(script)
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(path)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def given(inputs):
    """The environment of the step, with the expressions of the action filled in."""
    known = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | inputs
    assert set(inputs) <= set(ACTION["inputs"])
    texts = {f"inputs.{name}": value for name, value in known.items()}
    texts["steps.install.outputs.bin"] = str(BIN)
    return {
        name: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: texts[found[1]], value)
        for name, value in STEPS["gate"]["env"].items()
    }


@pytest.fixture
def step(tmp_path):
    """The environment of the step of the gate, and what it has written: its outputs and its summary."""
    output, summary = tmp_path / "output", tmp_path / "step_summary_1"

    def environment(inputs):
        for file in (output, summary):
            file.write_text("")
        own = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
        named = {name.replace("_", "-"): value for name, value in inputs.items()}
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("ASSAY", "GITHUB"))}
        return kept | given(named) | own

    def written():
        told = dict(line.split("=", 1) for line in output.read_text().splitlines())
        return told, summary.read_text()

    return environment, written


@pytest.fixture
def job_in_bash(tmp_path, step):
    """Runs the step of the gate as GitHub does."""
    environment, written = step

    def run(**inputs):
        return shell(STEPS["gate"]["run"], tmp_path, environment(inputs)), *written()

    return run


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def job(tmp_path, step, monkeypatch):
    """The same within this process, which is many times as fast: the commands too, which are lists of words."""
    environment, written = step

    def command(words, *, stdout, encoding, env, check):
        assert isinstance(words, list)
        assert words[: len(module._COMMAND)] == [*module._COMMAND]
        assert (stdout, encoding, check) == (subprocess.PIPE, "utf-8", False)
        assert env == os.environ | {"PYTHONIOENCODING": "utf-8"}
        ran = assay(*words[len(module._COMMAND) :])
        sys.stderr.write(ran.err)
        return Done(ran.code, ran.out, "")

    def run(**inputs):
        out, err = io.StringIO(), io.StringIO()
        with (
            monkeypatch.context() as patched,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            patched.chdir(tmp_path)
            patched.setattr(module.subprocess, "run", command)
            patched.setattr(os, "environ", environment(inputs))
            with pytest.raises(SystemExit) as ended:
                module.main()
        return Done(ended.value.code, out.getvalue(), err.getvalue()), *written()

    return run


@pytest.fixture
def table(tmp_path):
    def write(name, wrong, rows=1000):
        lines = [f"r{i},{i % 2},{1 - i % 2 if i < wrong else i % 2}" for i in range(rows)]
        (tmp_path / name).write_text("id,t,p\n" + "\n".join(lines) + "\n")
        return name

    return write


COLUMNS = {"truth": "t", "prediction": "p"}
# Whatever of it a shell would read as a command makes a file.
INJECTED = [
    """$(touch hacked) `touch hacked` ; touch hacked | touch hacked ' ; touch hacked ; " ; touch hacked ; ' #""",
    "--out=hacked",
]


def test_the_action_hands_on_everything_and_puts_nothing_into_a_script():
    assert ACTION["runs"]["using"] == "composite"
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert step.get("shell", "bash") == "bash"
    handed = re.findall(r"inputs\.([\w-]+)", " ".join(STEPS["gate"]["env"].values()))
    assert {*handed, "python-version"} == set(ACTION["inputs"])
    for name, output in ACTION["outputs"].items():
        assert output["value"] == f"${{{{ steps.gate.outputs.{name} }}}}"
    assert all(
        one["description"] for one in (*ACTION["inputs"].values(), *ACTION["outputs"].values())
    )


def test_the_step_is_run_by_bash(job_in_bash, table, tmp_path):
    done, told, summary = job_in_bash(files=table("a.csv", 30), max_error="0.05", **COLUMNS)
    assert done.returncode == 0, done.stderr
    assert told == {"promised": "0.040472237280866242", "observed": "0.03", "passed": "true"}
    assert done.stdout == "PASS a.csv, promised 0.040472237280866242, observed 0.03\n"
    assert summary.startswith("### Certificate for a.csv\n\n✅ **PASS**")
    # All that a shell could misread at once; what each comes to is tried below.
    inputs = dict.fromkeys(set(ACTION["inputs"]) - {"python-version"}, INJECTED[0])
    done, told, _ = job_in_bash(**inputs)
    assert (done.returncode, told.get("passed")) == (2, "false")
    assert not (tmp_path / "hacked").exists()


def test_a_gate_that_passes_and_one_that_does_not(job, table):
    done, told, summary = job(files=table("a.csv", 30), max_error="0.05", **COLUMNS)
    assert done.returncode == 0, done.stderr
    assert told == {"promised": "0.040472237280866242", "observed": "0.03", "passed": "true"}
    assert done.stdout == "PASS a.csv, promised 0.040472237280866242, observed 0.03\n"
    assert summary.startswith("### Certificate for a.csv\n\n✅ **PASS**")
    done, told, summary = job(files="a.csv", max_error="0.04", **COLUMNS)
    assert (done.returncode, told["passed"]) == (1, "false")
    assert "❌ **FAIL**: an error of at most 0.04 cannot be promised." in summary


def test_several_files_tell_the_least_promise(job, table, tmp_path):
    files = f"{table('a.csv', 3)}\n\n  {table('b c.csv', 40)}\n"
    done, told, summary = job(files=files, max_error="0.03", out="made", **COLUMNS)
    assert (done.returncode, told["passed"], told["observed"]) == (1, "false", "0.04")
    assert summary.count("### Certificate for") == 2
    made = sorted((tmp_path / "made").iterdir())
    assert len(made) == 2
    assert all(verify(path).ok for path in made)


def test_a_ledger_is_told_one_bit_of_each(job, table, tmp_path):
    for wrong, passed in ((10, "true"), (60, "false")):
        terms = {"max_error": "0.05", "ledger": "ci.ledger"}
        _, told, summary = job(files=table("a.csv", wrong), **terms, **COLUMNS)
        assert (told["passed"], told["observed"]) == (passed, "")
    assert "❌ **FAIL**: Fail: an error rate of 0.05 cannot be promised" in summary
    with Ledger(tmp_path / "ci.ledger") as ledger:
        assert [entry.answer for entry in ledger.entries()] == ["pass-fail"] * 2


def test_a_new_model_against_the_old_one(job, table):
    old, new = table("old.csv", 80), table("new.csv", 30)
    columns = {**COLUMNS, "on": "id"}
    done, told, summary = job(files=new, baseline=old, **columns)
    assert (done.returncode, told["passed"]) == (0, "true"), done.stderr
    assert "PASS" in summary
    done, told, _ = job(files=old, baseline=new, **columns)
    assert (done.returncode, told["passed"]) == (1, "false")
    terms = {"max-regression": "0.08"}
    done, told, _ = job(files=old, baseline=new, **columns, **terms)
    assert (done.returncode, told["observed"]) == (0, "-0.05"), done.stderr


def test_certificates_and_logs(job, tmp_path):
    certify(errors=3, rows=300).save(tmp_path / "a.cert.json")
    lines = "".join(f'{{"id": {i}, "correct": {str(i % 50 != 0).lower()}}}\n' for i in range(500))
    (tmp_path / "run.jsonl").write_text(lines)
    done, told, summary = job(files="a.cert.json\nrun.jsonl", max_error="0.05")
    assert done.returncode == 0, done.stderr
    assert told["passed"] == "true"
    assert "### Verification of a.cert.json" in summary
    assert "### Certificate for run.jsonl" in summary


def test_a_certificate_is_held_to_the_limit_too(job, tmp_path):
    certify(errors=100, rows=300).save(tmp_path / "a.cert.json")
    done, told, summary = job(files="a.cert.json", max_error="0.05")
    assert (done.returncode, told["passed"]) == (1, "false")
    assert told["promised"].startswith("0.38")
    assert "❌ **FAIL**: The certificate holds, but an error of at most 0.05 cannot be" in summary
    done, told, summary = job(files="a.cert.json", max_error="0.4")
    assert (done.returncode, told["passed"]) == (0, "true"), done.stderr
    assert "✅ **PASS**: The certificate holds, and an error of at most 0.4 can be" in summary
    assert job(files="a.cert.json")[0].returncode == 0
    certify(errors=100, rows=300, delta="0.2").save(tmp_path / "a.cert.json")
    done, told, summary = job(files="a.cert.json", max_error="0.4", delta="0.05")
    assert (done.returncode, told["passed"]) == (1, "false")
    assert "but an error may be promised with 80 % confidence alone" in summary
    assert job(files="a.cert.json", max_error="0.4", delta="0.2")[0].returncode == 0


def test_rows_that_belong_together_and_groups(job, tmp_path):
    rows = [f"q{i // 2},{'ab'[i % 2]},{int(i % 200 != 0)}" for i in range(1000)]
    (tmp_path / "a.csv").write_text("id,half,correct\n" + "\n".join(rows) + "\n")
    terms = {"files": "a.csv", "max_error": "0.05"}
    done, told, _ = job(**terms)
    assert (done.returncode, told["promised"]) == (1, "")  # ids that come again
    assert job(**terms, unit="id")[0].returncode == 0
    assert job(**terms, unit="none", by="half")[0].returncode == 0
    terms["max_error"] = "0.02"
    assert job(**terms, unit="none")[0].returncode == 0
    assert job(**terms, unit="none", by="half\n")[0].returncode == 1


@pytest.mark.parametrize("name", ["truth", "files", "delta", "ledger", "baseline", "metric", "by"])
def test_what_is_given_is_never_run(job, table, tmp_path, name):
    # Bash hands everything on, above; here it is a word of a command.
    table("a.csv", 1)
    for text in INJECTED:
        inputs = {"files": "a.csv", "max_error": "0.05", **COLUMNS} | {name: text}
        done, told, _ = job(**inputs)
        # A ledger may be called anything, and is then a file of that very name.
        assert done.returncode != 0 or name == "ledger", (text, done.stdout)
        assert not (tmp_path / "hacked").exists(), text
        assert set(told) <= {"promised", "observed", "passed"}


def test_a_file_that_says_more_than_numbers_writes_no_other_output():
    assert _number("0.05") == "0.05"
    for odd in ("0.05\npassed=true", "nan", "", None, 0.05, "0.05 ", "1" * 500):
        assert _number(odd) == ""


def test_nothing_to_do_is_bad_input(job):
    done, told, _ = job(files=" \n", **COLUMNS)
    assert (done.returncode, told) == (2, {})
    assert done.stderr == "assay: files must name at least one file.\n"


def test_what_promises_less_comes_first():
    results = [Result("a", 0, "0.02"), Result("b", 0, "0.05"), Result("c", 1)]
    assert [one.name for one in sorted(results, key=lambda one: one.worth)] == ["c", "b", "a"]
    better = [Result("a", 0, "0.02", at_least=True), Result("b", 0, "-0.05", at_least=True)]
    assert min(better, key=lambda one: one.worth).name == "b"


def test_files_never_read_as_options():
    [(_, words)] = commands({"ASSAY_FILES": "--json", "ASSAY_MAX_ERROR": "0.05"})
    assert words[-2:] == ["--", "--json"]


def test_the_package_is_installed_where_the_runner_says(tmp_path):
    """With names that hold spaces, and a Python that writes down what it is asked."""
    fake, temp = tmp_path / "bin", tmp_path / "runner temp"
    fake.mkdir()
    asked = tmp_path / "asked"
    (fake / "python").write_text(
        f'#!/bin/bash\nfor word in "$@"; do echo "[$word]"; done >> "{asked}"\n'
        'if [ "$2" = venv ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; fi\n'
    )
    (fake / "python").chmod(0o755)
    environment = {
        **{"PATH": f"{fake}:/usr/bin:/bin", "RUNNER_TEMP": str(temp)},
        **{"GITHUB_ACTION_PATH": "/actions/a b", "GITHUB_OUTPUT": str(tmp_path / "out")},
    }
    done = shell(STEPS["install"]["run"], tmp_path, environment)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out").read_text() == f"bin={temp}/assay/bin\n"
    assert "[/actions/a b[tables]]" in asked.read_text().splitlines()


def hook(id, folder, *files, args=()):
    """A hook as pre-commit runs it: the entry, its arguments, then the files."""
    command = [*shlex.split(HOOKS[id]["entry"]), *args]
    if HOOKS[id].get("pass_filenames", True):
        command += files
    path = os.pathsep.join([str(BIN), os.environ["PATH"]])
    return subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_hooks_are_whole():
    assert set(HOOKS) == {"assay-verify", "assay-certify"}
    for one in HOOKS.values():
        assert {"id", "name", "entry", "language", "files"} <= one.keys()
        re.compile(one["files"])
    assert re.search(HOOKS["assay-verify"]["files"], "models/spam.cert.json")


def test_certificates_that_are_committed_must_hold(tmp_path):
    certify(errors=3, rows=300).save(tmp_path / "a.cert.json")
    certify(errors=5, rows=300).save(tmp_path / "b.cert.json")
    files = ("a.cert.json", "b.cert.json")
    assert hook("assay-verify", tmp_path, *files).returncode == 0
    forged = tmp_path / "b.cert.json"
    forged.write_text(forged.read_text().replace('"errors": 5', '"errors": 1'))
    done = hook("assay-verify", tmp_path, *files)
    assert done.returncode == 1
    assert "b.cert.json:\n" in done.stdout
    assert "does NOT add up" in done.stdout


def test_predictions_that_are_committed_must_pass(tmp_path, table):
    table("predictions.csv", 30)
    args = ["predictions.csv", "--truth=t", "--prediction=p"]
    for most, code in (("0.05", 0), ("0.04", 1)):
        done = hook("assay-certify", tmp_path, "x", args=[*args, f"--max-error={most}"])
        assert done.returncode == code, done.stderr
