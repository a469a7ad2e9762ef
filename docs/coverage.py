"""Where everything of the lecture notes lives, and the test that runs it: ``python docs/coverage.py``.

Prints every algorithm and notion (`notes/algorithms.toml`) and every theorem (the catalogue). It ends with exit code 1
if a public name cannot be imported, a parameter is not taken, a test is not there or does not name what it runs, a
citation leads nowhere, or a theorem has no test.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
if __name__ == "__main__":
    # In the place of this folder, where numba would take this file for the package `coverage`.
    sys.path[0] = str(Path(__file__).parent / "extensions")

from lecture_notes import Entry, all_notes, entries, labels, place  # noqa: E402

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def tests_of(path: Path) -> dict[str, Function]:
    """The test functions of a file by name, those of a class as ``TestClass::test_name``."""
    if not path.exists():
        return {}
    tests: dict[str, Function] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        for each in inside:
            if isinstance(each, Function) and each.name.startswith("test_"):
                tests[prefix + each.name] = each
    return tests


@cache
def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def words(path: Path, node: Function | None = None) -> set[str]:
    """The words of a file, or of one function of it; ids with hyphens are one word."""
    lines = lines_of(path)
    own = lines if node is None else lines[node.lineno - 1 : node.end_lineno]
    used = set(re.findall(r"[\w-]+", "\n".join(own)))
    return used | {name for name, alias in aliases(path) if alias in used}


@cache
def aliases(path: Path) -> list[tuple[str, str]]:
    """What a file imports under another name, and that name."""
    return re.findall(r"\b(\w+) as (\w+)", "\n".join(lines_of(path)))


def complaints(entry: Entry) -> Iterator[str]:
    """What is not so of an entry."""
    if not entry.lives:
        yield "it lives nowhere"
    for name in entry.lives:
        yield from _not_there(name)
    path, _, test = entry.test.partition("::")
    if test not in tests_of(ROOT / path):
        yield f"there is no test {entry.test}"
    elif not _names(entry) & words(ROOT / path):
        yield f"{path} names none of {', '.join(sorted(_names(entry)))}"
    if not entry.citations:
        yield "no notes are cited"
    known = {notes.key: notes for notes in all_notes()}
    for key, citation in entry.citations.items():
        if key not in known:
            yield f"there are no notes {key!r}"
            continue
        lost = [label for label in labels(citation) if known[key].section(label) is None]
        if lost:
            yield f"no section of {key} holds {', '.join(sorted(lost))}"


def _not_there(name: str) -> Iterator[str]:
    plain, _, arguments = name.partition("(")
    try:
        value = place(plain)
    except (ImportError, AttributeError):
        yield f"{plain} cannot be imported"
        return
    call = ast.parse(f"f({arguments}", mode="eval").body if arguments else None
    given = (
        {} if call is None else {each.arg: ast.literal_eval(each.value) for each in call.keywords}
    )
    try:
        inspect.signature(value).bind_partial(**given) if given else None
    except TypeError as error:
        yield f"{name}: {error}"


def _names(entry: Entry) -> set[str]:
    """The names by which a test may call what it runs: the last part, and that of a learner in the registry."""
    last = {name.partition("(")[0].rpartition(".")[2] for name in entry.lives}
    kebab = {re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower() for name in last}
    return last | kebab


@cache
def theorem_tests() -> list[tuple[Path, str, set[str]]]:
    """Every test under `tests/theory`, and the names it uses."""
    return [
        (path, name, words(path, node))
        for path in sorted((ROOT / "tests" / "theory").rglob("test_*.py"))
        for name, node in tests_of(path).items()
    ]


def test_of(theorem: Any) -> str:
    """The first test of its own file that evaluates a theorem, or of another; empty where there is none."""
    names = {theorem.id}
    if theorem.function is not None:
        names.add(theorem.function.__name__)
        own = f"test_{theorem.function.__module__.rpartition('.')[2]}.py"
    else:
        own = ""
    hits = [(path, name) for path, name, used in theorem_tests() if used & names]
    for path, name in sorted(hits, key=lambda hit: hit[0].name != own):
        return f"{path.relative_to(ROOT)}::{name}"
    return ""


def home(theorem: Any) -> str:
    return (
        "a statement without a number" if theorem.function is None else theorem.function.__module__
    )


def main() -> int:
    """Print all rows; say what is wrong; 0 if nothing is."""
    import assay

    try:
        all_notes()
    except LookupError as error:
        print(f"coverage: {error}", file=sys.stderr)
        return 1
    wrong: list[str] = []
    rows, theorems = entries(), assay.theorems()
    numbered = [theorem for theorem in theorems if theorem.number.startswith("T")]
    for entry in rows:
        print(f"{entry.group}: {entry.name}\n    {', '.join(entry.lives)}\n    {entry.test}")
        if entry.without:
            print(f"    not included: {entry.without}")
        wrong += [f"{entry.name}: {complaint}" for complaint in complaints(entry)]
    names = [entry.name for entry in rows]
    wrong += [
        f"{name} stands there twice" for name in sorted({n for n in names if names.count(n) > 1})
    ]
    wrong += [
        f"{notes.key}: {complaint}"
        for notes in all_notes()
        for section in notes.sections
        for name in (
            *(f"assay.figures.{name}" for name in section.figures),
            *(f"assay.lab.{name}" for name in section.experiments),
        )
        for complaint in _not_there(name)
    ]
    for theorem in theorems:
        test = test_of(theorem)
        print(
            f"{theorem.number or '-':<4} assay.theorem({theorem.id!r})\n    {home(theorem)}\n    {test}"
        )
        if not test:
            wrong.append(f"{theorem.id}: no test evaluates it")
        if not theorem.source:
            wrong.append(f"{theorem.id}: it has no source")
    print(
        f"{len(rows)} algorithms and notions, {len(numbered)} theorems of the notes, "
        f"{len(theorems) - len(numbered)} others."
    )
    for complaint in wrong:
        print(f"coverage: {complaint}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
