"""The report: one HTML file that says what was learned, how well, how that is known, and loads nothing."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from html import unescape
from typing import Any

from assay import __version__
from assay.certificates.show.markup import Markup, joined, tag
from assay.report.headline import headline
from assay.report.html import (
    Section,
    contents,
    data_block,
    inks_block,
    page,
    page_script,
    paragraphs,
    section,
)
from assay.report.html_sections import (
    candidates_part,
    certificate_part,
    classes_part,
    concerns_part,
    fingerprints_part,
    guarantees_part,
    model_part,
    preparation_part,
    sources_part,
    verify_part,
)
from assay.report.story import Panel, Story
from assay.whole_file import whole_file

# What stays above a figure whose title is the heading of its panel.
_HEADROOM = 36


def html_report(story: Story) -> str:
    """A story as one HTML page that needs no network and no other file.

    Parameters
    ----------
    story : Story
        What to tell.

    Returns
    -------
    str
        The page. It is light or dark as the reader's system is, or as the reader says, and prints.

    Raises
    ------
    MissingExtra
        If there are figures and plotly is not installed.

    Examples
    --------
    >>> from assay import certify
    >>> from assay.report.story import Story
    >>> page = html_report(Story("A filter", certificate=certify(errors=50, rows=1000)))
    >>> "The chance that a new row is wrong is at most 6.29 %, with 95 % confidence." in page
    True
    """
    scripts = [page_script()]
    if story.panels:
        from assay.report.figures.script import plotly_script

        scripts.insert(0, plotly_script())
    parts = [part for part in _sections(story) if part.body]
    toggle = tag("button", "Dark", id="theme", type="button", hidden=True)
    header = tag(
        "header", tag("div", tag("h1", story.title), toggle, class_="top"), _opening(story)
    )
    footer = tag("footer", f"Made by assay {__version__}. This page is complete: it loads nothing.")
    main = tag("main", [section(part) for part in parts], footer)
    # A page of one or two sections needs no list of them.
    aside = contents(parts) if len(parts) > 2 else None
    body = [tag("div", header, aside, main, class_="frame wide" if aside else "frame")]
    if story.panels:
        body += [inks_block(), *(_drawn(i, panel) for i, panel in enumerate(story.panels))]
    return page(story.title, body, scripts)


def save_report(story: Story, path: str | os.PathLike[str]) -> None:
    """Write the report; the file appears whole or not at all."""
    text = html_report(story).encode()
    with whole_file(path) as file:
        file.write(text)


def _opening(story: Story) -> Markup:
    if story.certificate is not None:
        return joined([headline(story.certificate), *paragraphs(_told(story))])
    first, *rest = _told(story) or [""]
    card = tag("div", paragraphs([first], "promise"), class_="headline")
    return joined([card if first else None, *paragraphs(rest)])


def _told(story: Story) -> list[str]:
    baseline = [story.baseline] if story.baseline else []
    return [*story.summary[:1], *baseline, *story.summary[1:]]


def _sections(story: Story) -> Iterable[Section]:
    """In the order in which a stranger asks."""
    figures = [_figure(i, panel) for i, panel in enumerate(story.panels)]
    yield Section("concerns", "What can go wrong", concerns_part(story.concerns))
    yield Section("notes", "Notes", paragraphs(story.notes))
    yield Section("classes", "Which classes go wrong", classes_part(story.classes))
    yield Section("figures", "Figures", figures)
    yield Section("model", "What was learned", model_part(story.model))
    yield Section("data", "From which data", sources_part(story.sources))
    yield Section("test", "How it was tested", paragraphs(story.tested))
    yield Section("candidates", "What was tried", candidates_part(story.candidates))
    yield Section("columns", "How columns were prepared", preparation_part(story.preparation))
    yield Section("certificate", "The certificate", certificate_part(story))
    yield Section("guarantees", "What theorems promise", guarantees_part(story.guarantees))
    yield Section("verify", "How to check this", verify_part(story))
    yield Section("fingerprints", "Fingerprints", fingerprints_part(story))


def _figure(place: int, panel: Panel) -> Markup:
    """Where a figure will be drawn, readable without it."""
    title, below = _title(_parsed(panel))
    alt = panel.alt or panel.caption or panel.title or title
    waits = tag("noscript", tag("p", f"This figure is drawn by a script. {alt}"))
    plot = tag(
        "div", waits, class_="plot", role="img", aria_label=alt, data_figure=f"figure-{place}"
    )
    return tag(
        "figure",
        tag("h3", panel.title or title),
        tag("p", below, class_="below") if below else None,
        plot,
        tag("figcaption", panel.caption) if panel.caption else None,
    )


def _drawn(place: int, panel: Panel) -> Markup:
    """A figure's data. Its title is the heading above it, which folds on narrow screens."""
    figure = _parsed(panel)
    layout = figure.setdefault("layout", {})
    layout.pop("title", None)
    margin = layout.setdefault("margin", {})
    spare = margin.get("t", 100) - _HEADROOM
    if spare > 0:
        # What stands below the axes is placed by the room inside the margins, which stays as it is.
        margin["t"] = _HEADROOM
        if "height" in layout:
            layout["height"] -= spare
    # The page says how wide a figure is.
    layout.pop("width", None)
    return data_block(f"figure-{place}", json.dumps(figure, ensure_ascii=False))


def _parsed(panel: Panel) -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads(panel.figure.to_json())
    return parsed


def _title(figure: dict[str, Any]) -> tuple[str, str]:
    """The title of a figure and the line below it, as plain text."""
    title = figure.get("layout", {}).get("title", {})
    if isinstance(title, str):
        return _plain(title), ""
    return _plain(title.get("text", "")), _plain(title.get("subtitle", {}).get("text", ""))


def _plain(text: str) -> str:
    """Without the few tags that plotly understands, and without its entities."""
    return unescape(re.sub(r"</?(?:b|i|br|em|sub|sup|span|a)\b[^>]*>", " ", text)).strip()
