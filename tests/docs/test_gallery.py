"""The scripts of the gallery have what their pages need; `make docs` runs all of them, this file one."""

from __future__ import annotations

import ast
import importlib.util
import runpy
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / "examples" / "gallery").glob("plot_*.py"))
CHEAP = ROOT / "examples" / "gallery" / "plot_wisdom_of_crowds.py"


def pages():
    spec = importlib.util.spec_from_file_location(
        "plotly_pages", ROOT / "docs" / "extensions" / "plotly_pages.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_scripts():
    assert len(SCRIPTS) >= 12
    assert CHEAP in SCRIPTS


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_has_a_title_a_figure_and_ends_in_what_is_promised(script):
    tree = ast.parse(script.read_text(encoding="utf-8"))
    title, line, *_ = ast.get_docstring(tree).splitlines()
    assert line == "=" * len(title)
    drawn = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "figure"]
    assert drawn
    assert "print(" in ast.unparse(tree.body[-1])


def test_a_script_runs_and_its_figure_becomes_a_page_and_a_picture(tmp_path, capsys):
    pytest.importorskip("plotly")
    made = runpy.run_path(str(CHEAP))
    assert "by holdout-exact" in capsys.readouterr().out

    class Paths:
        def next(self):
            return str(tmp_path / "picture.png")

    both = {"example_globals": made, "image_path_iterator": Paths()}
    page = pages().scraper(None, both, {})
    assert page.count("<script") >= 2
    assert "../_static/plotly.min.js" in page
    assert pages().scraper(None, both, {}) == ""  # a figure is shown once
    picture = ElementTree.fromstring((tmp_path / "picture.svg").read_text(encoding="utf-8"))
    assert len(list(picture)) > 3
