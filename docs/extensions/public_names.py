"""A name such as ``assay.SVC`` leads to its place in the reference, which documents objects where they are defined."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from lecture_notes import place


def resolve(app: Any, env: Any, node: Any, contnode: nodes.Element) -> nodes.Element | None:
    """What a reference by a public name leads to; None where the name is none of ours, or not documented."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py" or not target.startswith("assay."):
        return None
    try:
        value = place(target)
    except (ImportError, AttributeError):
        return None
    home = f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"
    where = (env, node.get("refdoc", ""), app.builder)
    return env.domains.python_domain.resolve_xref(*where, "obj", home, node, contnode)
