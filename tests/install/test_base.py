"""The base install promises the same without numba, scikit-learn and pyarrow; the rest says what it needs."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import assay
from assay.learners.registry import learner_names

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ANSWERS = str(HERE / "answers.py")
EXTRAS = (
    "numba",
    "llvmlite",
    "sklearn",
    "threadpoolctl",
    "pyarrow",
    "plotly",
    "fastapi",
    "uvicorn",
    "msgspec",
)
#: What the base install brings of assay's public names.
CORE = {
    "Certificate",
    "DecisionLog",
    "EvalLog",
    "Evidence",
    "Guarantee",
    "Ledger",
    "certify",
    "plan",
    "read_eval",
    "theorem",
    "theorems",
    "verify",
}


def answers(
    *arguments: str,
    python: str = sys.executable,
    given: str | None = None,
    folder: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, ANSWERS, *arguments],
        input=given,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
    )


def commands(folder: Path, *lines: list[str]) -> list[list[object]]:
    """Exit code, output and errors of each command line, one process without the extras running all of them."""
    done = answers("commands", *EXTRAS, given=json.dumps(lines), folder=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("what", ["evidence", "certificates"])
def test_the_answers_are_the_same_without_the_extras(what):
    full, base = answers(what), answers(what, *EXTRAS)
    assert base.returncode == full.returncode == 0, base.stderr
    assert base.stdout == full.stdout
    assert base.stdout.count("\n") > 30


def test_whatever_needs_an_extra_names_it():
    said = answers("sentences", *EXTRAS).stdout.splitlines()
    named = {sentence.split()[0] for sentence in said}
    classes = {name for name in set(assay.__all__) - CORE if name[0].isupper()}
    assert classes | {"fit_table", "load", "play", "predict_table", "read_table", "save"} <= named
    assert set(learner_names()) <= named
    assert not CORE & named
    wanted = re.compile(
        r"\S+ needs \S+, which is not installed\. Run: pip install 'assay-ml\[(learn|tables)\]'"
    )
    assert all(wanted.fullmatch(sentence) for sentence in said)


def test_a_command_that_needs_an_extra_says_so(tmp_path):
    parquet = tmp_path / "t.parquet"
    parquet.write_bytes(b"PAR1....")
    extras = {
        "fit t.csv --target y": "learn",
        "predict m.assay t.csv": "learn",
        "compare t.csv --target y": "learn",
        "stream t.csv --target y --learner perceptron": "learn",
        "demo": "learn",
        "serve": "server",
        "keys list keys.json": "server",
        f"certify {parquet} --truth y --prediction p": "tables",
    }
    told = commands(tmp_path, *(line.split() for line in extras))
    for (line, extra), (code, out, err) in zip(extras.items(), told, strict=True):
        assert (code, out) == (2, ""), line
        assert err.count("\n") == 1, line
        wanted = f"which is not installed. Run: pip install 'assay-ml[{extra}]'\n"
        assert err.endswith(wanted), line


def test_the_core_works_from_the_command_line(tmp_path):
    table, lines, out = tmp_path / "t.csv", tmp_path / "t.jsonl", tmp_path / "c.json"
    table.write_text("y,p\n" + "a,a\nb,b\n" * 50)
    lines.write_text('{"y": "a", "p": "a"}\n{"y": "b", "p": "b"}\n' * 50)
    options = f"--truth y --prediction p --out {out} --ledger {tmp_path / 'l'}"
    told = commands(
        tmp_path,
        f"certify {table} {options}".split(),
        ["verify", str(out)],
        f"certify {lines} {options}".split(),
        ["verify", str(out)],
        ["plan", "--error", "0.05"],
        ["theorems"],
    )
    assert [code for code, *_ in told] == [0] * 6, told
    assert "holdout-exact" in told[-1][1]


def test_one_name_for_the_command_and_one_that_nobody_else_has():
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert scripts["assay"] == scripts["assay-ml"]


@pytest.mark.guarantees
def test_a_fresh_environment_with_the_base_alone(tmp_path):
    home = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    bin = home / "bin"
    pip = [bin / "python", "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wheels = tmp_path / "wheels"
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", wheels, ROOT], check=True)
    subprocess.run([*pip, "install", *wheels.glob("*.whl")], check=True)
    listed = subprocess.run(
        [*pip, "list"], check=True, capture_output=True, text=True
    ).stdout.lower()
    assert not {"numba", "scikit-learn", "pyarrow"} & set(listed.split())
    # What the environment itself brings does not count.
    own = {"pip", "setuptools", "pkg_resources"}
    [site] = home.glob("lib/*/site-packages")
    size = sum(
        path.stat().st_size
        for path in site.rglob("*")
        if path.is_file() and path.relative_to(site).parts[0].split("-")[0] not in own
    )
    assert size < 260e6
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    certify = [bin / "assay-ml", "certify", "--errors", "50", "--rows", "1000"]
    for _ in range(5):
        subprocess.run(certify, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Of the processor's time: a busy machine takes longer by the clock.
    assert (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 5 < 0.5
    assert (
        answers("certificates", python=str(bin / "python")).stdout == answers("certificates").stdout
    )
    assert "perceptron needs numba" in answers("sentences", python=str(bin / "python")).stdout


def test_logs_are_read_without_the_extras(tmp_path):
    logs = Path(ANSWERS).parents[1] / "data" / "logs" / "fixtures"
    plain = tmp_path / "run.csv"
    plain.write_text("id,correct\n" + "".join(f"q{i},{int(i > 0)}\n" for i in range(8)))
    again = tmp_path / "again.csv"
    again.write_text("id,t,p\n" + "".join(f"q{i % 4},a,a\n" for i in range(8)))
    names = ["inspect.json", "deepeval_run.json", "openai_evals.jsonl", "junit.xml"]
    lines = [["certify", str(path)] for path in (*(logs / name for name in names), plain)]
    *read, packed, repeated = commands(
        tmp_path,
        *lines,
        ["certify", str(logs / "inspect.eval")],
        ["certify", str(again), "--truth", "t", "--prediction", "p"],
    )
    assert all(code == 0 and "1 of 8 rows are wrong" in out for code, out, _ in read)
    assert packed[0] == 2
    assert "needs pyarrow, which is not installed. Run: pip install 'assay-ml[tables]'" in packed[2]
    assert repeated[0] == 1
    assert "the column 'id' repeats itself in 4 of 8 rows" in repeated[1]
