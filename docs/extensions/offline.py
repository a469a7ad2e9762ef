"""Pages that need no network: MathJax lies beside them, and a page that loads anything from elsewhere is reported.

MathJax comes from the package `sphinx-mathjax-offline`. Of its outputs the one is used that draws formulas as SVG: it
loads no fonts, which browsers refuse to pages that are opened from a folder.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from shutil import copy2, copytree
from typing import Any

SCRIPT = "mathjax/tex-svg.js"
# Macros beyond the usual ones are loaded from here when a page uses them.
MACROS = "mathjax/input/tex/extensions"
LOADED = re.compile(
    r"""<(?:script|img|iframe|source)\b[^>]*\bsrc\s*=\s*["']?(?:https?:)?//[^"'\s>]*"""
    r"""|<link\b(?=[^>]*\brel\s*=\s*["']?(?:stylesheet|preload|icon|modulepreload))[^>]*\bhref\s*=\s*["']?(?:https?:)?//[^"'\s>]*"""
    r"""|@import\s+(?:url\()?["']?(?:https?:)?//[^"'\s)]*""",
    re.IGNORECASE,
)


def loaded_from_elsewhere(page: str) -> list[str]:
    """The tags of a page that make a browser load something over the network; a link that one may follow does not."""
    return LOADED.findall(page)


def write_mathjax(app: Any, error: Exception | None) -> None:
    """Put MathJax beside the pages."""
    if error is not None or app.builder.format != "html":
        return
    spec = find_spec("sphinx-mathjax-offline")
    assert spec is not None
    assert spec.origin is not None
    package, pages = Path(spec.origin).parent / "static", Path(app.outdir) / "_static"
    (pages / SCRIPT).parent.mkdir(parents=True, exist_ok=True)
    copy2(package / SCRIPT, pages / SCRIPT)
    copytree(package / MACROS, pages / MACROS, dirs_exist_ok=True)


def report_remote_pages(app: Any, error: Exception | None) -> None:
    """Warn of every page that is not whole without a network: `make docs` takes a warning for an error."""
    from sphinx.util import logging

    if error is not None or app.builder.format != "html":
        return
    for page in sorted(Path(app.outdir).rglob("*.html")):
        for tag in loaded_from_elsewhere(page.read_text(encoding="utf-8")):
            logging.getLogger(__name__).warning("%s loads from elsewhere: %s", page.name, tag)
