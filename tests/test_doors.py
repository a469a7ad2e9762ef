"""Tests come to learners through their doors: what lies behind may move without a test being touched.

A door is the public package, the registry, a package of learners (what its ``__init__`` names), or a module that the
documentation sends people to.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
#: Packages whose own names may be imported; of no other module below ``assay.learners`` may tests know.
DOORS = {
    "assay.learners",
    "assay.learners.boolean",
    "assay.learners.common",
    "assay.learners.kernel",
    "assay.learners.linear",
    "assay.learners.model_file",
    "assay.learners.neighbors",
    "assay.learners.registry",
    "assay.learners.search",
    "assay.learners.trees",
}
#: Modules that the documentation names.
DOCUMENTED = {
    "assay.learners.boolean.concepts",
    "assay.learners.neighbors.cells",
    "assay.learners.search.separating_lines",
}


def behind_doors(text):
    """What a file imports, or patches by name, that lies behind a door."""
    if "assay.learners" not in text:
        return []
    names = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += _imported(node)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in (
            "setattr",
            "delattr",
        ):
            texts = (a.value for a in node.args if isinstance(a, ast.Constant))
            names += [str(text).rpartition(".")[0] for text in texts]
    modules = {name for name in names if re.match(r"assay\.learners\b", name)}
    return sorted(modules - DOORS - DOCUMENTED)


def _imported(node):
    """The modules of ``from package import names``: a name may be one itself."""
    source = TESTS.parent / "src" / Path(*node.module.split("."))
    below = (alias.name for alias in node.names)
    modules = [name for name in below if (source / f"{name}.py").exists()]
    # Modules of a package are behind its door, unless the door names them.
    stub = source / "__init__.pyi"
    named = stub.read_text() if stub.exists() else ""
    hidden = [m for m in modules if not re.search(rf"\b{m} as {m}\b", named)]
    return [node.module, *(f"{node.module}.{name}" for name in hidden)]


def test_tests_come_through_the_doors():
    hidden = {
        path.relative_to(TESTS).as_posix(): behind_doors(path.read_text())
        for path in sorted(TESTS.rglob("*.py"))
    }
    assert {name: modules for name, modules in hidden.items() if modules} == {}


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("from assay import SVC", []),
        ("from assay.learners.registry import find_learner", []),
        ("from assay.learners.common import Rows, kinds", []),
        ("from assay.learners import registry", []),
        ("from assay.learners.common.rows import Rows", ["assay.learners.common.rows"]),
        ("from assay.learners.kernel import gram", ["assay.learners.kernel.gram"]),
        ("import assay.learners.kernel.gram", ["assay.learners.kernel.gram"]),
        (
            "monkeypatch.setattr('assay.learners.kernel.gram._BLOCK', 3)",
            ["assay.learners.kernel.gram"],
        ),
    ],
)
def test_what_lies_behind_a_door_is_seen(text, modules):
    assert behind_doors(text) == modules
