"""A learner of another package works everywhere by its entry point alone, and cannot do what it must not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def installed(
    target: Path,
    name: str = "last-label",
    value: str = "last_label:LastLabel",
    package: str = "last-label",
):
    """The toy package as pip leaves it in a folder: its file, and what says that it is installed."""
    project = tomllib.loads((HERE / "toy" / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["assay.learners"] == {"last-label": "last_label:LastLabel"}
    target.mkdir(exist_ok=True)
    shutil.copy(HERE / "toy" / "last_label.py", target)
    info = target / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[assay.learners]\n{name} = {value}\n")
    return target


def run(target: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(target), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": path},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )


def refused(target: Path, code: str) -> str:
    done = run(target, "-c", f"from assay.learners.registry import find_learner; {code}")
    assert done.returncode == 1
    return done.stderr.strip().splitlines()[-1]


def test_a_learner_of_another_package_goes_all_the_way(tmp_path):
    target = installed(tmp_path / "site")
    (tmp_path / "work").mkdir()
    done = run(target, str(HERE / "journey.py"), str(tmp_path / "work"))
    assert (done.returncode, done.stdout) == (0, "all well\n"), done.stderr


def test_what_is_registered_but_not_installed_is_not_made_from_a_name(tmp_path):
    target = tmp_path / "site"
    target.mkdir()
    shutil.copy(HERE / "toy" / "last_label.py", target)
    said = refused(target, "import last_label; find_learner('last-label')")
    assert said.startswith("assay.errors.UnknownName: No learner is called 'last-label'.")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("absent:LastLabel", "cannot be imported: No module named 'absent'."),
        ("last_label:Absent", "cannot be imported: module 'last_label' has no attribute 'Absent'."),
        ("last_label:last_label_changes", "is no estimator: last_label:last_label_changes."),
    ],
)
def test_one_that_cannot_be_had_is_named_in_a_sentence(value, why, tmp_path):
    target = installed(tmp_path / "site", name="odd", value=value)
    assert refused(target, "find_learner('odd')") == (
        f"assay.errors.UnknownName: The learner 'odd' of last-label {why}"
    )


def test_none_takes_the_name_of_a_learner_of_assay_or_of_another_package(tmp_path):
    target = installed(tmp_path / "site", name="perceptron")
    code = "from assay.learners.registry import find_learner; print(find_learner('perceptron').__module__)"
    assert run(target, "-c", code).stdout == "assay.learners.linear.perceptron\n"
    installed(target, name="odd", value="last_label:LastLabel", package="one")
    installed(target, name="odd", value="last_label:LastLabelRecord", package="two")
    assert "Several packages bring a learner 'odd': " in refused(target, "find_learner('odd')")
