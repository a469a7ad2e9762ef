"""What a page is made of: sections with anchors, tables with captions, lists of facts, and the page itself."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import NamedTuple

from assay.certificates.show.markup import Child, Markup, joined, tag
from assay.report.figures.theme import FONT, INKS, Ink


class Section(NamedTuple):
    """A part of the page that can be pointed to."""

    id: str
    title: str
    body: Sequence[Markup]


def section(part: Section) -> Markup:
    """A section with a heading that links to itself."""
    anchor = tag("a", "#", class_="anchor", href=f"#{part.id}", aria_label=f"Link to: {part.title}")
    heading = tag("h2", part.title, " ", anchor, id=f"{part.id}-title")
    return tag("section", heading, part.body, id=part.id, aria_labelledby=f"{part.id}-title")


def contents(parts: Sequence[Section]) -> Markup:
    """The short table of contents."""
    items = [tag("li", tag("a", part.title, href=f"#{part.id}")) for part in parts]
    return tag("nav", tag("ol", items), aria_label="Contents", class_="contents")


def table(
    caption: str,
    names: Sequence[str],
    rows: Iterable[Sequence[Child]],
    *,
    numbers: Iterable[str] = (),
    classes: Sequence[str | None] = (),
    kind: str | None = None,
) -> Markup:
    """A table whose first column names the rows; columns without any entry are left out.

    Examples
    --------
    >>> "Missing" in table("Columns", ["Column", "Missing"], [["size", ""]])
    False
    """
    listed = [list(row) for row in rows]
    kept = [i for i in range(len(names)) if i == 0 or any(row[i] for row in listed)]
    right = set(numbers)
    head = tag(
        "tr", [tag("th", names[i], scope="col", class_=_side(names[i], right)) for i in kept]
    )
    body = [
        tag(
            "tr",
            tag("th", row[0], scope="row"),
            [
                tag("td", row[i], data_label=names[i], class_=_side(names[i], right))
                for i in kept[1:]
            ],
            class_=classes[place] if classes else None,
        )
        for place, row in enumerate(listed)
    ]
    return tag(
        "table", tag("caption", caption), tag("thead", head), tag("tbody", body), class_=kind
    )


def facts(pairs: Mapping[str, Child], kind: str = "facts") -> Markup:
    """Names and what they are; those that are nothing are left out."""
    given = {name: value for name, value in pairs.items() if value}
    terms = [tag("div", tag("dt", name), tag("dd", value)) for name, value in given.items()]
    return tag("dl", terms, class_=kind)


def paragraphs(lines: Iterable[str], kind: str | None = None) -> list[Markup]:
    """One paragraph a line."""
    return [tag("p", line, class_=kind) for line in lines]


def digest(text: str) -> Markup | None:
    """A fingerprint, which may break anywhere."""
    return tag("code", text, class_="digest") if text else None


def shortened(names: Sequence[str], most: int = 12) -> Markup:
    """Names one after another; those beyond the first few open on demand."""
    if len(names) <= most + 1:
        return joined([", ".join(names)])
    rest = names[most:]
    more = tag("details", tag("summary", f"and {len(rest):,} more"), ", ".join(rest))
    return joined([", ".join(names[:most]), " ", more])


def data_block(id: str, value: str) -> Markup:
    """JSON for the page's script, so written that nothing in it can end the element."""
    safe = value.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")
    return Markup(f'<script type="application/json" id="{id}">{safe}</script>')


def page(title: str, body: Iterable[Markup], scripts: Sequence[str]) -> str:
    """The whole document, which may run the scripts given here, no others, and load nothing."""
    hashes = " ".join(f"'sha256-{_fingerprint(script)}'" for script in scripts)
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'unsafe-inline'; "
        f"img-src data: blob:; font-src data:; script-src {hashes or chr(39) + 'none' + chr(39)}"
    )
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("link", rel="icon", href="data:,"),
        tag("title", title),
        Markup(f"<style>{_style()}</style>"),
    ]
    inline = [Markup(f"<script>{script}</script>") for script in scripts]
    document = tag(
        "html", "\n", tag("head", head), "\n", tag("body", body, inline), "\n", lang="en"
    )
    return f"<!DOCTYPE html>\n{document}\n"


def page_script() -> str:
    """What the page does: light and dark, and drawing the figures."""
    return _packed("page.js")


def inks_block() -> Markup:
    """The colours of both themes, for figures that change sides."""
    colours = {name: _names(ink) for name, ink in INKS.items()}
    return data_block("inks", json.dumps(colours))


def _style() -> str:
    light, dark = (_variables(INKS[name]) for name in ("light", "dark"))
    # Paper is white: the dark colours are for screens only.
    themes = (
        f":root{{{light}--font:{FONT}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{{dark}}}}}\n"
    )
    return themes + _packed("page.css")


def _variables(ink: Ink) -> str:
    named = _names(ink)
    return "".join(f"--{name}:{colour};" for name, colour in named.items())


def _names(ink: Ink) -> dict[str, str]:
    named = {"paper": ink.paper, "text": ink.text, "faint": ink.faint, "grid": ink.grid}
    return named | {f"series{place}": colour for place, colour in enumerate(ink.series)}


def _packed(name: str) -> str:
    return files("assay.report").joinpath(name).read_text(encoding="utf-8")


def _fingerprint(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _side(name: str, numbers: set[str]) -> str | None:
    return "number" if name in numbers else None
