"""The lecture notes from which students come, by the tables of `docs/notes` and the sources of theorems.

A theorem stands in the section that holds a statement its source names; the tables add what sources do not name. An
entry of `algorithms.toml` stands in the sections that it cites.
"""

from __future__ import annotations

import importlib
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1]
NOTES = DOCS / "notes"
STATEMENTS = "Theorem|Lemma|Corollary|Proposition|Definition|Remark|Example|Conclusion|Section"
PLURALS = {"Corollaries": "Corollary"}
NUMBER = r"\d+(?:\.\d+)*"
CITATION = re.compile(
    rf"({STATEMENTS}|Corollaries)s? ({NUMBER}(?:-{NUMBER})?(?:(?:, | and ){NUMBER}(?:-{NUMBER})?)*)",
    re.IGNORECASE,
)
TITLE = re.compile(r'"([^"]+)"')


@dataclass(frozen=True)
class Erratum:
    """What the notes print, what is right, and why; with the theorem that has it right, where there is one.

    What is `sharper` only is printed right, and can be said better.
    """

    where: str
    prints: str
    right: str
    why: str
    theorem: str = ""
    sharper: bool = False


@dataclass
class Section:
    """A section of lecture notes, or a few slides of one title, and what there is of it in assay."""

    title: str
    number: str = ""
    holds: str = ""
    theorems: list[str] = field(default_factory=list)
    experiments: list[str] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)
    errata: list[Erratum] = field(default_factory=list)

    def labels(self) -> set[str]:
        """Everything by which it may be cited: its number, its title, its numbered statements."""
        own = {f"Section {self.number}"} if self.number else {self.title}
        return own | cited(self.holds)


@dataclass
class Notes:
    """One set of lecture notes."""

    key: str
    title: str
    about: str
    cited: str
    sections: list[Section]
    chapter: str = ""

    def section(self, label: str) -> Section | None:
        """The section that is cited so."""
        return next((section for section in self.sections if label in section.labels()), None)


@dataclass(frozen=True)
class Entry:
    """An algorithm or a notion of the notes: where it lives, and the test that runs it."""

    name: str
    group: str
    citations: dict[str, str]
    lives: tuple[str, ...]
    test: str
    without: str = ""


def cited(text: str) -> set[str]:
    """The statements that a text names, each by its full name; quoted titles of slides too.

    >>> sorted(cited("Theorems 6.9 and 6.13, section 6.4"))
    ['Section 6.4', 'Theorem 6.13', 'Theorem 6.9']
    """
    found = set(TITLE.findall(text))
    for kind, numbers in CITATION.findall(text):
        name = PLURALS.get(kind.capitalize(), kind.capitalize())
        for number in re.split(r", | and ", numbers):
            found |= {f"{name} {each}" for each in _range(number)}
    return found


def _range(text: str) -> Iterator[str]:
    first, _, last = text.partition("-")
    if not last:
        yield first
        return
    head, _, start = first.rpartition(".")
    for place in range(int(start), int(last.rpartition(".")[2]) + 1):
        yield f"{head}.{place}" if head else str(place)


@cache
def all_notes() -> tuple[Notes, ...]:
    """Every set of notes, in the order of their pages, with the theorems whose sources name them put in."""
    read = [_notes(path) for path in sorted(NOTES.glob("*.toml")) if path.stem != "algorithms"]
    import assay

    for theorem in assay.theorems():
        for notes, label in statements(theorem.source, read):
            section = notes.section(label)
            if section is None:
                raise LookupError(
                    f"{theorem.id} cites {label} of {notes.key}, which no section holds"
                )
            if theorem.id not in section.theorems:
                section.theorems.append(theorem.id)
    return tuple(read)


def _notes(path: Path) -> Notes:
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    sections = []
    for entry in table["section"]:
        errata = [Erratum(**erratum) for erratum in entry.pop("erratum", [])]
        sections.append(Section(**entry, errata=errata))
    own = {key: table[key] for key in ("title", "about", "cited")}
    return Notes(path.stem, **own, sections=sections, chapter=table.get("chapter", ""))


def statements(source: str, read: Iterable[Notes]) -> Iterator[tuple[Notes, str]]:
    """The statements of the notes that a source names."""
    read = list(read)
    for notes in read:
        for part in source.split(notes.cited)[1:]:
            # A citation ends where the next work begins.
            own = re.split(rf";|{'|'.join(re.escape(other.cited) for other in read)}", part)[0]
            for label in sorted(cited(own)):
                # Of a book, other chapters are not gone through.
                if label.partition(" ")[2].startswith(notes.chapter):
                    yield notes, label


@cache
def entries() -> tuple[Entry, ...]:
    """The algorithms and notions of all notes."""
    table = tomllib.loads((NOTES / "algorithms.toml").read_text(encoding="utf-8"))
    keys = {"name", "lives", "test", "without"}
    return tuple(
        Entry(
            row["name"],
            group["title"],
            {key: value for key, value in row.items() if key not in keys},
            tuple(row["lives"]),
            row["test"],
            row.get("without", ""),
        )
        for group in table["group"]
        for row in group["row"]
    )


def labels(citation: str) -> set[str]:
    """What an entry cites: statements, or titles of slides divided by semicolons."""
    named = cited(citation)
    return named or {title.strip() for title in citation.split(";")}


def place(name: str) -> Any:
    """The object of a public name such as ``assay.figures.kd_boxes`` or ``assay.SVC.fit``.

    Where a file and what it defines share a name, it is the latter, as for a user.
    """
    path, *parts = name.partition("(")[0].split(".")
    value = importlib.import_module(path)
    for part in parts:
        path = f"{path}.{part}"
        try:
            value = getattr(value, part)
        except AttributeError:
            value = importlib.import_module(path)
    return value
