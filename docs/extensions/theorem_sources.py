"""Below every theorem of the theory pages its source, as the catalogue has it."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from lecture_notes import all_notes
from sphinx import addnodes


def print_sources(app: Any, doctree: nodes.document) -> None:
    """Below every theorem of a page its source, with a link to the page of the lecture notes that it names."""
    import assay

    docname = app.env.docname
    if not docname.startswith("theory/"):
        return
    for theorem in assay.theorems():
        home = _section(doctree, theorem)
        if home is None:
            continue
        alone = _title(home) == theorem.id
        home += _source(theorem, alone=alone)
        if not alone:  # so that it can be referred to as those with a heading can
            home[-1]["ids"].append(theorem.id)
            standard = app.env.domains.standard_domain
            standard.note_hyperlink_target(theorem.id, docname, theorem.id, theorem.id)


def _title(section: nodes.section) -> str:
    return section[0].astext().partition(" (")[0]


def _section(doctree: nodes.document, theorem: Any) -> nodes.section | None:
    """The section of a theorem, or the one that mentions it first, on the page of its file."""
    for section in doctree.findall(nodes.section):
        if _title(section) == theorem.id:
            return section
    if theorem.kind != "potential":
        return None
    for literal in doctree.findall(nodes.literal):
        if literal.astext() == theorem.id:
            parent = literal.parent
            while not isinstance(parent, nodes.section):
                parent = parent.parent
            return parent
    return None


def _source(theorem: Any, *, alone: bool) -> nodes.paragraph:
    paragraph = nodes.paragraph(classes=["theorem-source"])
    paragraph += nodes.strong(text="Source")
    if not alone:
        paragraph += [nodes.Text(" of "), nodes.literal(text=theorem.id)]
    paragraph += nodes.Text(". ")
    text = theorem.source
    while text:
        first = min(
            (notes for notes in all_notes() if notes.cited in text),
            key=lambda notes: text.index(notes.cited),
            default=None,
        )
        if first is None:
            paragraph += nodes.Text(text)
            break
        before, _, text = text.partition(first.cited)
        reference = addnodes.pending_xref(
            "", refdomain="std", reftype="doc", reftarget=f"/notes/{first.key}", refexplicit=True
        )
        reference += nodes.inline(text=first.cited)
        paragraph += [nodes.Text(before), reference]
    return paragraph
