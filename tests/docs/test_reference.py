"""Every public name has its place in the reference, and every page of the reference is listed."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import assay
from assay import figures

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [DOCS / "api.rst", *sorted(DOCS.glob("reference/*.rst"))]
DOCUMENTED = re.compile(
    r"^\.\. (?:auto(?:class|function|module)|py:module):: ([\w.]+)", re.MULTILINE
)


def documented() -> set[str]:
    found = [DOCUMENTED.findall(page.read_text(encoding="utf-8")) for page in PAGES]
    return {name for names in found for name in names}


def home(value):
    return f"{value.__module__}.{value.__qualname__}"


@pytest.mark.parametrize("name", assay.__all__)
def test_a_public_name_is_documented(name):
    value = getattr(assay, name)
    assert inspect.ismodule(value) or {f"assay.{name}", home(value)} & documented()


def test_every_figure_is_documented():
    assert {home(getattr(figures, name)) for name in figures.__all__} <= documented()


def test_every_page_of_the_reference_is_listed():
    listed = set(
        re.findall(r"^   reference/(\w+)$", PAGES[0].read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert listed == {page.stem for page in PAGES[1:]}
