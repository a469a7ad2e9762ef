"""The environments beside .venv: the oldest releases, the newest, another Python."""

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.install import interpreter, minima, newest

ROOT = Path(__file__).parents[2]
THIS = "{}.{}".format(*sys.version_info)


def test_every_requirement_of_a_user_has_a_minimum_and_one_alone():
    lines = list(minima.constraints())
    assert all(re.fullmatch(r"[\w-]+==[0-9.]+(; .+)?", line) for line in lines), lines
    names = {line.partition("==")[0] for line in lines}
    assert names >= {"numpy", "scipy", "scikit-learn", "numba", "pyarrow", "fastapi", "pandas"}
    assert not names & {"ruff", "mypy", "sphinx", "hypothesis"}
    # A name that stands twice has a condition for its second release.
    for name in names:
        plain = {line for line in lines if line.startswith(f"{name}==") and ";" not in line}
        assert len(plain) <= 1, plain


def test_they_are_read_from_the_project_and_nowhere_else(tmp_path, monkeypatch):
    text = minima.PYPROJECT.read_text(encoding="utf-8")
    assert "scikit-learn>=1.6" in text
    changed = tmp_path / "pyproject.toml"
    changed.write_text(text.replace("scikit-learn>=1.6", "scikit-learn>=9.7"), encoding="utf-8")
    monkeypatch.setattr(minima, "PYPROJECT", changed)
    assert "scikit-learn==9.7" in list(minima.constraints())
    changed.write_text(text.replace("scikit-learn>=1.6", "scikit-learn"), encoding="utf-8")
    with pytest.raises(AssertionError, match=r"'scikit-learn' names no oldest release\."):
        list(minima.constraints())


def test_what_is_left_out_of_the_newest_is_named(monkeypatch):
    listed = [
        {"name": "numpy", "version": "2.4.6", "latest_version": "2.5.0rc1"},
        {"name": "Typer", "version": "0.28.0", "latest_version": "0.29.1"},
        {"name": "sphinx", "version": "9.0", "latest_version": "9.1"},
    ]
    answer = SimpleNamespace(stdout=json.dumps(listed).encode())
    monkeypatch.setattr(newest.subprocess, "run", lambda *words, **terms: answer)
    assert list(newest.left_out()) == [
        "Skipped: numpy 2.5.0rc1 is no final release; tested with 2.4.6.",
        "Skipped: Typer 0.29.1 is not allowed beside the others; tested with 0.28.0.",
    ]


def test_this_python_is_found_and_starts():
    found = interpreter.interpreter(THIS)
    told = subprocess.run([found, "--version"], capture_output=True, text=True, check=True)
    assert told.stdout.startswith(f"Python {THIS}.")


def test_a_python_that_is_nowhere_is_skipped_with_the_reason():
    done = subprocess.run(
        [sys.executable, "-m", "tests.install.interpreter", "9.9"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == ""
    assert done.stderr.startswith("Skipped: no command python9.9 starts here")


def test_a_command_of_another_version_is_not_taken_for_it(monkeypatch):
    monkeypatch.setattr(interpreter, "candidates", lambda version: [[sys.executable]])
    assert interpreter.interpreter("9.9") is None
    assert interpreter.interpreter(THIS) == sys.executable
