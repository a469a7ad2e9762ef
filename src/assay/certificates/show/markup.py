"""HTML composed from the inside out: whatever is not markup already is escaped."""

from __future__ import annotations

import html
from collections.abc import Iterable

_VOID = frozenset({"br", "hr", "link", "meta"})


class Markup(str):
    """Text that is HTML already and is not escaped again."""

    __slots__ = ()


Child = str | Iterable[str] | None


def tag(name: str, /, *children: Child, **attributes: str | bool | None) -> Markup:
    """An element around its children, which are escaped unless they are markup.

    A trailing underscore in the name of an attribute is dropped and others become hyphens, so that
    ``class_`` and ``data_label`` can be written. None and False leave an attribute out.

    Examples
    --------
    >>> tag("p", "a < b, ", tag("em", "so"), class_="note")
    '<p class="note">a &lt; b, <em>so</em></p>'
    """
    written = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(children)}</{name}>")


def joined(children: Iterable[Child], between: str = "") -> Markup:
    """Children one after another, each escaped unless it is markup.

    Examples
    --------
    >>> joined(["a & b", None, Markup("<br>")])
    'a &amp; b<br>'
    """
    return Markup(between.join(_text(child) for child in children if child is not None))


def _text(child: str | Iterable[str]) -> str:
    if isinstance(child, Markup):
        return child
    return html.escape(child) if isinstance(child, str) else joined(child)


def _attribute(key: str, value: str | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{html.escape(str(value))}"'
