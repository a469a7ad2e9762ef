"""The way in from lecture notes: tables that name what there is, sources on theory pages, words in the glossary."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import pytest

import assay
from assay import figures

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
IDS = {theorem.id for theorem in assay.theorems()}


def script(path, name):
    """A module of the documentation, which is no package, under a name by which others find it."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


notes = script(DOCS / "extensions" / "lecture_notes.py", "lecture_notes")
SECTIONS = [(each.key, section) for each in notes.all_notes() for section in each.sections]


def test_citations_are_read():
    assert notes.cited("Theorems 6.9 and 6.13; section 6.4") == {
        "Theorem 6.9",
        "Theorem 6.13",
        "Section 6.4",
    }
    assert notes.cited("Remark 9-11, Definition 2.9-2.10") == {
        "Remark 9",
        "Remark 10",
        "Remark 11",
        "Definition 2.9",
        "Definition 2.10",
    }
    assert notes.cited('"Gini impurity"') == {"Gini impurity"}


def test_a_citation_ends_where_the_next_work_begins():
    source = (
        "Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 6.9; Novikoff, Theorem 1; "
        "Sakulwongtana, Supervised Learning (lecture notes), Theorem 5.4; "
        "Blum, Hopcroft & Kannan, Foundations of Data Science, Theorem 2.1."  # another chapter
    )
    named = {(each.key, label) for each, label in notes.statements(source, notes.all_notes())}
    assert named == {("foundations", "Theorem 6.9"), ("supervised", "Theorem 5.4")}


def test_every_theorem_of_the_catalogue_is_found_from_some_notes():
    placed = {id for _, section in SECTIONS for id in section.theorems}
    assert placed <= IDS
    assert {each.id for each in assay.theorems() if each.number.startswith("T")} <= placed


def test_every_numbered_theorem_names_notes_in_its_source():
    cited = [each.cited for each in notes.all_notes()]
    numbered = [each for each in assay.theorems() if each.number.startswith("T")]
    assert len(numbered) == 107
    assert not [each.id for each in numbered if not any(name in each.source for name in cited)]


def test_statements_stand_in_one_section():
    for each in notes.all_notes():
        labels = [label for section in each.sections for label in section.labels()]
        assert len(labels) == len(set(labels)), each.key


@pytest.mark.parametrize("section", SECTIONS, ids=lambda pair: f"{pair[0]}-{pair[1].title}")
def test_what_a_table_names_exists(section):
    _, section = section
    assert set(section.figures) <= set(figures.__all__)
    assert all((ROOT / "examples/gallery" / f"{name}.py").exists() for name in section.examples)
    assert all((DOCS / f"{name}.rst").exists() for name in section.pages)
    for erratum in section.errata:
        assert erratum.theorem in IDS | {""}
        assert all(part.endswith(".") for part in (erratum.prints, erratum.right, erratum.why))


def test_every_set_of_notes_has_its_page():
    for each in notes.all_notes():
        page = (DOCS / "notes" / f"{each.key}.rst").read_text(encoding="utf-8")
        assert page.startswith(f"{each.title}\n=")
        assert page.endswith(f".. from-notes:: {each.key}\n")
        assert f"   {each.key}\n" in (DOCS / "notes/index.rst").read_text(encoding="utf-8")


def test_the_source_of_every_theorem_has_its_place_on_a_page():
    """Below its heading, or for what a proof follows, in the section that mentions it."""
    text = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("theory/*/*.rst"))
    headed = set(re.findall(r"^``([\w-]+)``(?: \([TL]\d+\))?\n-{3,}$", text, re.MULTILINE))
    mentioned = set(re.findall(r"``([\w-]+)``", text))
    for theorem in assay.theorems():
        assert theorem.id in (mentioned if theorem.kind == "potential" else headed), theorem.id


SEARCHED = (
    "overfitting",
    "capacity",
    "empirical risk",
    "expected risk",
    "kernel trick",
    "cross-validation",
    "stagewise",
    "XOR",
    "bag of words",
)


def test_words_that_people_search_for_are_in_the_glossary():
    text = (DOCS / "glossary.rst").read_text(encoding="utf-8")
    terms = set(re.findall(r"^   (\S.*)$", text.partition(".. glossary::")[2], re.MULTILINE))
    assert set(SEARCHED) <= terms
    assert "   glossary\n" in (DOCS / "index.rst").read_text(encoding="utf-8")
