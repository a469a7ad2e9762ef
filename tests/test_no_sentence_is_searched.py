"""What a refusal says is for people: no code looks into its words, or puts others in their place."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import assay

SOURCE = Path(assay.__file__).parent

# Other packages say in words alone what went wrong, and documents of format 1 hold sentences.
ALLOWED = {
    "data/delimited.py": 2,  # pyarrow
    "server/middleware.py": 1,  # uvloop
    "certificates/format/format_1.py": None,
}

LOOKS = {
    *("replace", "startswith", "endswith", "removeprefix", "removesuffix", "translate"),
    *("partition", "rpartition", "find", "rfind", "index", "count"),
}
PATTERNS = {"sub", "subn", "search", "match", "fullmatch", "findall", "finditer"}


def caught(tree):
    """The names of what was raised: in handlers, and as parameters."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name
        if isinstance(node, ast.arg) and node.annotation is not None:
            kinds = ast.unparse(node.annotation)
            if any(word in kinds for word in ("Error", "Exception", "BadData", "BadParameter")):
                yield node.arg


def is_words(node, raised, words):
    """Whether an expression is the text of what was raised."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str":
        return any(isinstance(part, ast.Name) and part.id in raised for part in node.args)
    if isinstance(node, ast.JoinedStr):
        parts = [part.value for part in node.values if isinstance(part, ast.FormattedValue)]
        return any(isinstance(part, ast.Name) and part.id in raised for part in parts)
    if isinstance(node, ast.Subscript):
        return ast.unparse(node.value) in {f"{name}.args" for name in raised}
    return isinstance(node, ast.Name) and node.id in words


def searches(text):
    """The lines in which the text of a refusal is looked into."""
    tree = ast.parse(text)
    raised = set(caught(tree))
    words = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and is_words(node.value, raised, words):
            words |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    lines = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn | ast.Eq):
            looked = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            looked = [node.func.value] if node.func.attr in LOOKS else []
            looked += node.args if node.func.attr in PATTERNS else []
        else:
            continue
        if any(is_words(part, raised, words) for part in looked):
            lines.append(node.lineno)
    return lines


def test_no_sentence_is_searched_or_replaced():
    found = {
        str(path.relative_to(SOURCE)): lines
        for path in SOURCE.rglob("*.py")
        if (lines := searches(path.read_text(encoding="utf-8")))
    }
    for name, most in ALLOWED.items():
        lines = found.pop(name, [])
        assert most is None or len(lines) == most
    assert not found


@pytest.mark.parametrize(
    "line",
    [
        "if 'row' in str(error): pass",
        "text = str(error).replace('a', 'b')",
        "text = re.sub('a', 'b', str(error))",
        "said = str(error)\n    said = said.replace('a', 'b')",
        "said = f'{error}'\n    PATTERN.search(said)",
        "error.args[0].startswith('a')",
    ],
)
def test_a_search_would_be_noticed(line):
    assert searches(f"try:\n    pass\nexcept BadData as error:\n    {line}")


def test_saying_it_is_no_search():
    assert not searches("try:\n    pass\nexcept BadData as error:\n    print(str(error).split())")
