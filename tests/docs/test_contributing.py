"""The recipes of CONTRIBUTING.md, followed to the letter in a copy of the repository.

A caption above a block says what to do with it: "`path`, new:" makes a file, "`path`, below `line`:" puts lines below
one. What is not changed is linked and not copied, so that compiled loops are found where they are.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
STEP = re.compile(
    r"^`(?P<path>[\w./-]+)`, (?:new|below `(?P<below>[^`\n]+)`):\n\n```\w+\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


class Step(NamedTuple):
    """A block of a recipe: the file, the line below which it goes (none: the file is new), and the text."""

    path: str
    below: str | None
    text: str


def steps(document: str) -> list[Step]:
    return [Step(**match.groupdict()) for match in STEP.finditer(document)]


def recipe() -> list[Step]:
    listed = steps((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert len(listed) > 10
    return listed


def follow(step: Step, root: Path) -> None:
    path = root / step.path
    if step.below is None:
        assert not path.exists(), f"{step.path} is there already"
        own(path.parent, root)
        path.write_text(step.text, encoding="utf-8")
        return
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    places = [place for place, line in enumerate(lines) if line.strip() == step.below]
    assert len(places) == 1, f"{step.path} has {len(places)} lines {step.below!r}"
    lines.insert(places[0] + 1, step.text)
    own(path.parent, root)
    path.unlink()  # the link, not what it leads to
    path.write_text("".join(lines), encoding="utf-8")


def own(folder: Path, root: Path) -> None:
    """Make a folder of the copy one that can be written to: its entries are links, but neither it nor its parents."""
    inner = folder.relative_to(root)
    for part in (*reversed(inner.parents), inner):
        place = root / part
        if place.is_symlink():
            linked_to = place.readlink()
            place.unlink()
            link_entries(linked_to, place)


def link_entries(source: Path, target: Path) -> None:
    target.mkdir()
    for entry in source.iterdir():
        # Compiled code and bytecode of a folder that is changed are its own.
        if entry.name != "__pycache__" and not entry.name.startswith("."):
            (target / entry.name).symlink_to(entry)


def run(root: Path, *arguments: str) -> str:
    path = os.pathsep.join([str(root / "src"), str(root)])
    done = subprocess.run(
        [sys.executable, *arguments],
        # Bytecode would be kept behind the links, with the names of this copy in it.
        env=os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=root,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The repository, with the theorem and the learner of the document."""
    root = tmp_path_factory.mktemp("contributing") / "assay"
    link_entries(ROOT, root)
    own(root / "tests" / "goldens", root)  # what the learner says is written there
    for step in recipe():
        follow(step, root)
    return root


#: Tests over all theorems, all learners or all public names, beside the recipe's own.
TESTS = [
    "tests/docs/recipe_journey.py",
    "tests/docs/test_docs.py",
    "tests/docs/test_reference.py",
    "tests/theory/test_registry.py",
    "tests/theory/test_statements.py",
    "tests/learners/test_surface.py",
    "tests/learners/common/test_remember.py",
    "tests/attacks/test_same_bits.py",
    "tests/play/test_one_count.py",
    "tests/goldens",
]
PASSED = [
    "test_last_label.py::test_scikit_checks",
    "test_last_label.py::test_the_promise",
    "last_label.LastLabel",
    "test_last_label_learner_works_by_command",
    "test_the_statement_can_be_set[last-label-mistakes]",
    "test_every_theorem_has_its_page[mistake/last_label.py]",
    "test_a_public_name_is_documented[LastLabel]",
    "test_every_learner_knows_its_rows_again[last-label]",
    "test_where_the_numbers_lie_and_how_they_come_changes_nothing[LastLabel]",
    "test_one_signature[last-label]",
    "test_learner[last-label]",
]


def test_the_recipes_give_a_theorem_and_a_learner_that_all_tests_take_in(copy):
    run(copy, "-m", "tests.goldens", "last-label")
    made = [step.path for step in recipe() if step.below is None and step.path.endswith(".py")]
    about = "last-label or last_label or LastLabel"
    told = run(copy, "-m", "pytest", "-rA", "-p", "no:cacheprovider", *made, *TESTS, "-k", about)
    missing = [test for test in PASSED if not re.search(rf"PASSED .*{re.escape(test)}", told)]
    assert not missing, f"{missing}\n{told}"


def test_what_the_recipes_add_is_in_order(copy):
    changed = [step.path for step in recipe() if not step.path.endswith(".rst")]
    run(copy, "-m", "ruff", "check", "--no-cache", *changed)
    run(copy, "-m", "ruff", "format", "--no-cache", "--check", *changed)


def test_a_recipe_that_went_stale_is_noticed(tmp_path):
    document = (
        "`a.py`, new:\n\n```python\nx = 1\n```\n\n`b.py`, below `one`:\n\n```python\ntwo\n```\n"
    )
    made, put = steps(document)
    (tmp_path / "b.py").write_text("one\nthree\n")
    follow(made, tmp_path)
    follow(put, tmp_path)
    assert (tmp_path / "a.py").read_text() == "x = 1\n"
    assert (tmp_path / "b.py").read_text() == "one\ntwo\nthree\n"
    with pytest.raises(AssertionError, match=r"a\.py is there already"):
        follow(made, tmp_path)
    with pytest.raises(AssertionError, match="has 0 lines 'gone'"):
        follow(Step("b.py", "gone", "two\n"), tmp_path)
