"""The pages "From your lecture notes": chapter and section, and what there is of each in assay."""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes
from lecture_notes import NOTES, Entry, Notes, Section, all_notes, entries, labels
from sphinx.util.docutils import SphinxDirective


def link(name: str) -> str:
    """A public name as text of a page; `public_names.py` finds its place in the reference."""
    return f":py:obj:`{name} <{name.partition('(')[0]}>`"


def page(notes: Notes) -> str:
    """The sections of notes as reStructuredText, those of which there is something to say."""
    parts = []
    for section in notes.sections:
        own = [
            entry
            for entry in entries()
            if notes.key in entry.citations
            and labels(entry.citations[notes.key]) & section.labels()
        ]
        lines = list(_lines(section, own))
        if lines:
            title = f"{section.number} {section.title}".strip()
            parts += [title, "-" * (2 * len(title)), "", *lines, ""]
    return "\n".join(parts)


def _lines(section: Section, own: list[Entry]) -> Iterator[str]:
    if section.theorems:
        yield _field("Theorems", [f":ref:`{id}`" for id in _ordered(section.theorems)])
    for entry in own:
        yield _field(entry.name, [link(name) for name in entry.lives])
    if section.experiments:
        yield _field("Experiments", [link(f"assay.lab.{name}") for name in section.experiments])
    if section.figures:
        yield _field("Figures", [link(f"assay.figures.{name}") for name in section.figures])
    shown = [f":doc:`/gallery/{name}`" for name in section.examples]
    shown += [f":doc:`/{name}`" for name in section.pages]
    if shown:
        yield _field("Read and try", shown)
    for erratum in section.errata:
        right = f" See :ref:`{erratum.theorem}`." if erratum.theorem else ""
        kind = "Sharper" if erratum.sharper else "Erratum"
        yield f"\n.. admonition:: {kind}: {erratum.where}\n"
        better = "Better" if erratum.sharper else "Right"
        yield f"   **Printed:** {erratum.prints}\n\n   **{better}:** {erratum.right}\n"
        yield f"   **Why:** {erratum.why}{right}\n"


def _ordered(ids: list[str]) -> list[str]:
    import assay

    order = {theorem.id: place for place, theorem in enumerate(assay.theorems())}
    return sorted(ids, key=order.__getitem__)


def _field(name: str, values: list[str]) -> str:
    return f"- **{name}**: {', '.join(values)}"


class FromNotes(SphinxDirective):
    """``.. from-notes:: KEY``: the sections of these notes."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """What the page says below its introduction."""
        [notes] = [notes for notes in all_notes() if notes.key == self.arguments[0]]
        for path in NOTES.glob("*.toml"):
            self.env.note_dependency(str(path))
        return list(self.parse_text_to_nodes(page(notes), allow_section_headings=True))
