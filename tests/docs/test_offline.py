"""Pages need no network: formulas are set by a script beside them, and nothing on them is loaded from elsewhere."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def offline():
    spec = importlib.util.spec_from_file_location("offline", DOCS / "extensions" / "offline.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REMOTE = [
    '<script defer="defer" src="https://cdn.jsdelivr.net/npm/mathjax@4/tex-mml-chtml.js"></script>',
    "<script src='//cdn.example/x.js'></script>",
    '<SCRIPT\n  SRC = "http://cdn.example/x.js">',
    '<link href="https://fonts.example/a.css" rel="stylesheet">',
    '<link rel="icon" href="https://example/a.png">',
    '<img alt="" src="https://example/a.png">',
    '<style>@import url("https://fonts.example/a.css");</style>',
]
LOCAL = [
    '<a href="https://example.org">a link that one may follow</a>',
    '<script src="../_static/mathjax/tex-svg.js"></script>',
    '<link rel="canonical" href="https://example.org/page">',
    "<p>https://example.org/script.js</p>",
]


@pytest.mark.parametrize("tag", REMOTE)
def test_what_a_page_loads_is_seen(tag):
    assert offline().loaded_from_elsewhere(f"<html>{tag}</html>")


@pytest.mark.parametrize("tag", LOCAL)
def test_links_and_files_beside_the_page_may_stay(tag):
    assert not offline().loaded_from_elsewhere(f"<html>{tag}</html>")


def test_a_built_page_brings_its_mathjax(tmp_path):
    application = pytest.importorskip("sphinx.application")
    (tmp_path / "index.rst").write_text("A page\n======\n\n.. math:: \\frac12\n", encoding="utf-8")
    out = tmp_path / "out"
    # No gallery and no reference: only what every page is made with.
    settings = {"extensions": ["sphinx.ext.mathjax"]}
    sphinx = application.Sphinx(
        tmp_path, DOCS, out, tmp_path / "trees", "html", settings, status=None, warning=None
    )
    sphinx.build()
    page = (out / "index.html").read_text(encoding="utf-8")
    assert r"\[\frac12\]" in page
    assert 'src="_static/mathjax/tex-svg.js"' in page
    assert (out / "_static/mathjax/tex-svg.js").stat().st_size > 1_000_000
    assert not offline().loaded_from_elsewhere(page)
