"""Where theorems are used: the files that evaluate, state or tell of them, found in their sources."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_QUOTED = re.compile(r"[\"'`]([a-z0-9]+(?:-[a-z0-9]+)*)[\"'`]")
_IMPORTS = re.compile(r"^ *from (assay\.theory[\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)


@cache
def speakers() -> dict[str, tuple[str, ...]]:
    """From the id of a theorem to the modules that use it; nothing where there are no sources.

    A module outside of `assay.theory` uses a theorem if it names its id, in quotes or in its documentation, or imports
    its function; one inside, if it builds another theorem on it. A potential is used by the proof that it follows, in
    its own file.

    Examples
    --------
    >>> speakers()["vc-majority"]
    ('assay.lab.shattering',)
    """
    from assay.theory.registry import theorems

    entries = theorems()
    by_function = {
        (entry.function.__module__, entry.function.__name__): entry.id
        for entry in entries
        if entry.function is not None
    }
    potentials = {entry.id for entry in entries if entry.kind == "potential"}
    used: dict[str, set[str]] = {entry.id: set() for entry in entries}
    for path in sorted(_PACKAGE.glob("**/*.py")):
        inside = path.relative_to(_PACKAGE).with_suffix("")
        module = ".".join(("assay", *inside.parts)).removesuffix(".__init__")
        text = path.read_text(encoding="utf-8")
        ids = set(_QUOTED.findall(text)) & used.keys()
        if inside.parts[0] == "theory":
            # There an id in quotes may be its own registration, and a call is what counts.
            ids = {
                id
                for (home, name), id in by_function.items()
                if home == module and (id in potentials or _called(name, text))
            }
        for source, names in _IMPORTS.findall(text):
            known = (by_function.get((source, name)) for name in re.findall(r"\w+", names))
            ids |= {id for id in known if id is not None}
        for id in ids:
            used[id].add(module)
    return {id: tuple(sorted(modules)) for id, modules in used.items()}


def _called(name: str, text: str) -> bool:
    """Whether a function is called in its own file, examples in its documentation left out."""
    lines = (line for line in text.splitlines() if ">>>" not in line and f"def {name}(" not in line)
    return any(re.search(rf"\b{name}\(", line) for line in lines)
